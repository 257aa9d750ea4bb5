import * as assert from "node:assert/strict";
import { foresee } from "../../../../provider/lifecycle/vocabulary/actions";
import { emptyMemory, rememberAction } from "../../../../provider/lifecycle/vocabulary/memory";
import type { ClaimState } from "../../../../provider/lifecycle/vocabulary/claimState";
import { known } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedClaim, ObservedStore } from "../../../../provider/lifecycle/vocabulary/observation";
import type { GrowthPolicy } from "../../../../provider/lifecycle/vocabulary/volumeGrowth";
import { dueVolumes, largerVolumes, notGrowing } from "../../../../provider/lifecycle/volumes/planVolumes";
import { nextGrowthMove, nextVolumesMove } from "../../../../provider/lifecycle/volumes/nextVolumesMove";
import { claimOf, type Deviation, inShort, now, observed } from "../../../support/lifecycle/observations";
import { codesOf } from "../../../support/repeats";

const gibibytes = (count: number) => count * 1024 ** 3;
/** A store's disk of a size in GiB, and how much of it is used, in percent. */
const disk = (size: number, used: number): Partial<ObservedStore> => ({
    capacityBytes: gibibytes(size),
    availableBytes: (gibibytes(size) * (100 - used)) / 100,
});
const yes = known(true, "the API server", now);
const no = known(false, "the API server", now);
const policy: GrowthPolicy = { growAt: 80, by: 20, max: "2Ti" };
const grownTo = (from: string, to: string, storeGibibytes: number) => ({
    at: "2026-11-30T18:43:08.000Z",
    ...{ from, to },
    storeBytes: gibibytes(storeGibibytes),
});

/** The claims and the stores of a member, by ordinal. */
interface Row extends Pick<Deviation, "pdSilent" | "notAsked" | "unknown"> {
    component?: "tikv" | "tiflash" | "pd";
    claims: (Partial<ClaimState> & Partial<Pick<ObservedClaim, "expands" | "released">>)[];
    stores?: (Partial<ObservedStore> | undefined)[];
    program?: string;
    growth?: Partial<GrowthPolicy> | null;
}

function clusterOf({ component = "tikv", claims, stores = [], program = "100Gi", growth, ...more }: Row) {
    const template = component === "tiflash" ? "data0" : component;
    const { observation, target } = observed(component, {
        ...more,
        live: claims.length,
        [component === "tiflash" ? "tiflash" : "stores"]: { ...stores },
        claimTemplates: [{ name: template, storage: program, storageClass: "fast" }],
        claims: claims.map(({ released = false, ...own }, ordinal) => {
            const { expands, ...state } = { expands: yes, ...own };
            return claimOf(component, ordinal, {
                name: `${template}-basic-${component}-${ordinal}`,
                state: {
                    ...{ phase: "Bound", hasSource: false, storageClass: "fast" },
                    ...{ requested: "100Gi", capacity: "100Gi" },
                    ...state,
                },
                ...{ released, expands },
            });
        }),
    });
    return {
        observation,
        target: {
            ...target,
            claims: [{ name: template, storage: program, storageClass: "fast" }],
            ...(growth === null ? {} : { growth: { ...policy, ...growth } }),
        },
    };
}

const moveIn = (row: Row) => {
    const { observation, target } = clusterOf(row);
    const move = nextVolumesMove(observation, target, emptyMemory);
    return move === undefined ? "nothing" : inShort(move);
};
const noticesIn = (row: Row) => {
    const { observation, target } = clusterOf(row);
    return notGrowing(observation, target);
};

const full = disk(100, 83);
const claim = "tikv-basic-tikv-0";
const grows = (to: string) => `grow ${claim} ${to}`;
const one = (more: Partial<Row> = {}): Row => ({ claims: [{}], stores: [full], ...more });
const state = (more: Row["claims"][number], stored = full, also: Partial<Row> = {}): Row =>
    one({ claims: [more], stores: [stored], ...also });

describe("a volume that grows with its use", () => {
    const decided: [name: string, row: Row, expected: string][] = [
        ["grows by its share once it is full enough", one(), grows("120Gi")],
        ["grows from exactly that use on", one({ stores: [disk(100, 80)] }), grows("120Gi")],
        ["does not grow before", one({ stores: [disk(100, 79.9)] }), "nothing"],
        ["grows from another use on", one({ stores: [disk(100, 60)], growth: { growAt: 60 } }), grows("120Gi")],
        ["grows by another share", one({ growth: { by: 1 } }), grows("101Gi")],
        [
            "grows to a whole Gi, rounded up",
            state({ requested: "11Gi", capacity: "11Gi" }, disk(11, 90), { program: "11Gi" }),
            grows("14Gi"),
        ],
        ["grows from what its driver has given it", state({ capacity: "104Gi" }, disk(104, 90)), grows("125Gi")],
        ["has its size as Kubernetes writes it", one({ growth: { by: 100, max: "200Gi" } }), grows("200Gi")],
        [
            "has a size in Ti where that is whole",
            state({ requested: "512Gi", capacity: "512Gi" }, disk(512, 90), { growth: { by: 100 } }),
            grows("1Ti"),
        ],
        ["grows up to the largest size, and no further", one({ growth: { max: "110Gi" } }), grows("110Gi")],
        ["does not grow from there", one({ growth: { max: "100Gi" } }), "nothing"],
        ["gets the program's size if that is larger", one({ program: "200Gi" }), grows("200Gi")],
        ["gets a program's size beyond the largest", one({ program: "3Ti" }), grows("3Ti")],
        ["gets its own size if the program's is smaller", one({ program: "110Gi" }), grows("120Gi")],
        ["does not grow if nobody asked for that", one({ growth: null }), "nothing"],
        ["grows for TiFlash", one({ component: "tiflash" }), "grow data0-basic-tiflash-0 120Gi"],
        ["does not grow for PD, of which nothing tells how full it is", one({ component: "pd" }), "nothing"],
        ["grows one pod's at a time", one({ claims: [{}, {}], stores: [full, full] }), grows("120Gi")],
        [
            "is waited for before the next one grows",
            one({
                claims: [{ requested: "120Gi", grown: grownTo("100Gi", "120Gi", 100) }, {}],
                stores: [full, full],
            }),
            "wait volume-grown basic-tikv-0",
        ],
        ["reads its class first", state({ expands: undefined }), "look expansions:true"],
    ];
    for (const [name, row, expected] of decided) {
        it(name, () => {
            assert.equal(moveIn(row), expected);
        });
    }

    const unknown: [name: string, row: Row][] = [
        ["PD was not asked", one({ notAsked: ["stores"] })],
        ["PD does not answer", one({ pdSilent: true })],
        ["PD does not tell its stores", one({ unknown: ["stores"] })],
        ["PD lists no store of the pod", one({ stores: [undefined] })],
        ["the store is not Up, so what PD knows of it is old", one({ stores: [{ ...full, state: "Disconnected" }] })],
        ["the store leaves", one({ stores: [{ ...full, state: "Offline" }] })],
        ["the store has not reported its disk", one({ stores: [{ capacityBytes: 0, availableBytes: 0 }] })],
        ["the store has not reported its free space", one({ stores: [{ capacityBytes: gibibytes(100) }] })],
        ["the claim has no volume yet", state({ phase: "Pending" })],
        ["the claim's size is not known", state({ capacity: undefined })],
        ["the claim is released", state({ released: true })],
        [
            "the claim is released, and has the largest size",
            state({ released: true }, full, { growth: { max: "1Gi" } }),
        ],
        ["a user enlarges it", state({ requested: "150Gi" })],
        [
            "a user enlarges it, and its driver fails",
            state({ requested: "150Gi", resize: { of: "volume", trouble: "quota" } }),
        ],
    ];
    for (const [name, row] of unknown) {
        it(`does not grow where ${name}`, () => {
            assert.equal(moveIn(row), "nothing");
            assert.deepEqual(noticesIn(row), []);
        });
    }

    it("does not grow twice for the same fullness: PD must report what it has grown by", () => {
        const grown = grownTo("100Gi", "105Gi", 100);
        const at = (reported: number) =>
            moveIn(state({ requested: "105Gi", capacity: "105Gi", grown }, disk(reported, 90), { growth: { by: 5 } }));
        assert.deepEqual(
            [at(100), at(102), at(102.5), at(105)],
            ["nothing", "nothing", grows("111Gi"), grows("111Gi")],
        );
    });

    it("is the one with the data: logs stay as they are, and do not count as the store's disk", () => {
        const { observation, target } = clusterOf(one());
        const { tikv } = observation.members;
        const logs = { ...tikv!.claims[0], name: "tikv-logs-basic-tikv-0", uid: "logs" };
        const claims = [logs, ...tikv!.claims];
        const seen = { ...observation, members: { ...observation.members, tikv: { ...tikv!, claims } } };
        const move = nextGrowthMove(seen, target, emptyMemory);
        assert.equal(move && inShort(move), grows("120Gi"));
    });

    it("is each of a store with several, where all are known", () => {
        const { observation, target } = clusterOf(one({ component: "tiflash", stores: [disk(200, 83)] }));
        const tiflash = observation.members.tiflash!;
        const [first] = tiflash.claims;
        const moveWith = (capacity: string | undefined) => {
            const name = "data1-basic-tiflash-0";
            const second = { ...first, name, uid: "second", state: { ...first.state!, capacity } };
            const members = { ...observation.members, tiflash: { ...tiflash, claims: [first, second] } };
            const claims = [...target.claims, { ...target.claims[0], name: "data1" }];
            const move = nextGrowthMove({ ...observation, members }, { ...target, claims }, emptyMemory);
            return move && inShort(move);
        };
        assert.equal(moveWith("100Gi"), "grow data0-basic-tiflash-0 120Gi data1-basic-tiflash-0 120Gi");
        assert.equal(moveWith(undefined), undefined);
    });

    it("is foreseen as grown, once", () => {
        const { observation, target } = clusterOf(one({ growth: { by: 5 } }));
        const move = nextGrowthMove(observation, target, emptyMemory);
        assert.ok(move?.kind === "act");
        const after = foresee(observation, move.action);
        assert.equal(after.members.tikv?.claims[0].state?.capacity, "105Gi");
        assert.equal(nextGrowthMove(after, target, rememberAction(emptyMemory, move, now)), undefined);
    });

    it("records the size that PD reports, also where the program's size is the larger one", () => {
        for (const program of ["100Gi", "200Gi"]) {
            const { observation, target } = clusterOf(one({ program }));
            const move = nextGrowthMove(observation, target, emptyMemory);
            assert.ok(move?.kind === "act" && move.action.do === "grow-claims");
            assert.equal(move.action.claims[0].storeBytes, gibibytes(100));
        }
        const { observation, target } = clusterOf(one({ program: "200Gi", stores: [disk(100, 10)] }));
        const move = nextGrowthMove(observation, target, emptyMemory);
        assert.ok(move?.kind === "act" && move.action.do === "grow-claims");
        assert.equal("storeBytes" in move.action.claims[0], false);
    });

    it("is a step with its reason", () => {
        const { observation, target } = clusterOf(one());
        const [{ kind, target: pod, why }] = dueVolumes(observation, target);
        assert.deepEqual(
            [kind, pod, why],
            ["grow", "basic-tikv-0", "100Gi to 120Gi: used 83% of 100.0 GiB, growAt 80%"],
        );
    });
});

describe("a full disk whose volume does not grow", () => {
    const failing = { requested: "120Gi", grown: grownTo("100Gi", "120Gi", 100) };
    const trouble = { of: "volume", trouble: "quota" } as const;
    const refused = { ...trouble, isInfeasible: true } as const;
    const rows: [name: string, row: Row, code: string, words: RegExp][] = [
        ["has the largest size", one({ growth: { max: "100Gi" } }), "volume-at-max", /100Gi.*max is 100Gi.*83%/],
        [
            "is of a class that forbids it",
            state({ expands: no }),
            "volume-not-grown",
            /StorageClass fast does not allow/,
        ],
        ["is of a store with a limit", one({ stores: [disk(50, 83)] }), "volume-not-grown", /83% of 50\.0 GiB/],
        ["is of a store on another disk", one({ stores: [disk(1000, 83)] }), "volume-not-grown", /83% of 1000\.0 GiB/],
        [
            "has a driver that fails",
            state({ ...failing, resize: trouble }),
            "volume-not-grown",
            /tries again \(quota\)/,
        ],
        [
            "has a driver that refuses",
            state({ ...failing, resize: refused }),
            "volume-not-grown",
            /refuses .*\(quota\)/,
        ],
    ];
    for (const [name, row, code, words] of rows) {
        it(`is a warning, and neither a step nor a failure, where it ${name}`, () => {
            const notices = noticesIn(row);
            assert.deepEqual(codesOf(notices), [code]);
            assert.match(notices[0].message, words);
            assert.ok(notices[0].message.length <= 200, notices[0].message);
            const { observation, target } = clusterOf(row);
            assert.deepEqual(dueVolumes(observation, target), []);
            assert.equal(moveIn(row), "nothing");
        });
    }

    it("is left to its driver, which is not asked for more volumes meanwhile", () => {
        const row = one({ claims: [{ ...failing, resize: trouble }, {}], stores: [full, full] });
        assert.equal(moveIn(row), "nothing");
    });

    it("keeps no growth back that the program asks for", () => {
        const row = one({ claims: [{ ...failing, resize: refused }], program: "110Gi" });
        assert.equal(moveIn(row), grows("110Gi"));
        assert.equal(moveIn(state({ expands: no }, full, { program: "110Gi" })), "fail volume-grown basic-tikv-0");
    });

    it("does not hold the update up for longer than an hour", () => {
        const row = state(failing);
        const { observation, target } = clusterOf(row);
        const waits = { "volume-grown basic-tikv-0": { since: now - 3_600_000, seenAt: now - 1000 } };
        assert.equal(nextVolumesMove(observation, target, { ...emptyMemory, waits }), undefined);
        const asked = clusterOf({ ...row, program: "120Gi" });
        const move = nextVolumesMove(asked.observation, asked.target, { ...emptyMemory, waits });
        assert.equal(move?.kind, "fail");
    });
});

describe("volumes that are larger than the program says", () => {
    it("are said to be grown by this package, with the size and the day, or by a user", () => {
        const grown = grownTo("100Gi", "120Gi", 100);
        const { observation, target } = clusterOf({
            claims: [
                { requested: "120Gi", capacity: "120Gi", grown },
                { requested: "150Gi", capacity: "150Gi", grown },
            ],
        });
        assert.deepEqual(
            largerVolumes(observation, target).map(({ message }) => message),
            [
                "tikv-basic-tikv-1 (150Gi) is larger than the program's 100Gi. It stays so, and new pods get 100Gi: set the program's size to that of the claim",
                "tikv-basic-tikv-0 (120Gi) is larger than the program's 100Gi: grown by pulumi-tidb (operations.volumes) from 100Gi on 2026-11-30. It stays so, and new pods get 100Gi",
            ],
        );
    });
});

import * as assert from "node:assert/strict";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import type { ClaimState } from "../../../../provider/lifecycle/vocabulary/claimState";
import { known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { Observation, ObservedClaim } from "../../../../provider/lifecycle/vocabulary/observation";
import type { RemakeRecord } from "../../../../provider/lifecycle/vocabulary/operationRecords";
import type { MemberTarget } from "../../../../provider/lifecycle/vocabulary/target";
import { remakeOf } from "../../../../provider/lifecycle/volumes/claimTemplates";
import { droppedTemplates } from "../../../../provider/lifecycle/stages/podVolumes";
import { leftRemakes } from "../../../../provider/lifecycle/volumes/remake";
import { nextVolumesMove } from "../../../../provider/lifecycle/volumes/nextVolumesMove";
import { claimOf, inShort, now, observed } from "../../../support/lifecycle/observations";

/** The state of each store's claim, by ordinal, and the size in the live StatefulSet. */
interface Row {
    claims: (Partial<ClaimState> & Partial<Pick<ObservedClaim, "expands" | "released">>)[];
    template?: string;
    wanted?: string;
    replicas?: number;
    notReady?: number[];
}

const yes = known(true, "the API server", now);
const small = { requested: "10Gi", capacity: "10Gi", expands: yes };
const large = { requested: "20Gi", capacity: "20Gi" };
const templates = (storage: string) => [{ name: "tikv", storage, storageClass: "fast" }];

function clusterOf({ claims, template = "20Gi", wanted = "20Gi", replicas, notReady }: Row): {
    observation: Observation;
    target: MemberTarget;
} {
    const { observation, target } = observed("tikv", {
        live: claims.length,
        replicas: replicas ?? claims.length,
        pods: Object.fromEntries((notReady ?? []).map((ordinal) => [ordinal, { ready: false }])),
        claimTemplates: [...templates(template), { name: "tikv-logs", storage: "1Gi", storageClass: "" }],
        claims: claims.map(({ expands, released = false, ...state }, ordinal) =>
            claimOf("tikv", ordinal, {
                state: { phase: "Bound", hasSource: false, storageClass: "fast", ...state },
                released,
                ...(expands ? { expands } : {}),
            }),
        ),
    });
    return { observation, target: { ...target, claims: templates(wanted) } };
}

function remadeIn({ members }: Observation, target: MemberTarget): RemakeRecord {
    const { manifest, ...statefulSet } = members.tikv!.statefulSet!;
    const claims = [...(target.claims ?? []), ...droppedTemplates(statefulSet, target)];
    return remakeOf({ ...statefulSet, manifest: manifest! }, "tikv", claims);
}

const moveIn = (row: Row) => {
    const { observation, target } = clusterOf(row);
    return nextVolumesMove(observation, target, emptyMemory);
};
const inWords = (row: Row) => {
    const move = moveIn(row);
    return move === undefined ? "nothing" : inShort(move);
};

const rows: [name: string, row: Row, expected: string][] = [
    ["all have the size", { claims: [large, large] }, "nothing"],
    [
        "one more than the program says, by hand",
        { claims: [{ requested: "30Gi", capacity: "30Gi" }, large] },
        "nothing",
    ],
    ["the class is read first", { claims: [{ ...small, expands: undefined }, large] }, "look expansions:true"],
    ["the first that is small grows", { claims: [large, small, small] }, "grow tikv-basic-tikv-1 20Gi"],
    ["one that does not serve grows first", { claims: [small, small], notReady: [1] }, "grow tikv-basic-tikv-1 20Gi"],
    ["one grows at a time", { claims: [{ ...large, capacity: "10Gi" }, small] }, "wait volume-grown basic-tikv-0"],
    [
        "a class that does not let it grow",
        { claims: [{ ...small, expands: known(false, "the API server", now) }, small] },
        "fail volume-grown basic-tikv-0",
    ],
    [
        "a class that may not be read: the API server judges",
        { claims: [{ ...small, expands: notKnown("forbidden") }, small] },
        "grow tikv-basic-tikv-0 20Gi",
    ],
    [
        "a driver that has failed is tried again by Kubernetes, and nothing else grows",
        { claims: [{ ...large, capacity: "10Gi", resize: { of: "volume", trouble: "quota" } }, small] },
        "wait volume-grown basic-tikv-0",
    ],
    [
        "a driver that has refused",
        {
            claims: [
                { ...large, capacity: "10Gi", resize: { of: "volume", trouble: "quota", isInfeasible: true } },
                small,
            ],
        },
        "fail volume-grown basic-tikv-0",
    ],
    [
        "a file system that has just begun to wait",
        {
            claims: [
                { ...large, capacity: "10Gi", resize: { of: "file-system", since: now - 60_000, waited: 60_000 } },
                small,
            ],
        },
        "wait volume-grown basic-tikv-0",
    ],
    [
        "a file system that waits for the pod is left to the rollout",
        {
            claims: [
                { ...large, capacity: "10Gi", resize: { of: "file-system", since: now - 120_000, waited: 120_000 } },
                small,
            ],
        },
        "grow tikv-basic-tikv-1 20Gi",
    ],
    [
        "a driver that is known to need a new pod is not waited for again",
        {
            claims: [
                { ...large, capacity: "10Gi", resize: { of: "file-system", since: now - 120_000, waited: 120_000 } },
                { ...large, capacity: "10Gi", resize: { of: "file-system", since: now - 1_000, waited: 1_000 } },
                small,
            ],
        },
        "grow tikv-basic-tikv-2 20Gi",
    ],
    [
        "a driver that has failed on the mounted file system needs a new pod, too",
        {
            claims: [
                {
                    ...large,
                    capacity: "10Gi",
                    resize: { of: "file-system", since: now - 120_000, waited: 120_000, trouble: "it is mounted" },
                },
                small,
            ],
        },
        "grow tikv-basic-tikv-1 20Gi",
    ],
    [
        "a request that the driver has refused is corrected to what the program wants now",
        {
            claims: [
                {
                    ...small,
                    requested: "100Gi",
                    resize: { of: "volume", trouble: "quota", isInfeasible: true },
                },
            ],
        },
        "grow tikv-basic-tikv-0 20Gi",
    ],
    ["a claim that is not Bound stays", { claims: [{ ...small, phase: "Pending" }, large] }, "nothing"],
    ["a store that leaves stays small", { claims: [large, small], replicas: 1 }, "nothing"],
    ["a released volume stays small", { claims: [large, { ...small, released: true }] }, "nothing"],
    ["sizes that are not known", { claims: [{}, {}] }, "nothing"],
    ["the StatefulSet comes last", { claims: [large, large], template: "10Gi" }, "recreate basic-tikv"],
    ["the same size in another unit", { claims: [large, large], template: "20480Mi" }, "nothing"],
    [
        "a size that goes back before any volume had it",
        { claims: [small], template: "20Gi", wanted: "10Gi" },
        "recreate basic-tikv",
    ],
];

describe("volumes that the program wants larger", () => {
    for (const [name, row, expected] of rows) {
        it(`${name}: ${expected}`, () => {
            assert.equal(inWords(row), expected);
        });
    }

    it("grow while PD does not answer: its own disk may be full", () => {
        const move = moveIn({ claims: [small] });
        assert.equal(move?.kind === "act" && move.withoutPd, true);
    });

    it("name what the driver says", () => {
        const resize = { of: "volume", trouble: "quota of 15Gi exceeded", isInfeasible: true } as const;
        const move = moveIn({ claims: [{ ...large, capacity: "10Gi", resize }] });
        assert.equal(
            move?.kind === "fail" && move.problem.seen,
            "tikv-basic-tikv-0 has 10Gi of 20Gi: the driver refuses the size (quota of 15Gi exceeded)",
        );
    });

    it("name the class that does not let them grow, and the ways out", () => {
        const move = moveIn({ claims: [{ ...small, expands: known(false, "the API server", now) }] });
        assert.deepEqual(move?.kind === "fail" && [move.problem.seen, move.problem.next], [
            "tikv-basic-tikv-0 cannot grow to 20Gi: StorageClass fast does not allow expansion",
            "set allowVolumeExpansion in the class if its driver can do it, or put the size back to 10Gi",
        ]);
    });

    it("leave other templates of the StatefulSet as they are", () => {
        const { observation, target } = clusterOf({ claims: [large], template: "10Gi" });
        const { manifest, becomes } = remadeIn(observation, target);
        const sizes = manifest.spec.volumeClaimTemplates?.map(({ spec }) => spec.resources.requests.storage);
        assert.deepEqual(sizes, ["20Gi", "1Gi"]);
        assert.deepEqual(
            becomes.fixed.claims.map(({ storage }) => storage),
            ["20Gi", "1Gi"],
        );
    });

    it("finish what an earlier run has deleted, whatever the sizes are by now", () => {
        const { observation, target } = clusterOf({ claims: [small], template: "10Gi" });
        const remake = remadeIn(observation, target);
        const killed = {
            ...observation,
            records: { ...observation.records, remakes: { tikv: remake } },
            members: { tikv: { ...observation.members.tikv!, statefulSet: undefined } },
        };
        const move = nextVolumesMove(killed, target, emptyMemory);
        assert.equal(move && inShort(move), "recreate basic-tikv");
        const other = { ...killed, records: { ...killed.records, remakes: { pd: remake } } };
        const ofOther = nextVolumesMove(other, target, emptyMemory);
        assert.equal(ofOther && inShort(ofOther), "grow tikv-basic-tikv-0 20Gi");
    });

    it("forget a StatefulSet that a killed run has not deleted, and decide again", () => {
        const { observation, target } = clusterOf({ claims: [large], template: "10Gi" });
        const remakes = { tikv: remadeIn(observation, target) };
        const killed = { ...observation, records: { ...observation.records, remakes } };
        const move = nextVolumesMove(killed, target, emptyMemory);
        assert.equal(move && inShort(move), "forget-remake basic-tikv");
        const { statefulSet } = killed.members.tikv!;
        const held = { ...killed.members.tikv!, statefulSet: { ...statefulSet!, terminating: true } };
        const finished = nextVolumesMove({ ...killed, members: { tikv: held } }, target, emptyMemory);
        assert.equal(finished && inShort(finished), "recreate basic-tikv");
        const [stays, isHeld] = [killed, { ...killed, members: { tikv: held } }].map((one) => leftRemakes(one));
        assert.deepEqual(
            [stays, isHeld].map(([one]) => one.action?.do),
            ["forget-remake", "remake-stateful-set"],
        );
    });
});

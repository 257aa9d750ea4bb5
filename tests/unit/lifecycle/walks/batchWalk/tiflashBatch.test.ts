import type { ObservedPeer, ObservedRegion } from "../../../../../provider/lifecycle/vocabulary/observation";
import { noRecords } from "../../../../../provider/lifecycle/vocabulary/observation";
import { describeStep } from "../../../../../provider/lifecycle/walks/describePlan";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { decisionTable, notReady, type Row, waited } from "../../../../support/lifecycle/decisionTable";
import { type Deviation, now, observed, tiflashStoreOf } from "../../../../support/lifecycle/observations";
import { repeats } from "../../../../support/repeats";
import { batchesNeed, plannedRollout } from "../../../../support/lifecycle/planned";
import { pinnedWords } from "../../../../support/pinned";

/** A region with a replica on the TiFlash stores of these ordinals, beside its voters on TiKV. */
function regionOn(id: number, ...ordinals: (number | [number, Partial<ObservedPeer>])[]): ObservedRegion {
    const voters = [10, 11, 12].map((storeId): ObservedPeer => ({ storeId, role: "voter", isBehind: false }));
    const learners = ordinals.map((one): ObservedPeer => {
        const [ordinal, more] = typeof one === "number" ? [one, {}] : one;
        return { storeId: 20 + ordinal, role: "learner", isBehind: false, ...more };
    });
    return { id, peers: [...voters, ...learners] };
}

/** Five TiFlash stores of which the last one has restarted, and PD's list of the regions of the others. */
function five(regions: ObservedRegion[], { tiflash = {}, ...more }: Deviation = {}): Deviation {
    const count = (ordinal: number) =>
        regions.filter(({ peers }) => peers.some(({ storeId }) => storeId === 20 + ordinal)).length;
    const stores = [0, 1, 2, 3, 4].map((one) => [one, { regionCount: count(one), ...tiflash[one] }]);
    return {
        live: 5,
        stale: [0, 1, 2, 3],
        tiflash: Object.fromEntries(stores) as Deviation["tiflash"],
        regionsOf: { stores: [20, 21, 22, 23], regions },
        leadership: { regionCount: 600 },
        policy: { parallelism: 9 },
        ...more,
    };
}

const name = (ordinal: number) => `basic-tiflash-${ordinal}`;
const begins = (...ordinals: number[]) => `begin-batch ${ordinals.map(name).join(" ")}`;
const alone = `restart ${name(3)}`;
/** The stores 0 and 1 have the replicas of one table, and 2, 3 and 4 those of another one. */
const apart = [regionOn(1, 0, 1), regionOn(2, 2, 3, 4)];

const rows: Row[] = [
    ["as many as leave each region a replica", five(apart), begins(3, 2, 1)],
    ["as many as the program asks for", five(apart, { policy: { parallelism: 2 } }), begins(3, 2)],
    ["nobody asks for it", five(apart, { policy: {} }), alone],
    ["the first one restarts alone", five(apart, { stale: [0, 1, 2, 3, 4] }), `restart ${name(4)}`],
    ["a region has its only replica there", five([regionOn(1, 3), regionOn(2, 2)]), alone],
    ["each region would lose its last replica", five([regionOn(1, 3, 2), regionOn(2, 3, 1), regionOn(3, 3, 0)]), alone],
    ["no region has a replica", five([]), begins(3, 2, 1, 0)],
    [
        "two whose only other replica is behind do not restart together",
        five([
            regionOn(1, 3, 2, [4, { isBehind: true }]),
            regionOn(2, 1, 0, 3),
            regionOn(3, 1, 3, [0, { isBehind: true }]),
        ]),
        begins(3, 0),
    ],
    [
        "PD lists fewer regions of a store than it counts: it is asked again",
        five(apart, { tiflash: { 2: { regionCount: 7 } } }),
        `wait batch-decided ${name(3)}`,
    ],
    [
        "PD was elected a moment ago: it does not know yet which replicas are behind",
        five(apart, { leadership: { regionCount: 600, heldFor: 60_000 } }),
        `wait batch-decided ${name(3)}`,
    ],
    [
        "PD's new leader has led for long enough only now: the batch is begun, however long that took",
        five(apart),
        begins(3, 2, 1),
        waited("batch-decided", name(3), 69),
    ],
    [
        "PD's new leader has not led for long enough in all that time",
        five(apart, { leadership: { regionCount: 600, heldFor: 60_000 } }),
        alone,
        waited("batch-decided", name(3), 70),
    ],
    ["there are too many regions to list", five(apart, { leadership: { regionCount: 2001 } }), alone],
    ["their regions are not listed yet", five(apart, { regionsOf: undefined }), "look regions:ofStores:[23,22,21,20]"],
    ["who leads PD has not been asked", five(apart, { notAsked: ["leadership"] }), "look parts:[leadership]"],
    ["Kubernetes would start them one after the other", five(apart, { podManagementPolicy: "OrderedReady" }), alone],
    [
        "a store of another cluster on the same PD is not Up",
        five(apart, { moreStores: [tiflashStoreOf(7, { own: false, podName: "x-tiflash-7", state: "Down" })] }),
        `wait other-stores-up ${name(3)}`,
    ],
    [
        "the replica that stays may be on the store that has restarted alone",
        five([regionOn(1, 3, 4), regionOn(2, 2, 4), regionOn(3, 1, 0)]),
        begins(3, 2, 1),
    ],
];
decisionTable("TiFlash stores begin to restart side by side", "tiflash", rows, nextRolloutMove);

const records = {
    ...noRecords(),
    batch: { component: "tiflash", stores: { [name(3)]: 23, [name(2)]: 22 }, begunAt: now - 60_000 },
} as const;
const listed = { regionsOf: { stores: [23, 22], regions: [regionOn(2, 2, 3, 4)] } };
decisionTable(
    "a batch of TiFlash on record",
    "tiflash",
    [
        ["restarts the first one", five(apart, { records, ...listed }), `restart ${name(3)}`],
        [
            "and the next one while that is down",
            five(apart, {
                records,
                ...listed,
                stale: [0, 1, 2],
                pods: { 3: { ...notReady, seenSince: now - 9_000 } },
                tiflash: { 3: { state: "Disconnected", regionCount: 1 }, 2: { regionCount: 1 } },
            }),
            `restart ${name(2)}`,
        ],
        [
            "but not once the replica elsewhere is behind",
            five(apart, {
                records,
                stale: [0, 1, 2],
                pods: { 3: { ...notReady } },
                tiflash: { 3: { state: "Disconnected", regionCount: 1 }, 2: { regionCount: 1 } },
                regionsOf: { stores: [23, 22], regions: [regionOn(2, 2, 3, [4, { isBehind: true }])] },
            }),
            `wait pod-available ${name(3)}`,
        ],
        [
            "nor while a store that is not in it is down",
            five(apart, {
                records,
                ...listed,
                stale: [0, 1, 2],
                pods: { 3: { ...notReady } },
                tiflash: { 0: { state: "Down" }, 3: { state: "Disconnected", regionCount: 1 }, 2: { regionCount: 1 } },
            }),
            `wait pod-available ${name(3)}`,
        ],
        [
            "once all are back, its record goes",
            five(apart, { records, stale: [0, 1] }),
            `forget-batch ${name(3)} ${name(2)}`,
        ],
    ],
    nextRolloutMove,
);

describe("the plan of TiFlash stores that restart side by side", () => {
    const textOf = (row: Deviation): string => {
        const { observation, target } = observed("tiflash", row);
        return plannedRollout(observation, target).map(describeStep).join("\n");
    };

    pinnedWords("tiflash-batch", {
        "each region keeps replicas on other stores": () => textOf(five(apart)),
        "no region has a replica there": () => textOf(five([])),
    });

    it("says why they restart one by one", () => {
        const { observation, target } = observed("tiflash", five([regionOn(7, 3), regionOn(8, 2), regionOn(9, 0, 1)]));
        const need = batchesNeed(observation, target);
        repeats(need.remark, "region 7", "stores 23, 22");
    });
});

import * as assert from "node:assert/strict";
import type { MaxUnavailable } from "../../../../../provider/lifecycle/vocabulary/target";
import { describeMissing } from "../../../../../provider/lifecycle/walks/describeMissing";
import { describeStep } from "../../../../../provider/lifecycle/walks/describePlan";
import { batchInWords, leftBatch } from "../../../../../provider/lifecycle/walks/leftBatch";
import { nextRolloutMove } from "../../../../../provider/lifecycle/walks/rollout";
import { podBatch } from "../../../../support/lifecycle/batches";
import { decisionTable, justNow, notReady, type Row } from "../../../../support/lifecycle/decisionTable";
import { type Deviation, observed } from "../../../../support/lifecycle/observations";
import { batchesNeed, plannedRollout } from "../../../../support/lifecycle/planned";

/** Six servers of which the first one has restarted; two may be down. */
const six = (more: Deviation = {}): Deviation => ({
    live: 6,
    stale: [0, 1, 2, 3, 4],
    ...more,
    policy: { maxUnavailable: 2, ...more.policy },
});
const asks = (maxUnavailable: MaxUnavailable | undefined, more: Deviation = {}) =>
    six({ ...more, policy: { maxUnavailable } });
const all = [0, 1, 2, 3, 4, 5];

for (const component of ["tidb", "tiproxy"] as const) {
    const name = (ordinal: number) => `basic-${component}-${ordinal}`;
    const begins = `begin-batch ${name(4)} ${name(3)}`;
    const rows: Row[] = [
        ["two of six", six(), begins],
        ["nobody asks for it", asks(undefined), `restart ${name(4)}`],
        ["one at a time is asked for", asks(1), `restart ${name(4)}`],
        ["the first one restarts alone", six({ stale: all }), `restart ${name(5)}`],
        ["until it is Ready", six({ pods: { 5: { ...notReady } } }), `wait pod-available ${name(5)}`],
        ["and says that it is healthy", six({ tidb: { 5: "answers 500" } }), `wait status-well ${name(5)}`],
        ["one of them always stays", asks(9, { live: 3, stale: [0, 1] }), `begin-batch ${name(1)} ${name(0)}`],
        [
            "also if all must restart",
            asks(9, { live: 4, stale: [0, 1, 2] }),
            `begin-batch ${name(2)} ${name(1)} ${name(0)}`,
        ],
        ["of two, none restarts beside the other", asks(2, { live: 2, stale: [0, 1] }), `restart ${name(1)}`],
        ["half of six is three", asks("50%"), `begin-batch ${name(4)} ${name(3)} ${name(2)}`],
        ["a share is rounded down", asks("49%"), begins],
        ["and is at least one", asks("5%"), `restart ${name(4)}`],
        [
            "another one is not Ready",
            six({ pods: { 0: { ...notReady } }, stale: [1, 2, 3, 4] }),
            `wait pod-available ${name(0)}`,
        ],
        ["another one does not answer on its status page", six({ tidb: { 1: "answers 500" } }), `restart ${name(4)}`],
        ["another one is about to stop", six({ pods: { 1: { terminating: true } } }), `restart ${name(4)}`],
        ["another one is gone", six({ pods: { 0: undefined } }), `wait pod-created ${name(0)}`],
        [
            "Kubernetes would start them one after the other",
            six({ podManagementPolicy: "OrderedReady" }),
            `restart ${name(4)}`,
        ],
    ];
    decisionTable(`${component}: pods begin to restart side by side`, component, rows, nextRolloutMove);

    const records = podBatch(component, 4, 3);
    decisionTable(
        `${component}: a batch on record`,
        component,
        [
            ["restarts the first one", six({ records }), `restart ${name(4)}`],
            [
                "waits for the first one where Kubernetes starts them one after the other",
                six({
                    records,
                    podManagementPolicy: "OrderedReady",
                    stale: [0, 1, 2, 3],
                    pods: { 4: { ...notReady } },
                }),
                `wait pod-available ${name(4)}`,
            ],
            [
                "with a newer template waits until the one that has restarted alone was Ready for long enough",
                six({
                    records: podBatch(component, 5, 4),
                    pods: { 5: { ...justNow } },
                    policy: { maxUnavailable: 2, minReadySeconds: 60 },
                }),
                `wait pod-available ${name(5)}`,
            ],
            [
                "and the next one while it still drains its connections",
                six({ records, pods: { 4: { terminating: true } } }),
                `restart ${name(3)}`,
            ],
            ["or is gone", six({ records, pods: { 4: undefined } }), `restart ${name(3)}`],
            [
                "but not while another one is not Ready",
                six({ records, pods: { 4: undefined, 0: { ready: false } } }),
                `wait pod-created ${name(4)}`,
            ],
            [
                "nor while another one is not healthy",
                six({ records, pods: { 4: undefined }, tidb: { 0: "answers 500" } }),
                `wait pod-created ${name(4)}`,
            ],
            [
                "nor with more than the program asks for now",
                asks("20%", { records, pods: { 4: undefined } }),
                `wait pod-created ${name(4)}`,
            ],
            [
                "a newer template is tried by one of them first",
                six({ records, stale: [0, 1, 2, 3, 5], pods: { 4: { ...notReady } } }),
                `wait pod-available ${name(4)}`,
            ],
            [
                "until it says that it is healthy",
                six({ records, stale: [0, 1, 2, 3, 5], tidb: { 4: "answers 500" } }),
                `wait status-well ${name(4)}`,
            ],
            [
                "once all are back, its record goes",
                six({ records, stale: [0, 1, 2] }),
                `forget-batch ${name(4)} ${name(3)}`,
            ],
            ["another member's batch is none of its own", six({ records: podBatch("pd", 4, 3), stale: [] }), "done"],
        ],
        nextRolloutMove,
    );
}

describe("the plan of TiDB's rollout side by side", () => {
    const seen = (row: Deviation) => observed("tidb", row);
    const lines = (row: Deviation) => {
        const { observation, target } = seen(row);
        return plannedRollout(observation, target).map(describeStep);
    };
    it("shows one alone, and then batches with how many serve meanwhile", () => {
        const found = lines(six({ stale: all }));
        assert.deepEqual(
            found.map((line) => line.replace("restart basic-tidb-", "").replace("(old revision old): ", "")),
            [
                "5 delete pod; until Ready, /status healthy (~30 s)",
                "4 in one batch with basic-tidb-3 (the others are Ready), delete pod; until Ready, /status healthy (~30 s); risk: restarts beside basic-tidb-3: 4 pods serve meanwhile",
                "3 in one batch with basic-tidb-4 (the others are Ready), delete pod; until Ready, /status healthy (beside basic-tidb-4); risk: restarts beside basic-tidb-4: 4 pods serve meanwhile",
                "2 in one batch with basic-tidb-1 (the others are Ready), delete pod; until Ready, /status healthy (~30 s); risk: restarts beside basic-tidb-1: 4 pods serve meanwhile",
                "1 in one batch with basic-tidb-2 (the others are Ready), delete pod; until Ready, /status healthy (beside basic-tidb-2); risk: restarts beside basic-tidb-2: 4 pods serve meanwhile",
                "0 delete pod; until Ready, /status healthy (~30 s)",
            ],
        );
    });
    it("says why pods restart one by one", () => {
        const remarkOf = (row: Deviation) => {
            const { observation, target } = seen(row);
            return batchesNeed(observation, target).remark;
        };
        const otherwise = "pods restart one by one where it is not certain that all others serve";
        assert.equal(
            remarkOf(asks("50%", { tidb: { 0: "answers 500" } })),
            `operations.rollout.maxUnavailable is "50%"; ${otherwise}: the status page of basic-tidb-0 answers 500`,
        );
        assert.equal(remarkOf(six()), undefined);
        assert.equal(remarkOf(asks(undefined)), undefined);
    });
    it("deletes the record of a batch that a killed run had ended, of this member only", () => {
        const { observation, target } = seen(six({ records: podBatch("tidb", 4, 3), stale: [] }));
        assert.deepEqual(plannedRollout(observation, target).map(describeStep), [
            "clean up basic-tidb-4 (an earlier run left a batch on record): delete the record of the batch of basic-tidb-4, basic-tidb-3 (~1 s)",
        ]);
        assert.deepEqual(describeMissing(observation, target), [], "nobody else has to do anything about it");
        for (const component of ["tikv", "pd"] as const) {
            const other = observed(component, { records: podBatch("tidb", 4, 3) });
            assert.deepEqual(plannedRollout(other.observation, other.target), []);
            assert.deepEqual(describeMissing(other.observation, other.target), []);
        }
    });
    it("and a sweep names its pods without stores", () => {
        const { observation } = seen(six({ records: podBatch("tidb", 4, 3) }));
        const [left] = leftBatch(observation);
        assert.equal(left.seen, "on record as restarting side by side: basic-tidb-4, basic-tidb-3");
        assert.equal(
            batchInWords({ component: "tidb", stores: { a: null, b: 4 }, begunAt: 0 }),
            "on record as restarting side by side: a, b (store 4)",
        );
    });
});

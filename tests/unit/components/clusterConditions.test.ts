import * as assert from "node:assert/strict";
import { conditionsOf } from "../../../components/clusterConditions";
import type { TidbClusterSpec } from "../../../components/spec";

describe("the conditions of a cluster whose update has ended", () => {
    const member = { replicas: 1 } as never;
    const suspended = { replicas: 1, suspendAction: { suspendStatefulSet: true } } as never;
    const spec = { version: "v8.5.3", pd: member, tikv: member, tidb: member } as TidbClusterSpec;
    const [ready, ...others] = conditionsOf(spec);

    it("are one: it is Ready", () => {
        assert.deepEqual([ready.status, ready.reason, others], ["True", "Ready", []]);
    });
    const cases: [what: string, spec: TidbClusterSpec, reason: string, message: string][] = [
        ["TiDB is suspended", { ...spec, tidb: suspended }, "TiDBUnhealthy", "TiDB is suspended"],
        [
            "two members are suspended: the first check of tidb-operator decides",
            { ...spec, tidb: suspended, ticdc: member, tikv: suspended },
            "TiKVStoreNotUp",
            "TiKV is suspended",
        ],
        [
            "the cluster is suspended",
            { ...spec, suspendAction: { suspendStatefulSet: true } },
            "PDUnhealthy",
            "every member is suspended",
        ],
    ];
    for (const [what, of, reason, message] of cases) {
        it(`are not Ready if ${what}`, () => {
            assert.deepEqual(conditionsOf(of), [{ type: "Ready", status: "False", reason, message }]);
        });
    }
    it("do not count Pump, as tidb-operator's do not", () => {
        assert.equal(conditionsOf({ ...spec, pump: suspended })[0].status, "True");
    });
});

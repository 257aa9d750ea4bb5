import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { type SeenTidbCluster, untilQuiet, whyNotDone } from "../../support/real/operatedCluster";

const wanted = { version: "v2", pd: { replicas: 3 }, tikv: { replicas: 4 }, tidb: { replicas: 2 } };
const ready: SeenTidbCluster = { status: { conditions: [{ type: "Ready", status: "True" }] } };

function set(member: string, replicas: number, change: k8s.V1StatefulSetStatus | object = {}, version = "v2") {
    return {
        metadata: { name: `demo-${member}`, generation: 2 },
        spec: {
            replicas,
            template: { spec: { containers: [{ name: member, image: `pingcap/${member}:${version}` }] } },
        },
        status: {
            observedGeneration: 2,
            readyReplicas: replicas,
            currentRevision: "b",
            updateRevision: "b",
            ...change,
        },
    } as k8s.V1StatefulSet;
}

const done = [set("pd", 3), set("tikv", 4), set("tidb", 2)];
const withTikv = (tikv: k8s.V1StatefulSet) => [done[0], tikv, done[2]];

describe("a cluster of TiDB Operator", () => {
    it("is done when its StatefulSets have the spec, and all pods are Ready and of one revision", () => {
        assert.equal(whyNotDone(wanted, ready, done), undefined);
    });

    const unfinished: Record<string, [SeenTidbCluster, k8s.V1StatefulSet[]]> = {
        "a member has no StatefulSet": [ready, done.slice(1)],
        "the operator has not seen the version": [ready, withTikv(set("tikv", 4, {}, "v1"))],
        "the operator has not scaled": [ready, withTikv(set("tikv", 5))],
        "the controller has not seen the StatefulSet": [ready, withTikv(set("tikv", 4, { observedGeneration: 1 }))],
        "a pod is not Ready": [ready, withTikv(set("tikv", 4, { readyReplicas: 3 }))],
        "pods of two revisions run": [ready, withTikv(set("tikv", 4, { currentRevision: "a" }))],
        "the operator does not call it Ready": [{ status: { conditions: [{ type: "Ready", status: "False" }] } }, done],
        "it has no status": [{}, done],
    };
    for (const [what, [cluster, sets]] of Object.entries(unfinished)) {
        it(`is not done while ${what}`, () => assert.ok(whyNotDone(wanted, cluster, sets)));
    }

    it("is done once nothing has been left to do for a minute, as its operator may not have seen the spec before", async () => {
        let now = 0;
        const clock = { now: () => now, sleep: (milliseconds: number) => Promise.resolve((now += milliseconds)) };
        await untilQuiet(() => Promise.resolve(now >= 10_000 && now < 40_000 ? "a pod" : undefined), clock);
        assert.ok(now >= 99_000 && now <= 101_000, String(now));
        await assert.rejects(
            untilQuiet(() => Promise.resolve("a pod"), clock),
            /not done after 30 minutes: a pod/,
        );
    });
});

import type { V1StatefulSet } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { replicasCalls } from "../../../provider/cluster/replicasCalls";
import { StaleDecision } from "../../../provider/cluster/staleDecision";

const from = { name: "basic-tikv", uid: "uid-sts", replicas: 4 };

/** The calls on a StatefulSet with 4 replicas, and what they have sent: to which resource, and the body. */
function calls(
    live: { uid?: string; replicas?: number } = {},
    answer: () => Promise<unknown> = () => Promise.resolve(),
) {
    const { uid = "uid-sts", replicas = 4 } = live;
    const gates = { manager: "pulumi-tidb", operation: "Update", subresource: "scale" };
    const managedFields = [{ ...gates, fieldsV1: { "f:spec": { "f:replicas": {} } } }];
    const statefulSet = { metadata: { uid, resourceVersion: "7", managedFields }, spec: { replicas } };
    const sent: [to: string, body: unknown][] = [];
    const to = (resource: string) => (namespace: string, name: string, body: object) => {
        sent.push([`${resource} ${namespace}/${name}`, body]);
        return answer();
    };
    const reads = { read: <T>(_what: string, request: () => Promise<T>) => request() };
    const apps = { readNamespacedStatefulSet: () => Promise.resolve(statefulSet as unknown as V1StatefulSet) };
    return { sent, ...replicasCalls(reads, apps, { scale: to("scale"), whole: to("statefulset") }) };
}

describe("a change of a StatefulSet's number of replicas", () => {
    it("needs no right to patch pod templates, and is bound to the object that was observed", async () => {
        const { setReplicas, sent } = calls();
        await setReplicas("tidb", from, 5);
        const metadata = { uid: "uid-sts", resourceVersion: "7" };
        assert.deepEqual(sent, [["scale tidb/basic-tikv", { metadata, spec: { replicas: 5 } }]]);
    });

    it("gives the field back by the owners of its fields, which `scale` does not show", async () => {
        const { giveReplicasBack, sent } = calls();
        await giveReplicasBack("tidb", from);
        const metadata = { uid: "uid-sts", resourceVersion: "7", managedFields: [] };
        assert.deepEqual(sent, [["statefulset tidb/basic-tikv", { metadata }]]);
    });

    it("is not sent where another run has changed the number, or the StatefulSet is another one", async () => {
        for (const live of [{ replicas: 5 }, { replicas: 3 }, { uid: "another" }]) {
            const { setReplicas, giveReplicasBack, sent } = calls(live);
            await assert.rejects(setReplicas("tidb", from, 5), StaleDecision);
            await assert.rejects(giveReplicasBack("tidb", from), StaleDecision);
            assert.deepEqual(sent, []);
        }
    });

    it("is observed again where the object changes between the read and the write", async () => {
        const conflict = new KubernetesApiError("the object has been modified", 409);
        const { setReplicas } = calls({}, () => Promise.reject(conflict));
        await assert.rejects(setReplicas("tidb", from, 5), StaleDecision);
    });
});

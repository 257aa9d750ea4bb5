import type { V1Node, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { NodeAnswer } from "../../../provider/cluster/containerState";
import type { PlacingCalls } from "../../../provider/cluster/diagnosis/placingCalls";
import { observeDrain, observeRoom } from "../../../provider/cluster/observeDrain";
import { repeats } from "../../support/repeats";

const pod = {
    metadata: { name: "basic-tikv-1", uid: "uid-1", namespace: "tidb" },
    spec: {
        nodeName: "n1",
        containers: [],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "tikv-basic-tikv-1" } }],
    },
} as V1Pod;
const node = (name: string, unschedulable: boolean, ready = "True"): V1Node => ({
    metadata: { name },
    spec: { unschedulable },
    status: { allocatable: { pods: "10" }, conditions: [{ type: "Ready", status: ready }] },
});

describe("whether a pod's node is being emptied", () => {
    const drained = (why: string, isReady = true) => ({ isDrained: true, node: "n1", why, isReady });
    const known: [what: string, pod: V1Pod, node: NodeAnswer | undefined, found: object][] = [
        ["a cordoned node", pod, node("n1", true), drained("is cordoned")],
        ["a cordoned node that does not answer", pod, node("n1", true, "Unknown"), drained("is cordoned", false)],
        ["a node that stays", pod, node("n1", false), { isDrained: false }],
        ["a node that is gone: nothing can leave it", pod, "absent", { isDrained: false }],
        ["no node", { spec: { containers: [] } }, undefined, { isDrained: false }],
    ];
    for (const [what, of, answer, found] of known) {
        it(what, () => {
            const fact = observeDrain(of, answer, 5);
            assert.deepEqual(fact.known && fact.value, found);
        });
    }
    it("is not known of a node that was not, or may not be read", () => {
        assert.equal(observeDrain(pod, undefined, 5).known, false);
        const fact = observeDrain(pod, { trouble: "403; grant `get` on `nodes`" }, 5);
        assert.equal(!fact.known && fact.why, "403; grant `get` on `nodes`");
    });
});

describe("whether another node takes a pod", () => {
    const calls = (more: Partial<PlacingCalls> = {}): PlacingCalls => ({
        nodes: () => Promise.resolve([node("n1", true), node("n2", false)]),
        allPods: () => Promise.resolve([pod]),
        claim: () => Promise.resolve({ spec: { volumeName: "pv-1" } }),
        volumes: () => Promise.resolve([{ metadata: { name: "pv-1" }, spec: {} }]),
        ...more,
    });

    it("is found out by the nodes, pods, claims and volumes", async () => {
        const fact = await observeRoom(calls(), pod, 5);
        assert.deepEqual(fact.known && fact.value, { is: "somewhere", nodes: ["n2"] });
        const byRack = { maxSkew: 1, topologyKey: "rack", whenUnsatisfiable: "DoNotSchedule" };
        const racked = await observeRoom(calls(), pod, 5, [byRack]);
        assert.equal(racked.known && racked.value.is, "nowhere");
        const local = { metadata: { name: "pv-1" }, spec: { local: { path: "/" } } };
        const bound = await observeRoom(calls({ volumes: () => Promise.resolve([local]) }), pod, 5);
        assert.deepEqual(bound.known && bound.value, { is: "bound", volume: "tikv-basic-tikv-1" });
    });

    for (const what of ["nodes", "allPods", "claim", "volumes"] as const) {
        it(`is not known if the user may not read them: ${what}`, async () => {
            const refused = () => Promise.reject(new KubernetesApiError("403 Forbidden", 403));
            const fact = await observeRoom(calls({ [what]: refused }), pod, 5);
            assert.ok(!fact.known);
            repeats(fact.why, "403 Forbidden", "grant `list` on `nodes`, `pods` and `persistentvolumes`");
        });
    }
});

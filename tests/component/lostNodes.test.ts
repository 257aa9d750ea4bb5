import * as assert from "node:assert/strict";
import type { OperationsArgs } from "../../components/operations";
import { TidbCluster } from "../../components/tidbCluster";
import { patienceMilliseconds, runProgram } from "./mockProgram";
import { basicSpec } from "./programs";

const run = (operations: OperationsArgs) =>
    runProgram(() => new TidbCluster("basic", { spec: basicSpec(), operations }));
const lostNodes = ["node-3"];

describe("component: nodes that are lost", function () {
    this.timeout(patienceMilliseconds);

    it("have a gate after that of an unsafe recovery, and before every member", async () => {
        const unsafeRecovery = { failedStores: [4], neverComeBack: true as const };
        const made = await run({ lostNodes, unsafeRecovery, timeouts: { storeRemovalSeconds: 7 } });
        const { inputs, dependencies } = made.find("LostNodesGate", "basic-lost-nodes");
        const { nodes, policy } = inputs as { nodes: string[]; policy: { storeRemovalTimeoutSeconds: number } };
        assert.deepEqual([nodes, policy.storeRemovalTimeoutSeconds], [lostNodes, 7]);
        assert.ok(!("approval" in inputs), "the gate asks for consent without being told to");
        const type = "pulumi-nodejs:tidb";
        assert.ok(dependencies.includes(`${type}:RecoveryGate::basic-recovery`));
        const pd = made.find("ScaleGate", "basic-pd-scale");
        assert.ok(pd.dependencies.includes(`${type}:LostNodesGate::basic-lost-nodes`));
        assert.ok(made.value.lostNodesGate);
        const told = ["ScaleGate", "RolloutGate", "ReadyGate"].map((gate) =>
            made.resources.filter(({ type: of }) => of.endsWith(gate)).map((one) => one.inputs.lostNodes),
        );
        assert.deepEqual(new Set(told.flat().map((one) => JSON.stringify(one))), new Set(['["node-3"]']));
    });

    it("have none unless the program names some, and the other gates' inputs are those of earlier versions", async () => {
        for (const operations of [{}, { lostNodes: [] }]) {
            const made = await run(operations);
            assert.deepEqual(
                made.resources.filter(({ type, inputs }) => type.endsWith("LostNodesGate") || "lostNodes" in inputs),
                [],
            );
            assert.equal(made.value.lostNodesGate, undefined);
        }
    });
});

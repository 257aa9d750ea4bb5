import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import { warnedRisks } from "../../../provider/lifecycle/walks/warnedRisks";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { changePorts, clusterWorld, told as clusterTold } from "./clusterWorld";

const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };

/**
 * kubectl set env (taken out at the next change); an earlier `pulumi up` rolled it out to some pods only. The program then changes the
 * number of replicas: Pulumi takes the field out, so the revision is the old one again. The pods that are behind do not restart, and the
 * pods that have kubectl's field do, with no step.
 */
describe("kubectl's fields that only some pods run", () => {
    it("are a risk in the plan of the RolloutGate", async () => {
        const world = clusterWorld({ live: { tidb: { stale: [0] } } });
        changePorts(world, ({ look }) => ({
            look: async (...how) => {
                const seen = await look(...how);
                const { tidb } = seen.members;
                const templateWriters = [{ manager: "kubectl-set", isTakenOut: true as const }];
                const statefulSet = tidb?.statefulSet && { ...tidb.statefulSet, templateWriters };
                return tidb ? { ...seen, members: { ...seen.members, tidb: { ...tidb, statefulSet } } } : seen;
            },
        }));
        const told = clusterTold({
            gate: "rollout",
            component: "tidb",
            desiredReplicas: 2,
            policy: defaultPolicy,
            fixed,
        });
        const report = await createGate(rolloutGateDefinition, world).planOf({ ...told, plan: [], replicas: 2 }, told);
        const lines = report.inputs.plan as string[];
        assert.ok(
            lines.some((one) => one.startsWith("restart basic-tidb-0")),
            lines.join("\n"),
        );
        assert.ok(!lines.some((one) => one.startsWith("restart basic-tidb-1")), lines.join("\n"));
        assert.deepEqual(warnedRisks([report], "tidb"), ["pods of basic-tidb may restart without a step"]);
    });
});

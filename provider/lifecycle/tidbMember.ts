import { claimsReleased } from "./claims";
import type { MemberLifecycle } from "./memberLifecycle";
import type { Stage } from "./stage";

/** TiDB's rules. Facts from tidb-operator pkg/manager/member/tidb_upgrader.go and tidb_scaler.go. */

/** TiDB's own status port answers that it is well. */
const statusWell: Stage = {
    name: "status-well",
    holds: (view) => {
        const trouble = view.observation.tidbStatus?.[view.podName];
        if (trouble === null) {
            return true;
        }
        return { lacks: `/status of ${view.podName} ${trouble ?? "has not been asked"}` };
    },
    patience: (view) => ({ seconds: view.target.policy.podReadyTimeoutSeconds, then: "fail" }),
    advice: "look at the log of that TiDB pod",
};

export const tidbLifecycle: MemberLifecycle = {
    component: "tidb",
    needs: ["tidb-status"],
    beforeRestart: [],
    afterRestart: [statusWell],
    beforeRemoval: [claimsReleased],
    afterRemovalTakenBack: [],
    refuseReplicas: () => undefined,
    available: () => undefined,
    restartDoes: () => [],
    startWaitsFor: "/status well",
    restartWaitsFor: "/status well",
    restartRisk: (view) => (view.target.replicas === 1 ? "the only TiDB: no SQL meanwhile" : undefined),
    removalDoes: () => "its own graceful shutdown",
    estimateRestartSeconds: () => 30,
    estimateRemovalSeconds: () => 30,
};

import { ports } from "../../../topology/ports";
import { claimsReleased } from "../stages/claims";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import { statusWell } from "../stages/statusWell";

/** Where TiProxy says that it is well (pingcap/tiproxy lib/cli/health.go). */
const page = "/api/debug/health";

/**
 * TiProxy's rules. Facts from tidb-operator pkg/manager/member/tiproxy_upgrader.go and tiproxy_scaler.go: nothing is
 * moved away from a proxy beforehand, it closes its connections itself when it is told to end.
 */
export const tiproxyLifecycle: MemberLifecycle = {
    component: "tiproxy",
    leavesProgram: "scaled-in",
    looks: { rollout: [], scale: [], state: [] },
    // It shows TiDB's certificate (tidb-operator pkg/controller/tiproxy_control.go).
    statusPage: { port: ports.tiproxy.api, path: page, isUnchecked: true },
    beforeRestart: [],
    afterRestart: [statusWell(page)],
    beforeRemoval: [claimsReleased],
    afterRemovalTakenBack: [],
    refuseReplicas: () => undefined,
    // It needs PD only, and none needs it: TiDB, which it leads to, comes later.
    available: () => undefined,
    restartDoes: () => [],
    startWaitsFor: `${page} well`,
    restartWaitsFor: `${page} well`,
    restartRisk: (view) => (view.target.replicas === 1 ? "the only TiProxy: no SQL through it meanwhile" : undefined),
    removalDoes: () => "its own graceful shutdown",
    estimateRestartSeconds: () => 30,
    estimateRemovalSeconds: () => 30,
};

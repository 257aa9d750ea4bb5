import { ports } from "../../../topology/ports";
import { batchDecided } from "../stages/batches/batchDecided";
import { claimsReleased } from "../stages/claims";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import { statusWell } from "../stages/statusWell";

/** TiProxy's health page (pingcap/tiproxy lib/cli/health.go). */
const page = "/api/debug/health";

/**
 * TiProxy's rules. Facts from tidb-operator pkg/manager/member/tiproxy_upgrader.go and tiproxy_scaler.go: nothing is
 * moved away from a proxy beforehand. It closes its connections itself when it is asked to stop.
 */
export const tiproxyLifecycle: MemberLifecycle = {
    component: "tiproxy",
    leavesProgram: "scaled-in",
    looks: { rollout: [], scale: [], state: [] },
    // It presents TiDB's certificate (tidb-operator pkg/controller/tiproxy_control.go).
    statusPage: { port: ports.tiproxy.api, path: page, isUnchecked: true },
    beforeRestart: [batchDecided],
    afterRestart: [statusWell(page)],
    beforeRemoval: [claimsReleased],
    afterRemovalTakenBack: [],
    refuseReplicas: () => undefined,
    // It needs only PD, and no member needs it. TiDB, which it forwards to, comes later.
    available: () => undefined,
    startWaitsFor: `${page} healthy`,
    restartRisk: (view) =>
        view.target.replicas === 1 ? "the only TiProxy: no SQL through it during the restart" : undefined,
    closesConnections: "after their transactions, at the latest at graceful-close-conn-timeout",
    noneLeft: "no TiProxy is left: no SQL through it",
};

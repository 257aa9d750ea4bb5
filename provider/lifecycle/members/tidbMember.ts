import { ports } from "../../../topology/ports";
import { tidbFailover } from "../stages/failover/tidbFailover";
import { batchDecided } from "../stages/batches/batchDecided";
import { claimsReleased } from "../stages/claims";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import { finishBeforeNoneLeft, finishUpgrade, openUpgrade, upgradeStarted } from "../stages/smoothUpgrade";
import { statusWell } from "../stages/statusWell";

/** TiDB's rules. Facts from tidb-operator pkg/manager/member/tidb_upgrader.go and tidb_scaler.go. */

export const tidbLifecycle: MemberLifecycle = {
    component: "tidb",
    leavesProgram: "scaled-in",
    looks: { rollout: [], scale: [], state: [] },
    // MySQL's version, then its own: `8.0.11-TiDB-v8.5.4`. The setting `server-version` replaces both.
    statusPage: {
        port: ports.tidb.status,
        path: "/status",
        versionIn: (text) => /"version":\s*"[^"]*-TiDB-([^"]+)"/.exec(text)?.[1],
    },
    beforeUpgrade: [upgradeStarted],
    beforeRestart: [batchDecided],
    afterRestart: [statusWell("/status")],
    beforeRemoval: [claimsReleased],
    failover: tidbFailover,
    afterRemovalTakenBack: [],
    refuseReplicas: () => undefined,
    available: () => undefined,
    leftBehind: finishUpgrade,
    beforeNoneLeft: finishBeforeNoneLeft,
    leftOpen: openUpgrade,
    startWaitsFor: "/status healthy",
    restartRisk: (view) => (view.target.replicas === 1 ? "the only TiDB: no SQL during the restart" : undefined),
    // `gracefulCloseConnectionsTimeout` in pingcap/tidb cmd/tidb-server/main.go
    closesConnections: "at most 15 s after they take no new ones",
    noneLeft: "no TiDB is left: no SQL",
};

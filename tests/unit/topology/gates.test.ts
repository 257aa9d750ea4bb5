import * as assert from "node:assert/strict";
import { gateTypes, possibleGates } from "../../../topology/gates";

describe("the gates", () => {
    it("keep their Pulumi types: with another one, Pulumi would delete each deployed gate and make it again", () => {
        const prefix = "pulumi-nodejs:tidb:";
        assert.deepEqual(gateTypes, {
            cluster: `${prefix}ClusterGate`,
            recovery: `${prefix}RecoveryGate`,
            "lost-nodes": `${prefix}LostNodesGate`,
            "before-upgrade": `${prefix}BeforeUpgradeGate`,
            settings: `${prefix}SettingsGate`,
            scale: `${prefix}ScaleGate`,
            rollout: `${prefix}RolloutGate`,
            suspend: `${prefix}SuspendGate`,
            password: `${prefix}PasswordGate`,
            ready: `${prefix}ReadyGate`,
            job: `${prefix}JobGate`,
            record: `${prefix}JobRecord`,
            restore: `${prefix}RestoreGate`,
            logBackup: `${prefix}LogBackupGate`,
            schedule: `${prefix}ScheduleGate`,
        });
    });

    it("keep the ends of their resources' names, and their order", () => {
        assert.deepEqual(
            possibleGates(["pd", "tidb"]).map(({ name }) => name),
            [
                "cluster",
                "recovery",
                "lost-nodes",
                "before-upgrade",
                ...["pd-settings", "pd-scale", "pd-rollout", "pd-suspend"],
                ...["tidb-settings", "tidb-scale", "tidb-rollout", "tidb-suspend"],
                "tidb-password",
                "ready",
            ],
        );
    });
});

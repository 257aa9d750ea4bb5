import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { gatePolicy } from "../../../components/gatePolicy";
import type { OperationsArgs } from "../../../components/operations";
import { components } from "../../../topology/members";

describe("the timeouts of TiKV's gates", () => {
    const policyOf = (tikv: object, operations?: OperationsArgs, annotations?: Record<string, string>) => {
        const member = { replicas: 3, requests: { storage: "1Gi" }, config: {} };
        const spec = { version: "v8.5.3", pd: member, tikv: { ...member, ...tikv } };
        const { manifest } = checkManifest({ metadata: { name: "basic", annotations }, spec });
        return gatePolicy(manifest, "tikv", operations);
    };
    const deadline = (...given: Parameters<typeof policyOf>) => {
        const { evictLeaderTimeoutSeconds, afterEvictLeaderTimeout } = policyOf(...given);
        return [evictLeaderTimeoutSeconds, afterEvictLeaderTimeout];
    };

    it("let leaders leave for 25 hours and then fail, without restarting a store that has leaders", () => {
        assert.deepEqual(deadline({}), [90_000, "fail"]);
    });
    it("fail after `operations.timeouts.evictLeaderSeconds`", () => {
        assert.deepEqual(deadline({}, { timeouts: { evictLeaderSeconds: 600 } }), [600, "fail"]);
    });
    it("restart after `spec.tikv.evictLeaderTimeout`, which wins, as in tidb-operator", () => {
        assert.deepEqual(deadline({ evictLeaderTimeout: "1m30s" }, { timeouts: { evictLeaderSeconds: 600 } }), [
            90,
            "restart",
        ]);
    });
    it("say nothing of the eviction window by default, so a state of an earlier version does not differ", () => {
        assert.ok(!("evictionWindow" in policyOf({})));
        assert.ok(!("evictionWindow" in policyOf({}, { rollout: { online: true } })));
    });
    it("have the eviction window of the program", () => {
        const windowOf = (evictionWindow: NonNullable<OperationsArgs["rollout"]>["evictionWindow"]) =>
            policyOf({}, { rollout: { evictionWindow } }).evictionWindow;
        assert.equal(windowOf(false), false);
        assert.deepEqual(windowOf({ leaderScheduleLimit: 16 }), { leaderScheduleLimit: 16 });
    });
    it("say how many pods restart side by side only where the program sets it, and only for members that can", () => {
        assert.ok(!("parallelism" in policyOf({})));
        const pd = { replicas: 3, requests: { storage: "1Gi" }, config: {} };
        const { manifest } = checkManifest({ metadata: { name: "basic" }, spec: { version: "v8.5.3", pd, tikv: pd } });
        const rollout = { parallelism: "zone", maxUnavailable: "25%" } as const;
        for (const component of components) {
            const { parallelism, maxUnavailable } = gatePolicy(manifest, component, { rollout });
            const asked = [parallelism, maxUnavailable];
            const stores = component === "pd" || component === "tikv" || component === "tiflash";
            const servers = component === "tidb" || component === "tiproxy";
            assert.deepEqual(asked, [stores ? "zone" : undefined, servers ? "25%" : undefined], component);
        }
    });
    it("say what a backup that runs holds back only where the program sets it, and only for PD and TiKV", () => {
        assert.deepEqual([policyOf({}).duringBackup, policyOf({}).backupWaitSeconds], [undefined, undefined]);
        const wait = policyOf({}, { backup: { duringBackup: "wait" } });
        assert.ok(!("duringBackup" in wait));
        const pd = { replicas: 3, requests: { storage: "1Gi" }, config: {} };
        const { manifest } = checkManifest({ metadata: { name: "basic" }, spec: { version: "v8.5.3", pd, tikv: pd } });
        const backup = { duringBackup: "continue", waitTimeoutSeconds: 7 } as const;
        for (const component of components) {
            const { duringBackup, backupWaitSeconds } = gatePolicy(manifest, component, { backup });
            const isHeldBack = component === "pd" || component === "tikv";
            assert.deepEqual([duringBackup, backupWaitSeconds], isHeldBack ? ["continue", 7] : [undefined, undefined]);
        }
    });
    it("come from the spec and the annotations", () => {
        const tikv = { waitLeaderTransferBackTimeout: "10m", scalePolicy: { scaleInParallelism: 2 } };
        const policy = policyOf(
            tikv,
            { timeouts: { podReadySeconds: 900 } },
            { "tidb.pingcap.com/tikv-min-ready-seconds": "30" },
        );
        assert.deepEqual(
            [
                policy.leadersBackTimeoutSeconds,
                policy.scaleInParallelism,
                policy.podReadyTimeoutSeconds,
                policy.minReadySeconds,
            ],
            [600, 2, 900, 30],
        );
    });
});

describe("the timeouts of TiFlash's gates", () => {
    it("come from its own scale policy and annotation, not from TiKV's", () => {
        const pd = { replicas: 3, requests: { storage: "1Gi" }, config: {} };
        const tikv = { ...pd, scalePolicy: { scaleInParallelism: 3 } };
        const tiflash = {
            replicas: 2,
            storageClaims: [{ resources: { requests: { storage: "1Gi" } } }],
            scalePolicy: { scaleInParallelism: 2 },
        };
        const annotations = { "tidb.pingcap.com/tiflash-min-ready-seconds": "7" };
        const spec = { version: "v8.5.3", pd, tikv, tiflash };
        const { manifest } = checkManifest({ metadata: { name: "basic", annotations }, spec });
        const { scaleInParallelism, minReadySeconds } = gatePolicy(manifest, "tiflash");
        assert.deepEqual([scaleInParallelism, minReadySeconds], [2, 7]);
    });
});

import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { gatePolicy } from "../../../components/gatePolicy";
import type { OperationsArgs } from "../../../components/operations";

describe("how patient the gates of TiKV are", () => {
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

    it("lets leaders take 25 hours to leave, and fails then: nothing but the user's word restarts a store with leaders", () => {
        assert.deepEqual(deadline({}), [90_000, "fail"]);
    });
    it("fails after `operations.timeouts.evictLeaderSeconds`", () => {
        assert.deepEqual(deadline({}, { timeouts: { evictLeaderSeconds: 600 } }), [600, "fail"]);
    });
    it("restarts after `spec.tikv.evictLeaderTimeout`, as tidb-operator does, which wins", () => {
        assert.deepEqual(deadline({ evictLeaderTimeout: "1m30s" }, { timeouts: { evictLeaderSeconds: 600 } }), [
            90,
            "restart",
        ]);
    });
    it("takes what the spec and the annotations say", () => {
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

describe("how patient the gates of TiFlash are", () => {
    it("takes its own scale policy and annotation, not TiKV's", () => {
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

import * as assert from "node:assert/strict";
import { jobAsUser } from "../../../provider/cluster/jobs/storageUsers";

type Job = Parameters<typeof jobAsUser>[0];

describe("when a Job that uses a storage has ended", () => {
    const at = "2026-11-24T00:00:00Z";
    const time = Date.parse(at);
    const job = (...conditions: [string, string][]): Job =>
        ({
            metadata: { name: "backup-monday", namespace: "tidb", uid: "u1" },
            status: {
                conditions: conditions.map(([type, status]) => ({ type, status, lastTransitionTime: at })),
                ...(conditions.some(([type]) => type === "Complete") ? { completionTime: at } : {}),
            },
        }) as unknown as Job;
    const seen = (...conditions: [string, string][]) => {
        const { hasEnded, succeededAt, failedAt } = jobAsUser(job(...conditions));
        return [hasEnded, succeededAt, failedAt];
    };

    it("is known from its conditions alone", () => {
        assert.deepEqual(seen(), [false, undefined, undefined]);
        assert.deepEqual(seen(["Failed", "True"]), [true, undefined, time]);
        assert.deepEqual(seen(["Complete", "True"]), [true, time, undefined]);
    });

    it("is no failure while Kubernetes only means to fail it, or no longer does, or beside a success", () => {
        assert.deepEqual(seen(["FailureTarget", "True"]), [false, undefined, undefined]);
        assert.deepEqual(seen(["Failed", "False"]), [false, undefined, undefined]);
        assert.deepEqual(seen(["Failed", "True"], ["Complete", "True"]), [true, time, undefined]);
    });
});

import assert from "node:assert/strict";
import type { V1CronJob, V1Job, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { KubernetesApiError } from "../../../../provider/cluster/apiCall";
import { readSchedules, type ScheduleCalls } from "../../../../status/schedules/readSchedules";

const time = (text: string) => text as unknown as Date;
const cronJob = (name: string, backsUp: string): V1CronJob => ({
    metadata: {
        name: `backup-${name}`,
        namespace: "db",
        uid: name,
        creationTimestamp: time("2026-01-01T00:00:00Z"),
        labels: { "tidb.pingcap.com/backup-schedule": name },
        annotations: { "pulumi-tidb.io/backs-up": backsUp },
    },
    spec: { schedule: "0 2 * * *", timeZone: "Etc/UTC", jobTemplate: {} },
    status: { lastSuccessfulTime: time("2026-01-02T02:10:00Z") },
});
const job = (name: string, owner: string, created: string, condition?: string): V1Job => ({
    metadata: {
        name,
        uid: `uid-${name}`,
        creationTimestamp: time(created),
        ownerReferences: [{ uid: owner, apiVersion: "batch/v1", kind: "CronJob", name: owner }],
    },
    status: { conditions: condition ? [{ type: condition, status: "True", reason: "BackoffLimitExceeded" }] : [] },
});
const pod = (of: string, state: object): V1Pod => ({
    metadata: {
        name: `${of}-x`,
        ownerReferences: [{ uid: `uid-${of}`, apiVersion: "batch/v1", kind: "Job", name: of }],
    },
    status: { phase: "Failed", initContainerStatuses: [{ name: "backup", state } as never] },
});

function calls(more: Partial<ScheduleCalls> = {}): ScheduleCalls & { asked: string[] } {
    const asked: string[] = [];
    const noted =
        <A extends unknown[], R>(name: string, call: (...args: A) => R) =>
        (...args: A): R => {
            asked.push(name);
            return call(...args);
        };
    return {
        asked,
        cronJobs: noted(
            "cronJobs",
            more.cronJobs ?? (() => Promise.resolve([cronJob("nightly", "db/basic"), cronJob("other", "db/another")])),
        ),
        jobs: noted("jobs", more.jobs ?? (() => Promise.resolve([]))),
        pods: noted("pods", more.pods ?? (() => Promise.resolve([]))),
        log: noted("log", more.log ?? (() => Promise.resolve(""))),
    };
}
const read = (from: ScheduleCalls) => readSchedules(from, { namespace: "db", cluster: "basic" }, () => 0);

describe("reading the backup schedules of a cluster", () => {
    it("finds those of the cluster, and its newest Job with its last words", async () => {
        const from = calls({
            jobs: () =>
                Promise.resolve([
                    job("backup-nightly-1", "nightly", "2026-01-02T02:00:00Z", "Complete"),
                    job("backup-nightly-2", "nightly", "2026-01-03T02:00:00Z", "Failed"),
                    job("backup-other-9", "other", "2026-01-09T02:00:00Z", "Failed"),
                ]),
            pods: (of) => Promise.resolve([pod(of, { terminated: { exitCode: 1, reason: "Error" } })]),
            log: () => Promise.resolve("Error: no space left on device\n"),
        });
        const found = await read(from);
        assert.ok(found.known);
        assert.equal(found.value.length, 1);
        const [{ name, lastSucceededAt, newest }] = found.value;
        assert.deepEqual([name, lastSucceededAt], ["nightly", Date.parse("2026-01-02T02:10:00Z")]);
        assert.deepEqual([newest?.job, newest?.is], ["backup-nightly-2", "failed"]);
        for (const part of ["no space left on device", "kubectl logs backup-nightly-2-x -c backup -n db"]) {
            assert.ok(newest?.words.includes(part), newest?.words);
        }
    });

    it("says what a Job that has not begun waits for: a Secret that is missing", async () => {
        const reason = { waiting: { reason: "CreateContainerConfigError", message: 'secret "keys" not found' } };
        const found = await read(
            calls({
                jobs: () => Promise.resolve([job("backup-nightly-1", "nightly", "2026-01-02T02:00:00Z")]),
                pods: (of) => Promise.resolve([pod(of, reason)]),
            }),
        );
        assert.ok(found.known);
        assert.ok(found.value[0].newest?.words.includes('CreateContainerConfigError: secret "keys" not found'));
    });

    it("asks once if there is none", async () => {
        const from = calls({ cronJobs: () => Promise.resolve([]) });
        assert.deepEqual(await read(from), { known: true, value: [] });
        assert.deepEqual(from.asked, ["cronJobs"]);
    });

    it("that the API server refuses is not known", async () => {
        const refusal = new KubernetesApiError("cannot list CronJobs: forbidden", 403);
        const found = await read(calls({ cronJobs: () => Promise.reject(refusal) }));
        assert.deepEqual(found, { known: false, why: refusal.message, isForbidden: true });
    });
});

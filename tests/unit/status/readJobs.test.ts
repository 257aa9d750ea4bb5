import * as assert from "node:assert/strict";
import type { V1Job, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { readJobs } from "../../../status/readJobs";
import { healthy, now, statusOf } from "./seenCluster";

const cluster = { namespace: "tidb", cluster: "basic" };

function job(name: string, more: { failed?: true; owner?: string; of?: string } = {}): V1Job {
    const container = { name: "backup", args: [`--pd=${more.of ?? "basic"}-pd.tidb:2379`] };
    const owners =
        more.owner === undefined
            ? {}
            : { ownerReferences: [{ kind: more.owner, name: "o", uid: "o", apiVersion: "v1" }] };
    return {
        metadata: { name, uid: name, creationTimestamp: new Date(now - 40_000), ...owners },
        spec: { template: { spec: { containers: [container], restartPolicy: "Never" } } },
        ...(more.failed ? { status: { conditions: [{ type: "Failed", status: "True" }] } } : {}),
    };
}

const waiting = (of: string): V1Pod => ({
    metadata: { name: `${of}-x`, ownerReferences: [{ kind: "Job", name: of, uid: of, apiVersion: "batch/v1" }] },
    status: {
        phase: "Pending",
        containerStatuses: [
            {
                ...{ name: "backup", image: "", imageID: "", ready: false, restartCount: 0 },
                state: { waiting: { reason: "CreateContainerConfigError", message: 'secret "keys" not found' } },
            },
        ],
    },
});

const read = (jobs: V1Job[] | Error) =>
    readJobs(
        {
            jobs: () => (jobs instanceof Error ? Promise.reject(jobs) : Promise.resolve(jobs)),
            pods: (of) => Promise.resolve([waiting(of)]),
        },
        cluster,
        () => now,
    );

describe("the Jobs of a cluster that have not ended", () => {
    it("are named by the status, with what each waits for", async () => {
        const jobs = await read([
            job("backup-first"),
            job("failed", { failed: true }),
            job("nightly-1", { owner: "CronJob" }),
            job("other", { of: "other" }),
        ]);
        const words =
            'container backup of pod backup-first-x has not begun (CreateContainerConfigError: secret "keys" not found)';
        assert.deepEqual(jobs, {
            known: true,
            value: [{ name: "backup-first", since: "2026-11-22T17:29:20.000Z", words }],
        });
    });

    it("are not shown to a user who may not list them, which does not make the status unknown", async () => {
        const jobs = await read(new KubernetesApiError("jobs is forbidden", 403));
        assert.deepEqual(jobs, { known: false, why: "jobs is forbidden", isForbidden: true });
        assert.deepEqual(statusOf(healthy({ jobs })).notKnown, []);
    });

    it("are not known if the API server does not answer", async () => {
        const jobs = await read(new KubernetesApiError("no answer", undefined));
        assert.deepEqual(statusOf(healthy({ jobs })).notKnown, ["the Jobs: no answer"]);
    });
});

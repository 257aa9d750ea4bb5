import type { V1Job } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { observeJob } from "../../../provider/cluster/jobs/observeJob";
import { asMade } from "../../../provider/lifecycle/jobs/observedJob";
import { target } from "../lifecycle/jobs/observed";

describe("what is seen of a Job", () => {
    const seen = (pod: object, revision = "r0") => {
        const annotations = { "pulumi-tidb.io/job-revision": revision };
        const job = { metadata: { uid: target.jobUid, annotations }, spec: { template: { spec: pod } } } as V1Job;
        const calls = { job: () => Promise.resolve(job), pods: () => Promise.resolve([]) };
        return observeJob(calls, target.job, () => 0);
    };
    const container = (...args: string[]) => [{ name: "br", args }];
    const earlier = "do what an earlier version of the program asked for";

    it("names the storage of one that an earlier version of the program made", async () => {
        const restore = container(
            "restore",
            "full",
            "--pd=basic-pd:2379",
            "--storage=s3://backups/older",
            "--s3.region=x",
        );
        assert.equal(asMade(target, await seen({ containers: restore })).does, `${earlier} with s3://backups/older`);
        const azure = container("--storage=azure://backups/older?account-name=me");
        assert.equal(asMade(target, await seen({ containers: azure })).does, `${earlier} with azure://backups/older`);
        const first = { initContainers: container("--storage=s3://log/a"), containers: container("compact") };
        assert.equal(asMade(target, await seen(first)).does, `${earlier} with s3://log/a`);
    });

    it("names none that the Job does not have, and says of its own Job what the program says", async () => {
        assert.equal(asMade(target, await seen({ containers: [{ name: "sql" }] })).does, earlier);
        const own = await seen({ containers: container("--storage=s3://backups/older") }, target.revision);
        assert.equal(asMade(target, own).does, target.does);
    });
});

import * as assert from "node:assert/strict";
import { jobsToDiagnose } from "../../../../provider/lifecycle/diagnosis/clusterJobs";
import { diagnosePod } from "../../../../provider/lifecycle/diagnosis/diagnosePod";
import { notGuaranteed } from "../../../../provider/lifecycle/diagnosis/guaranteed";
import type { Job } from "../../../../provider/lifecycle/diagnosis/objects";
import { factsOf, podOf, statusOf, unscheduled } from "./podFacts";
import { repeats } from "../../../support/repeats";

const cluster = { cluster: "basic", namespace: "tidb" };
const job = (name: string, args: string[], metadata: Job["metadata"] = {}, more: object = {}): Job => ({
    metadata: { name, ...metadata },
    spec: { template: { spec: { containers: [{ name: "one", args }] } } },
    ...more,
});
const ofBr = (name: string, metadata: Job["metadata"] = {}, more: object = {}) =>
    job(name, ["backup", "full", "--pd=basic-pd.tidb:2379"], metadata, more);
const names = (...jobs: Job[]) => jobsToDiagnose(jobs, cluster).map(({ metadata }) => metadata?.name);
const owner = (kind: string, name: string) => ({ ownerReferences: [{ kind, name, uid: `uid of ${name}` }] });

describe("the Jobs of a cluster that are diagnosed", () => {
    for (const [what, args, isOwn] of [
        ["BR that works on its PD", ["restore", "full", "--pd=basic-pd.tidb:2379"], true],
        ["BR that works on another cluster", ["backup", "full", "--pd=other-pd.tidb:2379"], false],
        ["BR that works on one of its name in another namespace", ["backup", "--pd=basic-pd.other:2379"], false],
        ["Dumpling at its TiDB", ["backup", "--host=basic-tidb.tidb"], true],
        ["TiDB Lightning at its TiDB, by the full name", ["--tidb-host=basic-tidb.tidb.svc.cluster.local"], true],
        ["an initializer at its TiDB, by the short name", ["--host=basic-tidb", "--port=4000"], true],
        ["Dumpling at the TiDB of another namespace", ["--host=basic-tidb.other"], false],
        ["Dumpling at another host", ["--host=sql.example"], false],
        ["something else", ["echo"], false],
    ] as const) {
        it(`are ${isOwn ? "" : "not "}those of ${what}`, () => {
            assert.deepEqual(names(job("one", [...args])), isOwn ? ["one"] : []);
            const inCommand = { spec: { template: { spec: { containers: [{ name: "one", command: args }] } } } };
            assert.deepEqual(names(job("one", [], {}, inCommand)), isOwn ? ["one"] : []);
            const inInit = {
                spec: { template: { spec: { containers: [], initContainers: [{ name: "one", args }] } } },
            };
            assert.deepEqual(names(job("one", [], {}, inInit)), isOwn ? ["one"] : []);
        });
    }

    it("are those that its Lease owns, and not those of another one", () => {
        assert.deepEqual(
            names(
                job("own", [], owner("Lease", "basic-pulumi-tidb")),
                job("other", [], owner("Lease", "other-pulumi-tidb")),
                job("strange", [], owner("ConfigMap", "basic-pulumi-tidb")),
            ),
            ["own"],
        );
    });

    it("are not those that have succeeded, have not begun, or are being deleted", () => {
        const condition = (type: string, status = "True") => ({ status: { conditions: [{ type, status }] } });
        const waits = { spec: { ...ofBr("").spec, suspend: true } };
        assert.deepEqual(
            names(
                ofBr("succeeded", {}, condition("Complete")),
                ofBr("waits", {}, waits),
                ofBr("leaves", { deletionTimestamp: "2026-01-01T00:00:00Z" }),
                ofBr("failed", {}, condition("Failed")),
                ofBr("not complete", {}, condition("Complete", "False")),
            ),
            ["failed", "not complete"],
        );
    });

    it("are only the newest of each schedule, which makes up for earlier ones, also if it has succeeded", () => {
        const run = (name: string, of: string, day: number, more: object = {}) =>
            ofBr(name, { ...owner("CronJob", of), creationTimestamp: `2026-01-0${day}T00:00:00Z` }, more);
        const succeeded = { status: { conditions: [{ type: "Complete", status: "True" }] } };
        assert.deepEqual(
            names(
                run("nightly-1", "nightly", 1),
                run("nightly-3", "nightly", 3),
                run("nightly-2", "nightly", 2),
                run("weekly-1", "weekly", 1),
                run("weekly-2", "weekly", 2, succeeded),
                ofBr("monday", { creationTimestamp: "2026-01-01T00:00:00Z" }),
                ofBr("tuesday", { creationTimestamp: "2026-01-02T00:00:00Z" }),
            ),
            ["nightly-3", "monday", "tuesday"],
        );
    });
});

describe("the diagnosis of a Job's pod", () => {
    const ofJob = (pod: ReturnType<typeof podOf>) =>
        factsOf(pod, { name: "backup-monday-x7k2p", component: undefined, job: "backup-monday" });
    const next =
        "; a Job cannot be changed: the next one has the change (raise `attempt`, or wait for the next run of a schedule)";

    it("finds the causes of a member's pod, and says of the Job what is to be changed", () => {
        const containerStatuses = [
            statusOf({ state: { waiting: { reason: "ErrImagePull", message: "manifest unknown" } } }),
        ];
        const [image] = diagnosePod(ofJob(podOf({ containerStatuses })));
        assert.equal(image.reason, "ImageNotFound");
        assert.equal(image.fix, `correct the image or the version of Job backup-monday in the program${next}`);
        const [room] = diagnosePod(ofJob(unscheduled("0/1 nodes are available: 1 Insufficient cpu.")));
        assert.deepEqual(
            [room.reason, room.fix],
            [
                "InsufficientResources",
                `lower what Job backup-monday requests, or add a node that has room for it${next}`,
            ],
        );
    });

    it("says that a Secret that is missing lets it begin, and that another name does not", () => {
        const message = 'secret "s3-keys" not found';
        const reason = "CreateContainerConfigError";
        const [cause] = diagnosePod(
            ofJob(podOf({ containerStatuses: [statusOf({ state: { waiting: { reason, message } } })] })),
        );
        repeats(cause.what, "Secret s3-keys");
        repeats(cause.fix, "Job backup-monday");
    });

    it("does not count for the quality of service", () =>
        assert.deepEqual(notGuaranteed([ofJob(podOf({}))], true), []));
});

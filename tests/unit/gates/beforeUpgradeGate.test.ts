import * as assert from "node:assert/strict";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { beforeUpgradeGateDefinition } from "../../../provider/gates/beforeUpgradeGate";
import { createGate } from "../../../provider/gates/gate";
import type { BackupJob } from "../../../provider/gates/inputs";
import { type MadeJob, madeJobs, type UpgradeJobsWorld } from "../../../provider/gates/upgradeJobs";
import { upgradeRecordOf } from "../../../provider/lifecycle/backups/beforeUpgrade";
import type { JobObservation } from "../../../provider/lifecycle/jobs/observedJob";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { complete, ended, failed, seen, started } from "../lifecycle/jobs/observed";
import { changePorts, clusterWorld, told } from "./clusterWorld";
import { observed } from "../../support/lifecycle/observations";
import type { Component } from "../../../topology/members";
import type {
    Observation,
    ObservedMember,
    ObservedStatefulSet,
} from "../../../provider/lifecycle/vocabulary/observation";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";
import { refusedAt } from "../../support/gates/refusedAt";

const job: BackupJob = {
    metadata: { name: "backup-before-upgrade", namespace: "tidb" },
    spec: {
        template: {
            spec: {
                containers: [
                    { image: "pingcap/br:v8.5.4", args: ["backup", "full", "--storage=s3://b/u/PULUMI-TIDB-FOLDER"] },
                ],
            },
        },
    },
};
const to = (tag: string, more: object = {}) =>
    told({
        gate: "before-upgrade",
        tags: { pd: tag, tikv: tag, tidb: tag },
        ...{ job, untaggedImage: "pingcap/br", url: "s3://b/u/PULUMI-TIDB-FOLDER", attempt: 1, timeoutSeconds: 60 },
        ...more,
    });
const image = (component: Component, tag = "v8.5.3"): Observation["members"] => {
    const { statefulSet, ...member } = observed(component, {}).observation.members[component] as ObservedMember;
    const set = { ...(statefulSet as ObservedStatefulSet), generation: 4, image: `pingcap/${component}:${tag}` };
    return { [component]: { ...member, statefulSet: set } };
};
const all = (tag: string) => ({ ...image("pd", tag), ...image("tikv", tag), ...image("tidb", tag) });
const old = all("v8.5.3");

/** A played cluster with its Jobs. Each answers one look after the other; the last answer stays. */
function played(live: Observation["members"], ...looks: JobObservation[]) {
    const world = clusterWorld();
    let members = live;
    changePorts(world, ({ look: lookAt }) => ({
        look: async (options) => ({ ...(await lookAt(options)), members }),
        journal: { ...noJournal, keep: (operation) => void kept.push(operation) },
    }));
    const kept: JournalOperation[] = [];
    const made: BackupJob[] = [];
    const there: MadeJob[] = [];
    let refusal: Error | undefined;
    const ports = {
        now: () => world.time,
        sleep: (milliseconds: number) => Promise.resolve((world.time += milliseconds)),
        look: () => {
            const next = looks.length > 1 ? looks.shift() : looks[0];
            return Promise.resolve({ ...next, now: world.time } as JobObservation);
        },
        lastLines: () => Promise.resolve(known(["no space left"], "the API server", 0)),
        absentSecrets: () => Promise.resolve([] as string[]),
        beside: () => Promise.resolve(known([], "the API server", 0)),
        start: () => Promise.reject(new Error("the Job is not suspended")),
        progress: world.progress({ statusUrn: "urn" } as never),
    };
    const jobs: UpgradeJobsWorld = {
        open: () => Promise.resolve(ports),
        list: () => (refusal ? Promise.reject(refusal) : Promise.resolve([...there])),
        create: (_place, one) => {
            made.push(one);
            const record = upgradeRecordOf(one.metadata.annotations?.["pulumi-tidb.io/before-upgrade"]);
            assert.ok(record);
            there.push({ name: one.metadata.name, uid: "u1", record });
            return Promise.resolve("u1");
        },
    };
    const gate = createGate(beforeUpgradeGateDefinition(jobs), world);
    const lacks = (...names: string[]) => (ports.absentSecrets = () => Promise.resolve(names));
    return {
        ...{ lacks, kept, there },
        abandon: () => (ports.progress = { ...ports.progress, abandoned: true }),
        ...{ jobs, made, gate },
        change: (more: Observation["members"]) => (members = { ...members, ...more }),
        refuse: (error: Error) => (refusal = error),
        plan: async (news: Record<string, unknown>) => (await gate.check({}, news)).inputs.plan as string[],
        up: (news: Record<string, unknown>) => gate.create({ ...news, plan: [], deferred: "", replicas: 0 }),
    };
}

describe("the gate of the backup before an upgrade", () => {
    it("plans it, with both versions in the names of Job and folder, and BR as TiKV is now", async () => {
        const { plan, made } = played(old, seen(started));
        const [step, ...more] = await plan(to("v8.5.4"));
        repeats(step, "Job tidb/backup-basic-v8-5-3-v8-5-4-", "s3://b/u/v8-5-3-v8-5-4-", "pingcap/br:v8.5.3", "60 s");
        assert.deepEqual([more, made], [[], []]);
    });

    it("has no estimate of its own, which the cluster's estimate says, unless an earlier one shows how long it takes", async () => {
        const { gate, there } = played(old, seen(started));
        const found = async () => {
            const { estimate, inputs } = await gate.planOf({}, to("v8.5.4"));
            return { estimate, words: (inputs.plan as string[]).join() };
        };
        const first = await found();
        const why = "no earlier Job shows it";
        assert.deepEqual(first.estimate, { known: false, why, work: "the backup" });
        const earlier = { attempt: 1, changes: { tikv: { from: "v8.5.1", to: "v8.5.3", uid: "x", generation: 1 } } };
        const made = { name: "earlier", uid: "u0", record: earlier };
        there.push(
            made,
            { ...made, took: { until: 2_000, seconds: 1_500 } },
            { ...made, took: { until: 1_000, seconds: 90 } },
        );
        const next = await found();
        assert.deepEqual(next.estimate, { known: true, seconds: 1_500, operations: [] });
        assert.ok(next.words.startsWith(first.words));
        repeats(next.words, "25 min");
    });

    it("takes another backup if the program wants it in another storage by now", async () => {
        const { plan, up, made } = played(old, seen(complete));
        const ofBucket = (of: string) => ({
            ...{ job: { ...job, metadata: { ...job.metadata, annotations: { "pulumi-tidb.io/job-revision": of } } } },
            url: `s3://${of}/PULUMI-TIDB-FOLDER`,
        });
        await up(to("v8.5.4", ofBucket("a")));
        assert.deepEqual(await plan(to("v8.5.4", ofBucket("a"))), []);
        repeats(await plan(to("v8.5.4", ofBucket("b"))), "s3://b/v8-5-3");
        await up(to("v8.5.4", ofBucket("b")));
        assert.deepEqual([made.length, new Set(made.map(({ metadata }) => metadata.name)).size], [2, 2]);
    });

    it("has no estimate of what is left of one that is at work", async () => {
        const { gate, up } = played(old, seen(started), seen(complete), seen(started));
        await up(to("v8.5.4"));
        const { estimate } = await gate.planOf({}, to("v8.5.4"));
        assert.ok(estimate?.known === false);
        assert.equal(estimate.work, "the rest of the backup");
    });

    it("reads from a Job how long it took, once it has succeeded", () => {
        const annotations = { "pulumi-tidb.io/before-upgrade": '{"attempt":1,"changes":{}}' };
        const took = (status: object) => madeJobs({ metadata: { name: "a", uid: "u", annotations }, status })[0].took;
        const [startTime, completionTime] = ["2026-11-25T10:00:00Z", "2026-11-25T10:01:30Z"].map(
            (time) => new Date(time),
        );
        assert.deepEqual(took({ startTime, completionTime }), { until: completionTime.getTime(), seconds: 90 });
        assert.equal(took({ startTime }), undefined);
        assert.equal(took({}), undefined);
        assert.deepEqual(madeJobs({ metadata: { name: "b" }, status: { startTime, completionTime } }), []);
    });

    it("says in the plan which Secret its Job lacks", async () => {
        const { gate, lacks } = played(old, seen(started));
        const withKeys = structuredClone(job);
        const env = [{ name: "KEY", valueFrom: { secretKeyRef: { name: "keys", key: "access_key" } } }];
        Object.assign(withKeys.spec.template.spec.containers[0], { env });
        const warnings = async () => (await gate.planOf({}, to("v8.5.4", { job: withKeys }))).warnings;
        assert.deepEqual(await warnings(), []);
        lacks("keys");
        repeats(await warnings(), "Secret tidb/keys: kubectl create secret generic keys");
    });

    it("is an operation of the cluster's journal, with its wait and its end, but not where there was nothing to do", async () => {
        const { up, kept } = played(
            old,
            seen(started),
            ...Array.from({ length: 40 }, () => seen(started)),
            seen(complete),
        );
        await up(to("v8.5.4"));
        await up(to("v8.5.4"));
        await up(to("v8.5.3"));
        assert.equal(kept.length, 1);
        const [{ what, outcome, entries }] = kept;
        repeats(what, "tidb/basic", "v8.5.3", "v8.5.4");
        assert.deepEqual([outcome, entries.map(({ is }) => is)], ["done", ["wait"]]);
        const failing = played(old, seen(failed, [ended("backup-x", 1)]));
        await failsWith(failing.up(to("v8.5.4")), "job-failed");
        assert.deepEqual([failing.kept.length, failing.kept[0].outcome], [1, "failed"]);
        const abandoned = played(old, seen(started));
        abandoned.abandon();
        await failsWith(abandoned.up(to("v8.5.4")), "stopped");
        assert.deepEqual(
            abandoned.kept.map(({ outcome }) => outcome),
            ["stopped"],
        );
    });

    it("makes the Job once, waits for its success, and takes it again for nothing that follows", async () => {
        const { up, made, plan } = played(old, seen(started), seen(complete));
        await up(to("v8.5.4"));
        await up(to("v8.5.4"));
        assert.equal(made.length, 1);
        const [{ metadata, spec }] = made;
        assert.match(metadata.name, /^backup-basic-v8-5-3-v8-5-4-/);
        const owner = {
            apiVersion: "coordination.k8s.io/v1",
            kind: "Lease",
            name: "basic-pulumi-tidb",
            uid: "lease-1",
        };
        assert.deepEqual(metadata.ownerReferences, [owner]);
        const [container] = spec.template.spec.containers;
        assert.equal(container.image, "pingcap/br:v8.5.3");
        assert.match(container.args[2], /^--storage=s3:\/\/b\/u\/v8-5-3-v8-5-4-[0-9a-f]{12}$/);
        assert.deepEqual(await plan(to("v8.5.4")), []);
    });

    it("goes on with the same backup once PD has its new template", async () => {
        const { up, made, change } = played(old, seen(complete));
        await up(to("v8.5.4"));
        change(image("pd", "v8.5.4"));
        await up(to("v8.5.4"));
        assert.equal(made.length, 1);
    });

    it("fails with BR's last words, and takes another one only when asked", async () => {
        const { up, made, plan } = played(old, seen(failed, [ended("backup-a", 1)]));
        const names = ['"no space left"', "`operations.backup.beforeUpgrade.attempt` from 1 to 2"];
        await failsWith(up(to("v8.5.4")), "job-failed", { names });
        await failsWith(up(to("v8.5.4")), "job-failed", { names });
        assert.equal(made.length, 1);
        repeats(await plan(to("v8.5.4")), made[0].metadata.name);
        await failsWith(up(to("v8.5.4", { attempt: 2 })), "job-failed", { names: "from 2 to 3" });
        assert.equal(made.length, 2);
        assert.notEqual(made[0].metadata.name, made[1].metadata.name);
    });

    it("fails once its time is over, and the Job goes on", async () => {
        await failsWith(played(old, seen(started)).up(to("v8.5.4")), "job-timed-out", { names: "60 s" });
    });

    const none: [string, Observation["members"]][] = [
        ["no version changes", all("v8.5.4")],
        ["the cluster is new", {}],
        ["there is no TiKV", { ...old, tikv: undefined }],
    ];
    for (const [title, live] of none) {
        it(`takes none if ${title}`, async () => {
            const { up, made, plan } = played(live, seen(started));
            assert.deepEqual(await plan(to("v8.5.4")), []);
            await up(to("v8.5.4"));
            assert.deepEqual(made, []);
        });
    }

    it("refuses BR without a version if TiKV's image has none", async () => {
        const { gate } = played({ ...old, ...image("tikv", "latest") }, seen(started));
        const { refused } = await gate.planOf({}, to("v8.5.4"));
        assert.deepEqual(refusedAt(refused), ["operations.backup.beforeUpgrade.spec.toolImage"]);
        assert.equal((await gate.planOf({}, to("v8.5.4", { untaggedImage: undefined }))).refused, undefined);
    });

    it("makes none while the Jobs that are there are not known", async () => {
        const { up, refuse, made, gate } = played(old, seen(started));
        refuse(new KubernetesApiError("could not list Jobs: 403", 403));
        await failsWith(up(to("v8.5.4")), "api-call-failed", { names: "could not list Jobs: 403" });
        assert.deepEqual(made, []);
        const { inputs } = await gate.check({}, to("v8.5.4"));
        repeats(inputs.deferred, "could not list Jobs: 403");
    });

    it("does not take a Job of its name for its own if it was not made for this upgrade", async () => {
        const { up, jobs, made } = played(old, seen(complete));
        jobs.create = () => Promise.resolve(undefined);
        await failsWith(up(to("v8.5.4")), "job-name-taken");
        assert.deepEqual(made, []);
    });
});

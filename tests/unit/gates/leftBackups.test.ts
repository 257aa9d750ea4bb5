import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createGate } from "../../../provider/gates/gate";
import { createJobGate } from "../../../provider/gates/jobGate";
import type { CleanJob, JobProgramInputs } from "../../../provider/gates/jobInputs";
import type { CleanRecord, LeftBackupsWorld } from "../../../provider/gates/leftBackupJobs";
import { createReadyGateDefinition } from "../../../provider/gates/readyGate";
import { leftBackupOf, type StorageUser } from "../../../provider/lifecycle/backups/leftBackup";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { JobObservation } from "../../../provider/lifecycle/jobs/observedJob";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { complete, created, ended, failed, seen, started, target } from "../lifecycle/jobs/observed";
import { clusterWorld, told } from "./clusterWorld";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";

const annotation = "pulumi-tidb.io/left-backup";
const job: CleanJob = {
    metadata: { name: "clean-monday", namespace: "tidb" },
    spec: {
        template: { spec: { containers: [{ image: "rclone/rclone:1.75.1", args: ["script", "clean", "store:b"] }] } },
    },
};
const taken: StorageUser = {
    name: "Job tidb/backup-monday",
    uid: "u1",
    hasEnded: true,
    startedAt: 1_800_000_000_000,
    succeededAt: 1_800_000_600_000,
    args: ["backup", "full", "--storage=s3://b/monday"],
};
const program: JobProgramInputs = {
    ...target,
    ...{ gate: "job", access: {}, job: "backup-monday", runs: [], wait: true, statusUrn: "a::b" },
    clean: {
        ...{ backup: "monday", url: "s3://b/monday", cluster: "basic", leaseUid: "lease-1" },
        ...{ storage: ["--storage=s3://b/monday"], job },
    },
};
const policy = { ...defaultPolicy, podReadyTimeoutSeconds: 60 };
const members = [{ component: "pd", replicas: 3, policy }];

/** A played namespace with its Jobs. `looks` are what is seen of the Job that deletes, one after the other; the last one stays. */
function played(users: StorageUser[] = [], ...looks: JobObservation[]) {
    const world = clusterWorld({ live: { pd: {} } });
    const records: CleanRecord[] = [];
    const said: string[] = [];
    const tell = (message: string) => void said.push(message);
    const did: string[] = [];
    const lastLines = ["clean: AccessDenied"];
    let refusal: Error | undefined;
    let lease: string | undefined = "lease-1";
    const open: LeftBackupsWorld["open"] = ({ job: name }) =>
        Promise.resolve({
            now: () => world.time,
            sleep: (milliseconds) => Promise.resolve((world.time += milliseconds)),
            look: () => {
                const next = looks.length > 1 ? looks.shift() : looks[0];
                const uid = records.find((one) => one.name === name)?.uid ?? program.jobUid;
                const own = next?.job.known && next.job.value ? { ...next.job.value, uid, revision: "" } : undefined;
                return Promise.resolve({ ...next, job: known(own, "x", 0), now: world.time } as JobObservation);
            },
            lastLines: () => Promise.resolve(known(lastLines, "the API server", 0)),
            absentSecrets: () => Promise.resolve([]),
            beside: () => Promise.resolve(known([], "the API server", 0)),
            start: () => Promise.resolve(void did.push(`start ${name}`)),
            progress: world.progress({ statusUrn: "urn" } as never),
        });
    const asked = <T>(answer: () => T): Promise<T> => (refusal ? Promise.reject(refusal) : Promise.resolve(answer()));
    const left: LeftBackupsWorld = {
        open,
        progress: () => ({ info: tell, warn: ({ message }) => tell(message), status: tell, note: tell }),
        list: () => asked(() => ({ records: [...records], users })),
        job: (_place, name) =>
            asked(() => {
                const record = records.find((one) => one.name === name);
                const startedAt = record?.state === "new" ? undefined : 1;
                const user = { name: `Job tidb/${name}`, uid: record?.uid ?? "", hasEnded: false, startedAt, args: [] };
                return record === undefined ? users.find((one) => one.name === user.name) : user;
            }),
        noteOnLease: () => {
            if (lease !== "lease-1") {
                return Promise.resolve(false);
            }
            world.lease = { ...world.lease!, hasLeftBackups: true };
            did.push("note");
            return Promise.resolve(true);
        },
        create: (_place, made) => {
            const { name, annotations } = made.metadata;
            did.push(`create ${name}`);
            const uid = `c${records.length + 1}`;
            records.push({ name, uid, left: leftBackupOf(annotations?.[annotation]), state: "new", job: made });
            return Promise.resolve(uid);
        },
        remove: (_place, name) => {
            did.push(`remove ${name}`);
            records.splice(
                records.findIndex((one) => one.name === name),
                1,
            );
            return Promise.resolve();
        },
    };
    const gate = createGate(createReadyGateDefinition(left), world);
    const inputs = told({ gate: "ready", members });
    return {
        ...{ world, records, said, did, users, left, lastLines },
        refuse: (error: Error | undefined) => (refusal = error),
        loseLease: () => (lease = undefined),
        leave: async (more: Partial<JobProgramInputs> = {}) =>
            createJobGate(undefined, left).delete?.("", { ...program, ...more } as unknown as Record<string, unknown>),
        check: (more: object = {}) => gate.check({}, { ...inputs, ...more }),
        preview: async () => (await gate.check({}, inputs)).inputs.plan as string[],
        planOf: (more: object = {}) => gate.planOf({}, { ...inputs, ...more }),
        up: async (more: object = {}) => gate.create({ ...(await gate.check({}, inputs)).inputs, ...more }),
    };
}
const gone = (users: StorageUser[]): unknown => users.splice(0);

describe("a Backup with cleanPolicy Delete that leaves the program", () => {
    it("puts on record what is to be deleted, deletes nothing, and says what comes next", async () => {
        const { leave, did, records, said } = played([taken]);
        await leave();
        const [{ name, job: made, left }] = records;
        assert.deepEqual(did, ["note", `create ${name}`]);
        assert.deepEqual(left, {
            ...{ backup: "monday", url: "s3://b/monday", takenBy: "u1", attempt: 1, timeoutSeconds: 60 },
        });
        assert.equal(made.spec.suspend, true);
        assert.deepEqual(made.spec.template.spec.containers[0].args, [
            ...["script", "clean", "store:b"],
            ...["1799999100", "1800001500", "u1"],
        ]);
        assert.deepEqual(made.metadata.ownerReferences, [
            { apiVersion: "coordination.k8s.io/v1", kind: "Lease", name: "basic-pulumi-tidb", uid: "lease-1" },
        ]);
        assert.equal(said.length, 1);
        repeats(said[0], "Backup monday at s3://b/monday", `kubectl delete job ${name} --namespace tidb`);
    });

    it("leaves its data alone with Retain", async () => {
        const { leave, did } = played([taken]);
        await leave({ clean: undefined });
        assert.deepEqual(did, []);
    });

    it("keeps its data, and says so, if nothing proves where and when they were written", async () => {
        const { leave, did, said } = played([{ ...taken, succeededAt: undefined }]);
        await leave();
        assert.deepEqual(did, []);
        repeats(said, "s3://b/monday", "Job tidb/backup-monday");
    });

    it("keeps its data if its cluster is gone", async () => {
        const { leave, did, said, loseLease } = played([taken]);
        loseLease();
        await leave();
        assert.deepEqual(did, []);
        repeats(said, "s3://b/monday", "cluster tidb/basic");
    });

    it("stays in the state if the API server does not answer, so the next update tries it again", async () => {
        const { leave, did, refuse } = played([taken]);
        refuse(new KubernetesApiError("could not read Job backup-monday: no answer", undefined));
        await failsWith(leave(), "api-call-failed", { names: ["Backup monday", "no answer"] });
        assert.deepEqual(did, []);
        refuse(undefined);
        await leave();
        assert.equal(did.length, 2);
    });

    it("has its gate updated by a change of the policy alone, although the backup is done", async () => {
        const { left } = played();
        const gate = createJobGate({ progress: left.progress, open: () => Promise.reject() }, left);
        const { clean, ...retained } = { ...program, done: { uid: "u1", revision: "r1" } };
        const { inputs } = await gate.check(retained, { ...retained, clean });
        assert.deepEqual(await gate.diff("", retained, inputs), { changes: true });
        assert.deepEqual((await gate.update("", retained, inputs)).outs.clean, clean);
        const back = await gate.check(inputs, retained);
        assert.deepEqual(await gate.diff("", inputs, back.inputs), { changes: true });
    });
});

describe("a Backup with cleanPolicy Delete that is in the program again", () => {
    const done = { uid: "u1", revision: "r1" };
    const values = (more: object = {}) => ({ ...program, plan: [], deferred: "", ...more });

    it("has nothing on record once its gate has seen that it is done, whatever its policy is by now", async () => {
        for (const clean of [program.clean, undefined]) {
            const stage = played([taken], seen(complete));
            await stage.leave();
            const [record] = stage.records;
            const other = { ...record, name: "clean-monday-other" };
            stage.records.push(other);
            await createJobGate(stage.left, stage.left).create(values({ clean, revision: "" }));
            assert.deepEqual(stage.records, [other]);
            repeats(stage.said.at(-1), "Backup monday");
            gone(stage.users);
        }
    });

    it("has nothing on record after the next update if its gate never left the state", async () => {
        const stage = played([taken]);
        await stage.leave();
        const gate = createJobGate(stage.left, stage.left);
        const { inputs } = await gate.check(values({ done }), program as never);
        assert.equal((inputs.plan as string[]).length, 1);
        assert.deepEqual(await gate.diff("", values({ done }), inputs), { changes: true });
        await gate.update("", values({ done }), inputs);
        assert.deepEqual(stage.records, []);
        const next = await gate.check(inputs, program as never);
        assert.deepEqual([next.inputs.plan, next.inputs.done], [[], done]);
    });

    it("fails its update while it is not known what is on record", async () => {
        const stage = played([taken]);
        await stage.leave();
        stage.refuse(new KubernetesApiError("could not read Job clean-monday: 503", 503));
        const gate = createJobGate(stage.left, stage.left);
        const { inputs } = await gate.check(values({ done }), program as never);
        assert.equal((inputs.plan as string[]).length, 1);
        await failsWith(gate.update("", values({ done }), inputs), "api-call-failed", {
            ...{ step: "keep the data of a Backup", names: "503" },
        });
    });
});

describe("the data of a Backup that left the program", () => {
    async function leftBehind(...looks: JobObservation[]) {
        const stage = played([taken], ...looks);
        await stage.leave();
        gone(stage.users);
        stage.did.splice(0);
        return stage;
    }
    const name = /clean-monday-[0-9a-f]{12}/;

    it("are in the plan with their place, and the next update deletes them once", async () => {
        const { preview, up, did, records, said } = await leftBehind(seen(created), seen(started), seen(complete));
        said.splice(0);
        const [step, ...more] = await preview();
        repeats(step, "Backup monday", "s3://b/monday", `Job tidb/${records[0].name}`, "rclone/rclone:1.75.1", "60 s");
        assert.deepEqual([more, did], [[], []]);
        await up();
        assert.deepEqual(
            [did[0], did[1], records],
            [`start ${name.exec(did[0])?.[0]}`, `remove ${name.exec(did[0])?.[0]}`, []],
        );
        assert.deepEqual(said, []);
        assert.deepEqual(await preview(), []);
    });

    it("stay if no plan of this update says that they are deleted", async () => {
        const { up, did } = await leftBehind(seen(created), seen(complete));
        await up({ plan: [] });
        assert.deepEqual(did, []);
    });

    it("stay, and the plan says why, while another backup on record is there too", async () => {
        const { users, preview, planOf, up, did } = await leftBehind(seen(complete));
        users.push({ ...taken, uid: "u7", name: "Job tidb/backup-tuesday" });
        assert.deepEqual(await preview(), []);
        const { remarks = [], warnings } = await planOf();
        assert.deepEqual(warnings, [], "the other backup may go");
        repeats(remarks, "s3://b/monday", "Job tidb/backup-tuesday", "kubectl delete job clean-monday-");
        await up();
        assert.deepEqual(did, []);
    });

    it("stay if a backup began there after the plan was made", async () => {
        const { users, check, up, did } = await leftBehind(seen(complete));
        const { inputs } = await check();
        users.push({ ...taken, uid: "u7" });
        await up({ plan: inputs.plan });
        assert.deepEqual(did, []);
    });

    it("stay where every step needs a person's consent", async () => {
        const { planOf } = await leftBehind(seen(complete));
        const { remarks, warnings } = await planOf({ approval: "step" });
        assert.deepEqual(remarks, [], "the program asks for it, and no update does it: that is a warning");
        repeats(warnings, "s3://b/monday");
    });

    it("stay on record if their Job fails, and the next update tries it in a new Job", async () => {
        const { up, records, did, preview } = await leftBehind(seen(started), seen(failed, [ended("clean-a", 1)]));
        const { next } = await failsWith(up(), "job-failed", { names: '"clean: AccessDenied"' });
        repeats(next, "kubectl delete job clean-monday-");
        assert.equal(records.length, 1);
        const [first] = records;
        records[0] = { ...first, state: "failed" };
        did.splice(0);
        assert.equal((await preview()).length, 1);
        await failsWith(up(), "job-failed");
        const [second, ...more] = records;
        assert.deepEqual([second.left?.attempt, more], [2, []]);
        assert.deepEqual(did.slice(0, 2), [`create ${second.name}`, `remove ${first.name}`]);
        const { args } = second.job.spec.template.spec.containers[0];
        assert.deepEqual(args?.slice(3), ["1799999100", "1800001500", "u1"]);
    });

    it("stay on record if their Job does not end in time, and the message says how to keep them", async () => {
        const { up, records } = await leftBehind(seen(started));
        await failsWith(up(), "job-timed-out", { names: ["60 s", "kubectl delete job clean-"] });
        assert.equal(records.length, 1);
    });

    it("are waited for again by the update after one that was killed", async () => {
        const { up, records, did } = await leftBehind(seen(started), seen(complete));
        records[0] = { ...records[0], state: "at work" };
        await up();
        assert.deepEqual(did, [`remove ${name.exec(did[0])?.[0]}`]);
    });

    it("of a record that cannot be read stay, and the plan says so", async () => {
        const { records, planOf, preview, up, did } = await leftBehind(seen(complete));
        records[0] = { ...records[0], left: undefined };
        assert.deepEqual(await preview(), []);
        const { remarks, warnings } = await planOf();
        assert.deepEqual(remarks, [], "the program asks for it, and no update does it: that is a warning");
        repeats(warnings, records[0].name);
        await up();
        assert.deepEqual(did, []);
    });

    it("stay while the Jobs are not known: that is no plan, and the update fails", async () => {
        const { refuse, check, up, did } = await leftBehind(seen(complete));
        const { inputs: planned } = await check();
        refuse(new KubernetesApiError("could not list CronJobs: 403", 403));
        const { inputs } = await check();
        repeats(inputs.deferred, "could not list CronJobs: 403");
        await failsWith(up({ plan: planned.plan }), "api-call-failed", { names: "could not list CronJobs: 403" });
        assert.deepEqual(did, []);
    });

    it("are not looked for in a cluster whose Lease says of none", async () => {
        const { refuse, preview, up } = played();
        refuse(new KubernetesApiError("could not list Jobs: 403", 403));
        assert.deepEqual(await preview(), []);
        await up();
    });
});

describe("a Backup with cleanPolicy OnFailure", () => {
    const onFailure = { ...program, clean: { ...program.clean!, onFailure: true as const } };
    const lost = { ...taken, succeededAt: undefined, failedAt: 1_800_000_600_000 };
    const window = { from: 1_799_999_100, until: 1_800_001_500 };
    const create = ({ left }: ReturnType<typeof played>, more: Partial<JobProgramInputs> = {}) =>
        createJobGate(left, left).create({ ...onFailure, ...more, plan: [], deferred: "" });
    const isFailed = (run: Promise<unknown>) => failsWith(run, "job-failed", { names: '"clean: AccessDenied"' });

    it("that fails has what it left put on record at once, because it does not enter the state", async () => {
        const stage = played([lost], seen(failed, [ended("backup-a", 1)]));
        await isFailed(create(stage));
        const [{ name, job: made, left }] = stage.records;
        assert.deepEqual(stage.did, ["note", `create ${name}`]);
        assert.deepEqual([left?.failed, left?.takenBy], [window, "u1"]);
        assert.deepEqual(made.spec.template.spec.containers[0].args?.slice(3), [
            ...["1799999100", "1800001500", "u1", "failed"],
        ]);
        repeats(stage.said.at(-1), "failed Backup monday", "s3://b/monday");
    });

    it("that fails and whose policy is changed has nothing on record any more", async () => {
        for (const [attempt, clean] of [
            [1, undefined],
            [2, undefined],
            [1, program.clean],
        ] as const) {
            const name = attempt === 1 ? "backup-monday" : "backup-monday-2";
            const run = { job: name, attempt };
            const stage = played([{ ...lost, name: `Job tidb/${name}` }], seen(failed, [ended("backup-a", 1)]));
            await isFailed(create(stage, run));
            const [record] = stage.records;
            const other = { ...record, name: "clean-tuesday-1", uid: "c9" };
            stage.records.push(other);
            stage.did.splice(0);
            await isFailed(create(stage, { ...run, clean }));
            assert.deepEqual([stage.did, stage.records], [[`remove ${record.name}`], [other]]);
            repeats(stage.said.at(-1), "failed Backup monday", "cleanPolicy");
            await isFailed(create(stage, { ...run, clean }));
            assert.equal(stage.did.length, 1);

            stage.records.push({ ...record, state: "at work" });
            await isFailed(create(stage, { ...run, clean }));
            assert.equal(stage.did.length, 1);
            stage.refuse(new KubernetesApiError("could not read Job clean-monday: 403", 403));
            await isFailed(create(stage, { ...run, clean }));
            repeats(stage.said.at(-1), "could not read Job clean-monday: 403");
        }
    });

    it("that is not known to have failed has nothing on record, and its own error", async () => {
        const working = played([{ ...taken, succeededAt: undefined, hasEnded: false }], seen(started));
        await failsWith(create(working), "job-timed-out", { names: "60 s" });
        assert.deepEqual([working.did, working.records], [[], []]);
        const foreign = played([{ ...lost, uid: "u2" }], seen(failed, [ended("backup-a", 1)]));
        await isFailed(create(foreign));
        assert.deepEqual(foreign.records, []);
    });

    it("that fails keeps its error if the record cannot be made, and that is said", async () => {
        const stage = played([lost], seen(failed, [ended("backup-a", 1)]));
        stage.refuse(new KubernetesApiError("could not read Job backup-monday: 403", 403));
        await isFailed(create(stage));
        repeats(stage.said.at(-1), "failed Backup monday", "403");
    });

    it("that succeeded leaves without a word, also if its Job is gone", async () => {
        const stage = played([taken]);
        await stage.leave(onFailure);
        gone(stage.users);
        await stage.leave({ ...onFailure, done: { uid: "u1", revision: "r1" } } as Partial<JobProgramInputs>);
        assert.deepEqual([stage.did, stage.said], [[], []]);
    });

    it("that nobody waited for is looked at when it leaves: only a failure is put on record", async () => {
        const stage = played([lost]);
        await stage.leave({ ...onFailure, wait: false });
        assert.deepEqual(stage.records[0].left?.failed, window);
        for (const users of [[], [{ ...taken, succeededAt: undefined }], [{ ...lost, args: ["backup"] }]]) {
            const other = played(users);
            await other.leave({ ...onFailure, wait: false });
            assert.deepEqual(other.records, []);
            repeats(other.said, "failed Backup monday", "s3://b/monday");
        }
    });

    it("whose next attempt fails too has one record, which covers what both have left", async () => {
        const stage = played([lost], seen(failed, [ended("backup-a", 1)]));
        await isFailed(create(stage));
        const [first] = stage.records;
        const later = { ...lost, uid: "u5", startedAt: lost.startedAt! + 9e6, failedAt: lost.failedAt + 9e6 };
        stage.users.splice(0, 1, later);
        const again = seen({ ...failed, uid: "u5" }, [ended("backup-a", 1)]);
        const second = played([later], again);
        second.records.push(first);
        const left = {
            ...second.left,
            open: async (place: never) => ({ ...(await second.left.open(place)), look: () => Promise.resolve(again) }),
        };
        const gate = createJobGate(left, left);
        const inputs = { ...onFailure, jobUid: "u5", attempt: 2, plan: [], deferred: "" };
        await isFailed(gate.create(inputs));
        await isFailed(gate.create(inputs));
        const failures = second.records.map(({ left: of }) => [of?.takenBy, of?.failed]);
        assert.deepEqual(failures[0], ["u5", { from: window.from, until: window.until + 9000 }]);
        assert.ok(second.did.includes(`remove ${first.name}`));
        assert.ok(second.records.every(({ left: of }) => of?.takenBy === "u5"));
    });

    it("whose next attempt succeeds has nothing on record any more", async () => {
        const stage = played([lost], seen(failed, [ended("backup-a", 1)]));
        await isFailed(create(stage));
        const [first] = stage.records;
        const next = played([{ ...taken, uid: "u5" }], seen(complete));
        const elsewhere = { ...first, name: "clean-other", left: { ...first.left!, url: "s3://b/other" } };
        const deleted = { ...first, name: "clean-deleted", left: { ...first.left!, failed: undefined } };
        next.records.push(first, elsewhere, deleted);
        const done = { ...complete, uid: "u5" };
        const left = {
            ...next.left,
            open: async (place: never) => ({
                ...(await next.left.open(place)),
                look: () => Promise.resolve(seen(done)),
            }),
        };
        await createJobGate(left, left).create({ ...onFailure, jobUid: "u5", attempt: 2, plan: [], deferred: "" });
        assert.deepEqual(next.did, [`remove ${first.name}`]);

        next.records.push(first);
        const noted = {
            ...onFailure,
            jobUid: "u5",
            attempt: 2,
            plan: [],
            deferred: "",
            done: { uid: "u5", revision: "r1" },
        };
        await createJobGate(left, left).update("", {}, noted);
        assert.deepEqual(next.did.slice(1), [`remove ${first.name}`]);
    });

    describe("that failed and left the program", () => {
        const due = (window.until + 3600) * 1000;
        async function leftBehind(asOf: number | undefined, ...looks: JobObservation[]) {
            const stage = played([lost], seen(failed, [ended("backup-a", 1)]), ...looks);
            await isFailed(create(stage));
            stage.world.lease = { ...stage.world.lease!, asOf };
            stage.did.splice(0);
            return stage;
        }

        it("has its data in the next plan, and the update deletes them once", async () => {
            const { users, preview, up, did, records } = await leftBehind(due, seen(created), seen(complete));
            gone(users);
            const [step, ...more] = await preview();
            const [{ name }] = records;
            repeats(step, "failed Backup monday", "s3://b/monday", `Job tidb/${name}`);
            assert.deepEqual([more, did], [[], []]);
            await up();
            assert.deepEqual([records, did], [[], [`start ${name}`, `remove ${name}`]]);
        });

        it("keeps its data with a warning if its Job has found that they are not its own, and is done with them", async () => {
            const end = seen(complete, [ended("clean-a", 0)]);
            const { users, lastLines, up, said, records } = await leftBehind(due, seen(created), end);
            gone(users);
            lastLines.splice(0, 1, "clean: store:b: 1.sst was written before this backup; nothing was deleted");
            said.splice(0);
            await up();
            assert.deepEqual(records, []);
            assert.equal(said.length, 1);
            repeats(said[0], "s3://b/monday", "Job tidb/clean-monday-", `"${lastLines[0]}"`);
        });

        it("says nothing of its data if they are deleted, and that it is not known if the log cannot be read", async () => {
            const end = seen(complete, [ended("clean-a", 0)]);
            const deleted = await leftBehind(due, seen(created), end);
            gone(deleted.users);
            deleted.lastLines.splice(0, 1, "clean: deleted the backup in store:b");
            deleted.said.splice(0);
            await deleted.up();
            assert.deepEqual(deleted.said, []);
            const silent = await leftBehind(due, seen(created), seen(complete));
            gone(silent.users);
            silent.said.splice(0);
            await silent.up();
            assert.equal(silent.said.length, 1);
            repeats(silent.said[0], "s3://b/monday");
        });

        for (const [what, asOf] of [
            ["within an hour of what it may have written last", due - 1],
            ["while nobody knows what time it is", undefined],
        ] as const) {
            it(`keeps its data ${what}: another backup may write there`, async () => {
                const { users, preview, planOf, up, did } = await leftBehind(asOf, seen(complete));
                gone(users);
                assert.deepEqual(await preview(), []);
                repeats((await planOf()).remarks, "s3://b/monday", "2027-01-15T09:25:00.000Z", "kubectl delete job");
                await up();
                assert.deepEqual(did, []);
            });
        }

        it("keeps its data while its Job is there, or another attempt", async () => {
            const { users, preview, planOf } = await leftBehind(due);
            assert.deepEqual(await preview(), []);
            repeats((await planOf()).remarks, "Job tidb/backup-monday");
            users.splice(0, 1, { ...taken, uid: "u5", name: "Job tidb/backup-monday-2" });
            assert.deepEqual(await preview(), []);
            repeats((await planOf()).remarks, "Job tidb/backup-monday-2");
        });
    });
});

import assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { unknownValue } from "../../../provider/gates/inputs";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { createLogBackupGate } from "../../../provider/gates/logBackupGate";
import type { LogBackupJob, LogBackupProgramInputs } from "../../../provider/gates/logBackupInputs";
import type { JobObservation, ObservedJob } from "../../../provider/lifecycle/jobs/observedJob";
import type { LogTask } from "../../../provider/lifecycle/logBackup/target";
import { type Fact, known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { tsoAt } from "../../../topology/timestamps";
import { complete, ended, failed } from "../lifecycle/jobs/observed";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";
import type { Notice } from "../../../provider/lifecycle/vocabulary/notices";

const program: LogBackupProgramInputs = {
    gate: "logBackup",
    access: {},
    namespace: "db",
    cluster: "basic",
    instance: "basic",
    tls: false,
    of: "db/basic",
    task: "b1",
    storage: "s3://backups/log",
    wanted: "running",
    truncateUntil: "",
    attempt: 1,
    timeoutSeconds: 60,
    job: {
        metadata: { name: "backup-b1-log", namespace: "db" },
        spec: { template: { spec: { containers: [{ args: ["--pd=basic-pd.db:2379"] }] } } },
    },
    commands: {
        start: ["log", "start", "--task-name=b1"],
        pause: ["log", "pause", "--task-name=b1"],
        resume: ["log", "resume", "--task-name=b1"],
        stop: ["log", "stop", "--task-name=b1"],
        truncate: ["log", "truncate", "--until=2026-01-01 00:00:00Z"],
    },
    digest: "d",
    statusUrn: "a::b",
};
type Values = Record<string, unknown>;
const values = (change: Partial<LogBackupProgramInputs> = {}): Values => ({ ...program, ...change });
const running: LogTask = {
    name: "b1",
    storage: "s3://backups/log",
    checkpointTs: tsoAt(Date.now()),
    paused: false,
    errors: [],
};
const revision = "pulumi-tidb.io/job-revision";

/** A Kubernetes cluster and a PD in which BR works, until it is told to fail or to do nothing. */
function world(
    state: { task?: LogTask; job?: ObservedJob; late?: number },
    br: "works" | "fails" | "does nothing" | "never ends" = "works",
    unknownTasks?: Fact<readonly LogTask[]> | Error,
    checkpointTs = running.checkpointTs,
    absent: string[] = [],
) {
    let now = 0;
    let jobs = 0;
    let meanwhile: () => unknown = () => undefined;
    const ran: string[] = [];
    const removed: string[] = [];
    const told: string[] = [];
    const tell = (line: string) => void told.push(line);
    const progress = {
        status: () => undefined,
        note: tell,
        warn: ({ message }: Notice) => tell(message),
        info: tell,
        abandoned: false,
    };
    const observation = (): JobObservation => ({
        now,
        job: known(state.job, "the API server", now),
        pods: known(
            state.job?.conditions.some(({ type }) => type === "Failed") ? [ended("backup-b1-log-x", 1)] : [],
            "the API server",
            now,
        ),
        lastLines: notKnown("not read"),
    });
    const carryOut = ([, step]: string[]): void => {
        const { task } = state;
        state.task =
            step === "stop"
                ? undefined
                : step === "truncate"
                  ? task
                  : { ...(task ?? { ...running, checkpointTs }), paused: step === "pause" };
    };
    const gate = createLogBackupGate({
        progress: () => progress,
        open: () =>
            Promise.resolve({
                now: () => now,
                sleep: (milliseconds: number) => {
                    meanwhile();
                    return Promise.resolve((now += milliseconds));
                },
                look: () => Promise.resolve(observation()),
                lastLines: () => Promise.resolve(known(["the bucket is gone"], "the API server", now)),
                absentSecrets: () => Promise.resolve(absent),
                beside: () => Promise.resolve(known([], "the API server", 0)),
                tasks: () =>
                    unknownTasks instanceof Error
                        ? Promise.reject(unknownTasks)
                        : Promise.resolve(unknownTasks ?? known(state.task ? [state.task] : [], "PD", now)),
                start: () => Promise.reject(new Error("not suspended")),
                create: (job: LogBackupJob) => {
                    if (state.late) {
                        state.late -= 1;
                        return Promise.reject(new StaleDecision("the observation is 9 s old: nothing was done"));
                    }
                    const { args } = job.spec.template.spec.containers[0];
                    ran.push(args.join(" "));
                    const uid = `made${++jobs}`;
                    assert.ok(jobs < 10, "it creates Jobs without end");
                    const how =
                        br === "fails" ? failed : br === "never ends" ? { ...complete, conditions: [] } : complete;
                    state.job = { ...how, suspended: false, uid, revision: job.metadata.annotations![revision] };
                    if (br === "works") {
                        carryOut(args);
                    }
                    return Promise.resolve(uid);
                },
                remove: (uid: string) => {
                    removed.push(uid);
                    state.job = undefined;
                    return Promise.resolve();
                },
                close: () => undefined,
                progress,
            }),
    });
    return { gate, ran, removed, told, state, whenSleeping: (happens: () => unknown) => void (meanwhile = happens) };
}
const start = "log start --task-name=b1 --pd=basic-pd.db:2379";

describe("the gate of a log backup", () => {
    it("shows the step in the preview, takes it by a Job, and has nothing left to do", async () => {
        const { gate, ran, told } = world({});
        const { inputs, failures } = await gate.check({}, values(), true);
        assert.equal(failures, undefined);
        assert.deepEqual(inputs.plan, ["start the log backup b1 of the cluster db/basic to s3://backups/log"]);
        repeats(told, "Job db/backup-b1-log", ...(inputs.plan as string[]));
        const { outs } = await gate.create(inputs);
        assert.deepEqual(ran, [start]);
        const again = await gate.check(outs, values());
        assert.deepEqual(again.inputs.plan, []);
        assert.deepEqual(await gate.diff("", outs, again.inputs), { changes: false });
    });

    it("warns in the preview of what it needs and does not exist, and of what to know before it starts", async () => {
        const env = [{ name: "KEY", valueFrom: { secretKeyRef: { name: "keys", key: "access_key" } } }];
        const job = structuredClone(program.job);
        Object.assign(job.spec.template.spec.containers[0], { env });
        const news = values({ job, caution: "it fills the root" });
        const warned = async (state: Parameters<typeof world>[0], isPreview: boolean, absent = ["keys"]) => {
            const { gate, told } = world(state, "works", undefined, undefined, absent);
            await gate.check({}, news, isPreview);
            const lines = told.join("\n");
            return [lines.includes("- Secret db/keys: kubectl create secret"), lines.includes("it fills the root")];
        };
        assert.deepEqual(await warned({}, true), [true, true]);
        assert.deepEqual(await warned({}, true, []), [false, true]);
        assert.deepEqual(await warned({}, false), [false, false]);
        assert.deepEqual(await warned({ task: running }, true), [false, false]);
        assert.deepEqual(await warned({ task: { ...running, paused: true } }, true), [true, false]);
    });

    it("refuses to start one that must not begin, and nothing of one that PD has", async () => {
        const refusal = "spec.s3.prefix: found full";
        const why = async (state: Parameters<typeof world>[0], isPreview: boolean) =>
            (await world(state).gate.check({}, values({ refusal }), isPreview)).failures?.[0].reason;
        assert.deepEqual([await why({}, true), await why({}, false)], [refusal, refusal]);
        assert.equal(await why({ task: running }, true), undefined);
        assert.equal(await why({ task: { ...running, paused: true } }, true), undefined);
        const { gate, ran } = world({});
        await failsWith(gate.create(values({ refusal })), "job-refused", { names: refusal });
        assert.deepEqual(ran, []);
    });

    it("goes through the states, with a new Job for each step, also for one that was taken before", async () => {
        const { gate, ran, removed } = world({});
        for (const wanted of ["running", "paused", "running", "paused", "stopped"] as const) {
            await gate.update("", {}, values({ wanted }));
        }
        assert.deepEqual(
            ran.map((args) => args.split(" ")[1]),
            ["start", "pause", "resume", "pause", "stop"],
        );
        assert.deepEqual(removed, ["made1", "made2", "made3", "made4"]);
    });

    it("truncates once for each time, and that is in the stack's state", async () => {
        const truncateUntil = "2026-01-01 00:00:00Z";
        const { gate, ran } = world({ task: running });
        const { inputs } = await gate.check(values(), values({ truncateUntil }));
        repeats(inputs.plan, "truncate the log backup b1", "2026-01-01 00:00:00 UTC");
        assert.deepEqual(await gate.diff("", values(), inputs), { changes: true });
        const { outs } = await gate.update("", values(), inputs);
        assert.deepEqual(ran, ["log truncate --until=2026-01-01 00:00:00Z --pd=basic-pd.db:2379"]);
        assert.deepEqual((await gate.check(outs, values({ truncateUntil }))).inputs.plan, []);
    });

    it("takes a truncation as done if its Job succeeded before the run was killed", async () => {
        const truncateUntil = "2026-01-01 00:00:00Z";
        const job = { ...complete, uid: "before", revision: "truncate-1-d" };
        const { gate, ran } = world({ task: running, job });
        await gate.update("", values(), values({ truncateUntil }));
        assert.deepEqual(ran, []);
    });

    it("truncates and then stops, and is not lost if it is killed between the stop and the stack's state", async () => {
        const program = values({ wanted: "stopped", truncateUntil: "2026-01-01 00:00:00Z" });
        const { gate, ran } = world({ task: running });
        const { inputs } = await gate.check(values(), program);
        assert.equal((inputs.plan as string[]).length, 2);
        await gate.update("", values(), inputs);
        const steps = () => ran.map((args) => args.split(" ")[1]);
        assert.deepEqual(steps(), ["truncate", "stop"]);
        const again = await gate.check(values(), program);
        assert.deepEqual([again.failures, again.inputs.plan], [undefined, []]);
        await gate.update("", values(), again.inputs);
        assert.deepEqual(steps(), ["truncate", "stop"]);
    });

    it("checks a truncation against the checkpoint that PD has after the start", async () => {
        const truncateUntil = String(tsoAt(Date.now()));
        const { gate, ran } = world({}, "works", undefined, tsoAt(Date.now() - 60_000));
        await failsWith(gate.create(values({ truncateUntil })), "log-truncated-too-far");
        assert.deepEqual(ran, [start]);
    });

    it("fails with BR's last words, and takes the step again only when that is asked for", async () => {
        const { gate, ran, state } = world({}, "fails");
        const about = { target: "Job db/backup-b1-log", names: ['"the bucket is gone"', "`attempt` from 1 to 2"] };
        await failsWith(gate.create(values()), "job-failed", about);
        await failsWith(gate.create(values()), "job-failed", about);
        assert.equal(ran.length, 1);
        await failsWith(gate.create(values({ attempt: 2 })), "job-failed", { names: "`attempt` from 2 to 3" });
        assert.equal(ran.length, 2);
        state.task = running;
        await gate.create(values({ attempt: 2 }));
        assert.equal(ran.length, 2);
    });

    it("does not believe a Job that succeeded what PD does not show", async () => {
        const { gate, ran } = world({}, "does nothing");
        await failsWith(gate.create(values()), "log-backup-contradicted", { names: "start the log backup b1" });
        assert.equal(ran.length, 1);
    });

    it("waits for the Job of a run that was killed, and starts none beside it", async () => {
        const job = { ...complete, conditions: [], suspended: false, uid: "before", revision: "start-1-d" };
        const { gate, ran, state, whenSleeping } = world({ job });
        const { inputs } = await gate.check({}, values());
        assert.deepEqual((inputs.plan as string[])[0], "wait for the end of Job db/backup-b1-log");
        whenSleeping(() => Object.assign(state, { job: { ...job, conditions: complete.conditions }, task: running }));
        await gate.create(values());
        assert.deepEqual(ran, []);
    });

    it("ends its wait for a Job after the program's time", async () => {
        const { gate, ran } = world({}, "never ends");
        await failsWith(gate.create(values()), "job-timed-out", { names: "60 s" });
        assert.equal(ran.length, 1);
    });

    it("refuses a task that writes elsewhere, in the preview and in the update, whatever is asked for", async () => {
        for (const wanted of ["running", "paused", "stopped"] as const) {
            const { gate, ran } = world({ task: { ...running, storage: "s3://theirs/log" } });
            const [refusal] = (await gate.planOf({}, values({ wanted }))).refused ?? [];
            assert.equal(refusal.code, "log-backup-elsewhere");
            repeats(refusal.reason, "s3://backups/log", "s3://theirs/log");
            await failsWith(gate.create(values({ wanted })), "log-backup-elsewhere", { names: "s3://theirs/log" });
            assert.deepEqual(ran, []);
        }
    });

    it("says that the task is gone, fails the update, and starts it again only when that is asked for", async () => {
        const { gate, ran, told } = world({});
        const { inputs, failures } = await gate.check(values(), values(), true);
        assert.equal(failures, undefined);
        assert.deepEqual(inputs.plan, ["fail, because of the log backup b1 of the cluster db/basic"]);
        repeats(told, "[log-backup-gone]");
        await failsWith(gate.update("", values(), inputs), "log-backup-gone");
        assert.deepEqual(ran, []);
        await gate.update("", values(), values({ attempt: 2 }));
        assert.deepEqual(ran, [start]);
    });

    it("asks PD again where a login took so long that a step's Job was not made: the task may be another by then", async () => {
        const { gate, ran } = world({ late: 2 });
        await gate.create(values());
        assert.deepEqual(ran, [start]);
        const always = world({ late: 10_000 });
        await failsWith(always.gate.create(values()), "log-backup-unknown", { names: "the observation is 9 s old" });
        assert.deepEqual(always.ran, []);
    });

    it("does nothing while PD does not answer, and then fails", async () => {
        const { gate, ran } = world({}, "works", notKnown("no PD pod"));
        await failsWith(gate.create(values()), "log-backup-unknown", { names: "no PD pod" });
        assert.deepEqual(ran, []);
    });

    for (const silence of [notKnown("no PD pod"), new KubernetesApiError("forbidden", 403)]) {
        it(`defers the plan while PD is not known (${"why" in silence ? silence.why : silence.message}), unless nothing changed`, async () => {
            const { gate, told } = world({}, "works", silence);
            const { inputs } = await gate.check({}, values(), true);
            repeats(inputs.plan, "log backup b1 of the cluster db/basic running");
            repeats(inputs.deferred, "why" in silence ? silence.why : silence.message);
            const unchanged = await gate.check(values(), values(), true);
            assert.deepEqual(unchanged.inputs.plan, []);
            assert.deepEqual(await gate.diff("", values(), unchanged.inputs), { changes: false });
            repeats(told.at(-1), "log backup b1", "why" in silence ? silence.why : silence.message);
        });
    }

    it("plans what a preview does not know yet without asking anyone", async () => {
        const { gate, told } = world({}, "works", new Error("must not be asked"));
        const { inputs } = await gate.check(
            {},
            { ...values(), job: unknownValue, of: unknownValue, wanted: unknownValue },
            true,
        );
        assert.deepEqual(inputs.plan, [
            "make the log backup what the program says, by the steps that PD's word asks for",
        ]);
        assert.equal(told.length, 1);
        assert.ok(!told.join().includes(unknownValue));
    });

    it("leaves a Job alone that it has not created", async () => {
        // A digest is the revision of the Job of a Backup, such as one that is named `b1-log`.
        for (const theirs of ["", "4f1c0b5e", "start", "start-over"]) {
            const { gate, ran, removed } = world({ job: { ...complete, uid: "theirs", revision: theirs } });
            await failsWith(gate.create(values()), "job-name-taken");
            await gate.delete!("", values());
            assert.deepEqual([ran, removed], [[], []]);
        }
    });

    it("deletes its Job when it leaves the program, and says that the task goes on", async () => {
        const { gate, removed, told } = world({ task: running });
        await gate.update("", {}, values({ wanted: "paused" }));
        await gate.delete!("", values({ wanted: "paused" }));
        assert.deepEqual(removed, ["made1"]);
        repeats(told.at(-1), "s3://backups/log");
    });
});

import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { unknownValue } from "../../../provider/gates/inputs";
import { createJobGate } from "../../../provider/gates/jobGate";
import type { JobPorts } from "../../../provider/gates/jobWorld";
import type { JobBeside } from "../../../provider/lifecycle/jobs/jobsBeside";
import type { JobObservation } from "../../../provider/lifecycle/jobs/observedJob";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { complete, created, ended, failed, pod, seen, started, target } from "../lifecycle/jobs/observed";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";
import type { Notice } from "../../../provider/lifecycle/vocabulary/notices";

const program = { ...target, gate: "job", access: {}, runs: ["mysql-client (x)"], wait: true, statusUrn: "a::b" };

const stuck = { is: "waiting", reason: "ImagePullBackOff", message: "" } as const;

/** A played Kubernetes cluster that answers one look after the other; the last answer stays. */
function played(...given: (JobObservation | Error | JobPorts["absentSecrets"])[]): {
    gate: ReturnType<typeof createJobGate>;
    started: string[];
    told: string[];
    now: () => number;
    ports: { -readonly [one in keyof JobPorts]: JobPorts[one] };
} {
    let now = 0;
    const isLook = (one: (typeof given)[number]) => typeof one !== "function";
    const looks = given.filter(isLook);
    const absentSecrets = given.find((one) => !isLook(one)) as JobPorts["absentSecrets"] | undefined;
    const log: string[] = [];
    const told: string[] = [];
    const tell = (message: string) => void told.push(message);
    const progress = { info: tell, warn: ({ message }: Notice) => tell(message), status: tell, note: tell };
    const ports: JobPorts = {
        now: () => now,
        sleep: (milliseconds) => Promise.resolve((now += milliseconds)),
        look: () => {
            const next = looks.length > 1 ? looks.shift() : looks[0];
            return next instanceof Error ? Promise.reject(next) : Promise.resolve({ ...next, now } as JobObservation);
        },
        lastLines: () => Promise.resolve(known(["Access denied for user 'root'"], "the API server", now)),
        absentSecrets: absentSecrets ?? (() => Promise.resolve([])),
        beside: () => Promise.resolve(known([], "the API server", now)),
        start: (uid) => Promise.resolve(void log.push(uid)),
        progress,
    };
    const gate = createJobGate({ progress: () => progress, open: () => Promise.resolve(ports) });
    return { gate, started: log, told, now: () => now, ports };
}

/** The same, where these Secrets do not exist. */
function lacking(absent: string[] | Error, ...looks: JobObservation[]) {
    const askedFor: (readonly string[])[] = [];
    const absentSecrets = (names: readonly string[]) => {
        askedFor.push(names);
        return absent instanceof Error ? Promise.reject(absent) : Promise.resolve(absent);
    };
    return { ...played(absentSecrets, ...looks), askedFor };
}

const secrets = [
    { name: "keys", from: ["--from-literal=access_key=…"] },
    { name: "there", from: [] },
];

describe("the gate of a Job whose Secret does not exist", () => {
    const missing = "kubectl create secret generic keys --namespace tidb --from-literal=access_key=…";

    for (const [when, jobUid, look] of [
        ["is not there", unknownValue, undefined],
        ["is one that the preview made up", "u1", seen(undefined)],
        ["waits for its start", "u1", seen(created)],
    ] as const) {
        it(`warns in a preview, and only there, while the Job ${when}`, async () => {
            const { gate, told, askedFor } = lacking(["keys"], ...(look ? [look] : []));
            const { failures, inputs } = await gate.check({}, { ...program, secrets, jobUid }, true);
            repeats(told[0], "Job tidb/basic-init", missing);
            assert.equal(failures, undefined);
            assert.equal((inputs.plan as string[]).length, 1);
            assert.deepEqual(askedFor, [["keys", "there"]]);
            await gate.check({}, { ...program, secrets, jobUid });
            assert.equal(askedFor.length, 1);
            repeats((await gate.planOf({}, { ...program, secrets, jobUid })).warnings, missing);
        });
    }

    it("says nothing where it is not known", async () => {
        const job = { ...program, jobUid: unknownValue };
        const denied = lacking(new KubernetesApiError("403", 403));
        await denied.gate.check({}, { ...job, secrets }, true);
        const unknownNames = lacking(["keys"]);
        await unknownNames.gate.check({}, { ...job, secrets: unknownValue }, true);
        await unknownNames.gate.check({}, { ...job, secrets, namespace: unknownValue }, true);
        await unknownNames.gate.check({}, { ...job, secrets, access: { context: unknownValue } }, true);
        assert.deepEqual(unknownNames.askedFor, []);
        assert.ok(![...denied.told, ...unknownNames.told].join().includes("kubectl create secret"));
    });

    it("warns of what to know before the first run in the preview only, and not once the Job has begun", async () => {
        const words = async (look: JobObservation, olds = {}, isPreview = true) => {
            const { gate, told } = lacking([], look);
            await gate.check(olds, { ...program, caution: "it fills the root" }, isPreview);
            return told.filter((line) => line === "it fills the root").length;
        };
        assert.equal(await words(seen(created)), 1);
        assert.equal(await words(seen(created), {}, false), 0);
        assert.equal(await words(seen(started)), 0);
        assert.equal(await words(seen(created), program), 0);
        const { gate, told } = lacking([], seen(created));
        await gate.check({}, { ...program, caution: "" }, true);
        await gate.check({}, { ...program, caution: unknownValue }, true);
        assert.equal(told.length, 2);
    });

    it("refuses a Job that must not begin, in previews and updates, and not one that has begun", async () => {
        const refusal = "spec.s3.prefix: found full";
        const why = async (look: JobObservation | undefined, olds = {}, more = {}, isPreview = true) => {
            const { gate } = lacking([], ...(look ? [look] : []));
            const { failures } = await gate.check(olds, { ...program, refusal, ...more }, isPreview);
            return failures?.map(({ reason }) => reason).join();
        };
        for (const isPreview of [true, false]) {
            assert.equal(await why(seen(created), {}, {}, isPreview), refusal);
            assert.equal(await why(undefined, {}, { jobUid: unknownValue }, isPreview), refusal);
            assert.equal(await why(seen(undefined), {}, {}, isPreview), refusal);
        }
        assert.equal(await why(seen(started)), undefined);
        assert.equal(await why(seen(failed)), undefined);
        assert.equal(await why(seen(complete)), undefined);
        assert.equal(await why(seen(created), program), undefined, "it is done");
        assert.equal(
            await why(undefined, program, { jobUid: unknownValue }),
            undefined,
            "it is done, whatever becomes of the Job",
        );
        assert.equal(await why(seen(created), {}, { refusal: "" }), undefined);
        assert.equal(await why(seen(created), {}, { refusal: unknownValue }), undefined);
        const late = lacking([], seen(created));
        await assert.rejects(late.gate.create({ ...program, refusal, plan: [] }), {
            message: `initialize basic: Job tidb/basic-init: ${refusal}. Next: correct the program and raise \`attempt\`, because the Job is made and keeps what it was made from. Then run \`pulumi up\` again. [job-refused]`,
        });
        assert.deepEqual(late.started, []);
    });

    for (const [when, olds, wait] of [
        ["nobody waited for", { ...program, wait: false, jobUid: "earlier", began: "earlier" }, false],
        ["a killed or failed update did not put on record", {}, true],
        ["was that of another attempt than the last one on record", { ...program, job: "basic-init-0" }, true],
    ] as const) {
        it(`does not start a Job that was made anew after a start whose end ${when}`, async () => {
            const { gate, started, told } = lacking([], seen(created));
            for (const isPreview of [true, false]) {
                const again = await gate.check(olds, { ...program, wait, began: "earlier" }, isPreview);
                repeats(again.failures?.[0].reason, "uid u1", "uid earlier", "`attempt` from 1 to 2");
                assert.deepEqual(told, []);
                const same = await gate.check(olds, { ...program, wait, began: program.jobUid }, isPreview);
                assert.equal(same.failures, undefined);
                assert.equal((same.inputs.plan as string[]).length, 1);
                told.splice(0);
            }
            assert.deepEqual(started, []);
        });
    }

    it("does not start a Job that was made anew, by the state of a version that kept no record of Jobs", async () => {
        const { gate } = lacking([], seen(created));
        const olds = { ...program, wait: false, jobUid: "earlier" };
        const refused = await gate.check(olds, { ...program, wait: false, began: program.jobUid });
        repeats(refused.failures?.[0].reason, "uid earlier");
        const raised = await gate.check(
            { ...olds, job: "basic-init-0" },
            { ...program, wait: false, began: program.jobUid },
        );
        assert.equal(raised.failures, undefined);
    });

    it("does not refuse a Job that was made anew after its work was done", async () => {
        const { gate } = lacking([], seen(created));
        const { failures, inputs } = await gate.check(
            { ...program, jobUid: "earlier" },
            { ...program, began: "earlier" },
        );
        assert.deepEqual([failures, inputs.plan], [undefined, []]);
        assert.ok(inputs.done);
    });

    it("plans nothing for a Job that is done while its uid is not known", async () => {
        const { gate, told } = lacking([], seen(created));
        const { inputs } = await gate.check(program, { ...program, jobUid: unknownValue }, true);
        assert.deepEqual([inputs.plan, told], [[], []]);
        assert.ok(inputs.done);
    });

    it("does not look for Secrets of a Job that is done", async () => {
        const { gate, askedFor } = lacking(["keys"], seen(complete));
        await gate.check({}, { ...program, secrets }, true);
        await gate.check(program, { ...program, secrets }, true);
        assert.deepEqual(askedFor, []);
    });

    it("ends the wait after five minutes if a volume needs it, looks every few seconds, and says how the Secret is made", async () => {
        const creating = pod("basic-init-a", {
            phase: "Pending",
            containers: [{ name: "a", state: { is: "waiting", reason: "ContainerCreating", message: "" } }],
        });
        const { gate, now, askedFor } = lacking(["keys"], seen({ ...started, secrets }, [creating]));
        const { next } = await failsWith(gate.create({ ...program, timeoutSeconds: 3600, plan: [] }), "job-stuck", {
            names: "Secret tidb/keys",
        });
        assert.ok(next.includes("kubectl create secret generic keys"), next);
        assert.ok(now() >= 300_000 && now() < 310_000);
        assert.ok(askedFor.length <= 61);
    });
});

describe("the gate of a Job", () => {
    it("starts the Job once, waits for its end, and keeps that it succeeded", async () => {
        const { gate, started: log } = played(seen(created), seen(started), seen(complete));
        const { id, outs } = await gate.create({ ...program, plan: ["run"] });
        assert.equal(id, "tidb/basic-init");
        assert.deepEqual(outs.done, { uid: "u1", revision: "r1" });
        assert.deepEqual(log, ["u1"]);
    });

    it("does not start a Job that runs already, as after a kill", async () => {
        const { gate, started: log } = played(seen(started), seen(complete));
        await gate.create({ ...program, plan: [] });
        assert.deepEqual(log, []);
    });

    it("fails with the container's own last words, and does not start the Job again", async () => {
        const { gate, started: log } = played(seen(failed, [ended("basic-init-a", 1)]));
        const { next } = await failsWith(gate.create({ ...program, plan: [] }), "job-failed", {
            ...{ step: "initialize basic", target: "Job tidb/basic-init" },
            names: ["exit code 1 (Error)", "\"Access denied for user 'root'\""],
        });
        assert.ok(next.includes("`attempt` from 1 to 2"), next);
        assert.deepEqual(log, []);
    });

    it("waits for a Job of which nothing is known, and then fails", async () => {
        const silent = { ...seen(created), job: notKnown("no answer within 8 s") };
        const { gate, started: log, now } = played(silent);
        await failsWith(gate.create({ ...program, plan: [] }), "job-unknown", { names: "no answer" });
        assert.ok(now() >= 300_000);
        assert.deepEqual(log, []);
    });

    it("says which permission is missing", async () => {
        const denied = new KubernetesApiError("could not read Job basic-init: 403", 403);
        await failsWith(played(denied).gate.create({ ...program, plan: [] }), "api-call-failed", {
            names: denied.message,
        });
    });

    it("does not wait for the end if the program says so", async () => {
        const { gate, started: log } = played(seen(created), seen(started));
        const { outs } = await gate.create({ ...program, wait: false, plan: [] });
        assert.equal(outs.done, undefined);
        assert.deepEqual(log, ["u1"]);
    });

    it("plans the run of a Job that is not there yet, without asking anyone", async () => {
        const { gate, told } = played(new Error("must not be asked"));
        const { inputs } = await gate.check({}, { ...program, jobUid: unknownValue }, true);
        assert.equal((inputs.plan as string[]).length, 1);
        repeats(told, "Job tidb/basic-init");
    });

    it("plans the run of a Job whose UID a preview has made up", async () => {
        const { gate, told } = played(seen(undefined));
        await gate.check({}, program, true);
        repeats(told, "Job tidb/basic-init");
    });

    it("warns of a Job that is gone before its end is known", async () => {
        const { gate, told } = played(seen(undefined));
        await gate.check({ ...program, wait: false }, program, true);
        const [warning, plan, ...more] = told;
        repeats(warning, "Job tidb/basic-init");
        assert.deepEqual([plan !== undefined, more], [true, []]);
    });

    for (const [state, job, next] of [
        ["is at work", started, "begins once this one has ended or is deleted"],
        ["has failed", failed, "does not wait for this one, which is not at work"],
        [
            "has never run",
            { ...started, suspended: true, generation: 1 },
            "does not wait for this one, which is not at work",
        ],
    ] as const) {
        it(`warns that the program has changed since a Job that ${state} was made, and says when the next one begins`, async () => {
            const changed = new RegExp(
                `was created from an earlier version of the program.*raise \`attempt\` from 1 to 2.*\\. The new Job ${next}$`,
                "m",
            );
            const { gate, told } = played(seen({ ...job, revision: "r0" }));
            await gate.check({}, program, true);
            assert.match(told.join("\n"), changed);
            const same = played(seen(job));
            await same.gate.check({}, program, true);
            assert.doesNotMatch(same.told.join(), changed);
        });
    }

    for (const [is, beside, lacks] of [
        [
            "a pod of it still stops",
            known([{ job: "basic-init", uid: "u1", args: [], pod: "basic-init-x7k2p" }], "the API server", 0),
            "pod basic-init-x7k2p of Job tidb/basic-init",
        ],
        ["nobody says what runs", notKnown("no answer"), "no answer"],
    ] as const) {
        it(`does not say that the next Job begins beside one that has failed while ${is}, in a preview and in the update`, async () => {
            for (const isAhead of [true, false]) {
                const { gate, told, ports } = played(seen({ ...failed, revision: "r0" }));
                ports.beside = () => Promise.resolve(beside);
                await gate.check({}, program, isAhead);
                repeats(told, lacks);
            }
        });
    }

    for (const [state, job, pods] of [
        ["is stuck", started, [pod("p", { containers: [{ name: "c", state: stuck }] })]],
        ["has failed", failed, [ended("p", 1)]],
        ["has succeeded", complete, []],
    ] as const) {
        it(`says nothing of what the program asks for now where a Job that an earlier version of it made ${state}`, async () => {
            const said = async (revision: string) => {
                const { gate, told } = played(seen({ ...job, revision }, pods));
                const { inputs } = await gate.check({}, program, true);
                await gate.create(inputs).catch((error: unknown) => told.push(String(error)));
                return told.join("\n");
            };
            repeats(await said("r1"), "initialize basic");
            assert.ok(!(await said("r0")).includes("initialize basic"));
        });
    }

    it("says why a Job has failed once in the preview, and once in the update that fails because of it", async () => {
        const told = async (isPreview: boolean, wait = true) => {
            const one = played(seen(failed));
            const { inputs } = await one.gate.check({}, { ...program, wait }, isPreview);
            const error = inputs.plan?.toString() === "" ? undefined : one.gate.create(inputs).catch(String);
            const lines = [...one.told, ...(isPreview ? [] : [String(await error)])];
            return lines.filter((line) => /it failed .*Next: correct what the Job says/.test(line)).length;
        };
        assert.deepEqual([await told(true), await told(false)], [1, 1]);
        assert.deepEqual([await told(true, false), await told(false, false)], [1, 1], "nothing fails without a wait");
    });

    it("refuses an attempt that comes after a later one", async () => {
        const { gate } = played(new Error("must not be asked"));
        const { failures } = await gate.check({ ...program, attempt: 3 }, { ...program, attempt: 2 });
        repeats(failures?.[0].reason, "attempt: found 2, expected at least 3");
    });

    it("has nothing to do after a success, whatever became of the Job", async () => {
        const { gate } = played(new Error("must not be asked"));
        const { outs } = await played(seen(complete)).gate.create({ ...program, plan: [] });
        const { inputs } = await gate.check(program, { ...program, jobUid: "u2" });
        assert.deepEqual(await gate.diff("", outs, inputs), { changes: false });
        assert.deepEqual((await gate.update("", outs, inputs)).outs.done, { uid: "u1", revision: "r1" });
    });

    it("notes the success of a Job that it did not wait for", async () => {
        const without = { ...program, wait: false };
        const { gate } = played(seen(complete));
        const { inputs } = await gate.check(without, without);
        assert.deepEqual(await gate.diff("", without, inputs), { changes: true });
        const { outs } = await gate.update("", without, inputs);
        const next = await gate.check(inputs, without);
        assert.deepEqual(await gate.diff("", outs, next.inputs), { changes: false });
    });

    it("runs another attempt", async () => {
        const { gate } = played(seen({ ...created, uid: "u2" }));
        const second = { ...program, job: "basic-init-2", jobUid: "u2", attempt: 2 };
        const { inputs } = await gate.check(program, second);
        assert.equal(inputs.done, undefined);
        assert.deepEqual(await gate.diff("", program, inputs), { changes: true });
    });

    it("warns in a preview that the API server does not answer", async () => {
        const { gate, told } = played(new KubernetesApiError("no answer", undefined));
        const { inputs, failures } = await gate.check({}, program, true);
        assert.equal(failures, undefined);
        repeats(told[0], "no answer");
        assert.equal(inputs.deferred, "deferred: no answer");
    });
});

describe("the gate of a Job beside other Jobs", () => {
    const into = "--pd=basic-pd.tidb:2379";
    const restoring = { job: "restore-a", uid: "u9", args: ["restore", "full", into] };
    const second = { ...program, job: "basic-init-2", attempt: 2, plan: [] };
    const earlier = { job: "basic-init", uid: "u0", args: [] };

    /** Kubernetes, which says one time after the other what is at work; the last answer stays. */
    function busy(...given: (Awaited<ReturnType<JobPorts["beside"]>> | JobBeside[] | Error)[]) {
        const {
            gate,
            started: log,
            told,
            now,
        } = besides(() => {
            const next = given.length > 1 ? given.shift() : given[0];
            return next instanceof Error
                ? Promise.reject(next)
                : Promise.resolve(Array.isArray(next) ? known(next, "the API server", 0) : next!);
        });
        return { gate, started: log, told, now };
    }

    function besides(beside: JobPorts["beside"], log: string[] = [], starts = () => true) {
        let now = 0;
        const told: string[] = [];
        const tell = (message: string) => void told.push(message);
        const progress = { info: tell, warn: ({ message }: Notice) => tell(message), status: tell, note: tell };
        const gate = createJobGate({
            progress: () => progress,
            open: ({ job }) =>
                Promise.resolve({
                    now: () => now,
                    sleep: (milliseconds) => Promise.resolve((now += milliseconds)),
                    look: () => Promise.resolve({ ...seen(log.includes(job) ? complete : created), now }),
                    lastLines: () => Promise.resolve(known([], "the API server", now)),
                    absentSecrets: () => Promise.resolve([]),
                    beside,
                    start: async () => {
                        await new Promise(setImmediate);
                        if (!starts()) {
                            throw new KubernetesApiError("could not start Job tidb/basic-init: no answer", undefined);
                        }
                        log.push(job);
                    },
                    progress,
                }),
        });
        return { gate, started: log, told, now: () => now };
    }

    it("refuses a further attempt while an earlier one is at work, in the preview and in the update", async () => {
        const words =
            "Job tidb/basic-init, an earlier attempt, has not ended. Next: set `attempt` back to wait for it, or, if it can never end: kubectl delete job basic-init --namespace tidb";
        const { gate, started: log, now } = busy([earlier]);
        for (const jobUid of ["u1", unknownValue]) {
            const { failures } = await gate.check(program, { ...second, jobUid }, true);
            repeats(failures?.[0].reason, "Job tidb/basic-init-2", words);
        }
        await assert.rejects(gate.create(second), {
            message: `initialize basic: Job tidb/basic-init-2: it does not begin: ${words}. [job-refused]`,
        });
        assert.deepEqual([log, now()], [[], 0]);
    });

    it("waits for another restore into the cluster, shows it in the preview, and then has its whole time", async () => {
        const { gate, started: log, told, now } = busy([restoring], [restoring], [restoring], []);
        const { inputs, failures } = await gate.check({}, { ...program, into }, true);
        assert.equal(failures, undefined);
        repeats((inputs.plan as string[])[0], "Job tidb/restore-a", "kubectl delete job restore-a");
        await gate.create(inputs);
        assert.deepEqual(log, ["basic-init"]);
        assert.ok(now() > 0);
        assert.ok(told.some((line) => line.includes("Job tidb/basic-init: ") && line.includes("Job tidb/restore-a")));
    });

    it("waits also if the program does not wait for the end, and fails after its time", async () => {
        const { gate, started: log, now } = busy([restoring]);
        await failsWith(gate.create({ ...program, into, wait: false, plan: [] }), "job-held-back", {
            names: "Job tidb/restore-a",
        });
        assert.deepEqual(log, []);
        assert.ok(now() >= 60_000 && now() < 70_000);
    });

    it("waits for an answer, and fails after five minutes, if the Jobs at work are not known", async () => {
        const { gate, started: log, now } = busy(notKnown("no answer"));
        await failsWith(gate.create({ ...program, plan: [] }), "job-turn-unknown", { names: "no answer" });
        assert.deepEqual(log, []);
        assert.ok(now() >= 300_000);
        const denied = busy(new KubernetesApiError("could not list Jobs: 403", 403));
        await failsWith(denied.gate.create({ ...program, plan: [] }), "api-call-failed", {
            names: "could not list Jobs",
        });
        assert.deepEqual(denied.started, []);
        const { failures, inputs } = await denied.gate.check({}, program, true);
        assert.deepEqual([failures, (inputs.plan as string[]).length], [undefined, 1]);
    });

    it("tries to start it again without an answer, and fails after five minutes", async () => {
        const free = () => Promise.resolve(known([], "the API server", 0));
        let failing = 3;
        const slow = besides(free, [], () => failing-- <= 0);
        await slow.gate.create({ ...program, plan: [] });
        assert.deepEqual(slow.started, ["basic-init"]);
        const never = besides(free, [], () => false);
        await failsWith(never.gate.create({ ...program, plan: [] }), "job-turn-unknown", {
            names: "could not start Job tidb/basic-init: no answer",
        });
        assert.ok(never.now() >= 300_000 && never.now() < 310_000);
    });

    it("starts one of two restores of a program at a time", async () => {
        const log: string[] = [];
        let wasAlone = true;
        const of = (job: string) =>
            besides(() => {
                wasAlone &&= log.length === 0 || job !== "restore-b";
                const others = log.map((one) => ({ ...restoring, job: one, uid: one }));
                return Promise.resolve(known(wasAlone ? others : [], "the API server", 0));
            }, log);
        const runs = ["restore-a", "restore-b"].map((job) => of(job).gate.create({ ...program, job, into, plan: [] }));
        await Promise.all(runs);
        assert.deepEqual(log, ["restore-a", "restore-b"]);
        assert.equal(wasAlone, false, "the second one looks once the first one has been started");
    });
});

import assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createRestoreGate } from "../../../provider/gates/restoreGate";
import type { RestoreProgramInputs } from "../../../provider/gates/restoreInputs";
import { unknownValue } from "../../../provider/gates/inputs";
import type { ObservedJob } from "../../../provider/lifecycle/jobs/observedJob";
import { type Fact, known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { complete, created, failed, started } from "../lifecycle/jobs/observed";
import { mockTimers, passSeconds, withoutTime } from "../../support/gates/slowAnswers";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";
import type { Refusal } from "../../../provider/lifecycle/vocabulary/ownership";
import type { Notice } from "../../../provider/lifecycle/vocabulary/notices";

const program: RestoreProgramInputs = {
    gate: "restore",
    access: {},
    namespace: "db",
    cluster: "basic",
    instance: "basic",
    tls: false,
    does: "restore s3://backups/full into the cluster db/basic",
    job: "restore-again",
    jobNamespace: "db",
    attempt: 1,
    allowData: false,
    allowField: "allowExistingData",
    statusUrn: "urn",
};
const values = (change: Partial<RestoreProgramInputs> = {}) =>
    ({ ...program, ...change }) as unknown as Record<string, unknown>;

const job = (seen: ObservedJob | undefined): Fact<ObservedJob | undefined> => known(seen, "the API server", 0);

/** A world whose TiDB answers in turn; the last answer stays. */
function worldOf(...answers: (Fact<string[]> | Error)[]) {
    const told: string[] = [];
    let seenJob = job(undefined);
    let [now, asked, closed, opened, slow] = [0, 0, 0, 0, 0];
    const tell = (line: string) => void told.push(line);
    const progress = {
        status: () => undefined,
        note: tell,
        warn: ({ message }: Notice) => tell(message),
        info: tell,
        abandoned: false,
    };
    const gate = createRestoreGate({
        progress: () => progress as never,
        open: () => {
            opened++;
            return Promise.resolve({
                now: () => now,
                sleep: (milliseconds: number) => Promise.resolve((now += milliseconds)),
                schemas: () => {
                    passSeconds(slow, (milliseconds) => (now += milliseconds));
                    const answer = answers[Math.min(asked++, answers.length - 1)];
                    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
                },
                job: () => Promise.resolve(seenJob),
                close: () => void closed++,
                progress: progress as never,
            });
        },
    });
    const slowly = (seconds: number) => (slow = seconds);
    const withJob = (seen: Fact<ObservedJob | undefined>) => {
        seenJob = seen;
        return world;
    };
    const world = { gate, told, slowly, withJob, counts: () => ({ asked, open: opened - closed }) };
    return world;
}
const empty = known([], "basic-tidb-0", 0);
const shop = known(["shop"], "basic-tidb-0", 0);
const codesOf = (refused: readonly Refusal[] = []) => refused.map(({ code }) => code);
const notEmpty = ["restore-target-not-empty"];

describe("the gate before a restore", () => {
    mockTimers();

    it("says in the log that a TiDB does not answer", async () => {
        const world = worldOf(empty);
        world.slowly(9);
        await world.gate.create(values());
        assert.deepEqual(world.told.slice(0, 2).map(withoutTime), [
            "waiting: an answer of a TiDB (2 s; fails at …)",
            "done waiting after 9 s, because a TiDB said what the cluster holds; the reason was: an answer of a TiDB",
        ]);
    });

    it("refuses a cluster with data in the preview, and lets an empty one pass", async () => {
        const { refused = [] } = await worldOf(shop).gate.planOf({}, values());
        assert.deepEqual(codesOf(refused), notEmpty);
        repeats(refused[0].reason, "TidbCluster db/basic", "schema shop");
        assert.equal((await worldOf(shop).gate.check({}, values(), true)).failures?.[0].reason, refused[0].reason);
        const { inputs, failures } = await worldOf(empty).gate.check({}, values(), true);
        assert.equal(failures, undefined);
        assert.deepEqual([inputs.plan, inputs.deferred], [["restore only if it holds no data"], ""]);
    });

    it("refuses it again in the update: users may have written since", async () => {
        const world = worldOf(shop);
        await failsWith(world.gate.create(values()), "restore-target-not-empty");
        assert.deepEqual(world.counts(), { asked: 1, open: 0 });
    });

    it("waits for a TiDB that answers, and does not guess", async () => {
        const world = worldOf(notKnown("none is Ready"), notKnown("none is Ready"), empty);
        await world.gate.create(values());
        assert.deepEqual(world.counts(), { asked: 3, open: 0 });
        await failsWith(worldOf(notKnown("none is Ready")).gate.create(values()), "restore-target-unknown", {
            names: "none is Ready",
        });
    });

    it("defers the plan while it is not known: a first deployment has no TiDB yet", async () => {
        for (const answer of [
            notKnown("TiDB has no pod: it is not deployed yet, or it is suspended"),
            new KubernetesApiError("forbidden", 403),
        ]) {
            const { inputs, failures } = await worldOf(answer).gate.check({}, values(), true);
            assert.equal(failures, undefined);
            assert.notEqual(inputs.deferred, "");
        }
        const unknown = worldOf(shop);
        assert.equal((await unknown.gate.check({}, values({ cluster: unknownValue }))).failures, undefined);
        assert.equal(unknown.counts().asked, 0);
    });

    it("asks until the Job of an attempt has begun: after the restore the cluster holds data, and that is right", async () => {
        const world = worldOf(shop).withJob(job(started));
        const { inputs, failures } = await world.gate.check(values(), values(), true);
        assert.deepEqual([failures, inputs.plan, world.counts().asked], [undefined, [], 0]);
        assert.deepEqual(await world.gate.diff("", values(), inputs), { changes: false });
        for (const change of [{ attempt: 2 }, { cluster: "other" }, { namespace: "other" }]) {
            assert.deepEqual(await world.gate.diff("", values(), { ...values(change), plan: [] }), { changes: true });
            assert.deepEqual(codesOf((await world.gate.planOf(values(), values(change))).refused), notEmpty);
        }
        await failsWith(world.gate.update("", values(), values({ attempt: 2 })), "restore-target-not-empty");
    });

    it("asks again if the Job of an attempt that was let pass has not begun, or is not to be found: users may have written since", async () => {
        for (const seen of [created, undefined, { ...started, deleting: true }]) {
            const world = worldOf(shop).withJob(job(seen));
            assert.deepEqual(codesOf((await world.gate.planOf(values(), values())).refused), notEmpty);
            const { inputs } = await worldOf(empty).withJob(job(seen)).gate.check(values(), values());
            assert.deepEqual(await world.gate.diff("", values(), inputs), { changes: true });
            await failsWith(world.gate.update("", values(), inputs), "restore-target-not-empty");
        }
        // An earlier answer of another Kubernetes cluster counts for nothing.
        const prod = worldOf(shop).withJob(job(undefined));
        const moved = values({ access: { context: "prod" } });
        const { refused } = await prod.gate.planOf({ ...values(), restored: true }, moved);
        assert.deepEqual(codesOf(refused), notEmpty);
    });

    it("takes no Job of which nothing is known for one that has not begun, nor for one that has", async () => {
        const world = worldOf(shop).withJob(notKnown("no answer"));
        const { inputs, failures } = await world.gate.check(values(), values());
        assert.deepEqual([failures, inputs.deferred], [undefined, "deferred: no answer"]);
        await failsWith(world.gate.update("", values(), inputs), "restore-target-unknown", { names: "no answer" });
        assert.equal(world.counts().asked, 0);
        const back = worldOf(shop).withJob(job(started));
        await back.gate.update("", values(), inputs);
        assert.deepEqual(back.counts(), { asked: 0, open: 0 });
    });

    it("knows a restore that has succeeded when its Job is gone; one that has failed must not begin again over its own data", async () => {
        for (const [seen, isRefused] of [
            [complete, false],
            [failed, true],
        ] as const) {
            const world = worldOf(shop).withJob(job(seen));
            const { inputs } = await world.gate.check(values(), values());
            assert.deepEqual(inputs.plan, []);
            world.withJob(job(undefined));
            const { failures } = await world.gate.check(inputs, values());
            assert.equal(failures !== undefined, isRefused);
        }
    });

    it("asks nothing if the program allows data", async () => {
        const world = worldOf(shop);
        const allowed = values({ allowData: true });
        assert.equal((await world.gate.check({}, allowed)).failures, undefined);
        await world.gate.create(allowed);
        assert.equal(world.counts().asked, 0);
    });
});

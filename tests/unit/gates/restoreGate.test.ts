import assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createRestoreGate } from "../../../provider/gates/restoreGate";
import type { RestoreProgramInputs } from "../../../provider/gates/restoreInputs";
import { unknownValue } from "../../../provider/gates/inputs";
import { type Fact, known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { mockTimers, passSeconds, withoutTime } from "../../support/gates/slowAnswers";

const program: RestoreProgramInputs = {
    gate: "restore",
    access: {},
    namespace: "db",
    cluster: "basic",
    instance: "basic",
    tls: false,
    does: "restore s3://backups/full into the cluster db/basic",
    attempt: 1,
    allowData: false,
    allowField: "allowExistingData",
    statusUrn: "urn",
};
const values = (change: Partial<RestoreProgramInputs> = {}) =>
    ({ ...program, ...change }) as unknown as Record<string, unknown>;

/** A world whose TiDB answers in turn; the last answer stays. */
function worldOf(...answers: (Fact<string[]> | Error)[]) {
    const told: string[] = [];
    let [now, asked, closed, opened, slow] = [0, 0, 0, 0, 0];
    const tell = (line: string) => void told.push(line);
    const progress = { status: () => undefined, note: tell, warn: tell, info: tell, abandoned: false };
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
                close: () => void closed++,
                progress: progress as never,
            });
        },
    });
    const slowly = (seconds: number) => (slow = seconds);
    return { gate, told, slowly, counts: () => ({ asked, open: opened - closed }) };
}
const empty = known([], "basic-tidb-0", 0);
const shop = known(["shop"], "basic-tidb-0", 0);
const holds = /TidbCluster db\/basic: it holds data already: schema shop\. Next: restore into an empty cluster/;

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
        const refused = await worldOf(shop).gate.check({}, values(), true);
        assert.match(refused.failures?.[0].reason ?? "", holds);
        const { inputs, failures } = await worldOf(empty).gate.check({}, values(), true);
        assert.equal(failures, undefined);
        assert.deepEqual([inputs.plan, inputs.deferred], [["restore only if it holds no data"], ""]);
    });

    it("refuses it again in the update: users may have written since", async () => {
        const world = worldOf(shop);
        await assert.rejects(world.gate.create(values()), holds);
        assert.deepEqual(world.counts(), { asked: 1, open: 0 });
    });

    it("waits for a TiDB that answers, and does not guess", async () => {
        const world = worldOf(notKnown("none is Ready"), notKnown("none is Ready"), empty);
        await world.gate.create(values());
        assert.deepEqual(world.counts(), { asked: 3, open: 0 });
        await assert.rejects(
            worldOf(notKnown("none is Ready")).gate.create(values()),
            /not known: none is Ready, for 300 s/,
        );
    });

    it("defers the plan while it is not known: a first deployment has no TiDB yet", async () => {
        for (const answer of [
            notKnown("TiDB has no pod: it is not deployed yet, or it is suspended"),
            new KubernetesApiError("forbidden", 403),
        ]) {
            const { inputs, failures } = await worldOf(answer).gate.check({}, values(), true);
            assert.equal(failures, undefined);
            assert.match(String(inputs.deferred), /^deferred: /);
        }
        const unknown = worldOf(shop);
        assert.equal((await unknown.gate.check({}, values({ cluster: unknownValue }))).failures, undefined);
        assert.equal(unknown.counts().asked, 0);
    });

    it("asks once for each attempt: after the restore the cluster holds data, and that is right", async () => {
        const world = worldOf(shop);
        const { inputs, failures } = await world.gate.check(values(), values(), true);
        assert.deepEqual([failures, inputs.plan, world.counts().asked], [undefined, [], 0]);
        assert.deepEqual(await world.gate.diff("", values(), values()), { changes: false });
        for (const change of [{ attempt: 2 }, { cluster: "other" }, { namespace: "other" }]) {
            assert.deepEqual(await world.gate.diff("", values(), values(change)), { changes: true });
            assert.match(
                (await world.gate.check(values(), values(change))).failures?.[0].reason ?? "",
                /holds data already/,
            );
        }
        await assert.rejects(world.gate.update("", values(), values({ attempt: 2 })), holds);
    });

    it("asks nothing if the program allows data", async () => {
        const world = worldOf(shop);
        const allowed = values({ allowData: true });
        assert.equal((await world.gate.check({}, allowed)).failures, undefined);
        await world.gate.create(allowed);
        assert.equal(world.counts().asked, 0);
    });
});

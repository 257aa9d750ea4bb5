import * as assert from "node:assert/strict";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { pdLockKey, PdLock } from "../../../provider/cluster/pdLock";
import { OnePdLock } from "../../support/gates/onePdLock";

describe("the lock of a PD", () => {
    let time = 0;
    let etcd: OnePdLock;
    const lockOf = (holder: string, cluster = "basic") =>
        new PdLock({ ask: (call) => call(etcd.client) }, { holder, namespace: "tidb", cluster }, () => time);

    beforeEach(() => {
        time = 1_000_000;
        etcd = new OnePdLock(() => time);
    });

    it("keeps a second TidbCluster on the same PD from working at the same time", async () => {
        assert.deepEqual(await lockOf("ana").take("roll out basic-tikv"), { is: "held" });
        const ben = lockOf("ben", "other");
        const other = { is: "other", who: "ana (tidb/basic)", what: "roll out basic-tikv" };
        assert.deepEqual(await ben.take("roll out other-tikv"), other);
        assert.deepEqual(await ben.confirm("roll out other-tikv"), other);
    });

    it("belongs to one of two clusters that the same process deploys", async () => {
        assert.equal((await lockOf("ana").take("a")).is, "held");
        assert.equal((await lockOf("ana", "other").take("b")).is, "other");
    });

    it("says in PD's etcd who has it, and disappears when it is released", async () => {
        const ana = lockOf("ana");
        await ana.take("roll out basic-tikv");
        const { holder, namespace, cluster, operation } = JSON.parse(etcd.keys[pdLockKey].value) as Record<
            string,
            string
        >;
        assert.deepEqual([holder, namespace, cluster, operation], ["ana", "tidb", "basic", "roll out basic-tikv"]);
        await ana.release();
        assert.deepEqual(etcd.keys, {});
        assert.equal((await lockOf("ben").take("b")).is, "held");
    });

    it("ends by itself after its run was killed, but not before 15 s", async () => {
        await lockOf("ana").take("a");
        time += 14_999;
        assert.equal((await lockOf("ben").take("b")).is, "other");
        time += 1;
        assert.equal((await lockOf("ben").take("b")).is, "held");
    });

    it("is kept alive as long as it is held", async () => {
        const ana = lockOf("ana");
        await ana.take("a");
        for (let renewals = 0; renewals < 10; renewals += 1) {
            time += 3_000;
            await ana.keepAlive();
        }
        ana.assertFresh();
        assert.equal((await lockOf("ben").take("b")).is, "other");
    });

    it("is renewed before a step if the last renewal is 5 s old, and not used if that fails", async () => {
        const ana = lockOf("ana");
        await ana.take("a");
        time += 5_000;
        assert.throws(() => ana.assertFresh(), StaleDecision);
        assert.deepEqual(await ana.confirm("a"), { is: "held" });
        ana.assertFresh();
        time += 5_000;
        etcd.trouble = "PD_UNREACHABLE";
        await assert.rejects(ana.confirm("a"), StaleDecision);
    });

    it("is not used for an earlier decision if it ended while the process slept", async () => {
        const ana = lockOf("ana");
        await ana.take("a");
        time += 30_000;
        await assert.rejects(ana.confirm("a"), /had expired \(PD's etcd no longer has lease 100\) and was taken again/);
        assert.deepEqual(await ana.confirm("a"), { is: "held" });
        ana.assertFresh();
    });

    it("stays with another run that took it meanwhile", async () => {
        const ana = lockOf("ana");
        await ana.take("a");
        time += 30_000;
        await lockOf("ben", "other").take("roll out other-tikv");
        const other = { is: "other", who: "ben (tidb/other)", what: "roll out other-tikv" };
        assert.deepEqual(await ana.confirm("a"), other);
        assert.throws(() => ana.assertFresh(), StaleDecision);
        await ana.release();
        assert.equal((await lockOf("eve").take("e")).is, "other");
    });

    it("is taken up if the answer that granted it got lost", async () => {
        const ana = lockOf("ana");
        etcd.losesAnswerOf = "putIfAbsent";
        assert.equal((await ana.take("a")).is, "unreachable");
        etcd.losesAnswerOf = undefined;
        assert.deepEqual(await ana.take("a"), { is: "held" });
        await ana.release();
        assert.deepEqual(etcd.keys, {});
    });

    it("distinguishes a silent PD from one without such a lock, which is not asked again", async () => {
        const ana = lockOf("ana");
        etcd.trouble = "PD_NO_LEADER";
        assert.equal((await ana.take("a")).is, "unreachable");
        etcd.trouble = "PD_NO_GATEWAY";
        assert.equal((await ana.take("a")).is, "unsupported");
        const asked = etcd.calls.length;
        assert.equal((await ana.confirm("a")).is, "unsupported");
        assert.equal(etcd.calls.length, asked);
    });

    it("is requested without a write while somebody else has it, so waiting costs PD nothing", async () => {
        await lockOf("ana").take("a");
        const before = etcd.calls.length;
        await lockOf("ben", "other").take("b");
        assert.deepEqual(etcd.calls.slice(before), ["readKey"]);
    });

    it("leaves the lock of another tool alone", async () => {
        etcd.keys[pdLockKey] = { value: "by hand" };
        assert.deepEqual(await lockOf("ana").take("a"), {
            is: "other",
            who: "an unknown holder of /pulumi-tidb/lock in PD's etcd",
            what: "by hand",
        });
    });
});

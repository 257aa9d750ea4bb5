import * as assert from "node:assert/strict";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import { readLease } from "../../../provider/cluster/leaseNotes";
import { MaintenanceTask, maintenanceTaskId } from "../../../provider/cluster/maintenanceTask";
import { askPd } from "../../../provider/cluster/observePd";
import { PdGuards } from "../../../provider/cluster/pdGuards";
import { PdLock } from "../../../provider/cluster/pdLock";
import { SharedLock } from "../../../provider/cluster/sharedLock";
import { deadHolder, removeLeftovers } from "../../../provider/gates/removeLeftovers";
import { leftLocks } from "../../../provider/lifecycle/walks/leftLocks";
import { lookForLeftovers } from "../../../provider/lifecycle/walks/leftovers";
import type { PdClient, PdMaintenanceTask } from "../../../provider/pd";
import { grantedAccess } from "../../support/gates/grantedAccess";
import { OneLease } from "../../support/gates/oneLease";
import { OnePdLock } from "../../support/gates/onePdLock";
import { observed } from "../../support/lifecycle/observations";
import { lookAtPd } from "../../unit/cluster/playedPd";
import { clientOf } from "../pdClient/clients";
import { type Answer, serve } from "../pd/server";
import { failsWith } from "../../support/failsWith";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const sweeping = { cluster: "tidb/basic", isInterrupted: () => false };
const look = lookForLeftovers(["tikv"], true);

/** PD's maintenance tasks over HTTP, one at a time, with PD's own words (tikv/pd server/apiv2/handlers). */
function playTasks(running: Map<string, object>): (request: { method: string; path: string; body: string }) => Answer {
    const answer = (status: number, body: unknown): Answer => ({ status, body: JSON.stringify(body) });
    return ({ method, path, body }) => {
        const [, type, taskId] = /maintenance\/?([^/]*)\/?(.*)$/.exec(path) ?? [];
        const key = `${type}/${taskId}`;
        if (method === "GET") {
            return answer(200, [...running.values()]);
        }
        if (method === "DELETE") {
            return running.delete(key) ? answer(200, "ended") : answer(404, "not found");
        }
        if (running.size > 0) {
            return answer(409, { error: "Another maintenance task is already running" });
        }
        running.set(key, { type, id: taskId, description: body, start_timestamp: 1 });
        return answer(200, "started");
    };
}

describe("the locks of a killed run", () => {
    let time: number;
    let world: OneLease;
    let etcd: OnePdLock;
    let tasks: Map<string, object>;
    let pd: PdClient;
    let pdServer: Awaited<ReturnType<typeof serve>>;

    beforeEach(async () => {
        time = Date.parse("2026-11-21T12:00:00Z");
        [world, etcd, tasks] = [new OneLease(), new OnePdLock(() => time), new Map()];
        pdServer = await serve(playTasks(tasks));
        pd = { ...clientOf([pdServer.url]), ...etcd.client };
    });
    afterEach(async () => {
        pd.close();
        await pdServer[Symbol.asyncDispose]();
    });

    const lease = async () => (await readLease(world.api, "tidb", "basic"))!;
    const processOf = (holder: string, cluster = "basic") => {
        const of = { ...id, cluster };
        const ask = <T>(call: (client: PdClient) => Promise<T>) => call(pd);
        const lock = new PdLock({ ask }, { holder, namespace: "tidb", cluster }, () => time);
        const guards = new PdGuards(lock, new MaintenanceTask(maintenanceTaskId(of), { ask }));
        const { api } = cluster === "basic" ? world : new OneLease();
        return new SharedLock(
            api,
            of,
            guards,
            holder,
            () => time,
            () => time,
        );
    };
    /** Every process that holds a lock renews it by a timer, but only after 3 s: here all ends before that. */
    const killed = async (holder: string, cluster?: string) => {
        assert.ok("lock" in (await processOf(holder, cluster).tryTake(await lease(), "roll out basic-tikv")));
    };
    const portsOf = (shared: SharedLock): GatePorts => ({
        now: () => time,
        sleep: (milliseconds) => Promise.resolve(void (time += milliseconds)),
        lease,
        look: async () => {
            const seen = await lease();
            shared.operatedBy(seen);
            const { observation } = observed("tikv", {});
            const { locks } = (await askPd(pd, lookAtPd(["locks"]))).pd;
            return { ...observation, now: time, records: seen.records, pd: { ...observation.pd, locks } };
        },
        perform: () => Promise.reject(new Error("there is nothing to do")),
        tryLock: (seen, operation) => shared.tryTake(seen, operation),
        noteApprovalWait: () => Promise.reject(new Error("a sweep needs no consent")),
        noteFirstRevision: () => Promise.reject(new Error("a sweep needs no consent")),
        notePause: () => Promise.reject(new Error("a sweep pauses nothing")),
        access: grantedAccess,
        journal: noJournal,
        progress: { info: () => undefined, warn: () => undefined, note: () => undefined, status: () => undefined },
    });
    const left = async (ports: GatePorts) =>
        leftLocks(await ports.look(look), (await lease()).lock).map(
            ({ kind, verdict, isOurs }) => `${verdict} ${kind}${isOurs ? "" : " of somebody else"}`,
        );

    it("in the Lease, in PD's etcd and in PD itself are found, taken over and released", async () => {
        await killed("ana@laptop");
        const ports = portsOf(processOf("ben@build"));
        assert.deepEqual(await left(portsOf(processOf("another process"))), [
            "remove maintenance-task",
            "remove pd-lock",
            "remove lock",
        ]);
        const began = time;
        const dead = await deadHolder(ports, sweeping);
        assert.equal(dead?.holder, "ana@laptop");
        await removeLeftovers(ports, look, sweeping);
        assert.equal(time - began, 15_000, "the Lease is watched once");
        assert.deepEqual(await left(ports), []);
        assert.deepEqual([tasks.size, Object.keys(etcd.keys), (await lease()).lock.holder], [0, [], undefined]);
    });

    it("are removed too if only PD's task is left, which never expires", async () => {
        const task: PdMaintenanceTask = { type: "pulumi-tidb", id: "tidb.basic", description: "roll out basic-tikv" };
        tasks.set("pulumi-tidb/tidb.basic", task);
        const ports = portsOf(processOf("ben@build"));
        assert.equal(await deadHolder(ports, sweeping), undefined);
        assert.deepEqual(await left(ports), ["remove maintenance-task"]);
        await removeLeftovers(ports, look, sweeping);
        assert.deepEqual(await left(ports), []);
    });

    it("are kept while another tool's task runs on PD, and the Lease is free again", async () => {
        tasks.set("tikv_upgrade/store-1", { type: "tikv_upgrade", id: "store-1", description: "by hand" });
        const ports = portsOf(processOf("ben@build"));
        assert.deepEqual(await left(ports), ["keep maintenance-task of somebody else"]);
        await failsWith(removeLeftovers(ports, look, sweeping), "lock-held", { names: "tikv_upgrade/store-1" });
        assert.deepEqual([tasks.size, (await lease()).lock.holder], [1, undefined]);
    });

    it("are not taken over while a run on another cluster locks the PD that both share", async () => {
        await killed("eve@build", "other");
        const ports = portsOf(processOf("ben@build"));
        assert.deepEqual(await left(ports), [
            "keep maintenance-task of somebody else",
            "keep pd-lock of somebody else",
        ]);
        const renewing: GatePorts = {
            ...ports,
            sleep: async (milliseconds) => {
                await ports.sleep(milliseconds);
                await etcd.client.keepLeaseAlive("100");
            },
        };
        const began = time;
        await failsWith(removeLeftovers(renewing, look, sweeping), "lock-held", { names: "eve@build (tidb/other)" });
        assert.equal(time - began, 20_000);
        assert.equal(tasks.size, 1);
    });
});

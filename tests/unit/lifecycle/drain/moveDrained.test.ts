import * as assert from "node:assert/strict";
import { drainAction } from "../../../../controller/drainAction";
import type { ClusterAccess } from "../../../../provider/cluster/access";
import { moveDrained } from "../../../../provider/gates/moveDrained";
import type { UnattendedWork } from "../../../../provider/gates/unattended";
import type { DrainMode } from "../../../../provider/lifecycle/vocabulary/drain";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy, type GatePolicy } from "../../../../provider/lifecycle/vocabulary/target";
import type { ClusterStatus } from "../../../../status/clusterStatus";
import type { StatusSources } from "../../../../status/statusSources";
import { minutes, policy as failover } from "../../../support/lifecycle/deaths";
import { nowhere, onDrained, onKept, unreadNode } from "../../../support/lifecycle/drains";
import { type Deviation, evicting } from "../../../support/lifecycle/observations";
import { changePorts, leaseOf } from "../../gates/clusterWorld";
import { healthy, statusOf } from "../../status/seenCluster";
import { drainedWorld, type DrainedWorld } from "./drainedWorld";
import { failsWith } from "../../../support/failsWith";
import { repeats } from "../../../support/repeats";

const noteOf = (drain?: DrainMode, policy: GatePolicy = defaultPolicy) => ({
    replicas: 4,
    unattended: { failover, policy, ...(drain ? { drain } : {}) },
});

function world(row: Deviation = {}, lease: Parameters<typeof leaseOf>[0] = {}): DrainedWorld {
    return drainedWorld({ lease: leaseOf({ members: { tikv: noteOf() }, ...lease }) }, row);
}

async function move(of: DrainedWorld, isInterrupted = () => false, note = noteOf()): Promise<UnattendedWork> {
    return moveDrained({ component: "tikv", note }, await of.open({} as never, "effect"), isInterrupted);
}

const did = ({ done }: DrainedWorld): string[] => done.filter((one) => /^[a-z-]+$/.test(one) && one !== "records");
const whole = [
    "lock",
    "begin-eviction",
    "delete-pod",
    "end-eviction",
    "note-eviction-gone",
    "forget-eviction",
    "release",
];

describe("a node that is being emptied, without pulumi up", () => {
    it("moves the pod under the lock: its leaders leave, then it goes, then they come back", async () => {
        const of = world();
        const { done, remarks } = await move(of);
        assert.deepEqual(did(of), whole);
        assert.deepEqual(remarks, []);
        const first = ["evict 500 leaders from store 13 (basic-tikv-3)", "move basic-tikv-3 away from node node-1"];
        assert.deepEqual(done.slice(0, 2), first);
        const told = of.done.filter((one) => one.includes("basic-tikv-3")).slice(0, 3);
        assert.deepEqual(told, ["basic-tikv-3: node node-1, which is cordoned", ...first]);
        assert.deepEqual(of.lease!.records.evictions, {});
    });

    it("raises PD's limits while leaders leave and return, and puts them back", async () => {
        const of = world({ limits: { "leader-schedule-limit": 4 } });
        await move(of);
        const raising = did(of).filter((one) => one.endsWith("-limits") || one.endsWith("-pod"));
        assert.deepEqual(raising, ["raise-limits", "delete-pod", "put-back-limits"]);
        assert.equal(of.lease!.records.raisedLimits, undefined);
        assert.deepEqual(of.live.tikv?.limits, { "leader-schedule-limit": 4 });
    });

    it("does nothing the second time", async () => {
        const of = world();
        await move(of);
        of.done.length = 0;
        assert.deepEqual((await move(of)).done, []);
        assert.deepEqual(did(of), []);
    });

    it("moves one pod at a time, so that others can have the lock in between", async () => {
        const of = world({ pods: { 1: onDrained(), 3: onDrained() } });
        const follow = of.changes;
        of.changes = (action) => {
            follow(action);
            if (action.do === "delete-pod") {
                of.live.tikv = { ...of.live.tikv, pods: { 1: onDrained(), 3: { ...onKept, uid: "uid-new" } } };
            }
        };
        await move(of);
        assert.deepEqual(did(of), whole);
        assert.equal(of.deleted?.pod, "basic-tikv-3");
    });

    const kept: [what: string, of: () => DrainedWorld, names: string | undefined, drain?: DrainMode][] = [
        ["that no other node takes", () => world({ pods: { 3: onDrained(nowhere) } }), "2 without room"],
        ["on a node that it may not read", () => world({ pods: { 3: unreadNode } }), "could not read node"],
        ["on a node that stays", () => world({ pods: { 3: onKept } }), undefined],
        ["with `operations.drain: off`", () => world({}, { members: { tikv: noteOf("off") } }), undefined, "off"],
        [
            "while an update has not ended: a pod runs an earlier template, and would get the newest",
            () => world({ stale: [0] }),
            "basic-tikv-0",
        ],
        ["while an update scales", () => world({ live: 5 }), "5 replicas, expected 4"],
        [
            "while a removal is under way",
            () => world({}, { records: { ...noRecords(), removals: { 12: { pod: "basic-tikv-2", begunAt: 0 } } } }),
            "basic-tikv",
        ],
        [
            "of a member of which an update has changed the notes",
            () => world({}, { members: { tikv: { replicas: 4 } } }),
            undefined,
        ],
        ["in a paused cluster", () => world({}, { isPaused: true }), undefined],
    ];
    for (const [what, make, names, drain] of kept) {
        it(`leaves a pod ${what}`, async () => {
            const of = make();
            const { done, remarks } = await move(of, undefined, noteOf(drain));
            assert.deepEqual([done, did(of)], [[], []]);
            assert.equal(remarks.length, names === undefined ? 0 : 1);
            repeats(remarks, names ?? "");
        });
    }

    it("waits for another store without the lock, and only for a while", async () => {
        const of = world({ stores: { 1: { state: "Disconnected" } } });
        const began = of.time;
        const { done, remarks } = await move(of);
        assert.deepEqual([done, did(of)], [[], []]);
        repeats(remarks, "basic-tikv-3", "store 11 (basic-tikv-1)");
        assert.ok(of.time - began < 60_000, `${of.time - began} ms`);
    });

    it("gives up after 10 minutes if the leaders do not leave, and ends the eviction: updates wait for the lock", async () => {
        const of = world();
        const follow = of.changes;
        of.changes = (action) => {
            follow(action);
            if (action.do === "begin-eviction") {
                of.live.tikv = { ...of.live.tikv, stores: {}, ownLeaders: { 3: 500 } };
            }
        };
        const began = of.time;
        await failsWith(move(of), "leaders-evicted", { target: "basic-tikv-3" });
        assert.ok(of.time - began < 12 * minutes, `${of.time - began} ms`);
        assert.deepEqual(did(of), ["lock", "begin-eviction", "end-eviction", "forget-eviction", "release"]);
        assert.equal(of.deleted, undefined);
    });

    it("ends the eviction if it is interrupted while the leaders leave", async () => {
        const of = world();
        const moving = move(of, () => of.done.includes("begin-eviction"));
        await failsWith(moving, "interrupted", { step: "drain", target: "basic-tikv" });
        assert.deepEqual(did(of), ["lock", "begin-eviction", "end-eviction", "forget-eviction", "release"]);
    });

    it("ends the eviction if an update pauses the cluster while the leaders leave", async () => {
        const of = world();
        changePorts(of, ({ look }) => ({
            look: async (...how) => ({
                ...(await look(...how)),
                ...(of.done.includes("begin-eviction") ? { isPaused: true as const } : {}),
            }),
        }));
        await failsWith(move(of), "program-changed");
        assert.equal(of.deleted, undefined);
        assert.deepEqual(of.lease!.records.evictions, {});
    });

    it("finishes what it has begun if an update pauses the cluster after the pod was deleted", async () => {
        const of = world();
        changePorts(of, ({ look }) => ({
            look: async (...how) => ({
                ...(await look(...how)),
                ...(of.done.includes("delete-pod") ? { isPaused: true as const } : {}),
            }),
        }));
        await move(of);
        assert.deepEqual(did(of), whole);
    });

    it("ends the eviction that a killed move has left behind", async () => {
        const of = world({ pods: { 3: onKept }, evicted: [13] }, { records: evicting(3) });
        await move(of);
        assert.deepEqual(did(of), ["lock", "end-eviction", "note-eviction-gone", "forget-eviction", "release"]);
    });

    it("ends the eviction of a killed move whose pod cannot be moved now, although its node is still being emptied", async () => {
        const of = world({ evicted: [13], stores: { 2: { state: "Down" } } }, { records: evicting(3) });
        await failsWith(move(of), "move-held-up", { step: "store-up", target: "basic-tikv-2" });
        assert.ok(did(of).includes("end-eviction"), did(of).join());
        assert.equal(of.deleted, undefined);
    });

    it("moves nothing while an unsafe recovery was begun: PD's leader alone knows of it", async () => {
        const records = { ...noRecords(), unsafeRecovery: { finished: [], begun: { stores: [4], at: 0 } } };
        const of = world({}, { records });
        const { remarks } = await move(of);
        assert.deepEqual([did(of), remarks.length], [[], 1]);
    });

    it("gives way to a run that works on the cluster", async () => {
        const of = world();
        of.heldUntil = of.time + 60 * minutes;
        await failsWith(move(of), "cluster-busy");
        assert.equal(of.deleted, undefined);
    });
});

describe("the controller on nodes that are being emptied", () => {
    function controllerOf(of: DrainedWorld) {
        let time = 0;
        const sources = {
            world: of,
            deployed: () =>
                Promise.resolve({ id: { namespace: "tidb", cluster: "basic", instance: "basic" }, tls: false }),
        } as unknown as StatusSources;
        const progress = { info: () => 0, note: () => 0, status: () => 0, warn: () => 0 };
        const action = drainAction({} as ClusterAccess, sources, { progressOf: () => progress, now: () => time });
        const name = { namespace: "tidb", cluster: "basic" };
        return {
            later: (milliseconds: number) => (time += milliseconds),
            act: (more: Partial<ClusterStatus> = {}) =>
                action.act(
                    name,
                    { ...statusOf(healthy()), ...more },
                    () => false,
                    () => undefined,
                ),
        };
    }

    it("moves pods although all of them are Ready", async () => {
        const of = world();
        const done = await controllerOf(of).act();
        assert.ok(done.includes("move basic-tikv-3 away from node node-1"));
    });

    it("does nothing while a run works on the cluster", async () => {
        const of = world();
        await controllerOf(of).act({ operation: { isOverdue: false } as ClusterStatus["operation"] });
        assert.deepEqual(of.looks, []);
    });

    it("reads the nodes no more often than the number of pods allows", async () => {
        const of = world({ pods: { 3: onKept } });
        const { act, later } = controllerOf(of);
        const pods = statusOf(healthy()).members.reduce((sum, member) => sum + member.pods.length, 0);
        await act();
        const first = of.looks.length;
        later(pods * 100 - 1);
        await act();
        assert.equal(of.looks.length, first);
        later(1);
        await act();
        assert.equal(of.looks.length, 2 * first);
    });
});

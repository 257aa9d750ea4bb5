import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { forgetFailures, nextFailoverMove } from "../../provider/lifecycle/failover/failoverMoves";
import { planFailover } from "../../provider/lifecycle/failover/planFailover";
import { findDead } from "../../provider/lifecycle/failover/findDead";
import { failuresOf, withReplacements } from "../../provider/lifecycle/failover/records";
import { targetNow } from "../../provider/lifecycle/failover/recovery";
import { recordsAfter, recordsBefore } from "../../provider/lifecycle/vocabulary/actions";
import { type Fact, known, notKnown } from "../../provider/lifecycle/vocabulary/evidence";
import type { FailoverPolicy } from "../../provider/lifecycle/vocabulary/memberFailover";
import { emptyMemory } from "../../provider/lifecycle/vocabulary/memory";
import {
    type NodeCondition,
    noRecords,
    type Observation,
    type ObservedPod,
    type OperationRecords,
} from "../../provider/lifecycle/vocabulary/observation";
import type { Action } from "../../provider/lifecycle/vocabulary/actions";
import type { Move } from "../../provider/lifecycle/vocabulary/move";
import type { MemberTarget } from "../../provider/lifecycle/vocabulary/target";
import { nextScaleMove } from "../../provider/lifecycle/walks/scale";
import { claimOf, type Deviation, now as start, observed, storeOf } from "../support/lifecycle/observations";

/**
 * Random deaths and returns of stores, and partitions between stores, PD, the API server and us; and in the middle of an update moments
 * in which PD does not answer, has just elected a leader, or one store or pod is not well. The rules are judged by what is true of the
 * stores, not by what was seen. `FC_RUNS` and `FC_SEED` are those of `properties.test.ts`.
 */
const runs = Math.max(200, Number(process.env.FC_RUNS ?? 0));
const seed = process.env.FC_SEED === undefined ? undefined : Number(process.env.FC_SEED);
const minute = 60_000;
const storeDown = 30 * minute;
const nodeGrace = 40_000;
const wanted = 5;

/** What is true of one store. */
interface Store {
    id: number;
    /** Since when it leaves PD. */
    leavesSince?: number;
    /** Whether PD has it as Tombstone. */
    isTombstone: boolean;
    /** What became of its claim. */
    claim: "kept" | "released" | "terminating";
    /** The store's id that its mark has. */
    releasedId?: string;
    /** When its process stopped for good or for a while; undefined while it runs. */
    stoppedAt?: number;
    /** When its node stopped with it. */
    nodeStoppedAt?: number;
    /** When its process ended first, of one that ends two seconds after each start; undefined if it runs on. Its pod is Ready as long. */
    crashesSince?: number;
    /** What kubelet keeps of the crashes of a process that runs on since: the run before the last one, and since when its pod is Ready. */
    past?: (now: number) => Partial<ObservedPod>;
    /** Whether it runs, but so slowly that PD hears of it late. */
    isSlow: boolean;
    heardAt: number;
    nodeHeardAt: number;
}

interface World {
    now: number;
    stores: Store[];
    records: OperationRecords;
    pdHasQuorum: boolean;
    /** PD hears of no store. */
    pdIsCut: boolean;
    /** The API server hears of no node. */
    nodesAreCut: boolean;
    /** We may not read nodes. */
    mayReadNodes: boolean;
    /** The clock of Kubernetes against ours. */
    skew: number;
    madeStores: number;
}

/** What is seen wrongly, or is wrong, for some looks of an update. */
const moment = fc.record({
    is: fc.constantFrom("pd-silent" as const, "elected" as const, "not-ready" as const, "disconnected" as const),
    store: fc.nat(wanted - 1),
    from: fc.nat(15),
    looks: fc.integer({ min: 1, max: 3 }),
});
type Moment = typeof moment extends fc.Arbitrary<infer T> ? T : never;

const event = fc.oneof(
    { weight: 4, arbitrary: fc.record({ is: fc.constant("node-dies" as const), store: fc.nat(wanted - 1) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant("process-dies" as const), store: fc.nat(wanted - 1) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant("crashes" as const), store: fc.nat(wanted - 1) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant("slow" as const), store: fc.nat(wanted - 1) }) },
    { weight: 3, arbitrary: fc.record({ is: fc.constant("back" as const), store: fc.nat(wanted - 1) }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("quorum" as const), has: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("pd-cut" as const), has: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("nodes-cut" as const), has: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("nodes-readable" as const), has: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("clock" as const), by: fc.integer({ min: -3, max: 3 }) }) },
    { weight: 8, arbitrary: fc.record({ is: fc.constant("pass" as const), minutes: fc.integer({ min: 1, max: 60 }) }) },
    {
        weight: 8,
        arbitrary: fc.record({
            is: fc.constant("up" as const),
            dies: fc.boolean(),
            recovers: fc.boolean(),
            moments: fc.array(moment, { maxLength: 3 }),
        }),
    },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

function newStore(world: Pick<World, "now" | "madeStores">): Store {
    const id = 10 + world.madeStores++;
    return { id, isTombstone: false, claim: "kept", isSlow: false, heardAt: world.now, nodeHeardAt: world.now };
}

/** Lets time pass. PD hears every store that runs and that it can hear; a slow one only once in 37 minutes. */
function pass(world: World, milliseconds: number): void {
    for (const end = world.now + milliseconds; world.now < end; hear(world)) {
        world.now += Math.min(minute, end - world.now);
    }
}

function hear(world: World): void {
    for (const store of world.stores) {
        const every = store.isSlow ? 37 * minute : 0;
        // A process that ends after two seconds sends no heartbeat.
        if (
            store.stoppedAt === undefined &&
            store.crashesSince === undefined &&
            !world.pdIsCut &&
            world.now - store.heardAt >= every
        ) {
            store.heardAt = world.now;
        }
        if (store.leavesSince !== undefined && world.now - store.leavesSince >= minute) {
            Object.assign(store, { isTombstone: true, leavesSince: undefined });
        }
        if (store.nodeStoppedAt === undefined && !world.nodesAreCut) {
            store.nodeHeardAt = world.now;
        }
    }
}

const shortRun = 2000;
const longestBackOff = 5 * minute;

/** @returns what kubelet reports of a process that ends two seconds after each start. It waits for 10 s, then twice as long each time. */
function crashingPod(now: number, crashesSince: number, node: Fact<NodeCondition>): Partial<ObservedPod> {
    let restarts = 0;
    let backOff = 10_000;
    let startedAt = crashesSince - shortRun;
    for (let nextAt = crashesSince + backOff; nextAt <= now; nextAt += shortRun + backOff) {
        if (now < nextAt + shortRun) {
            const lastRun = { startedAt, finishedAt: startedAt + shortRun };
            return { restarts: restarts + 1, lastRun, readyAtLeast: known(now - nextAt, "the API server", start) };
        }
        restarts += 1;
        startedAt = nextAt;
        backOff = Math.min(2 * backOff, longestBackOff);
    }
    const finishedAt = startedAt + shortRun;
    return {
        ready: false,
        node: "node",
        restarts,
        lastRun: { startedAt, finishedAt },
        backOff,
        readyChangedAt: finishedAt,
        container: known({ is: "stopped" }, "the API server", start),
        death: { node, notReadyFor: known(now - finishedAt, "the API server", start) },
    };
}

function podOf(
    world: World,
    { stoppedAt, nodeStoppedAt, nodeHeardAt, crashesSince, past }: Store,
): Partial<ObservedPod> {
    const from = "the API server";
    const silent = world.now - nodeHeardAt - nodeGrace;
    if (silent < 0 && stoppedAt === undefined) {
        const ready = world.mayReadNodes ? known({ is: "ready" as const }, from, start) : notKnown("403");
        return crashesSince === undefined ? (past?.(world.now) ?? {}) : crashingPod(world.now, crashesSince, ready);
    }
    const since = silent >= 0 ? silent : world.now - (stoppedAt ?? world.now);
    const node =
        silent >= 0
            ? known({ is: "not-ready" as const, for: silent, reason: "NodeStatusUnknown" }, from, start)
            : known({ is: "ready" as const }, from, start);
    return {
        ready: false,
        node: "node",
        death: {
            node: world.mayReadNodes ? node : notKnown("403"),
            notReadyFor: known(since, from, start),
        },
        ...(silent < 0 && nodeStoppedAt === undefined
            ? { container: known({ is: "stopped" as const }, from, start) }
            : world.mayReadNodes
              ? { container: { ...notKnown("its node is not Ready"), ranSince: start } }
              : {}),
    };
}

function look(world: World, moments: readonly Moment[] = []): { observation: Observation; target: MemberTarget } {
    const isNow = (is: Moment["is"], at?: number) =>
        moments.some((one) => one.is === is && (at ?? one.store) === one.store);
    const state = (store: Store, at: number) => {
        if (store.leavesSince !== undefined) {
            return "Offline";
        }
        const silent = world.now - store.heardAt;
        if (silent >= storeDown) {
            return "Down";
        }
        return silent >= 20_000 || isNow("elected") || isNow("disconnected", at) ? "Disconnected" : "Up";
    };
    const seen = (store: Store, at: number) => ({
        id: store.id,
        state: state(store, at),
        lastHeartbeat: store.heardAt + world.skew,
    });
    const hiccup: Partial<ObservedPod> = {
        ready: false,
        node: "node",
        death: {
            node: known({ is: "ready" }, "the API server", start),
            notReadyFor: known(1000, "the API server", start),
        },
    };
    const row: Deviation = {
        live: world.stores.length,
        pods: Object.fromEntries(
            world.stores.map((store, at) => {
                const pod = podOf(world, store);
                return [at, isNow("not-ready", at) && pod.ready !== false ? hiccup : pod];
            }),
        ),
        stores: Object.fromEntries(
            world.stores.map((store, at) => [at, store.isTombstone ? undefined : seen(store, at)]),
        ),
        tombstones: world.stores.flatMap((store, at) =>
            store.isTombstone ? [storeOf(at, { id: store.id, state: "Tombstone", startedAt: Infinity })] : [],
        ),
        claims: world.stores.map(({ claim, releasedId }, at) =>
            claimOf("tikv", at, {
                released: claim !== "kept",
                terminating: claim === "terminating",
                ...(releasedId === undefined ? {} : { releasedId }),
            }),
        ),
        unhealthy: world.pdHasQuorum ? [] : [0, 1],
        pdSilent: (!world.pdHasQuorum && world.skew > 0) || isNow("pd-silent"),
        records: world.records,
    };
    const { observation, target } = observed("tikv", row);
    return { observation, target: { ...target, replicas: wanted } };
}

/** PD, Kubernetes and the records after an action. */
function act(world: World, action: Action): void {
    const of = (id: number) => world.stores.find((store) => store.id === id);
    const claimed = (claims: readonly { name: string }[]) =>
        claims.map(({ name }) => world.stores[Number(name.split("-").at(-1))]);
    if (action.do === "remove-store") {
        Object.assign(of(action.storeId)!, { leavesSince: world.now });
    } else if (action.do === "bring-store-back") {
        Object.assign(of(action.storeId)!, { leavesSince: undefined });
    } else if (action.do === "release-claims") {
        claimed(action.claims).forEach((store) =>
            Object.assign(store, { claim: "released", releasedId: action.storeOrMember }),
        );
    } else if (action.do === "keep-claims") {
        claimed(action.claims).forEach((store) => Object.assign(store, { claim: "kept", releasedId: undefined }));
    } else if (action.do === "delete-claims") {
        claimed(action.claims).forEach((store) => (store.claim = "terminating"));
    } else if (action.do === "delete-pod") {
        // With a claim that goes, it comes back as another store.
        const at = Number(action.pod.split("-").at(-1));
        assert.equal(world.stores[at].claim, "terminating", "no pod with data is deleted");
        world.stores[at] = newStore(world);
    } else {
        assert.match(action.do, /^(note|forget)-/, "no other action is due");
    }
    world.records = recordsAfter(recordsBefore(world.records, action, world.now), action, world.now);
}

/** The looks of the longest update: ten minutes, in which PD moves the regions of a store. */
const longest = 60;
const betweenLooks = 10_000;

/** One update: the plan, then its steps, of which a run that dies takes only the first. Then the StatefulSet. */
function up(world: World, policy: FailoverPolicy, dies: boolean, moments: readonly Moment[] = []): void {
    const { observation, target } = look(world);
    const nothing = { steps: [], target: withReplacements(observation, target) };
    const plan = observation.pdTrouble ? nothing : planFailover(observation, target, policy);
    const planned = plan.steps.map((step) => step.target);
    const mayRecover = plan.target.replicas <= wanted;
    const targetIn = (seen: Observation) =>
        mayRecover ? targetNow(seen, target, policy) : withReplacements(seen, target);
    let isDone = false;
    let isLeaving = false;
    for (let step = 0; step < longest && !isDone; step++) {
        const seen = look(
            world,
            moments.filter(({ from, looks }) => step >= from && step < from + looks),
        ).observation;
        const scale = (): Move => {
            const next = nextScaleMove(seen, targetIn(seen), emptyMemory);
            return next.kind === "done"
                ? (forgetFailures(seen, target, { policy, mayRecover }, emptyMemory) ?? next)
                : next;
        };
        const move = nextFailoverMove(seen, target, { policy, planned }, emptyMemory) ?? scale();
        assert.notEqual(move.kind, "look", "everything was asked");
        if (move.kind === "fail") {
            return;
        }
        isDone = move.kind === "done";
        if (move.kind === "act") {
            judge(world, policy, move.action);
            if (move.action.do === "bring-store-back" && mayRecover && isLeaving) {
                assert.ok(isAnyOnRecordGone(world), "no way back is undone because of a moment");
            }
            isLeaving ||= move.action.do === "remove-store";
            act(world, move.action);
            if (dies) {
                return;
            }
        } else if (!isDone) {
            pass(world, betweenLooks);
        }
    }
    if (!isDone) {
        return;
    }
    const after = look(world).observation;
    if (!after.pdTrouble) {
        const left = findDead(after, target, policy).toReplace.map(({ view }) => view.podName);
        const dropped = planned.filter((pod) => left.includes(pod));
        assert.deepEqual(dropped, [], "what the plan has shown, and still is due, is not dropped in silence");
    }
    // As the gate tells Pulumi: by the records alone.
    const { replicas } = withReplacements(after, target);
    assert.ok(
        !areRecordedBack(world, policy) || replicas <= world.stores.length,
        "no store is added for one that is back",
    );
    assert.ok(!isLeaving || isAnyOnRecordGone(world) || replicas === wanted, "a way back ends as its plan has shown");
    while (world.stores.length < replicas) {
        world.stores.push(newStore(world));
    }
    for (const store of world.stores.splice(replicas)) {
        assert.ok(store.isTombstone, "no store goes before it has left PD");
    }
}

/** Whether a store on record has stopped: the replacements may be needed again. */
function isAnyOnRecordGone(world: World): boolean {
    return storesOnRecord(world).some((store) => store.stoppedAt !== undefined || podOf(world, store).ready === false);
}

function storesOnRecord(world: World): Store[] {
    return Object.keys(world.records.failovers?.tikv?.failures ?? {}).map(
        (pod) => world.stores[Number(pod.split("-").at(-1))],
    );
}

/**
 * Whether all on record run, those that crashed for a period, and everybody sees it: what their replacements were for is over.
 */
function areRecordedBack(world: World, { periodSeconds }: FailoverPolicy): boolean {
    const isSeen = world.pdHasQuorum && !world.pdIsCut && !world.nodesAreCut;
    return (
        isSeen &&
        storesOnRecord(world).every((store) => {
            const { ready, readyAtLeast } = podOf(world, store);
            const isSteady =
                readyAtLeast === undefined || (readyAtLeast.known && readyAtLeast.value >= periodSeconds * 1000);
            return store.stoppedAt === undefined && ready !== false && isSteady;
        })
    );
}

function judge(world: World, { periodSeconds, budget }: FailoverPolicy, action: { do: string; pod?: string }): void {
    if (action.do !== "note-failure") {
        return;
    }
    const store = world.stores[Number(action.pod?.split("-").at(-1))];
    const before = world.records.failovers?.tikv?.failures ?? {};
    assert.ok(world.pdHasQuorum, "none without PD's quorum");
    assert.ok(world.mayReadNodes, "none without Kubernetes");
    assert.equal(before[action.pod ?? ""], undefined, "none twice for one store");
    assert.ok(Object.keys(before).length < budget, "never more than the budget");
    const silentToPd = world.now - store.heardAt;
    assert.ok(silentToPd >= storeDown + periodSeconds * 1000, `PD has called it Down for too short: ${silentToPd}`);
    const dead =
        store.stoppedAt !== undefined ||
        world.now - (store.crashesSince ?? Infinity) >= periodSeconds * 1000 ||
        world.now - store.nodeHeardAt > periodSeconds * 1000;
    assert.ok(dead, "none for a store that is only slow");
}

function happen(world: World, one: Event): void {
    const store = "store" in one ? world.stores[one.store] : undefined;
    switch (one.is) {
        case "node-dies":
            store!.nodeStoppedAt ??= world.now;
            store!.stoppedAt ??= world.now;
            break;
        case "process-dies":
            store!.stoppedAt ??= world.now;
            break;
        case "crashes":
            store!.crashesSince ??= world.now;
            break;
        case "slow":
            store!.isSlow = true;
            break;
        case "back": {
            if (store!.crashesSince !== undefined) {
                const backAt = world.now;
                const { restarts = 0, lastRun } = crashingPod(backAt, store!.crashesSince, notKnown("not asked"));
                store!.past = (now) => ({
                    restarts: restarts + 1,
                    lastRun,
                    readyAtLeast: known(now - backAt, "the API server", start),
                });
            }
            Object.assign(store!, {
                stoppedAt: undefined,
                nodeStoppedAt: undefined,
                crashesSince: undefined,
                isSlow: false,
            });
            break;
        }
        case "quorum":
            world.pdHasQuorum = one.has;
            break;
        case "pd-cut":
            world.pdIsCut = one.has;
            break;
        case "nodes-cut":
            world.nodesAreCut = one.has;
            break;
        case "nodes-readable":
            world.mayReadNodes = one.has;
            break;
        case "clock":
            world.skew = one.by * 3_600_000;
            break;
        case "pass":
            pass(world, one.minutes * minute);
            break;
        case "up":
            break;
    }
}

describe("over random deaths, returns and partitions, a failover of TiKV", () => {
    it("never breaks a rule, and ends once all are back", () => {
        let replaced = 0;
        let recovered = 0;
        const story = fc.record({
            events: fc.array(event, { minLength: 20, maxLength: 80 }),
            budget: fc.integer({ min: 0, max: 3 }),
            periodSeconds: fc.constantFrom(1, 300, 900),
            moments: fc.array(moment, { maxLength: 3 }),
        });
        fc.assert(
            fc.property(story, ({ events, budget, periodSeconds, moments }) => {
                const world: World = {
                    now: start,
                    madeStores: 0,
                    stores: [],
                    records: noRecords(),
                    pdHasQuorum: true,
                    pdIsCut: false,
                    nodesAreCut: false,
                    mayReadNodes: true,
                    skew: 0,
                };
                world.stores = Array.from({ length: wanted }, () => newStore(world));
                const policy = { periodSeconds, budget };
                for (const one of events) {
                    happen(world, one);
                    if (one.is === "up") {
                        const { observation, target } = look(world);
                        const known = failuresOf(observation, target).length;
                        up(world, one.recovers ? { ...policy, recovers: true } : policy, one.dies, one.moments);
                        const after = failuresOf(look(world).observation, target).length;
                        replaced += Math.max(0, after - known);
                        assert.ok(world.stores.length <= wanted + budget, "never more pods than the budget allows");
                        assert.ok(world.stores.length >= wanted);
                    }
                }
                Object.assign(world, {
                    pdHasQuorum: true,
                    pdIsCut: false,
                    nodesAreCut: false,
                    mayReadNodes: true,
                    skew: 0,
                });
                world.stores.forEach((_, store) => happen(world, { is: "back", store }));
                // A pod that has crashed again and again is well once it has been Ready for a period.
                pass(world, Math.max(2 * minute, periodSeconds * 1000));
                up(world, { ...policy, recovers: true }, false, moments);
                // One that was not begun in such a moment is left to the next update.
                up(world, { ...policy, recovers: true }, false);
                assert.deepEqual([world.records.failovers, world.stores.length], [undefined, wanted]);
                recovered += 1;
            }),
            { numRuns: runs, seed, path: process.env.FC_PATH },
        );
        assert.ok(replaced > runs / 10, `${replaced} replacements: the stories must have some`);
        assert.ok(recovered >= runs);
    }).timeout(Math.max(60_000, runs * 200));

    for (const restarted of ["long ago", "never"]) {
        it(`replaces a store that crashes again and again, in whichever second of kubelet's wait an update looks (it restarted ${restarted})`, () => {
            const policy = { periodSeconds: 300, budget: 3 };
            const period = 302;
            let replaced = 0;
            for (let second = 0; second < period; second++) {
                const world: World = {
                    now: start,
                    madeStores: 0,
                    stores: [],
                    records: noRecords(),
                    pdHasQuorum: true,
                    pdIsCut: false,
                    nodesAreCut: false,
                    mayReadNodes: true,
                    skew: 0,
                };
                world.stores = Array.from({ length: wanted }, () => newStore(world));
                if (restarted === "long ago") {
                    happen(world, { is: "crashes", store: 1 });
                    pass(world, minute);
                    happen(world, { is: "back", store: 1 });
                    pass(world, 60 * minute);
                }
                happen(world, { is: "crashes", store: 1 });
                pass(world, 35 * minute + 20_000 + second * 1000);
                up(world, policy, false);
                replaced += world.stores.length - wanted;
            }
            assert.ok(replaced / period > 0.9, `replaced in ${replaced} of ${period} seconds`);
        });
    }
});

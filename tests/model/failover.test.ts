import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { forgetFailures, nextFailoverMove } from "../../provider/lifecycle/failover/failoverMoves";
import { planFailover } from "../../provider/lifecycle/failover/planFailover";
import { failuresOf } from "../../provider/lifecycle/failover/records";
import { withReplacements } from "../../provider/lifecycle/failover/records";
import { targetNow } from "../../provider/lifecycle/failover/recovery";
import { recordsAfter, recordsBefore } from "../../provider/lifecycle/vocabulary/actionRecords";
import { known, notKnown } from "../../provider/lifecycle/vocabulary/evidence";
import type { FailoverPolicy } from "../../provider/lifecycle/vocabulary/memberFailover";
import { emptyMemory } from "../../provider/lifecycle/vocabulary/memory";
import {
    noRecords,
    type Observation,
    type ObservedPod,
    type OperationRecords,
} from "../../provider/lifecycle/vocabulary/observation";
import type { MemberTarget } from "../../provider/lifecycle/vocabulary/target";
import { type Deviation, now as start, observed } from "../support/lifecycle/observations";

/**
 * Random deaths and returns of stores, and partitions between stores, PD, the API server and us. The rules are judged by what is
 * true of the stores, not by what was seen. `FC_RUNS` and `FC_SEED` are those of `properties.test.ts`.
 */
const runs = Math.max(200, Number(process.env.FC_RUNS ?? 0));
const seed = process.env.FC_SEED === undefined ? undefined : Number(process.env.FC_SEED);
const minute = 60_000;
const storeDown = 30 * minute;
const nodeGrace = 40_000;
const wanted = 5;

/** What is true of one store. */
interface Store {
    /** When its process stopped for good or for a while; undefined while it runs. */
    stoppedAt?: number;
    /** When its node stopped with it. */
    nodeStoppedAt?: number;
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
}

const event = fc.oneof(
    { weight: 4, arbitrary: fc.record({ is: fc.constant("node-dies" as const), store: fc.nat(wanted - 1) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant("process-dies" as const), store: fc.nat(wanted - 1) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant("slow" as const), store: fc.nat(wanted - 1) }) },
    { weight: 3, arbitrary: fc.record({ is: fc.constant("back" as const), store: fc.nat(wanted - 1) }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("quorum" as const), has: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("pd-cut" as const), has: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("nodes-cut" as const), has: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("nodes-readable" as const), has: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("clock" as const), by: fc.integer({ min: -3, max: 3 }) }) },
    { weight: 8, arbitrary: fc.record({ is: fc.constant("pass" as const), minutes: fc.integer({ min: 1, max: 60 }) }) },
    { weight: 8, arbitrary: fc.record({ is: fc.constant("up" as const), dies: fc.boolean(), recovers: fc.boolean() }) },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

function newStore(now: number): Store {
    return { isSlow: false, heardAt: now, nodeHeardAt: now };
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
        if (store.stoppedAt === undefined && !world.pdIsCut && world.now - store.heardAt >= every) {
            store.heardAt = world.now;
        }
        if (store.nodeStoppedAt === undefined && !world.nodesAreCut) {
            store.nodeHeardAt = world.now;
        }
    }
}

function podOf(world: World, { stoppedAt, nodeStoppedAt, nodeHeardAt }: Store): Partial<ObservedPod> {
    const from = "the API server";
    const silent = world.now - nodeHeardAt - nodeGrace;
    if (silent < 0 && stoppedAt === undefined) {
        return {};
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

function look(world: World): { observation: Observation; target: MemberTarget } {
    const state = (store: Store) => {
        const silent = world.now - store.heardAt;
        return silent >= storeDown ? "Down" : silent >= 20_000 ? "Disconnected" : "Up";
    };
    const row: Deviation = {
        live: world.stores.length,
        pods: Object.fromEntries(world.stores.map((store, at) => [at, podOf(world, store)])),
        stores: Object.fromEntries(
            world.stores.map((store, at) => [at, { state: state(store), lastHeartbeat: store.heardAt + world.skew }]),
        ),
        unhealthy: world.pdHasQuorum ? [] : [0, 1],
        pdSilent: !world.pdHasQuorum && world.skew > 0,
        records: world.records,
    };
    const { observation, target } = observed("tikv", row);
    return { observation, target: { ...target, replicas: wanted } };
}

/** One update: the plan, then its steps, of which a run that dies takes only the first. Then the StatefulSet. */
function up(world: World, policy: FailoverPolicy, dies: boolean): void {
    const { observation, target } = look(world);
    const plan = planFailover(observation, target, policy);
    const planned = plan.steps.map((step) => step.target);
    const mayRecover = plan.target.replicas <= wanted;
    for (let step = 0; step < 20; step++) {
        const seen = look(world).observation;
        const move =
            nextFailoverMove(seen, target, { policy, planned }, emptyMemory) ??
            forgetFailures(seen, target, { policy, mayRecover }, emptyMemory);
        if (move?.kind !== "act") {
            assert.notEqual(move?.kind, "look", "everything was asked");
            break;
        }
        judge(world, policy, move.action);
        world.records = recordsAfter(recordsBefore(world.records, move.action, world.now), move.action, world.now);
        if (dies) {
            return;
        }
    }
    const after = look(world).observation;
    const { replicas } = mayRecover ? targetNow(after, target, policy) : withReplacements(after, target);
    assert.ok(!areRecordedBack(world) || replicas <= world.stores.length, "no store is added for one that is back");
    while (world.stores.length < replicas) {
        world.stores.push(newStore(world.now));
    }
    world.stores.length = replicas;
}

/** Whether all on record run, and everybody sees it: what their replacements were for is over. */
function areRecordedBack(world: World): boolean {
    const isSeen = world.pdHasQuorum && !world.pdIsCut && !world.nodesAreCut;
    const stores = Object.keys(world.records.failovers?.tikv?.failures ?? {}).map(
        (pod) => world.stores[Number(pod.split("-").at(-1))],
    );
    return isSeen && stores.every((store) => store.stoppedAt === undefined && podOf(world, store).ready !== false);
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
    const dead = store.stoppedAt !== undefined || world.now - store.nodeHeardAt > periodSeconds * 1000;
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
        case "slow":
            store!.isSlow = true;
            break;
        case "back":
            Object.assign(store!, { stoppedAt: undefined, nodeStoppedAt: undefined, isSlow: false });
            break;
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
        });
        fc.assert(
            fc.property(story, ({ events, budget, periodSeconds }) => {
                const world: World = {
                    now: start,
                    stores: Array.from({ length: wanted }, () => newStore(start)),
                    records: noRecords(),
                    pdHasQuorum: true,
                    pdIsCut: false,
                    nodesAreCut: false,
                    mayReadNodes: true,
                    skew: 0,
                };
                const policy = { periodSeconds, budget };
                for (const one of events) {
                    happen(world, one);
                    if (one.is === "up") {
                        const { observation, target } = look(world);
                        const known = failuresOf(observation, target).length;
                        up(world, one.recovers ? { ...policy, recovers: true } : policy, one.dies);
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
                pass(world, 2 * minute);
                up(world, { ...policy, recovers: true }, false);
                assert.deepEqual([world.records.failovers, world.stores.length], [undefined, wanted]);
                recovered += 1;
            }),
            { numRuns: runs, seed, path: process.env.FC_PATH },
        );
        assert.ok(replaced > runs / 10, `${replaced} replacements: the stories must have some`);
        assert.ok(recovered >= runs);
    }).timeout(Math.max(60_000, runs * 50));
});

import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { nextRecoveryMove } from "../../provider/lifecycle/unsafeRecovery/nextRecovery";
import { recordsAfter, recordsBefore } from "../../provider/lifecycle/vocabulary/actions";
import { known } from "../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory, type Memory, rememberAction, rememberWait } from "../../provider/lifecycle/vocabulary/memory";
import type { Action } from "../../provider/lifecycle/vocabulary/actions";
import {
    noRecords,
    type Observation,
    type ObservedRecovery,
    type ObservedRegion,
    type OperationRecords,
} from "../../provider/lifecycle/vocabulary/observation";
import { hasMajorityOf } from "../../provider/lifecycle/stages/regionVoters";
import { defaultPolicy } from "../../provider/lifecycle/vocabulary/target";
import { now as start, observed, storeOf } from "../support/lifecycle/observations";

/**
 * Random deaths and returns of stores, elections of PD, and kills of our runs, while a program names stores as lost. The rules are judged
 * by what is true of the stores and regions, not by what was seen. `FC_RUNS` and `FC_SEED` are those of `properties.test.ts`.
 */
const runs = Math.max(300, Number(process.env.FC_RUNS ?? 0));
const seed = process.env.FC_SEED === undefined ? undefined : Number(process.env.FC_SEED);
const minute = 60_000;
const storeDown = 30 * minute;
const ids = [10, 11, 12, 13, 14];
const allRegions: ObservedRegion[] = ids.flatMap((_, at) =>
    [3, 2].map((voters, kind) => ({
        id: 10 * at + kind,
        peers: Array.from({ length: voters }, (_one, next) => ({
            storeId: ids[(at + next) % ids.length],
            role: "voter" as const,
            isBehind: false,
        })),
    })),
);

interface Store {
    id: number;
    runs: boolean;
    heardAt: number;
    nodeIsGone: boolean;
    isTombstone: boolean;
}

interface World {
    now: number;
    stores: Store[];
    regions: ObservedRegion[];
    /** When PD's leader was elected. */
    electedAt: number;
    recovery: ObservedRecovery & { since: number; left: number };
    records: OperationRecords;
    failedStores: number[];
    neverComeBack: boolean;
}

const event = fc.oneof(
    {
        weight: 4,
        arbitrary: fc.record({ is: fc.constant("dies" as const), store: fc.constantFrom(...ids), gone: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ is: fc.constant("back" as const), store: fc.constantFrom(...ids) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant("election" as const) }) },
    /** A store is named in addition, dead for long or not. */
    {
        weight: 2,
        arbitrary: fc.record({
            is: fc.constant("names" as const),
            store: fc.constantFrom(...ids),
            isLost: fc.boolean(),
        }),
    },
    {
        weight: 6,
        arbitrary: fc.record({ is: fc.constant("pass" as const), seconds: fc.integer({ min: 1, max: 3_600 }) }),
    },
    {
        weight: 8,
        arbitrary: fc.record({
            is: fc.constant("up" as const),
            turns: fc.integer({ min: 1, max: 30 }),
            elects: fc.nat(60),
        }),
    },
);
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;
const program = fc.record({
    failedStores: fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 3 }).map((all) => [...all].sort()),
    neverComeBack: fc.boolean(),
    /** Whether they are all lost first, and for how long. */
    lostFor: fc.option(fc.integer({ min: 10, max: 60 })),
    nodesAreGone: fc.boolean(),
});

const idle = { stage: "none" as const, report: "No on-going recovery.", since: 0, left: 0 };

function elect(world: World): void {
    world.electedAt = world.now;
    world.recovery = idle;
}

/** Lets time pass: stores that run report, and PD goes on with its recovery. */
function pass(world: World, milliseconds: number): void {
    world.now += milliseconds;
    for (const store of world.stores.filter((one) => one.runs && !one.isTombstone)) {
        store.heardAt = world.now;
    }
    const { recovery } = world;
    if (recovery.stage !== "running") {
        return;
    }
    const failed = recovery.failedStores ?? [];
    const silent = world.stores.some((store) => !failed.includes(store.id) && !store.isTombstone && !store.runs);
    if (silent) {
        world.recovery =
            world.now - recovery.since > 600_000
                ? { ...recovery, stage: "failed", report: "Exceeds timeout" }
                : recovery;
    } else if ((recovery.left -= milliseconds) < 0) {
        // PD takes every store for alive that is not in the request, also a Tombstone one, and leaves such regions as they are.
        const lives = ({ storeId }: { storeId: number }) => !failed.includes(storeId);
        world.regions = world.regions.map((region) =>
            hasMajorityOf(region, lives) ? region : { ...region, peers: region.peers.filter(lives) },
        );
        world.recovery = { ...recovery, stage: "finished", report: "finished" };
    }
}

function observe(world: World): Observation {
    const { now, stores, recovery, regions } = world;
    const listed = (store: Store) => {
        const silent = now - store.heardAt;
        const state = store.isTombstone
            ? "Tombstone"
            : silent > storeDown
              ? "Down"
              : silent > 20_000
                ? "Disconnected"
                : "Up";
        return storeOf(store.id - 10, { state, lastHeartbeat: store.heardAt });
    };
    const { observation } = observed("tikv", { live: ids.length });
    const { leadership } = observation.pd;
    assert.ok(leadership.known);
    const fact = <T>(value: T) => known(value, "PD", now);
    const node = (gone: boolean) =>
        known({ is: gone ? ("absent" as const) : ("ready" as const) }, "the API server", now);
    const tikv = observation.members.tikv!;
    return {
        ...observation,
        now,
        pdClusterId: "7",
        records: world.records,
        members: {
            tikv: {
                ...tikv,
                pods: tikv.pods.map((pod, ordinal) => ({
                    ...pod,
                    ready: stores[ordinal].runs,
                    container: known(
                        stores[ordinal].runs
                            ? { is: "running" as const, startedAt: start }
                            : { is: "stopped" as const },
                        "node",
                        now,
                    ),
                    death: { node: node(stores[ordinal].nodeIsGone), notReadyFor: known(0, "the API server", now) },
                })),
            },
        },
        pd: {
            ...observation.pd,
            leadership: fact({ ...leadership.value, heldFor: now - world.electedAt }),
            stores: fact(stores.filter((store) => !store.isTombstone).map(listed)),
            tombstones: fact(stores.filter((store) => store.isTombstone).map(listed)),
            unsafeRecovery: fact(recovery),
            shortRegions: fact({
                ofStores: world.failedStores,
                regions: regions.filter(({ peers }) =>
                    peers.some(({ storeId }) => world.failedStores.includes(storeId)),
                ),
            }),
        },
    };
}

function lacksMajority({ failedStores, stores }: World, region: ObservedRegion): boolean {
    const buried = stores.filter(({ isTombstone }) => isTombstone).map(({ id }) => id);
    const gone = ({ storeId }: { storeId: number }) => failedStores.includes(storeId) || buried.includes(storeId);
    return region.peers.some(gone) && !hasMajorityOf(region, (peer) => !gone(peer));
}

/** Judges an action by the truth, and carries it out as PD does. */
function perform(world: World, action: Action): void {
    const named = world.stores.filter(({ id }) => world.failedStores.includes(id));
    if (action.do === "note-recovery-finished") {
        assert.deepEqual(
            world.regions.filter((region) => lacksMajority(world, region)).map(({ id }) => id),
            [],
            "a recovery is over while a region lacks its majority",
        );
        assert.ok(named.every(({ isTombstone }) => isTombstone));
        return;
    }
    if (action.do === "forget-recovery") {
        assert.equal(world.recovery.stage, "failed", "a recovery that PD has not given up is forgotten");
        return;
    }
    assert.equal(action.do, "remove-failed-stores");
    assert.notEqual(world.recovery.stage, "running", "a recovery is begun beside another one");
    assert.ok(
        world.regions.some((region) => lacksMajority(world, region)),
        "a recovery is begun that nothing needs",
    );
    const alive = named.filter(({ isTombstone }) => !isTombstone);
    for (const store of alive) {
        // A program that says it never comes back can be wrong until PD hears from it.
        assert.ok(world.now - store.heardAt > storeDown, `store ${store.id} was heard a moment ago and is given up`);
        assert.ok(world.neverComeBack, `store ${store.id} may come back and is given up`);
    }
    const others = world.stores.filter(({ id, isTombstone }) => !isTombstone && !world.failedStores.includes(id));
    assert.ok(
        others.every(({ heardAt }) => world.now - heardAt <= 60_000),
        "PD would wait for a store that is silent",
    );
    named.forEach((store) => (store.isTombstone = true));
    const stores = (action as Extract<Action, { do: "remove-failed-stores" }>).stores;
    world.recovery = { stage: "running", failedStores: stores, report: "running", since: world.now, left: 60_000 };
}

/** One `pulumi up`, killed after some turns. Consent is always given. */
function up(world: World, turns: number, elects: number): string {
    let memory: Memory = emptyMemory;
    for (let turn = 0; turn < turns; turn += 1) {
        if (turn === elects) {
            elect(world);
        }
        const target = { ...world, timeoutSeconds: 600, policy: defaultPolicy };
        const move = nextRecoveryMove(observe(world), target, memory);
        if (move.kind === "done" || move.kind === "fail" || move.kind === "look") {
            return move.kind;
        }
        memory = rememberWait(memory, move, world.now);
        if (move.kind === "act") {
            world.records = recordsBefore(world.records, move.action, world.now);
            perform(world, move.action);
            memory = rememberAction(memory, move, world.now);
            world.records = recordsAfter(world.records, move.action, world.now);
        }
        pass(world, 10_000);
    }
    return "killed";
}

function play(world: World, one: Event): void {
    switch (one.is) {
        case "dies": {
            const store = world.stores.find(({ id }) => id === one.store)!;
            [store.runs, store.nodeIsGone] = [false, store.nodeIsGone || one.gone];
            return;
        }
        case "back": {
            const store = world.stores.find(({ id }) => id === one.store)!;
            store.runs = !store.nodeIsGone && !store.isTombstone;
            return;
        }
        case "election":
            return elect(world);
        case "names": {
            const named = new Set([...world.failedStores, one.store]);
            if (named.size > 3) {
                return;
            }
            world.failedStores = [...named].sort();
            if (one.isLost) {
                play(world, { is: "dies", store: one.store, gone: true });
                pass(world, storeDown + minute);
            }
            return;
        }
        case "pass":
            return pass(world, one.seconds * 1000);
        case "up":
            assert.notEqual(up(world, one.turns, one.elects), "look", "it asked for what it had");
    }
}

const worldOf = ({ failedStores, neverComeBack }: Pick<World, "failedStores" | "neverComeBack">): World => ({
    failedStores,
    neverComeBack,
    now: start,
    stores: ids.map((id) => ({ id, runs: true, heardAt: start, nodeIsGone: false, isTombstone: false })),
    regions: allRegions,
    electedAt: start - 60 * minute,
    recovery: idle,
    records: noRecords(),
});

describe("random stories of stores that are lost and named", function () {
    this.timeout(Math.max(60_000, runs * 50));
    it("give up no store that lives or may come back, begin nothing twice, and end only when every region has a majority", () => {
        let begun = 0;
        let finished = 0;
        fc.assert(
            fc.property(program, fc.array(event, { minLength: 1, maxLength: 40 }), (asked, story) => {
                const world = worldOf(asked);
                if (asked.lostFor !== null) {
                    asked.failedStores.forEach((store) => play(world, { is: "dies", store, gone: asked.nodesAreGone }));
                    pass(world, asked.lostFor * minute);
                }
                story.forEach((one) => play(world, one));
                begun += world.records.unsafeRecovery === undefined ? 0 : 1;
                finished += world.records.unsafeRecovery?.finished.length ? 1 : 0;
            }),
            { numRuns: runs, seed },
        );
        assert.ok(
            begun >= runs / 50 && finished >= runs / 100,
            `${begun} recoveries in ${runs} stories, ${finished} finished`,
        );
    });

    it("recover in the end, whatever happened before, once the others report and PD keeps its leader", () => {
        fc.assert(
            fc.property(fc.array(event, { maxLength: 25 }), (story) => {
                const world = worldOf({ failedStores: [11, 12], neverComeBack: true });
                story.filter(({ is }) => is !== "names").forEach((one) => play(world, one));
                for (const store of world.stores) {
                    store.nodeIsGone = false;
                    store.runs = ![11, 12].includes(store.id);
                }
                pass(world, 2 * storeDown);
                pass(world, 1_000);
                for (let run = 0; run < 3 && up(world, 100, Infinity) !== "done"; run += 1) {
                    pass(world, 1_000);
                }
                assert.deepEqual(world.records.unsafeRecovery, { finished: [11, 12] });
                assert.ok(!world.regions.some((region) => lacksMajority(world, region)));
            }),
            { numRuns: runs, seed },
        );
    });
});

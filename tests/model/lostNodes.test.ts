import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { hasMajorityOf } from "../../provider/lifecycle/stages/regionVoters";
import { minute } from "../support/lostNodes/machines";
import { copies } from "../support/lostNodes/placementDriver";
import { LostNodesWorld, nodeName } from "../support/lostNodes/lostNodesWorld";
import { Ended, PlayedLossRun } from "../support/lostNodes/playedLossRun";

/**
 * Random losses and returns of nodes, partitions between nodes, PD, the API server and us, and kills of our runs, while a program names
 * nodes that never come back. The rules are judged by what is true of volumes, stores and members, not by what was seen.
 * `FC_RUNS` and `FC_SEED` are those of `properties.test.ts`.
 */
const runs = Math.max(250, Number(process.env.FC_RUNS ?? 0));
const seed = process.env.FC_SEED === undefined ? undefined : Number(process.env.FC_SEED);
const most = 7;

const node = fc.nat(most - 1).map(nodeName);
const happening = fc.oneof(
    {
        weight: 8,
        arbitrary: fc.record({
            is: fc.constant("lost" as const),
            node,
            minutes: fc.constantFrom(1, 32, 40),
            takesClaim: fc.constantFrom(false, false, true),
        }),
    },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("machine-ends" as const), node }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("is-deleted" as const), node }) },
    { weight: 3, arbitrary: fc.record({ is: fc.constant("relabelled" as const), node }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("returns" as const), node }) },
    { weight: 3, arbitrary: fc.record({ is: fc.constant("last-returns" as const) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant("last-visits" as const), isEmpty: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("cut" as const), node, pd: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("we-are-cut" as const), has: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("places" as const), has: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("api-is-silent" as const), looks: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("election" as const) }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("removes" as const), at: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant("tombstones-go" as const) }) },
    {
        weight: 3,
        arbitrary: fc.record({ is: fc.constant("claim-deleted" as const), pod: fc.nat(3), index: fc.nat(1) }),
    },
    { weight: 2, arbitrary: fc.record({ is: fc.constant("names" as const), node, has: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ is: fc.constant("pass" as const), minutes: fc.integer({ min: 1, max: 40 }) }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const up = fc.record({
    is: fc.constant("up" as const),
    approves: fc.boolean(),
    // Of `freq`, one is null.
    killedAt: fc.option(fc.integer({ min: 1, max: 24 }), { freq: 2 }),
    meanwhile: fc.array(fc.tuple(fc.integer({ min: 1, max: 24 }), happening), { maxLength: 2 }),
    // What is rare by chance, and harmful: right after a step, or as soon as PD has buried a store.
    after: fc.option(
        fc.record({
            what: fc.constantFrom(...(["buried", "buried", "remove-store", "remove-member", "delete-claims"] as const)),
            happens: fc.oneof(fc.constant({ is: "killed" as const }), happening),
        }),
        { freq: 2 },
    ),
});
const event = fc.oneof({ weight: 3, arbitrary: happening }, { weight: 2, arbitrary: up });
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const begin = fc.record({
    tikv: fc.integer({ min: 3, max: 5 }),
    pd: fc.constantFrom(1, 3, 5).filter((count) => count <= 3),
    tiflash: fc.nat(2),
    spare: fc.constant(2),
    remakesClaims: fc.boolean(),
    bindsAtOnce: fc.boolean(),
    startSeconds: fc.constantFrom(0, 60),
    namesHosts: fc.boolean(),
    claims: fc.record({
        tikv: fc.integer({ min: 1, max: 2 }),
        pd: fc.integer({ min: 1, max: 2 }),
        tiflash: fc.integer({ min: 1, max: 2 }),
    }),
    onNetwork: fc.subarray(
        ["basic-tikv-0", "basic-tikv-1", "basic-pd-0", "basic-tiflash-0"].flatMap((pod) => [`${pod}/0`, `${pod}/1`]),
    ),
});

/** What happens whether or not a run looks at it. */
function happen(world: LostNodesWorld, played: PlayedLossRun, one: Happening): void {
    const at = "node" in one ? world.machines.nodes.get(one.node) : undefined;
    if ("node" in one && at === undefined) {
        return;
    }
    switch (one.is) {
        case "lost":
            Object.assign(at!, { isRunning: false, isListed: false });
            world.named = [...new Set([...world.named, one.node])];
            world.pass(one.minutes * minute);
            if (one.takesClaim) {
                // A person hopes that the pod which waits comes up with a new second volume.
                return happen(world, played, { is: "claim-deleted", pod: 0, index: 1 });
            }
            break;
        case "machine-ends":
            at!.isRunning = false;
            break;
        case "is-deleted":
            at!.isListed = false;
            break;
        case "relabelled":
            // It goes on, and then nobody hears of it for so long that PD calls its stores Down.
            Object.assign(at!, { isRelabelled: true, isCut: true, isCutFromPd: true });
            world.named = [...new Set([...world.named, one.node])];
            world.pass(40 * minute);
            break;
        case "returns":
            Object.assign(at!, {
                isRunning: true,
                isListed: true,
                isRelabelled: false,
                isCut: false,
                isCutFromPd: false,
            });
            break;
        case "last-returns": {
            const last = world.named.at(-1);
            return last === undefined ? undefined : happen(world, played, { is: "returns", node: last });
        }
        case "last-visits": {
            // It comes back, perhaps with another disk in place of each first one, and is lost again.
            const last = world.named.at(-1);
            if (last === undefined || !world.machines.nodes.has(last)) {
                return;
            }
            if (one.isEmpty) {
                world.machines.replaceFirstDisks(last);
            }
            happen(world, played, { is: "returns", node: last });
            world.pass(5 * minute);
            return happen(world, played, { is: "lost", node: last, minutes: 40, takesClaim: false });
        }
        case "cut":
            Object.assign(at!, one.pd ? { isCutFromPd: true } : { isCut: true });
            break;
        case "we-are-cut":
            world.isCutFromPd = one.has;
            break;
        case "places":
            world.mayReadPlaces = one.has;
            break;
        case "api-is-silent":
            played.silence(one.looks);
            break;
        case "election":
            world.pd.electedAt = world.now;
            break;
        case "removes": {
            const store = world.pd.stores.filter(({ isTombstone }) => !isTombstone)[one.at];
            if (store && world.pd.hasQuorum) {
                store.isOffline = true;
            }
            break;
        }
        case "tombstones-go":
            world.pd.stores = world.pd.stores.filter(({ isTombstone }) => !isTombstone);
            break;
        case "claim-deleted": {
            // By hand, where a person thinks that it is what its pod waits for.
            const waiting = world.machines.pods.filter(({ isReady }) => !isReady);
            const pod = waiting.at(one.pod % Math.max(1, waiting.length));
            const claim = pod && world.machines.claimsOf(pod.name).at(one.index);
            if (claim) {
                claim.isTerminating = true;
            }
            break;
        }
        case "names":
            world.named = [...world.named.filter((name) => name !== one.node), ...(one.has ? [one.node] : [])];
            break;
        case "pass":
            world.pass(one.minutes * minute);
            break;
    }
    world.step();
}

async function play(world: LostNodesWorld, played: PlayedLossRun, one: Event): Promise<void> {
    if (one.is !== "up") {
        return happen(world, played, one);
    }
    played.approves = one.approves;
    played.at = {};
    for (const [call, what] of one.meanwhile) {
        played.at[call] = () => happen(world, played, what);
    }
    if (one.killedAt !== null) {
        played.at[one.killedAt] = () => {
            throw new Ended("killed");
        };
    }
    const { after } = one;
    played.after = after && {
        what: after.what,
        happens: () => {
            if (after.happens.is === "killed") {
                throw new Ended("killed");
            }
            happen(world, played, after.happens);
        },
    };
    await played.update();
    world.step();
}

/** All that was cut is joined, and nodes that are not named are back; those that are named and gone stay so. */
function settle(world: LostNodesWorld, played: PlayedLossRun): void {
    played.silence(0);
    [world.isCutFromPd, world.mayReadPlaces] = [false, true];
    // A sweep says of what was begun for a node that the program no longer names: an update that names it goes on with it.
    const begun = Object.values(played.records.lostVolumes ?? {}).map(({ node: lost }) => world.nodeOfHost(lost));
    world.named = [...new Set([...world.named, ...begun])];
    world.pd.stores.forEach((store) => (store.isOffline &&= world.named.length > 0 && store.isTombstone));
    for (const { name, isRunning, isListed } of [...world.machines.nodes.values()]) {
        const isGone = world.named.includes(name) && !isRunning && !isListed;
        Object.assign(world.machines.node(name), { isCut: false, isCutFromPd: false });
        if (!isGone) {
            happen(world, played, { is: "returns", node: name });
        }
    }
    world.pass(75 * minute);
}

/** What a run leaves to a person: a node that is back after PD has dropped what is on it, and a pod of which PD has no trace. */
function doByHand(world: LostNodesWorld, message: string): void {
    const { machines, pd } = world;
    const lost = lostPods(world);
    const [, back] = /and (\S+) may use \S+, which PD has dropped: delete both by hand/.exec(message) ?? [];
    const [, forgotten] = /PD lists store \d+ \((\S+)\) neither as live nor as Tombstone/.exec(message) ?? [];
    for (const pod of machines.pods) {
        const claims = machines.claimsOf(pod.name);
        const of = claims[0]?.volume?.of;
        const neverRan = of === undefined && pod.component !== "pd" && lost.includes(pod.name);
        const hasNoTrace =
            (neverRan && pd.stores.every((store) => store.pod !== pod.name)) ||
            (of?.startsWith("store-") && pd.stores.every(({ id }) => of !== `store-${id}`));
        if ([back, forgotten].includes(pod.name) || hasNoTrace) {
            assert.ok(
                !pd.lives(of),
                `a person is told to delete the volume of ${of}, which PD has not dropped: ${message}`,
            );
            claims.forEach((claim) => (claim.isTerminating = true));
            machines.deletePod(pod);
        }
    }
}

/** The pods that wait for volumes on nodes that are gone for good. */
function lostPods(world: LostNodesWorld): string[] {
    const isLost = (node: string | undefined) => node !== undefined && world.named.includes(node) && world.isGone(node);
    return world.machines.pods.map(({ name }) => name).filter((pod) => isLost(world.nodeOf(pod)));
}

/** Whether the cluster can do without them: what PD keeps is complete elsewhere. */
function canDoWithout({ pd }: LostNodesWorld): boolean {
    const up = pd.upIds();
    const isEnough = (["tikv", "tiflash"] as const).every((one) => {
        const { length } = pd.stores.filter(({ engine, isTombstone }) => engine === one && !isTombstone);
        return length === 0 || pd.upOf(one) >= copies[one];
    });
    const isWhole = pd.regions.every((region) => hasMajorityOf(region, ({ storeId }) => up.has(storeId)));
    return pd.hasQuorum && isEnough && isWhole;
}

describe("over random losses and returns of nodes, giving up their volumes", function () {
    this.timeout(Math.max(60_000, runs * 1_000));

    it("never breaks a rule, and every story ends", async () => {
        let removed = 0;
        let healed = 0;
        await fc.assert(
            fc.asyncProperty(begin, fc.array(event, { minLength: 4, maxLength: 16 }), async (how, story) => {
                const world = new LostNodesWorld(how);
                const played = new PlayedLossRun(world);
                for (const one of story) {
                    await play(world, played, one);
                }
                settle(world, played);
                [played.at, played.after, played.approves] = [{}, null, true];
                const ends: string[] = [];
                const before = lostPods(world);
                const mayEnd = canDoWithout(world);
                for (let run = 0; run < 6; run += 1) {
                    ends.push(await played.update());
                    doByHand(world, ends[run]);
                    world.pass(minute);
                }
                removed += played.done.filter((did) => did === "remove-store" || did === "remove-member").length;
                if (mayEnd) {
                    const story = JSON.stringify(ends);
                    assert.deepEqual(lostPods(world), [], `given up nothing of them: ${story}`);
                    assert.equal(ends.at(-1), "done", story);
                    assert.deepEqual(played.records, { evictions: {}, removals: {} }, story);
                    healed += before.length;
                }
            }),
            { numRuns: runs, seed, path: process.env.FC_PATH, endOnFailure: process.env.FC_SHRINK === undefined },
        );
        assert.ok(removed > runs / 10 && healed > runs / 10, `${removed} removals, ${healed} pods healed at the end`);
    });
});

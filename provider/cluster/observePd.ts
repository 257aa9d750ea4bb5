import { microservices } from "../../topology/members";
import { bothKnown, type Fact, mapFact, notAsked } from "../lifecycle/vocabulary/evidence";
import type { PdPart, RegionList } from "../lifecycle/vocabulary/look";
import type { ObservedPd, ObservedPod } from "../lifecycle/vocabulary/observation";
import type { PdClient, PdMemberHealth, PdMembers } from "../pd";
import type { LeadershipTracker } from "./leadershipTracker";
import { hasSchedulers, type LeadershipReads, observeLeadership } from "./observeLeadership";
import * as part from "./observePdParts";
import { observeMember } from "./observeStores";
import { PdQueries } from "./pdQueries";
import type { ClusterId } from "./clusterId";

/** What an observation of PD needs. */
export interface PdLook {
    parts: readonly PdPart[];
    /** Regions to list. Default: none. */
    regions?: RegionList;
    id: ClusterId;
    /** PD's own pods that were restarted; undefined if single members cannot be asked, or if their pods were not read. */
    restarted: readonly ObservedPod[] | undefined;
    /** Whether no PD is on record yet. Only then can there be no store because none has ever started. */
    isFirstDeployment: boolean;
    watch: LeadershipTracker;
    /** The run's own clock. */
    now: () => number;
}

/** PD's answers. `badAnswer`: one of them was not an answer that PD gives. */
export interface PdAnswers {
    pd: ObservedPd;
    badAnswer?: Error;
}

/**
 * Asks PD, in parallel, for the parts that a decision needs. The leadership is read before and after all others.
 * @throws Error if PD answers none of them.
 */
export async function askPd(client: PdClient, look: PdLook): Promise<PdAnswers> {
    const queries = new PdQueries(look.now);
    const before = look.parts.includes("leadership") ? await leadershipBefore(client, look, queries) : undefined;
    let loaded: Promise<boolean> | undefined;
    // Whether PD has loaded its schedulers is needed twice, and asked once.
    const hasLoaded = () => (loaded ??= hasSchedulers(client));
    const [parts, schedulers, regionCount] = await Promise.all([
        askParts(client, look, queries, hasLoaded),
        before ? queries.either(() => part.askSchedulers(hasLoaded, look)) : notAsked,
        before ? queries.either(() => part.askRegionCount(client, look)) : notAsked,
    ]);
    const after = before ? await leadershipAfter(client, look, queries) : notAsked;
    queries.assertAnswered();
    const leadership = before ? observeLeadership({ before, after, schedulers, regionCount, look }) : notAsked;
    return { pd: { ...parts, leadership }, badAnswer: queries.badAnswer };
}

/** @throws Error if there is no answer at all: the other queries would only wait for the same timeout. */
async function leadershipBefore(
    client: PdClient,
    { now, watch }: PdLook,
    queries: PdQueries,
): Promise<LeadershipReads["before"]> {
    const asked = now();
    const before = await queries.fact(() => client.leadership());
    if (!before.known) {
        watch.reset();
        queries.assertAnswered();
    } else if (before.value.leader === undefined) {
        watch.reset();
    } else {
        watch.track(before.value, asked, now());
    }
    return before;
}

/** Reads the leadership again after everything else, so a long observation leaves no gap before the next one. */
async function leadershipAfter(
    client: PdClient,
    { now, watch }: PdLook,
    queries: PdQueries,
): Promise<LeadershipReads["after"]> {
    const asked = now();
    const after = await queries.fact(() => client.leadership("leader"));
    if (after.known && after.value.leader !== undefined) {
        watch.track(after.value, asked, now());
    }
    return after;
}

async function askParts(
    client: PdClient,
    look: PdLook,
    queries: PdQueries,
    hasLoaded: () => Promise<boolean>,
): Promise<Omit<ObservedPd, "leadership">> {
    const { id } = look;
    const has = (...parts: PdPart[]) => parts.some((one) => look.parts.includes(one));
    const ask = <T>(isAsked: boolean, call: () => Promise<T>): Promise<Fact<T>> | Fact<T> =>
        isAsked ? queries.fact(call) : notAsked;
    const either = <T>(isAsked: boolean, call: () => Promise<Fact<T>>): Promise<Fact<T>> | Fact<T> =>
        isAsked ? queries.either(call) : notAsked;
    const health = Promise.resolve(ask(has("health", "ready-members"), () => client.health()));
    const members = () => client.members();
    // Peer URLs decide whose a member is. Without the cluster id no step can follow: then the client URLs in the list of health are
    // enough, which saves a call when there is nothing to do. A member that has never started has none.
    const list = has("leader", "cluster-id")
        ? ask(has("health", "leader"), members)
        : has("health")
          ? health.then((fact) =>
                fact.known && !fact.value.every(saysWhose) ? queries.fact(members) : membersOf(fact),
            )
          : notAsked;
    const { regions, restarted } = look;
    const placement = Promise.resolve(ask(has("placement"), () => part.askPlacement(client)));
    const { evictions, ...first } = await resolved({
        clusterId: ask(has("cluster-id"), () => client.clusterId()),
        stores: either(has("stores"), () => part.askStores(() => client.stores(), look)),
        tombstones: either(has("tombstones"), () => part.askStores(() => client.tombstoneStores(), look)),
        placement,
        locationLabels: has("placement")
            ? placement.then((fact) => mapFact(fact, ({ locationLabels = [] }) => locationLabels))
            : ask(has("location-labels"), async () => (await client.replication()).locationLabels),
        storeDownTime: ask(has("store-down-time"), () => client.storeDownTime()),
        evictions: either(has("evicted-stores"), () => part.askEvictions(client, hasLoaded, look)),
        persistedEvictions: ask(has("persisted-evictions"), () => client.persistedEvictions()),
        leaderLimits: ask(has("leader-limits"), () => client.leaderLimits()),
        regionStatus: either(has("region-status"), () => part.askRegionStatus(client, look)),
        snapshotRecovering: ask(has("snapshot-recovering"), () => client.snapshotRecovering()),
        unsafeRecovery: ask(has("unsafe-recovery"), () => client.unsafeRecovery()),
    });
    const { healthy, listed, ...second } = await resolved({
        shortRegions: ask(regions !== undefined, () => part.askRegions(client, regions!)),
        readyMembers: restarted
            ? either(has("ready-members"), async () => part.askReadyMembers(client, restarted, await health, look))
            : notAsked,
        microservices: resolved(
            Object.fromEntries(
                microservices.map((name) => [name, ask(has(name), () => part.askMicroservice(client, name, id))]),
            ),
        ),
        pumps: ask(has("pumps"), () => part.askPumps(client, id)),
        locks: ask(has("locks"), () => part.askLocks(client, id)),
        ...(has("log-backups") ? { logBackups: queries.fact(() => client.logBackups()) } : {}),
        healthy: health,
        listed: list,
    });
    return {
        ...first,
        ...second,
        evictedStores: evictions === notAsked ? notAsked : mapFact(evictions, ({ stores }) => [...stores]),
        ownEvictions: evictions === notAsked ? notAsked : mapFact(evictions, ({ own }) => own),
        members: has("health")
            ? mapFact(bothKnown(healthy, listed), ([known, { members: all }]) =>
                  all.map((one) => observeMember(one, known, id)),
              )
            : notAsked,
        leader: has("leader") ? mapFact(listed, ({ leader }) => leader?.name) : notAsked,
    };
}

function saysWhose({ name, clientUrls }: PdMemberHealth): boolean {
    return name !== "" && clientUrls.length > 0;
}

/** @returns the members as the list of health has them. */
function membersOf(health: Fact<readonly PdMemberHealth[]>): Fact<Pick<PdMembers, "members" | "leader">> {
    return mapFact(health, (all) => ({ members: all.map((one) => ({ ...one, peerUrls: one.clientUrls })) }));
}

/** @returns the same fields with what their promises resolve to. All are awaited side by side. */
async function resolved<T extends object>(fields: T): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
    const entries = await Promise.all(
        Object.entries(fields).map(async ([name, value]: [string, unknown]) => [name, await value] as const),
    );
    return Object.fromEntries(entries) as { [K in keyof T]: Awaited<T[K]> };
}

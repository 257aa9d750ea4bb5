import { endedEviction } from "../stages/evictionRecord";
import type { Fact } from "../vocabulary/evidence";
import type { Leftover } from "../vocabulary/leftover";
import { type LookOptions, noLook, type PdPart } from "../vocabulary/look";
import type { Action } from "../vocabulary/move";
import type { EvictionRecord, Observation, ObservedPod } from "../vocabulary/observation";
import type { Component } from "../../../topology/members";
import { leftRemovals } from "./leftRemovals";
import { openEvictions } from "./openEvictions";

/**
 * What earlier runs left behind besides the objects that Pulumi manages. Proof that something is ours is a record that a
 * run wrote before it acted. Without it, the thing belongs to somebody else and is kept.
 */

/** What was found, and what is not known: one line each. */
export interface Leftovers {
    readonly found: readonly Leftover[];
    readonly notKnown: readonly string[];
}

const parts: readonly PdPart[] = [
    "leadership",
    "health",
    "stores",
    "tombstones",
    "evicted-stores",
    "persisted-evictions",
    "locks",
    "cluster-id",
];

/** What to observe to find leftovers. @param components members that the cluster has or had. */
export function lookForLeftovers(components: readonly Component[], withPd: boolean): LookOptions {
    return { ...noLook, components, pd: withPd ? parts : [] };
}

/** @returns what earlier runs left behind, except locks, which only somebody who watches them can judge. */
export function leftoversIn(observation: Observation): Leftovers {
    const { leadership, stores, tombstones, evictedStores, members, locks } = observation.pd;
    const facts: [string, Fact<unknown>][] = [
        ["the evictions in force", evictedStores],
        ["PD's stores", stores],
        ["the Tombstone stores", tombstones],
        ["PD's leader", leadership],
        ["PD's members", members],
        ["PD's locks", locks],
    ];
    const byReason = new Map<string, string[]>();
    for (const [what, fact] of facts) {
        if (!fact.known) {
            byReason.set(fact.why, [...(byReason.get(fact.why) ?? []), what]);
        }
    }
    const notKnown = [...byReason].map(([why, whats]) => `${whats.join(", ")}: ${why}`);
    const found = [...leftEvictions(observation), ...leftRemovals(observation), ...leftShutdowns(observation)];
    const unclear = found.flatMap((one) => (one.verdict === "not known" ? [`${one.target}: ${one.why}`] : []));
    return { found, notKnown: notKnown.length > 0 ? notKnown : unclear };
}

function leftEvictions(observation: Observation): Leftover[] {
    const { pd, records } = observation;
    const ours = Object.entries(records.evictions).map(([id, record]) => leftEviction(observation, Number(id), record));
    // An eviction that began after PD had dropped ours is somebody else's.
    const over = ours.flatMap(({ action }) => (action?.do === "forget-eviction" ? [action.storeId] : []));
    const listed = pd.evictedStores.known ? pd.evictedStores.value : [];
    const foreign = listed.filter((id) => !(id in records.evictions) || over.includes(id));
    return [...ours, ...foreign.map((id) => foreignEviction(observation, id))];
}

function leftEviction(observation: Observation, storeId: number, record: EvictionRecord): Leftover {
    const { evictedStores } = observation.pd;
    const isListed = evictedStores.known && evictedStores.value.includes(storeId);
    const ours = {
        kind: "eviction",
        target: `store ${storeId} (${record.pod})`,
        seen: isListed
            ? "PD keeps leaders away from it"
            : evictedStores.known
              ? "an eviction is on record, and PD does not list it"
              : "an eviction is on record",
        by: `a run of pulumi-tidb, which began to evict ${record.leadersBefore} leaders at ${timeOf(record.begunAt)}`,
        isOurs: true,
    } as const;
    const end = (action: Action, why: string): Leftover => ({ ...ours, verdict: "remove", why, action });
    const forget = () =>
        end({ do: "forget-eviction", storeId }, "PD has dropped the eviction for good: its record is deleted");
    const unknown = whyNotKnown(observation);
    if (unknown !== undefined) {
        return { ...ours, verdict: "not known", why: unknown };
    }
    if (record.endedAt === undefined) {
        const { toEnd, toKeep } = openEvictions(observation);
        const action = toEnd.find((one) => one.storeId === storeId);
        if (action) {
            return end(action, "the eviction ends, and leaders return to the store");
        }
        if (isUnlisted(observation, storeId)) {
            return forget();
        }
        const why = toKeep.find((one) => one.storeId === storeId)?.why ?? "";
        return { ...ours, verdict: "keep", why: `${why}: leaders must not return to it yet. ${later}` };
    }
    switch (endedEviction(observation, storeId, record)) {
        case "gone":
            return forget();
        case "back": {
            const { leadership } = observation.pd;
            const under = leadership.known ? leadership.value.term : undefined;
            return end({ do: "end-eviction", storeId, pod: record.pod, under }, "PD brought it back: it ends again");
        }
        case "unverified":
        case "not known": {
            const { persistedEvictions: kept } = observation.pd;
            return { ...ours, verdict: "not known", why: `whether PD has dropped it: ${kept.known ? "" : kept.why}` };
        }
    }
}

const later = "Run `pulumi up`, or sweep again once the store is Up";

/** Why no eviction can be judged. */
function whyNotKnown({ pd: { evictedStores, stores, tombstones, leadership } }: Observation): string | undefined {
    const unknown = [evictedStores, stores, tombstones, leadership].find((fact) => !fact.known);
    return unknown?.known === false ? unknown.why : undefined;
}

/** Whether PD has neither the store nor an eviction of it. Then there is nothing to end, whatever happened to the store. */
function isUnlisted({ pd }: Observation, storeId: number): boolean {
    const { stores, tombstones, evictedStores, persistedEvictions } = pd;
    const lacks = (fact: Fact<number[]>) => fact.known && !fact.value.includes(storeId);
    const lacksStore = [stores, tombstones].every((fact) => fact.known && fact.value.every(({ id }) => id !== storeId));
    return lacksStore && lacks(evictedStores) && lacks(persistedEvictions);
}

function foreignEviction({ pd: { stores } }: Observation, storeId: number): Leftover {
    const store = stores.known ? stores.value.find(({ id }) => id === storeId) : undefined;
    return {
        kind: "eviction",
        target: `store ${storeId} (${store?.podName ?? "not listed by PD"})`,
        seen: "PD keeps leaders away from it",
        by: "somebody else: this cluster's Lease has no record of it",
        isOurs: false,
        verdict: "keep",
        why: `it is not ours. If nobody needs it: pd-ctl scheduler remove evict-leader-scheduler-${storeId}`,
    };
}

function leftShutdowns({ members }: Observation): Leftover[] {
    const pods = members.ticdc?.pods ?? [];
    return pods
        .filter(({ shutdownBegunAt, terminating }) => shutdownBegunAt !== undefined && !terminating)
        .map(leftShutdown);
}

/** The next shutdown of the pod would count as begun at that time, and could time out at once. */
function leftShutdown({ name, uid, shutdownBegunAt, ownShutdown }: ObservedPod): Leftover {
    const begun = { kind: "shutdown", target: name, seen: `its shutdown began at ${timeOf(shutdownBegunAt)}` } as const;
    return ownShutdown
        ? {
              ...begun,
              by: "a run of pulumi-tidb, whose field manager wrote the annotation",
              isOurs: true,
              verdict: "remove",
              why: "its annotation is deleted, so its next shutdown gets the whole timeout",
              action: { do: "forget-shutdown", pod: name, uid },
          }
        : {
              ...begun,
              by: "somebody else: another field manager wrote the annotation",
              isOurs: false,
              verdict: "keep",
              why: "it is not ours: TiDB Operator and people write it too",
          };
}

function timeOf(milliseconds: number | undefined): string {
    return new Date(milliseconds ?? 0).toISOString();
}

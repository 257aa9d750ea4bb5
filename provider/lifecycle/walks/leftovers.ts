import type { Fact } from "../vocabulary/evidence";
import type { Leftover } from "../vocabulary/leftover";
import { type LookOptions, noLook, type PdPart } from "../vocabulary/look";
import type { Observation, ObservedPod } from "../vocabulary/observation";
import type { Component } from "../../../topology/members";
import { leftBatch } from "./leftBatch";
import { leftLostVolumes } from "./leftLostVolumes";
import { leftEvictions } from "./leftEvictions";
import { leftRaisedLimits } from "./leftRaisedLimits";
import { leftRecovery } from "./leftRecovery";
import { leftRemovals } from "./leftRemovals";
import { leftRemakes } from "../volumes/remake";
import { leftUpgrade } from "./leftUpgrade";

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
    "leader-limits",
    "unsafe-recovery",
    "locks",
    "cluster-id",
];

/** What to observe to find leftovers. @param components members that the cluster has or had. */
export function lookForLeftovers(components: readonly Component[], withPd: boolean): LookOptions {
    const asks = components.includes("tidb") ? { asks: ["upgrade-state"] as const } : {};
    return { ...noLook, components, pd: withPd ? parts : [], ...asks };
}

/** @returns what earlier runs left behind, except locks, which only somebody who watches them can judge. */
export function leftoversIn(observation: Observation): Leftovers {
    const { leadership, stores, tombstones, evictedStores, members, locks, leaderLimits } = observation.pd;
    const { records } = observation;
    const facts: [string, Fact<unknown>][] = [
        ["the evictions in force", evictedStores],
        ["PD's stores", stores],
        ["the Tombstone stores", tombstones],
        ["PD's leader", leadership],
        ["PD's members", members],
        ["PD's locks", locks],
        ...(records.raisedLimits === undefined
            ? []
            : [["PD's limits of moving leaders", leaderLimits] satisfies [string, Fact<unknown>]]),
    ];
    const byReason = new Map<string, string[]>();
    for (const [what, fact] of facts) {
        if (!fact.known) {
            byReason.set(fact.why, [...(byReason.get(fact.why) ?? []), what]);
        }
    }
    const notKnown = [...byReason].map(([why, whats]) => `${whats.join(", ")}: ${why}`);
    const found = [
        ...leftEvictions(observation),
        ...leftRaisedLimits(observation),
        ...leftUpgrade(observation),
        ...leftBatch(observation),
        ...leftRemovals(observation),
        ...leftRecovery(observation),
        ...leftLostVolumes(observation),
        ...leftRemakes(observation),
        ...leftShutdowns(observation),
    ];
    const unclear = found.flatMap((one) => (one.verdict === "not known" ? [`${one.target}: ${one.why}`] : []));
    return { found, notKnown: notKnown.length > 0 ? notKnown : unclear };
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

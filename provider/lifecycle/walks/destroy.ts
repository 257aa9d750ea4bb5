import { leaseAnnotations } from "../../../topology/annotations";
import { instanceLabel } from "../../../topology/labels";
import { leaseName } from "../../../topology/names";
import { type Component, components } from "../../../topology/members";
import { forgetBatch } from "../stages/batches/batchOnRecord";
import { noteVersion } from "../stages/claimVersions";
import { endedEviction } from "../stages/evictionRecord";
import { putBackOf } from "../stages/leaderLimits";
import { finishBeforeDestroy, finishByHand } from "../stages/smoothUpgrade";
import { unfinishedRemake } from "../volumes/remake";
import { counted } from "../vocabulary/counted";
import { type LookOptions, noLook, type PdPart } from "../vocabulary/look";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Action } from "../vocabulary/actions";
import type { Move } from "../vocabulary/move";
import { defaultPolicy } from "../vocabulary/target";
import { waitOrFail } from "../vocabulary/waitOrFail";
import type { EvictionRecord, Observation, OperationRecords } from "../vocabulary/observation";

/**
 * The steps before a whole cluster is deleted: nothing that this package began is left in PD or in the records, and the
 * claims, which stay, record which version used them.
 */

/** The steps that only a destroy has. The timeline shows their names. */
export const stepsOfDestroy = {
    recordsForgotten: "records-forgotten",
    smoothUpgradeFinished: "smooth-upgrade-finished",
    stopped: "stopped",
} as const;

/** How long to wait for PD. A PD that has just elected a leader loads its schedulers within a minute. */
const timeoutSeconds = 120;

/** The stores show whether another cluster uses this PD, which must then be locked. */
const evictionParts: readonly PdPart[] = [
    "leadership",
    "stores",
    "evicted-stores",
    "persisted-evictions",
    "cluster-id",
];

/** What to observe for a destroy. PD is queried only if an eviction or raised limits are recorded. @param members whose versions are recorded. */
export function lookForDestroy(records: OperationRecords, members: readonly Component[]): LookOptions {
    const isRaised = records.raisedLimits !== undefined;
    const isBegun = isRaised || Object.keys(records.evictions).length > 0;
    const limits: readonly PdPart[] = isRaised ? ["leader-limits"] : [];
    const asks = records.smoothUpgrade === undefined ? [] : (["upgrade-state"] as const);
    return { ...noLook, components: members, pd: isBegun ? [...evictionParts, ...limits] : [], asks };
}

/** @returns the next move until the claims have their records, and the Lease has none. */
export function nextDestroyMove(observation: Observation, memory: Memory): Move {
    for (const component of components) {
        const target = { component, policy: { ...defaultPolicy, podReadyTimeoutSeconds: timeoutSeconds } };
        const remade = unfinishedRemake(observation, target, memory);
        if (remade) {
            return remade;
        }
        const noted = noteVersion(observation, component, memory, "last");
        if (noted) {
            return noted;
        }
    }
    const { evictions, removals, raisedLimits, smoothUpgrade, batch } = observation.records;
    for (const [storeId, record] of Object.entries(evictions)) {
        return evictionMove(observation, Number(storeId), record, memory);
    }
    if (raisedLimits !== undefined) {
        return limitsMove(observation, memory);
    }
    if (smoothUpgrade !== undefined) {
        return upgradeMove(observation, memory);
    }
    const forgotten = { kind: "act", step: stepsOfDestroy.recordsForgotten, withoutPd: true } as const;
    for (const [of, record] of Object.entries(removals)) {
        return { ...forgotten, action: { do: "forget-removal", of }, target: record.pod };
    }
    if (batch !== undefined) {
        return { ...forgotten, action: forgetBatch(batch), target: Object.keys(batch.stores)[0] };
    }
    return { kind: "done" };
}

/** Says that the volumes stay, and how to list and to delete them. @returns `undefined` if none is seen. */
export function describeKeptClaims(
    { members }: Observation,
    { namespace, instance }: { namespace: string; instance: string },
): string | undefined {
    const claims = Object.values(members).flatMap((member) => member.claims.filter(({ terminating }) => !terminating));
    const of = `pvc --namespace ${namespace} --selector ${instanceLabel}=${instance}`;
    return claims.length === 0
        ? undefined
        : `${counted(claims.length, "volume claim")} and the data on them stay, unless namespace ${namespace} is deleted too, as where the program made it. List them: \`kubectl get ${of}\`. Once the pods are gone, delete them and the data: \`kubectl delete ${of}\``;
}

function limitsMove(observation: Observation, memory: Memory): Move {
    const step = "limits-put-back";
    const target = observation.cluster;
    const action = putBackOf(observation);
    if (action && mayAct(memory, action, observation.now)) {
        return { kind: "act", action, step, target };
    }
    const { leaderLimits } = observation.pd;
    const isRefused = leaderLimits.known;
    const why = isRefused ? "PD refuses it" : (observation.pdTrouble?.why ?? leaderLimits.why);
    return waitOrFail(observation, { policy: { podReadyTimeoutSeconds: timeoutSeconds } }, memory, {
        step,
        target,
        lacks: `PD's limits of moving leaders are raised, and cannot be put back now: ${why}`,
        advice: `${isRefused ? "PD refuses it while something else has set the limit for a time, such as a backup or an import: let that end first. Otherwise " : ""}${withoutPdData(observation)}`,
        ...(observation.pdTrouble?.isFinal ? { seconds: 0 } : {}),
    });
}

function upgradeMove(observation: Observation, memory: Memory): Move {
    const step = stepsOfDestroy.smoothUpgradeFinished;
    const target = "TiDB";
    const act = (action: Action): Move => ({ kind: "act", action, step, target, withoutPd: true });
    const end = finishBeforeDestroy(observation);
    if (end === undefined) {
        return act({ do: "forget-upgrade" });
    }
    if ("action" in end && mayAct(memory, end.action, observation.now)) {
        return act(end.action);
    }
    return waitOrFail(observation, { policy: { podReadyTimeoutSeconds: timeoutSeconds } }, memory, {
        step,
        target,
        lacks: "lacks" in end ? end.lacks : "TiDB still says that it is being upgraded",
        advice: `${finishByHand}, then run \`pulumi destroy\` again`,
    });
}

/** Says that a cluster which is made of the volumes later has its DDL paused. @returns `undefined` if that is not so. */
export function describePausedDdl(observation: Observation): string | undefined {
    const { smoothUpgrade } = observation.records;
    return smoothUpgrade === undefined || finishBeforeDestroy(observation) !== undefined
        ? undefined
        : `TiDB's smooth upgrade from ${smoothUpgrade.from} to ${smoothUpgrade.to} is not finished: servers of both versions are left, or none is Ready. A later cluster on these volumes has the DDL statements of users paused. Then ${finishByHand}`;
}

function withoutPdData({ cluster }: Observation): string {
    return `bring PD back and run \`pulumi destroy\` again. If the data of this PD will never be used again, remove the record instead: kubectl annotate lease ${leaseName(cluster)} ${leaseAnnotations.records}- (in the cluster's namespace)`;
}

function evictionMove(observation: Observation, storeId: number, record: EvictionRecord, memory: Memory): Move {
    const { leadership, evictedStores, stores } = observation.pd;
    const step = "eviction-ended";
    const target = record.pod;
    const act = (action: Action, withoutPd = false): Move => ({ kind: "act", action, step, target, withoutPd });
    if (stores.known && evictedStores.known && leadership.known && leadership.value.hasSchedulers) {
        const state = record.endedAt === undefined ? "open" : endedEviction(observation, storeId, record);
        if (state === "gone" || state === "unverified") {
            return act({ do: "forget-eviction", storeId }, true);
        }
        const end = { do: "end-eviction", storeId, pod: record.pod, under: leadership.value.term } as const;
        if (mayAct(memory, end, observation.now)) {
            return act(end);
        }
    }
    const why = observation.pdTrouble?.why ?? reason(observation);
    return waitOrFail(observation, { policy: { podReadyTimeoutSeconds: timeoutSeconds } }, memory, {
        step,
        target,
        lacks: `store ${storeId} (${record.pod}) is under eviction, which cannot be ended now: ${why}`,
        advice: withoutPdData(observation),
        ...(observation.pdTrouble?.isFinal ? { seconds: 0 } : {}),
    });
}

function reason({ pd: { leadership, stores, evictedStores } }: Observation): string {
    const unknown = [leadership, stores, evictedStores].find((fact) => !fact.known);
    if (unknown?.known === false) {
        return unknown.why;
    }
    return leadership.known && !leadership.value.hasSchedulers
        ? `${leadership.value.leader} has not loaded its schedulers`
        : "PD still lists the eviction";
}

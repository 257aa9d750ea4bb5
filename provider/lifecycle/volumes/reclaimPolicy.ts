import { memberName } from "../../../topology/names";
import type { Action } from "../vocabulary/actions";
import type { BoundClaim } from "../vocabulary/actions/reclaimPolicy";
import { getsPolicy, type ReclaimPolicy } from "../vocabulary/boundVolume";
import { counted } from "../vocabulary/counted";
import type { Look } from "../vocabulary/look";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import { type Notice, noticesOf } from "../vocabulary/notices";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";

/** What becomes of volumes once their claims are deleted, where the program says it: `spec.pvReclaimPolicy`. */

/** The name of the step. */
export const stepOfReclaim = "reclaim-policy";

/** The volumes of a member that have another policy than the program says. */
export interface DueVolumes {
    readonly on: string;
    readonly policy: ReclaimPolicy;
    readonly claims: readonly BoundClaim[];
}

/** Which volumes need another policy, and which could not be read, in words. */
export interface ReclaimWork {
    readonly due: readonly DueVolumes[];
    readonly remarks: readonly string[];
}

/** @returns what differs from the program, or what must be read first. A claim that is not bound yet has no volume, and what is not known changes nothing. */
export function reclaimWork(observation: Observation, targets: readonly MemberTarget[]): ReclaimWork | { look: Look } {
    const wanted = targets.flatMap(({ component, reclaimPolicy: policy }) => {
        const claims = (observation.members[component]?.claims ?? []).filter(getsPolicy);
        const on = memberName(observation.cluster, component);
        return policy === undefined || claims.length === 0 ? [] : [{ component, on, policy, claims }];
    });
    if (wanted.some(({ claims }) => claims.some(({ volume }) => volume === undefined))) {
        return { look: { volumesOf: wanted.map(({ component }) => component) } };
    }
    const due = wanted.map(({ on, policy, claims }): DueVolumes => ({
        on,
        policy,
        claims: claims.flatMap(({ name, uid, volume }) =>
            volume?.known && volume.value !== undefined && volume.value.reclaimPolicy !== policy
                ? [{ name, uid, volume: volume.value }]
                : [],
        ),
    }));
    const asked = wanted.flatMap(({ claims }) => claims);
    const unread = asked.flatMap(({ volume }) => (volume?.known === false ? [volume.why] : []));
    const of = `${unread.length} of ${counted(asked.length, "volume")} of ${observation.cluster}`;
    const remarks = unread.length === 0 ? [] : [`the reclaim policy of ${of} is not known: ${unread[0]}`];
    return { due: due.filter(({ claims }) => claims.length > 0), remarks };
}

/** @returns a line for each member whose volumes get another policy. */
export function planReclaim(due: readonly DueVolumes[]): string[] {
    return due.map(({ on, policy, claims }) => {
        const before = [...new Set(claims.map(({ volume }) => volume.reclaimPolicy))].sort().join(", ");
        return `set reclaim policy ${policy} on ${counted(claims.length, "volume")} of ${on} (now ${before})`;
    });
}

/** Volumes are no objects of a namespace, so a Role cannot grant it. */
const grant = 'Grant this by a ClusterRole: { apiGroups: [""], resources: [persistentvolumes], verbs: [get, patch] }';

/** @returns the notice of what stays as it is; none if nothing does. */
export function policiesStay(left: readonly string[]): Notice[] {
    return noticesOf("reclaim-policy-stays", left.length === 0 ? undefined : `${left.join("; ")}. ${grant}`);
}

/**
 * Returns the move that gives the volumes the program's policy. If the API server does not take it, nothing waits for it: the cluster works without it, and
 * the next update tries again.
 * @returns `done`, with what stays as it is.
 */
export function nextReclaimMove(
    observation: Observation,
    targets: readonly MemberTarget[],
    memory: Memory,
): Exclude<Move, { kind: "wait" | "fail" }> {
    const work = reclaimWork(observation, targets);
    if ("look" in work) {
        return { kind: "look", at: work.look };
    }
    const { due, remarks } = work;
    for (const { policy, claims, on } of due) {
        const action: Action = { do: "set-reclaim-policy", policy, claims };
        if (mayAct(memory, action, observation.now)) {
            return { kind: "act", action, step: stepOfReclaim, target: on };
        }
    }
    const stay = due.map(
        ({ on, policy, claims }) => `${counted(claims.length, "volume")} of ${on} did not take ${policy}`,
    );
    const left = policiesStay([...stay, ...remarks]);
    return { kind: "done", ...(left.length > 0 ? { remarks: left } : {}) };
}

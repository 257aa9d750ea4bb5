import type { LostVolumes } from "../vocabulary/failureRecord";
import type { Action } from "../vocabulary/actions";
import type { Observation, ObservedStore } from "../vocabulary/observation";
import { type PodView, viewOf } from "../vocabulary/stage";
import { defaultPolicy } from "../vocabulary/target";
import { podOrdinal } from "../../../topology/podNames";
import { isInNoOther } from "../stages/pdQuorum";
import { isBack, lostClaims, type LostPod } from "./lostPods";

/** How far PD has dropped what is on record. `returns`: its node exists again before it has left. */
export type RemovalFromPd =
    | { readonly is: "unknown"; readonly why: string }
    /** `remove` is undefined if what PD lists now is not on record. */
    | { readonly is: "in"; readonly remove?: Action }
    | { readonly is: "leaving"; readonly store: ObservedStore; readonly returns: boolean }
    | { readonly is: "out" };

export function removalFromPd(view: PodView, record: LostVolumes): RemovalFromPd {
    const { component, node, storeId, member } = record;
    const { stores, tombstones, members } = view.pd;
    if (!stores.known || !tombstones.known || !members.known) {
        const lacking = [stores, tombstones, members].find((fact) => !fact.known) as { why: string };
        return { is: "unknown", why: `PD's members and stores are not known: ${lacking.why}` };
    }
    if (member !== undefined && members.value.some(({ memberId }) => memberId === member.id)) {
        const remove = { do: "remove-member", member: member.name, memberId: member.id, pod: view.podName } as const;
        return { is: "in", remove: { ...remove, isDead: true } };
    }
    const store = stores.value.find(({ id }) => id === storeId);
    if (store?.state === "Offline") {
        return { is: "leaving", store, returns: isBack(view, node) };
    }
    if (store) {
        const { id, regionCount: regions } = store;
        return { is: "in", remove: { do: "remove-store", storeId: id, pod: view.podName, regions, isLost: true } };
    }
    const isGone = lostClaims(view, record).length === 0;
    if (!isGone && view.stores.length + view.pdMembers.length > 0) {
        // PD has dropped what was on these volumes. What it lists now may have begun anew on them, and was never judged.
        return { is: "in" };
    }
    if (member !== undefined) {
        return members.value.length > 0 ? { is: "out" } : { is: "unknown", why: "PD lists no members" };
    }
    if (storeId === undefined) {
        return component !== "pd" || isInNoOther(members.value, view.podName) ? { is: "out" } : unknownMembers;
    }
    // PD forgets Tombstone stores. Once the claims are gone too, nothing is left that the record is for.
    return isGone || tombstones.value.some(({ id }) => id === storeId)
        ? { is: "out" }
        : { is: "unknown", why: `PD lists store ${storeId} (${view.podName}) neither as live nor as Tombstone` };
}

export const unknownMembers = { is: "unknown", why: "PD lists no member for it, but members of unknown pods" } as const;

/** Whether PD has begun to drop what is on record. A record alone is no consent: it outlives a node that comes back. */
export function isBegun({ view, record }: Pick<LostPod, "view" | "record">): boolean {
    return record !== undefined && removalFromPd(view, record).is !== "in";
}

/** @returns the pod of a record, as it is now. */
export function viewOfLost(observation: Observation, pod: string, { component }: LostVolumes): PodView {
    const target = { component, replicas: 0, policy: defaultPolicy };
    return viewOf(observation, target, podOrdinal(pod, observation.cluster, component) ?? 0);
}

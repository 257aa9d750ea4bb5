import type { LostVolumes } from "../vocabulary/failureRecord";
import type { Action } from "../vocabulary/actions";
import { claimsOf, type PodView } from "../vocabulary/stage";
import { isBack, lostClaims } from "./lostPods";

/** What lacks until the pod can start empty on another node, and the action towards it. */
export type Emptying = { readonly lacks: string; readonly action: Action } | { readonly lacks: string };

/**
 * PD has dropped what is on the volumes. Their claims are deleted first, by the UIDs on record, so that no later pod gets hold of them; then the pod,
 * unless Kubernetes has made its claims again and it runs elsewhere.
 *
 * @returns undefined once the pod starts empty.
 */
export function emptied(
    view: PodView,
    { node, podUid, claims, component, ...record }: LostVolumes,
): Emptying | undefined {
    const { pod, podName } = view;
    const old = lostClaims(view, { node, claims });
    const named = (some: readonly { name: string }[]) => some.map(({ name }) => name).join(", ");
    const back = old.find(({ place }) => place === undefined || isBack(view, node));
    if (back !== undefined) {
        return {
            lacks: `node ${node} exists again, and ${podName} may use ${back.name}, which PD has dropped: delete both by hand`,
        };
    }
    const kept = old.filter(({ terminating }) => !terminating);
    if (kept.length > 0 && pod !== undefined && pod.uid !== podUid) {
        // Its pod was made anew, with the same claims.
        const lost = { ...record, component, node, podUid: pod.uid, claims };
        return {
            lacks: "the record on the Lease is not seen yet",
            action: { do: "note-lost-volumes", pod: podName, lost },
        };
    }
    if (kept.length > 0) {
        const action = {
            do: "delete-claims",
            claims: kept.map(({ name, uid, resourceVersion }) => ({ name, uid, resourceVersion })),
            ofDead: podName,
        } as const;
        return { lacks: `${named(kept)} not deleted yet`, action };
    }
    const remade = claims.every(({ name }) => claimsOf(view).some((one) => one.name === name && !old.includes(one)));
    const isThere = pod !== undefined && !isBack(view, node) && (pod.node === undefined || pod.node === node);
    const isStuck = isThere && (pod.uid === podUid || !remade);
    if (isStuck && !pod.terminating) {
        const { name, uid, resourceVersion } = pod;
        return {
            lacks: `${name} has not been deleted`,
            action: { do: "delete-pod", pod: name, uid, resourceVersion, lost: node },
        };
    }
    return old.length === 0 ? undefined : { lacks: `${named(old)} are marked for deletion, and still exist` };
}

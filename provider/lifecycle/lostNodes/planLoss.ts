import { claimsOf } from "../vocabulary/stage";
import { counted } from "../vocabulary/counted";
import { type Notice, noticesOf } from "../vocabulary/notices";
import type { Observation } from "../vocabulary/observation";
import type { Look } from "../vocabulary/look";
import type { PlanStep } from "../walks/planStep";
import { judgeLoss, tooFewWithout } from "./judgeLoss";
import { isBegun, removalFromPd } from "./removalFromPd";
import { type LostNodesTarget, type LostPod, lostPods, unknownPlace, volumesOn } from "./lostPods";

/** What is given up with the nodes. `unknown`: what must be known first; until then, the steps are only those that were begun. */
export type LossPlan = { readonly steps: readonly PlanStep[] } & (
    | { readonly look: Look }
    | { readonly unknown: string; readonly pods: readonly string[] }
    | {
          /** Pods of which a record is deleted: nothing of them was removed, and nothing may be now. */
          readonly forgets: readonly string[];
          /** What the program asks for and the update does not do, and why. */
          readonly warnings: readonly Notice[];
          readonly remarks: readonly Notice[];
      }
);

export function planLoss(observation: Observation, target: LostNodesTarget): LossPlan {
    const pods = lostPods(observation, target);
    const steps: PlanStep[] = [];
    const warnings: Notice[] = [];
    const remarks: Notice[] = [];
    const forgets: string[] = [];
    const named = pods.map(({ view }) => view.podName);
    const place = unknownPlace(observation);
    const unknown = place ?? (pods.length > 0 ? observation.pdTrouble?.why : undefined);
    // What PD has begun to drop goes on, whatever is not known of the others.
    const begun = pods.filter(isBegun).map(giveUpStep);
    if (unknown !== undefined) {
        return { steps: begun, unknown, pods: named };
    }
    for (const pod of pods) {
        const judged = isBegun(pod) ? undefined : judgeLoss(pod, pods);
        if (judged === undefined) {
            steps.push(giveUpStep(pod));
        } else if ("refused" in judged) {
            // A Ready pod has lost nothing.
            const message = `nothing of ${pod.view.podName} is given up: ${judged.refused}`;
            (pod.view.pod?.ready ? remarks : warnings).push({ code: "volumes-not-given-up", message });
            forgets.push(...(pod.record ? [pod.view.podName] : []));
        } else {
            const lacking = "look" in judged ? judged : { unknown: judged.lacks, pods: named };
            return { steps: begun, ...lacking };
        }
    }
    remarks.push(...noticesOf("store-left-behind", ...leftBehind(observation, target)));
    const done = target.nodes.filter((node) => pods.every((pod) => pod.node !== node));
    return {
        steps,
        forgets,
        warnings,
        remarks: [
            ...remarks,
            ...noticesOf(
                "lost-node-over",
                ...done.map(
                    (node) =>
                        `no pod that is not Ready has a volume on node ${node}: take it out of operations.lostNodes`,
                ),
            ),
        ],
    };
}

/** @returns without which stores, that PD was told to empty, the update goes on. */
export function leftBehind(observation: Observation, target: LostNodesTarget): string[] {
    return lostPods(observation, target).flatMap(({ view, record }) => {
        const state = record && removalFromPd(view, record);
        if (state?.is !== "leaving" || state.returns) {
            return [];
        }
        const { id, regionCount } = state.store;
        const few = tooFewWithout(view);
        return few === undefined
            ? `PD has not yet emptied store ${id}, with ${counted(regionCount, "region")} left: it needs free space on others. After ${target.policy.storeRemovalTimeoutSeconds} s the update goes on without it`
            : `PD cannot empty store ${id}: ${few}. The update goes on without it`;
    });
}

function giveUpStep({ view, node, record }: LostPod): PlanStep {
    const { podName, target, store, pdMember } = view;
    const { component } = target;
    const volumes = volumesOn(view, [node]).map(({ volume }) => volume);
    const claims = claimsOf(view).map(({ name }) => name);
    const removal =
        component === "pd"
            ? pdMember && `remove member ${pdMember.name} from PD`
            : store && `remove store ${store.id} from PD and wait for Tombstone`;
    const on =
        volumes.length === 0 ? "its volumes were" : `${volumes.join(", ")} ${volumes.length === 1 ? "is" : "are"}`;
    return {
        kind: "give-up",
        component,
        target: podName,
        why: `${isBegun({ view, record }) ? "an earlier run has begun; " : ""}${on} on node ${node}, which is gone`,
        does: [...(removal ? [removal] : []), `delete ${[...claims, podName].join(", ")}`],
        waitsFor: "it may start empty on another node",
        estimateSeconds: store ? 120 : 30,
        risk: volumes.length === 0 ? undefined : `all that is on ${volumes.join(", ")} is lost${whatStays(view)}`,
    };
}

/** What it was, by its id, and why nothing of the database is lost with it. */
function whatStays({ target: { component }, store, pdMember }: LostPod["view"]): string {
    if (component === "pd" && pdMember) {
        return `: that of PD member ${pdMember.memberId}; the other members have all of it`;
    }
    if (store === undefined) {
        return ", which PD has dropped already";
    }
    const copies =
        component === "tiflash"
            ? "TiFlash copies its tables again from TiKV"
            : "every region keeps a majority on other stores";
    return `: the replicas of store ${store.id}; ${copies}`;
}

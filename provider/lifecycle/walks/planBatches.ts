import { batchProofNow } from "../stages/batches/batchMates";
import { batchOnRecord, isInBatch } from "../stages/batches/batchOnRecord";
import { marginInWords, proofInWords } from "../stages/batches/batchWords";
import { canBeInBatch, chooseBatch } from "../stages/batches/chooseBatch";
import type { BatchProof } from "../stages/batches/memberBatch";
import { mustTryOne } from "../stages/batches/mustTryOne";
import type { Look } from "../vocabulary/look";
import type { Observation } from "../vocabulary/observation";
import type { PodView } from "../vocabulary/stage";
import { type MemberTarget, sideBySide } from "../vocabulary/target";
import { isLeftAlone } from "./leftAlone";
import { walkOrder } from "./rollout";

/** The batches that a rollout would take now. */
export interface PlannedBatches {
    /** By pod: the pods of its batch, in order, and what proves it. */
    readonly byPod: ReadonlyMap<string, PlannedBatch>;
    /** What must be read to know. Default: nothing. */
    readonly look?: Look;
    /** Why pods restart one by one. Default: none does, or none could restart with it. */
    readonly why?: string;
}

interface PlannedBatch {
    /** Those that are still to restart. */
    readonly pods: readonly string[];
    /** All of its pods: any of them may be down when one restarts. */
    readonly all: readonly string[];
    readonly proof: BatchProof;
}

/** @param mustRestart whether a pod has to restart. */
export function planBatches(
    observation: Observation,
    target: MemberTarget,
    mustRestart: (view: PodView) => boolean,
): PlannedBatches {
    const byPod = new Map<string, PlannedBatch>();
    if (sideBySide(target) === 1) {
        return { byPod };
    }
    const views = walkOrder(observation, target, mustRestart);
    const plan = (pods: readonly string[], all: readonly string[], proof: BatchProof) =>
        pods.forEach((pod) => byPod.set(pod, { pods, all, proof }));
    const begun = views.filter((view) => isInBatch(view) && mustRestart(view)).map(({ podName }) => podName);
    // Only what is still to restart needs a proof. A batch may stay on record although its pods are none of the program's any more.
    const proof = begun.length === 0 ? undefined : batchProofNow({ observation, target }, mustRestart);
    if (proof !== undefined && "look" in proof) {
        return { byPod, look: ofAll(proof.look, views) };
    }
    const recorded = Object.keys(batchOnRecord({ observation, target })?.stores ?? {});
    if (recorded.length > 1 && proof !== undefined && "proof" in proof) {
        plan(begun, recorded, proof.proof);
    }
    let why = proof !== undefined && "why" in proof ? proof.why : undefined;
    const [alone] = mustTryOne({ observation, target }, mustRestart)
        ? views.filter((view) => mustRestart(view) && !isLeftAlone(view, mustRestart))
        : [];
    let left = views.filter((view) => view !== alone && !isInBatch(view) && canBeInBatch(view, mustRestart));
    while (left.length > 1) {
        const choice = chooseBatch(left);
        if (choice !== undefined && "look" in choice) {
            return { byPod, look: ofAll(choice.look, views) };
        }
        if (choice !== undefined && "stores" in choice) {
            const pods = Object.keys(choice.stores);
            plan(pods, pods, choice.proof);
        } else {
            why ??= choice?.why;
        }
        left = left.slice(1).filter(({ podName }) => !byPod.has(podName));
    }
    return { byPod, ...(why === undefined ? {} : { why }) };
}

/**
 * One batch needs the regions of its stores, and the next one those of others: a plan lists those of all at once. A batch on record may
 * have stores of pods that the program no longer wants.
 */
function ofAll(look: Look, views: readonly PodView[]): Look {
    if (!("regions" in look) || look.regions === "short" || !("ofStores" in look.regions)) {
        return look;
    }
    const inOrder = [...views].sort((one, other) => other.ordinal - one.ordinal);
    const ids = inOrder.flatMap(({ store }) => (store === undefined ? [] : [store.id]));
    return { regions: { ofStores: [...new Set([...ids, ...look.regions.ofStores])] } };
}

/** @returns the batch of the pod in words, for the plan; undefined if the pod restarts alone. */
export function batchInWords({ byPod }: PlannedBatches, pod: string): string | undefined {
    const batch = byPod.get(pod);
    if (batch === undefined) {
        return undefined;
    }
    return `in one batch with ${othersOf(batch, pod)} (${proofInWords(batch.proof)})`;
}

/** @returns what the batch of the pod puts at risk; undefined if the pod restarts alone. */
export function batchRisk({ byPod }: PlannedBatches, pod: string): string | undefined {
    const batch = byPod.get(pod);
    return batch && `restarts beside ${othersOf(batch, pod)}: ${marginInWords(batch.proof)}`;
}

function othersOf({ all }: PlannedBatch, pod: string): string {
    return all.filter((one) => one !== pod).join(", ");
}

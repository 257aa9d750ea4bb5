import { batchProofNow } from "../stages/batches/batchMates";
import { batchOnRecord, isInBatch } from "../stages/batches/batchOnRecord";
import { marginInWords, proofInWords } from "../stages/batches/batchWords";
import { canBeInBatch, chooseBatch } from "../stages/batches/chooseBatch";
import type { BatchProof } from "../stages/batches/memberBatch";
import { memberBatches } from "../stages/batches/memberBatches";
import type { Look } from "../vocabulary/look";
import type { Observation } from "../vocabulary/observation";
import { type PodView, viewOf } from "../vocabulary/stage";
import { type MemberTarget, sideBySide } from "../vocabulary/target";
import { afterScaleIn, isWell, leavingViews, onceWell } from "./foreseenPods";
import { isLeftAlone } from "./leftAlone";
import { walkOrder } from "./rollout";

/** The batches that a rollout would take, once what comes before it is done. */
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
    /** What the update waits for before, after which all is proven anew: `basic-tikv-3 is well`. Empty if there is nothing. */
    readonly after: readonly string[];
}

/**
 * Each batch is planned as the cluster will be when the update comes to it: pods that leave have left, and those before it are well.
 * @param mustRestart whether a pod has to restart.
 */
export function planBatches(
    observation: Observation,
    target: MemberTarget,
    mustRestart: (view: PodView) => boolean,
): PlannedBatches {
    const byPod = new Map<string, PlannedBatch>();
    if (sideBySide(target) === 1) {
        return { byPod };
    }
    let seen = afterScaleIn(observation, target);
    const after = leavingViews(observation, target).map(({ podName }) => `${podName} has left`);
    const views = walkOrder(seen, target, mustRestart);
    // Pods that do not exist yet start with the new template.
    const due = new Set(views.filter(mustRestart).map(({ podName }) => podName));
    const isDue = ({ podName }: PodView) => due.has(podName);
    const order = views.filter((view) => !isLeftAlone(view, mustRestart));
    const bringUp = (view: PodView) => {
        if (!isWell(view)) {
            after.push(`${view.podName} is well`);
            seen = onceWell(view);
        }
    };
    const now = ({ ordinal }: PodView) => viewOf(seen, target, ordinal);
    order.filter((view) => !isDue(view)).forEach((view) => bringUp(now(view)));
    const plan = (pods: readonly string[], all: readonly string[], proof: BatchProof) =>
        pods.forEach((pod) => byPod.set(pod, { pods, all, proof, after: [...after] }));

    const begun = views.filter((view) => isInBatch(view) && isDue(view)).map(({ podName }) => podName);
    // Only what is still to restart needs a proof. A batch may stay on record although its pods are none of the program's any more.
    const proof = begun.length === 0 ? undefined : batchProofNow({ observation: seen, target }, isDue);
    if (proof !== undefined && "look" in proof) {
        return { byPod, look: ofAll(proof.look, views) };
    }
    const recorded = Object.keys(batchOnRecord({ observation, target })?.stores ?? {});
    if (recorded.length > 1 && proof !== undefined && "proof" in proof) {
        plan(begun, recorded, proof.proof);
    }
    let why = proof !== undefined && "why" in proof ? proof.why : undefined;
    // The update waits for pods with the new template before it restarts others: then it is tried.
    let mustTry = memberBatches[target.component]?.triesOneFirst === true && order.every(isDue);
    const candidates = () =>
        order.map(now).filter((view) => !byPod.has(view.podName) && !isInBatch(view) && canBeInBatch(view, isDue));
    let left = candidates();
    for (const planned of order.filter(isDue)) {
        const { podName } = planned;
        if (byPod.has(podName) || left.length < 2) {
            continue;
        }
        const choice = mustTry || left[0].podName !== podName ? undefined : chooseBatch(left);
        mustTry = false;
        if (choice !== undefined && "look" in choice) {
            return { byPod, look: ofAll(choice.look, views) };
        }
        if (choice !== undefined && "stores" in choice) {
            const pods = Object.keys(choice.stores);
            plan(pods, pods, choice.proof);
        } else {
            why ??= choice?.why;
            due.delete(podName);
        }
        const before = seen;
        bringUp(now(planned));
        left = seen === before ? left.filter((view) => isDue(view) && !byPod.has(view.podName)) : candidates();
    }
    return { byPod, ...(why === undefined ? {} : { why: [why, ...anew(after)].join("; ") }) };
}

/** What the plan foresees may turn out otherwise, and a proof may be possible then that is not now. */
function anew(after: readonly string[]): string[] {
    const [first, ...others] = after;
    return first === undefined
        ? []
        : [`the update looks again once ${first}${others.length === 0 ? "" : ` and ${others.length} more`}`];
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

/** @returns the pods in the order in which they restart: those of a batch together, when its first one does. */
export function inOrderOfBatches(views: readonly PodView[], { byPod }: PlannedBatches): PodView[] {
    const places = new Map(views.map(({ podName }, place) => [podName, place]));
    const turn = ({ podName }: PodView) => places.get(byPod.get(podName)?.pods[0] ?? podName) ?? 0;
    return [...views].sort((one, other) => turn(one) - turn(other));
}

/** @returns the batch of the pod in words, for the plan; undefined if the pod restarts alone. */
export function batchInWords({ byPod }: PlannedBatches, pod: string): string | undefined {
    const batch = byPod.get(pod);
    if (batch === undefined) {
        return undefined;
    }
    return `in one batch with ${othersOf(batch, pod)} (${[proofInWords(batch.proof), ...anew(batch.after)].join("; ")})`;
}

/** @returns what the batch of the pod puts at risk; undefined if the pod restarts alone. */
export function batchRisk({ byPod }: PlannedBatches, pod: string): string | undefined {
    const batch = byPod.get(pod);
    return batch && `restarts beside ${othersOf(batch, pod)}: ${marginInWords(batch.proof)}`;
}

function othersOf({ all }: PlannedBatch, pod: string): string {
    return all.filter((one) => one !== pod).join(", ");
}

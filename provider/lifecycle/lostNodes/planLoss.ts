import type { DryRun } from "../dryRun/dryRun";
import { type DueStep, planSteps, type PlannedSteps } from "../dryRun/planSteps";
import { counted } from "../vocabulary/counted";
import { type Notice, noticesOf } from "../vocabulary/notices";
import type { Observation } from "../vocabulary/observation";
import type { Look } from "../vocabulary/look";
import { judgeLoss, tooFewWithout } from "./judgeLoss";
import { isBegun, removalFromPd } from "./removalFromPd";
import { type LostNodesTarget, type LostPod, lostPods, unknownPlace, volumesOn } from "./lostPods";

/** What is given up with the nodes. `unknown`: what must be known first; until then, the steps are those that were begun, and waits. */
export type LossPlan = { readonly steps: readonly DueStep[] } & (
    | { readonly look: Look }
    | { readonly unknown: string }
    | {
          /** What the program asks for and the update does not do, and why. */
          readonly warnings: readonly Notice[];
          readonly remarks: readonly Notice[];
      }
);

/** @returns why the cluster could not be asked what is lost; undefined if it was, or if nothing can be lost. */
export function unreadLoss(observation: Observation, target: LostNodesTarget): string | undefined {
    const { pdTrouble } = observation;
    return unknownPlace(observation) ?? (lostPods(observation, target).length > 0 ? pdTrouble?.why : undefined);
}

export function planLoss(observation: Observation, target: LostNodesTarget): LossPlan {
    const pods = lostPods(observation, target);
    const steps: DueStep[] = [];
    const warnings: Notice[] = [];
    const remarks: Notice[] = [];
    // What PD has begun to drop goes on, whatever is not known of the others.
    const begunOr = (others: (pod: LostPod) => DueStep[]) =>
        pods.flatMap((pod) => (isBegun(pod) ? [giveUpStep(pod)] : others(pod)));
    const until = (unknown: string) => ({ steps: begunOr((pod) => [waitStep(pod)]), unknown });
    const unknown = unreadLoss(observation, target);
    if (unknown !== undefined) {
        return until(unknown);
    }
    for (const pod of pods) {
        const judged = isBegun(pod) ? undefined : judgeLoss(pod, pods);
        if (judged === undefined) {
            steps.push(giveUpStep(pod));
        } else if ("refused" in judged) {
            // A Ready pod has lost nothing.
            const message = `nothing of ${pod.view.podName} is given up: ${judged.refused}`;
            (pod.view.pod?.ready ? remarks : warnings).push({ code: "volumes-not-given-up", message });
        } else {
            return "look" in judged ? { steps: begunOr(() => []), look: judged.look } : until(judged.lacks);
        }
    }
    remarks.push(...noticesOf("store-left-behind", ...leftBehind(observation, target)));
    const done = target.nodes.filter((node) => pods.every((pod) => pod.node !== node));
    return {
        steps,
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

/** @param live what it began with. @returns the steps of the plan, as their dry run has them. */
export function lossSteps(run: DryRun, live: Observation, target: LostNodesTarget): PlannedSteps {
    const recorded = lostPods(live, target).filter(({ record }) => record !== undefined);
    return planSteps(run, planLoss(live, target).steps, live, {
        component: "tikv",
        // Nothing of it was removed, and nothing may be now.
        isLeft: (pod) => recorded.some(({ view }) => view.podName === pod),
        why: () => "its volumes are not given up",
    });
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

function waitStep({ view: { podName, target }, node }: LostPod): DueStep {
    const why = `not all is known of what is lost with node ${node}`;
    return { kind: "wait", component: target.component, target: podName, why, isOpenEnded: true };
}

function giveUpStep({ view, node, record }: LostPod): DueStep {
    const volumes = volumesOn(view, [node]).map(({ volume }) => volume);
    const on =
        volumes.length === 0 ? "its volumes were" : `${volumes.join(", ")} ${volumes.length === 1 ? "is" : "are"}`;
    return {
        kind: "give-up",
        component: view.target.component,
        target: view.podName,
        why: `${isBegun({ view, record }) ? "an earlier run has begun; " : ""}${on} on node ${node}, which is gone`,
        waitsFor: "it may start empty on another node",
        risk: () =>
            volumes.length === 0 ? undefined : `all that is on ${volumes.join(", ")} is lost${whatStays(view)}`,
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

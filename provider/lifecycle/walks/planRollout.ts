import { memberName } from "../../../topology/names";
import { podOrdinal } from "../../../topology/podNames";
import { isLeftAlone } from "./leftAlone";
import { isMoving, nodeOf } from "../drain/moveStages";
import { type DryRun, type ForeseenMove, startSeconds } from "../dryRun/dryRun";
import { type DueStep, planSteps, type PlannedSteps, podOf } from "../dryRun/planSteps";
import { memberLifecycles } from "../members/memberLifecycles";
import type { FixedClaim } from "../vocabulary/fixedFields";
import { fileSystemsInWords, startsForVolume } from "../volumes/fileSystem";
import { droppedTemplates, volumeChangesInWords, withAddedTemplates } from "../stages/podVolumes";
import { mustStartForVolume } from "../volumes/sizedClaims";
import { batchProofNow } from "../stages/batches/batchMates";
import { batchOnRecord, isInBatch } from "../stages/batches/batchOnRecord";
import { marginInWords, proofInWords } from "../stages/batches/batchWords";
import { batchBeginningWith } from "../stages/batches/chooseBatch";
import { memberBatches } from "../stages/batches/memberBatches";
import { groupsOf, podIndexOf } from "../vocabulary/podIndex";
import type { Observation } from "../vocabulary/observation";
import { type PodView, viewOf } from "../vocabulary/stage";
import { askedSideBySide, type MemberTarget, sideBySide } from "../vocabulary/target";
import { leftOpenIn } from "./leftOpen";
import type { PlanStep } from "./planStep";
import { earlierVersionRisk, otherImageRisk, reasonOfRestart, reasonOfStart, risksOf } from "./restartReason";
import { walkOrder } from "./rollout";
import { restartsIn, templateState, type TemplateState } from "./wantedTemplate";
import { withoutNode } from "./withoutNode";

/**
 * @returns the steps that a rollout takes in any case, as Kubernetes alone shows them, in their order. If the StatefulSet does not have the
 * wanted template yet (in a preview), all its pods count as stale.
 */
export function dueSteps(live: Observation, target: MemberTarget): DueStep[] {
    const observation = withAddedTemplates(live, target);
    const state = templateState(observation, target);
    const restarts = restartsIn(observation, target);
    const mustRestart = (view: PodView) =>
        view.pod !== undefined && (restarts(view) || isMoving(view) || startsForVolume(view));
    const steps = walkOrder(observation, target, mustRestart)
        .filter((view) => !isLeftAlone(view, mustRestart))
        .flatMap((view) => {
            if (mustRestart(view)) {
                return [restartStep(view, state, restarts(view))];
            }
            return view.pod?.ready === true ? growStep(view) : [startStep(view)];
        });
    const { statefulSet } = observation.members[target.component] ?? {};
    // Pods that run the wanted template already are seen to run it once the StatefulSet has it again.
    const isTakenBack = state === "other" && viewsWithPods(observation, target).some((view) => !restarts(view));
    const dropped = droppedTemplates(statefulSet, target);
    const isUnsettled = statefulSet !== undefined && (!statefulSet.settled || isTakenBack);
    const all = [...(dropped.length > 0 ? [dropStep(live, target, dropped)] : []), ...steps];
    return all.some(({ kind }) => kind !== "start") || !isUnsettled
        ? all
        : [...all, waitStep(target, statefulSet.name)];
}

function viewsWithPods(observation: Observation, target: MemberTarget): PodView[] {
    return walkOrder(observation, target).filter(({ pod }) => pod !== undefined);
}

/** @returns the steps of a rollout: what its dry run does, by pod, and what is due after its end. */
export function planRollout(run: DryRun, live: Observation, target: MemberTarget): PlannedSteps {
    const left = leftOpenIn(live, target.component);
    // What is of no single pod is ended for the whole member.
    const name = memberName(live.cluster, target.component);
    const named = new Set(run.moves.map(podOf));
    const leftOf = (of: string) => left.filter(({ pod }) => pod === of || (name === of && !named.has(pod)));
    const { foreseen, rest } = planSteps(run, dueSteps(live, target), live, {
        component: target.component,
        isLeft: (of) => leftOf(of).length > 0,
        why: (kind, of) => {
            if (kind === "start") {
                return "does not exist yet";
            }
            const why = leftOf(of).map((one) => one.why);
            const isScaledAway = (podOrdinal(of, live.cluster, target.component) ?? 0) >= target.replicas;
            return why.join("; ") || (isScaledAway ? "is scaled away" : "an earlier run left it behind");
        },
    });
    return { foreseen: inBatches(foreseen, run.moves, target), rest };
}

/** The first pod of a batch has the time of all: they restart side by side. */
function inBatches(steps: readonly PlanStep[], moves: readonly ForeseenMove[], target: MemberTarget): PlanStep[] {
    const firstOf = new Map<string, string>();
    const movesOf = groupsOf(moves, podOf);
    return steps.map((step): PlanStep => {
        const batch = step.kind === "restart" ? batchOf(step, movesOf.get(step.target) ?? [], target) : undefined;
        if (batch === undefined) {
            return step;
        }
        const { others, proof } = batch;
        const key = [step.target, ...others].sort().join(" ");
        const first = firstOf.get(key) ?? step.target;
        firstOf.set(key, first);
        const planned = {
            ...step,
            does: [`in one batch with ${others.join(", ")} (${proofInWords(proof)})`, ...step.does],
            risk: risksOf(`restarts beside ${others.join(", ")}: ${marginInWords(proof)}`, step.risk),
            alone: { risk: step.risk },
        };
        return first === step.target ? planned : { ...planned, estimateSeconds: 0, beside: first };
    });
}

/** @param moves of the pod. @returns the other pods of the batch in which the pod restarts, and what proves it; undefined if it restarts alone. */
function batchOf(step: PlanStep, moves: readonly ForeseenMove[], target: MemberTarget) {
    for (const { seen: observation } of moves) {
        const pod = podIndexOf(observation, target.component).pods.get(step.target);
        const pods = Object.keys(batchOnRecord({ observation, target })?.stores ?? {});
        const found = pods.length > 1 ? batchProofNow({ observation, target }) : undefined;
        if (pod && isInBatch(viewOf(observation, target, pod.ordinal)) && found && "proof" in found) {
            return { others: pods.filter((other) => other !== step.target), proof: found.proof };
        }
    }
    return undefined;
}

/** @returns why a pod restarts alone although the program asks for batches; undefined if none does, or if none could restart with it. */
export function whyOneByOne({ moves }: Pick<DryRun, "moves">, target: MemberTarget): string | undefined {
    if (sideBySide(target) === 1) {
        return undefined;
    }
    for (const { seen: observation, is, move } of moves) {
        const pod = podIndexOf(observation, target.component).pods.get(move.target);
        if (is !== "act" || pod === undefined || batchOnRecord({ observation, target }) !== undefined) {
            continue;
        }
        const choice = batchBeginningWith(viewOf(observation, target, pod.ordinal));
        if (choice !== undefined && "why" in choice) {
            return `${askedSideBySide(target)}; ${memberBatches[target.component]?.otherwise}: ${choice.why}`;
        }
    }
    return undefined;
}

function dropStep({ cluster }: Observation, { component }: MemberTarget, dropped: readonly FixedClaim[]): DueStep {
    const why = `without volume ${dropped.map(({ name }) => name).join(", ")}`;
    return { kind: "recreate", component, target: memberName(cluster, component), why };
}

/** @param isStale whether it restarts for the template. */
function restartStep(view: PodView, state: TemplateState, isStale: boolean): DueStep {
    const isMove = !isStale && isMoving(view);
    const lifecycle = memberLifecycles[view.target.component];
    // What no node takes may be what the new template mends.
    const { risk: onNode, ...open } = view.pod?.node === undefined ? {} : withoutNode(view);
    return {
        kind: isMove ? "move" : "restart",
        component: view.target.component,
        target: view.podName,
        why: isMove ? nodeOf(view) : restartReason(view, state, isStale),
        waitsFor: `Ready, ${lifecycle.startWaitsFor}`,
        seconds: startSeconds,
        risk: (seen) =>
            risksOf(
                lifecycle.restartRisk(viewOf(seen, view.target, view.ordinal)),
                earlierVersionRisk(view),
                state === "wanted" ? otherImageRisk(view) : undefined,
                onNode,
            ),
        ...(open.isOpenEnded ? { isOpenEnded: true } : {}),
    };
}

function restartReason(view: PodView, state: TemplateState, isStale: boolean): string {
    const changes = volumeChangesInWords(view);
    const why = isStale ? reasonOfRestart(view, state === "other") : mustStartForVolume(view) ? forVolume : undefined;
    return [why, changes].filter((one) => one !== undefined).join("; ");
}

/** A node that does not enlarge a file system in use leaves it to a new pod. */
function growStep(view: PodView): DueStep[] {
    const why = fileSystemsInWords(view);
    return why === undefined
        ? []
        : [
              {
                  ...{ kind: "grow", component: view.target.component, target: view.podName, why },
                  waitsFor: "its file system has the size; if it has not after 2 min, the pod restarts",
              },
          ];
}

const forVolume = "the file system of its volume grows when it starts";

function startStep(view: PodView): DueStep {
    const { component } = view.target;
    const { risk, ...open } = withoutNode(view);
    const { trouble, sidecarTrouble } = view.pod ?? {};
    return {
        kind: "start",
        component,
        target: view.podName,
        why: open.why ?? (view.pod === undefined ? reasonOfStart(view) : (trouble ?? sidecarTrouble ?? "not Ready")),
        waitsFor: `Ready, ${memberLifecycles[component].startWaitsFor}`,
        seconds: startSeconds,
        risk: () => risk,
        ...(open.isOpenEnded ? { isOpenEnded: true } : {}),
    };
}

/** Until the controller has seen the newest template, stale pods cannot be distinguished from current ones. */
function waitStep({ component }: MemberTarget, statefulSet: string): DueStep {
    return {
        kind: "wait",
        component,
        target: statefulSet,
        why: "the StatefulSet controller has not seen the newest template",
        waitsFor: "every pod runs it",
        seconds: 5,
    };
}

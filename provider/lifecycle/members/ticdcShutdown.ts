import { isStale } from "../stages/sharedStages";
import type { ObservedCaptures, ObservedPod } from "../vocabulary/observation";
import { type PodView, type Stage, viewOf } from "../vocabulary/stage";
import { canShutDownGracefully } from "./ticdcVersions";

/**
 * How a TiCDC capture is shut down: it gives up the ownership, then its tables; then the capture that is shut down next
 * gives up the ownership too, so it moves once and not with every pod. All of this shares `gracefulShutdownTimeout`, counted
 * from the start recorded on the pod. After the timeout the pod stops with whatever it still has. Facts from tidb-operator
 * pkg/manager/member/ticdc_upgrader.go, ticdc_scaler.go and pkg/controller/ticdc_control.go.
 */

const defaultTimeoutSeconds = 600;
/** A recorded shutdown that timed out longer ago than this belongs to an abandoned attempt. */
const abandonedAfterSeconds = 3_600;

/** The stages of a shutdown share the timeout of the whole shutdown. */
const untilTimeout = (view: PodView) => ({ seconds: timeoutOf(view), then: "go-on", as: "capture-shut-down" }) as const;
const advice = "no action needed: it continues by itself";

/** @returns when the shutdown of the pod began; undefined if it has not begun. */
export function shutdownBegunAt({ pod, observation, target }: Pick<PodView, "pod" | "observation" | "target">) {
    const begun = pod?.shutdownBegunAt;
    const longest = (timeoutOf({ target }) + abandonedAfterSeconds) * 1000;
    return begun !== undefined && observation.now - begun < longest ? begun : undefined;
}

function timeoutOf({ target }: Pick<PodView, "target">): number {
    return target.policy.gracefulShutdownTimeoutSeconds ?? defaultTimeoutSeconds;
}

/** @returns the pod's capture; undefined if it runs none or could not be queried. */
export function captureOf({ observation, podName }: Pick<PodView, "observation" | "podName">) {
    const answer = observation.captures?.byPod[podName];
    return answer !== undefined && "id" in answer ? answer : undefined;
}

/** All captures; undefined if this version cannot list them or if there is no other capture to take over. */
function manyCaptures({ list }: ObservedCaptures): { id: string; isOwner: boolean }[] | undefined {
    return Array.isArray(list) && list.length > 1 ? list : undefined;
}

/** @returns why captures could not be listed although this version supports it. */
export function listTrouble(captures: ObservedCaptures | undefined): string | undefined {
    if (captures === undefined) {
        return "TiCDC has not been queried";
    }
    return typeof captures.list === "object" && "trouble" in captures.list ? captures.list.trouble : undefined;
}

/** Whether the pod runs a capture. A pod that is not Ready runs none, so there is nothing to move away from it. */
function runs({ pod }: PodView): boolean {
    return pod !== undefined && pod.ready && !pod.terminating;
}

/** A shutdown stage that applies only to a running capture that can be shut down gracefully. */
function ofRunning(stage: Omit<Stage, "timeout" | "advice">): Stage {
    return {
        ...stage,
        holds: (view) => (runs(view) && captureOf(view) && isGraceful(view) ? stage.holds(view) : true),
        timeout: untilTimeout,
        advice,
    };
}

/** A leaving pod is not upgraded, so its version does not matter. */
function isGraceful(view: PodView): boolean {
    const leaves = view.ordinal >= view.target.replicas;
    const version = captureOf(view)?.version ?? "";
    return leaves || canShutDownGracefully(version, view.target.version);
}

/** The start of the shutdown is recorded, so the timeout also applies to a run that continues this one. */
const shutdownBegun: Stage = {
    name: "shutdown-begun",
    holds: (view) =>
        runs(view) && shutdownBegunAt(view) === undefined
            ? { lacks: `the shutdown of ${view.podName} has not begun` }
            : true,
    act: ({ pod }) => pod && { do: "begin-shutdown", pod: pod.name, uid: pod.uid },
    timeout: untilTimeout,
    advice,
};

/** The capture reports its identity. */
const captureAnswers: Stage = {
    name: "capture-answers",
    holds: (view) => {
        const answer = view.observation.captures?.byPod[view.podName];
        return !runs(view) || (answer !== undefined && "id" in answer)
            ? true
            : { lacks: `TiCDC in ${view.podName} ${answer?.trouble ?? "has not been queried"}` };
    },
    timeout: untilTimeout,
    advice,
};

/** Another capture is the owner. The owner schedules the tables of all captures, including this one's. */
const ownerElsewhere: Stage = ofRunning({
    name: "owner-elsewhere",
    holds: (view) => {
        const trouble = listTrouble(view.observation.captures);
        if (trouble !== undefined) {
            return { lacks: trouble };
        }
        return isOwner(view) && canHandOver(view) ? { lacks: `${view.podName} still owns TiCDC` } : true;
    },
    act: ({ pod, observation }) =>
        pod && listTrouble(observation.captures) === undefined
            ? { do: "resign-owner", pod: pod.name, uid: pod.uid }
            : undefined,
});

/**
 * Whether another capture can take over, which does not leave itself. Where all of them leave, the last one has none: what it handed over would come
 * back. That an earlier run has begun to shut down a pod that stays does not count.
 */
function canHandOver({ observation, target, member: { pods }, podName }: PodView): boolean {
    const { captures } = observation;
    const leaves = (pod: ObservedPod) =>
        pod.ordinal >= target.replicas && shutdownBegunAt({ pod, observation, target }) !== undefined;
    const leaving = pods
        .filter((pod) => pod.name === podName || leaves(pod))
        .flatMap(({ name }) => captureOf({ observation, podName: name })?.id ?? []);
    return captures !== undefined && (manyCaptures(captures) ?? []).some(({ id }) => !leaving.includes(id));
}

function isOwner(view: Pick<PodView, "observation" | "podName">): boolean {
    const { captures } = view.observation;
    const owner = captures && manyCaptures(captures)?.find((one) => one.isOwner);
    return owner !== undefined && owner.id === captureOf(view)?.id;
}

/** The capture's tables have moved to other captures. TiCDC reports how many are left each time it is asked to move them. */
const captureDrained: Stage = ofRunning({
    name: "capture-drained",
    holds: (view) => {
        const { captures } = view.observation;
        const trouble = listTrouble(captures);
        if (trouble !== undefined || captures === undefined) {
            return { lacks: trouble ?? "TiCDC has not been queried" };
        }
        const many = manyCaptures(captures);
        if (many === undefined || !canHandOver(view)) {
            return true;
        }
        if (!many.some((one) => one.isOwner)) {
            return { lacks: "no capture owns TiCDC" };
        }
        if (!many.some((one) => one.id === captureOf(view)?.id)) {
            return { lacks: `${view.podName} is not among the captures` };
        }
        const tables = captures.tablesLeft[view.pod?.uid ?? ""];
        if (tables === 0) {
            return true;
        }
        return { lacks: `${view.podName} has ${tables ?? "an unknown number of"} tables left` };
    },
    act: (view) => {
        const capture = captureOf(view);
        return view.pod && capture && isListed(view)
            ? { do: "drain-capture", pod: view.pod.name, uid: view.pod.uid, capture: capture.id }
            : undefined;
    },
});

function isListed(view: PodView): boolean {
    const { captures } = view.observation;
    const many = captures && manyCaptures(captures);
    return (many?.some((one) => one.isOwner) && many.some((one) => one.id === captureOf(view)?.id)) ?? false;
}

/**
 * The pod that is shut down next does not own TiCDC, so the ownership moves only once. With two captures no third one
 * could take it, and it would come back to the pod that stops now.
 */
const nextIsNotOwner: Stage = ofRunning({
    name: "next-is-not-owner",
    holds: (view) => {
        const next = nextToShutDown(view);
        const { captures } = view.observation;
        const others = captures && manyCaptures(captures);
        return next && others && others.length > 2 && isOwner(next)
            ? { lacks: `${next.podName}, which is shut down next, owns TiCDC` }
            : true;
    },
    act: (view) => {
        const pod = nextToShutDown(view)?.pod;
        return pod && { do: "resign-owner", pod: pod.name, uid: pod.uid };
    },
});

function nextToShutDown({ observation, target, ordinal }: PodView): PodView | undefined {
    return Array.from({ length: ordinal }, (_, index) => viewOf(observation, target, ordinal - 1 - index)).find(
        (view) => isStale(view) && runs(view),
    );
}

/** TiCDC reports that it is healthy after its owner and its tables have moved. */
const ownerWell: Stage = ofRunning({
    name: "owner-well",
    holds: ({ observation: { captures } }) =>
        captures?.ownerTrouble === undefined ? true : { lacks: captures.ownerTrouble },
});

/** The stages, in order, before a capture's pod is removed. */
export const beforeCaptureLeaves: readonly Stage[] = [shutdownBegun, captureAnswers, ownerElsewhere, captureDrained];

/** The stages, in order, before a capture's pod is restarted. */
export const beforeCaptureRestarts: readonly Stage[] = [...beforeCaptureLeaves, nextIsNotOwner, ownerWell];

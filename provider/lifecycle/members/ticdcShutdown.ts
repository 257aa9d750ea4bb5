import { isStale } from "../stages/conditions";
import type { ObservedCaptures } from "../vocabulary/observation";
import { type PodView, type Stage, viewOf } from "../vocabulary/stage";
import { canShutDownGracefully } from "./ticdcVersions";

/**
 * How a capture of TiCDC is shut down: it gives the ownership away, then its tables, then what would be shut down next
 * gives the ownership away too, so that it moves once and not with every pod. All of it has `gracefulShutdownTimeout`
 * from the beginning, which is noted on the pod; after that the pod goes with what it has. Facts from tidb-operator
 * pkg/manager/member/ticdc_upgrader.go, ticdc_scaler.go and pkg/controller/ticdc_control.go.
 */

const defaultTimeoutSeconds = 600;
/** A shutdown that was noted this long before its time was over belongs to an attempt that was given up. */
const givenUpAfterSeconds = 3_600;

/** What brings a capture nearer to its shutdown is waited for until the time of the whole shutdown is over. */
const untilTimeout = (view: PodView) => ({ seconds: timeoutOf(view), then: "go-on", as: "capture-shut-down" }) as const;
const advice = "it goes on by itself";

/** @returns since when the pod has been shut down; undefined where that was not begun. */
export function shutdownBegunAt({ pod, observation, target }: Pick<PodView, "pod" | "observation" | "target">) {
    const begun = pod?.shutdownBegunAt;
    const longest = (timeoutOf({ target }) + givenUpAfterSeconds) * 1000;
    return begun !== undefined && observation.now - begun < longest ? begun : undefined;
}

function timeoutOf({ target }: Pick<PodView, "target">): number {
    return target.policy.gracefulShutdownTimeoutSeconds ?? defaultTimeoutSeconds;
}

/** The pod's own capture; undefined where it runs none, or could not be asked. */
export function captureOf({ observation, podName }: Pick<PodView, "observation" | "podName">) {
    const answer = observation.captures?.byPod[podName];
    return answer !== undefined && "id" in answer ? answer : undefined;
}

/** All captures; undefined where this version cannot list them, or where none can take over from another. */
function manyCaptures({ list }: ObservedCaptures): { id: string; isOwner: boolean }[] | undefined {
    return Array.isArray(list) && list.length > 1 ? list : undefined;
}

/** Why captures could not be listed, though this version can. */
export function listTrouble(captures: ObservedCaptures | undefined): string | undefined {
    if (captures === undefined) {
        return "TiCDC has not been asked";
    }
    return typeof captures.list === "object" && "trouble" in captures.list ? captures.list.trouble : undefined;
}

/** A capture that runs. A pod that is not Ready runs none: there is nothing to move away from it. */
function runs({ pod }: PodView): boolean {
    return pod !== undefined && pod.ready && !pod.terminating;
}

/** A stage of the shutdown of a capture that runs, and that can do more than stop. */
function ofRunning(stage: Omit<Stage, "timeout" | "advice">): Stage {
    return {
        ...stage,
        holds: (view) => (runs(view) && captureOf(view) && isGraceful(view) ? stage.holds(view) : true),
        timeout: untilTimeout,
        advice,
    };
}

/** A pod that leaves is not upgraded: its version does not matter. */
function isGraceful(view: PodView): boolean {
    const leaves = view.ordinal >= view.target.replicas;
    const version = captureOf(view)?.version ?? "";
    return leaves || canShutDownGracefully(version, view.target.version);
}

/** The time of the shutdown runs, also for a run that takes this one up. */
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

/** The capture says who it is. */
const captureAnswers: Stage = {
    name: "capture-answers",
    holds: (view) => {
        const answer = view.observation.captures?.byPod[view.podName];
        return !runs(view) || (answer !== undefined && "id" in answer)
            ? true
            : { lacks: `TiCDC in ${view.podName} ${answer?.trouble ?? "has not been asked"}` };
    },
    timeout: untilTimeout,
    advice,
};

/** Another capture owns the cluster: it schedules the tables of all, those of this one too. */
const ownerElsewhere: Stage = ofRunning({
    name: "owner-elsewhere",
    holds: (view) => {
        const trouble = listTrouble(view.observation.captures);
        if (trouble !== undefined) {
            return { lacks: trouble };
        }
        return isOwner(view) ? { lacks: `${view.podName} still owns TiCDC` } : true;
    },
    act: ({ pod, observation }) =>
        pod && listTrouble(observation.captures) === undefined
            ? { do: "resign-owner", pod: pod.name, uid: pod.uid }
            : undefined,
});

function isOwner(view: Pick<PodView, "observation" | "podName">): boolean {
    const { captures } = view.observation;
    const owner = captures && manyCaptures(captures)?.find((one) => one.isOwner);
    return owner !== undefined && owner.id === captureOf(view)?.id;
}

/** The capture's tables are with others. TiCDC says how many are left each time that it is told to move them. */
const captureDrained: Stage = ofRunning({
    name: "capture-drained",
    holds: (view) => {
        const { captures } = view.observation;
        const trouble = listTrouble(captures);
        if (trouble !== undefined || captures === undefined) {
            return { lacks: trouble ?? "TiCDC has not been asked" };
        }
        const many = manyCaptures(captures);
        if (many === undefined) {
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
 * The pod that is shut down next does not own TiCDC, so that the ownership moves once. With two captures there is
 * nobody else to take it: it would come back to the pod that goes now.
 */
const nextIsNotOwner: Stage = ofRunning({
    name: "next-is-not-owner",
    holds: (view) => {
        const next = nextToShutDown(view);
        const { captures } = view.observation;
        const others = captures && manyCaptures(captures);
        return next && others && others.length > 2 && isOwner(next)
            ? { lacks: `${next.podName}, which is next, owns TiCDC` }
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

/** TiCDC says that it is well, after its owner and its tables have moved. */
const ownerWell: Stage = ofRunning({
    name: "owner-well",
    holds: ({ observation: { captures } }) =>
        captures?.ownerTrouble === undefined ? true : { lacks: captures.ownerTrouble },
});

/** What must hold, in order, before a capture's pod is removed. */
export const beforeCaptureLeaves: readonly Stage[] = [shutdownBegun, captureAnswers, ownerElsewhere, captureDrained];

/** What must hold, in order, before a capture's pod is restarted. */
export const beforeCaptureRestarts: readonly Stage[] = [...beforeCaptureLeaves, nextIsNotOwner, ownerWell];

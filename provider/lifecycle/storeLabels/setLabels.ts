import { waitInTime } from "../vocabulary/waitOrFail";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Action } from "../vocabulary/actions";
import type { Move } from "../vocabulary/move";
import { type Notice, noticesOf } from "../vocabulary/notices";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import type { PlanStep } from "../walks/planStep";
import { type DueLabels, labelWork } from "./labelWork";

/** The steps that give labels, by what gets them. */
export const stepsOfLabels = { stores: "store-labels", servers: "server-labels" } as const;

/** How long PD may take to list labels that it has accepted, in seconds. */
const takeOverSeconds = 30;

/** @returns a step for each store that gets other labels; none before everything that decides it is known. */
export function planLabels(due: readonly DueLabels[]): PlanStep[] {
    return due.map(({ component, pod, storeId, node, labels }) => ({
        kind: "label",
        component,
        target: nameOf({ storeId, pod }),
        why: `on node ${node}`,
        does: labels.map(({ key, from, to }) => `${key} from ${from ?? "none"} to ${to}`),
        waitsFor: `${listing(storeId)} lists them`,
        estimateSeconds: 1,
    }));
}

function nameOf({ storeId, pod }: Pick<DueLabels, "storeId" | "pod">): string {
    return storeId === undefined ? pod : `store ${storeId} (${pod})`;
}

/** Who lists the labels: those of a server are TiDB's. */
function listing(storeId: number | undefined): string {
    return storeId === undefined ? "TiDB" : "PD";
}

/**
 * Returns the next move until PD lists each store with the labels of its node. What cannot be compared or is not taken over stays, and is
 * reported.
 */
export function nextLabelMove(observation: Observation, targets: readonly MemberTarget[], memory: Memory): Move {
    const work = labelWork(observation, targets);
    if ("look" in work) {
        return { kind: "look", at: work.look };
    }
    const { due, remarks } = work;
    if (due.length === 0) {
        return { kind: "done", ...(remarks.length > 0 ? { remarks: labelsStay(remarks) } : {}) };
    }
    const [{ storeId, pod }] = due;
    const action = actionOf(due);
    const on = { step: stepsOfLabels[storeId === undefined ? "servers" : "stores"], target: observation.cluster };
    const policy = { podReadyTimeoutSeconds: takeOverSeconds };
    const waiting = waitInTime(observation, { policy }, memory, {
        ...on,
        lacks: `${listing(storeId)} does not list the labels that it has accepted for ${nameOf({ storeId, pod })}`,
    });
    if (waiting.kind === "wait" && mayAct(memory, action, observation.now)) {
        return { kind: "act", action, ...on };
    }
    // The cluster works without them, and the next update tries again.
    return waiting.kind === "over" ? { kind: "done", remarks: labelsStay([waiting.seen, ...remarks]) } : waiting;
}

function labelsStay(why: readonly string[]): Notice[] {
    return noticesOf("labels-stay", why.join("; "));
}

/** Stores first: servers read from replicas by the labels of these. */
function actionOf(due: readonly DueLabels[]): Action {
    const toSet = ({ labels }: DueLabels) => Object.fromEntries(labels.map(({ key, to }) => [key, to]));
    const stores = due.flatMap((one) =>
        one.storeId === undefined ? [] : [{ storeId: one.storeId, pod: one.pod, labels: toSet(one) }],
    );
    return stores.length > 0
        ? { do: "set-store-labels", sets: stores }
        : { do: "set-server-labels", sets: due.map((one) => ({ pod: one.pod, uid: one.uid, labels: toSet(one) })) };
}

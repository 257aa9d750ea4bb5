import { waitOrFail } from "../vocabulary/waitOrFail";
import { mayAct, type Memory } from "../vocabulary/memory";
import type { Action, Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import type { PlanStep } from "../walks/planStep";
import { type DueStore, labelWork } from "./labelWork";

/** How long PD may take to list labels that it has accepted, in seconds. */
const takeOverSeconds = 30;

/** @returns a step for each store that gets other labels; none before everything that decides it is known. */
export function planLabels(due: readonly DueStore[]): PlanStep[] {
    return due.map(({ component, pod, storeId, node, labels }) => ({
        kind: "label",
        component,
        target: `store ${storeId} (${pod})`,
        why: `on node ${node}`,
        does: labels.map(({ key, from, to }) => `${key} from ${from ?? "none"} to ${to}`),
        waitsFor: "PD lists them",
        estimateSeconds: 1,
    }));
}

/** Returns the next move until PD lists each store with the labels of its node. What cannot be compared stays, and is reported. */
export function nextLabelMove(observation: Observation, targets: readonly MemberTarget[], memory: Memory): Move {
    const work = labelWork(observation, targets);
    if ("look" in work) {
        return { kind: "look", at: work.look };
    }
    const { due, remarks } = work;
    if (due.length === 0) {
        return { kind: "done", ...(remarks.length > 0 ? { remark: remarks.join("; ") } : {}) };
    }
    const sets = due.map(({ storeId, pod, labels }) => ({
        storeId,
        pod,
        labels: Object.fromEntries(labels.map(({ key, to }) => [key, to])),
    }));
    const action: Action = { do: "set-store-labels", sets };
    const on = { step: "store-labels", target: observation.cluster };
    const policy = { podReadyTimeoutSeconds: takeOverSeconds };
    const waiting = waitOrFail(observation, { policy }, memory, {
        ...on,
        lacks: `PD does not list the labels that it has accepted for store ${due[0].storeId} (${due[0].pod})`,
        advice: "check PD's log, then run `pulumi up` again",
    });
    return waiting.kind === "wait" && mayAct(memory, action, observation.now)
        ? { kind: "act", action, ...on }
        : waiting;
}

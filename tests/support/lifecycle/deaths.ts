import { type Fact, known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { FailoverPolicy } from "../../../provider/lifecycle/vocabulary/memberFailover";
import type { FailureRecord } from "../../../provider/lifecycle/vocabulary/failureRecord";
import type { NodeCondition, ObservedPod, OperationRecords } from "../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../topology/members";
import { findDead } from "../../../provider/lifecycle/failover/findDead";
import type { MemberTarget } from "../../../provider/lifecycle/vocabulary/target";
import { longAgo, now, observed, type Deviation } from "./observations";

export const minutes = 60_000;
export const policy: FailoverPolicy = { periodSeconds: 300, budget: 3 };

/** A pod of which Kubernetes shows this of its node, for this long. */
function onNode(condition: Fact<NodeCondition>, lasted = 10 * minutes): Partial<ObservedPod> {
    return {
        ready: false,
        readySince: undefined,
        node: "node-1",
        death: { node: condition, notReadyFor: known(lasted, "the API server", now) },
    };
}

const at = (condition: NodeCondition) => known(condition, "the API server", now);
/** Nothing is known of a process on a silent node but its last report. */
const lastReport = (why: string) => ({
    container: { ...notKnown(`node node-1 is ${why}, and may still run what it no longer reports`), ranSince: longAgo },
});
/** A pod whose node has been silent for this long. */
export const lostNode = (lasted = 10 * minutes): Partial<ObservedPod> => ({
    ...onNode(at({ is: "not-ready", for: lasted, reason: "NodeStatusUnknown" }), lasted),
    ...lastReport("not Ready (NodeStatusUnknown)"),
});
/** A pod whose node itself reports that it is not Ready. */
export const brokenNode = (lasted = 10 * minutes): Partial<ObservedPod> => ({
    ...onNode(at({ is: "not-ready", for: lasted, reason: "KubeletNotReady", byOwnClock: true }), lasted),
    ...lastReport("not Ready (KubeletNotReady)"),
});
export const goneNode = (lasted = 10 * minutes): Partial<ObservedPod> => ({
    ...onNode(at({ is: "absent" }), lasted),
    ...lastReport("not in the cluster"),
});
export const unscheduled = (lasted = 10 * minutes): Partial<ObservedPod> => ({
    ...onNode(at({ is: "unscheduled" }), lasted),
    node: undefined,
    container: known({ is: "not-started" }, "the API server", now),
});
/** A pod whose process has ended on a node that is Ready. */
export const crashed = (lasted = 10 * minutes): Partial<ObservedPod> => ({
    ...onNode(at({ is: "ready" }), lasted),
    container: known({ is: "stopped" }, "node node-1", now),
});
/** A run of two seconds that ended this long before the observation, and the restarts of the process, the last one included. */
const shortRun = (endedFor: number, restarts: number): Partial<ObservedPod> => ({
    restarts,
    lastRun: { startedAt: now - endedFor - 2000, finishedAt: now - endedFor },
});
/** A pod whose process ends two seconds after each start, and which has no readiness probe: kubelet waits for this long, of it this long by now. */
export const crashLoop = (waited: number, backOff: number, restarts = 7): Partial<ObservedPod> => ({
    ...crashed(waited),
    ...shortRun(waited, restarts),
    readyChangedAt: now - waited,
    backOff,
});
/** The same, in the seconds after a start. */
export const readyBetweenCrashes = (restarts = 8): Partial<ObservedPod> => ({
    ...shortRun(5 * minutes, restarts),
    readyAtLeast: known(1000, "the API server", now),
});
/** A pod that runs without being Ready. */
export const hangs = onNode(at({ is: "ready" }));
export const unreadNode = onNode(notKnown("could not read node node-1: 403; grant `get` on `nodes` by a ClusterRole"));

/** A store that PD has called Down for this long. The other stores sent their last heartbeat a second before the observation. */
export const downFor = (lasted: number) => ({ state: "Down", lastHeartbeat: now - 1000 - 30 * minutes - lasted });

/** A TiKV cluster of which these stores died with their nodes. */
export function deadStores(...ordinals: number[]): Deviation {
    return {
        pods: Object.fromEntries(ordinals.map((one) => [one, lostNode(60 * minutes)])),
        stores: Object.fromEntries(ordinals.map((one) => [one, downFor(6 * minutes)])),
    };
}

/** The record of a failure. */
export function failed(
    component: Component,
    ordinal: number,
    more: Partial<FailureRecord> = {},
): NonNullable<OperationRecords["failovers"]> {
    const failure = { podUid: `uid-${ordinal}`, claims: [], replacedBy: `basic-${component}-9`, at: 0, ...more };
    return {
        [component]: { uid: "f00d", failures: { [`basic-${component}-${ordinal}`]: { counts: true, ...failure } } },
    };
}

/** The pods that are replaced, what keeps the others that seem dead, and in how many seconds one of them is due. */
export function found(component: Component, row: Deviation, more: Partial<FailoverPolicy & MemberTarget> = {}) {
    const { observation, target } = observed(component, row);
    const { toReplace, kept, dueInSeconds } = findDead(observation, { ...target, ...more }, { ...policy, ...more });
    return {
        dead: toReplace.map(({ view }) => view.podName),
        kept: [...new Set(kept.map(({ by }) => by))],
        dueInSeconds,
    };
}

import type { FailureRecord } from "../../vocabulary/failureRecord";
import type { PodView } from "../../vocabulary/stage";
import type { MemberFailover, Verdict } from "../../vocabulary/memberFailover";
import { lacksQuorum } from "./quorum";

/** How dead TiDB servers are found: each reports its own health. Facts from tidb-operator pkg/manager/member/tidb_failover.go. */

function serverVerdict({ observation, podName }: PodView): Verdict {
    const trouble = observation.podStatus?.[podName];
    if (trouble === undefined) {
        return { is: "unknown", why: "its /status was not asked" };
    }
    return trouble === null
        ? { is: "alive", why: "its /status is healthy" }
        : { is: "dead", why: `its /status is not healthy (${trouble})` };
}

export const tidbFailover: MemberFailover = {
    looks: ["health", "cluster-id"],
    asksStatus: true,
    // One more server would wait for room too.
    countsUnscheduled: false,
    countsEnded: true,
    verdict: serverVerdict,
    vanishedAt,
    unsound: lacksQuorum,
    identity: () => ({}),
    livesAgain: isStarting,
    named: ({ podName }) => podName,
    recovers: "by-itself",
    waitsFor: "/status healthy",
};

/** @returns since when Kubernetes does not report the pod as Ready, counted back from the observation. */
export function vanishedAt({ pod }: PodView): number | undefined {
    const lasted = pod?.death?.notReadyFor;
    return lasted?.known ? -lasted.value : undefined;
}

/**
 * @returns whether Kubernetes starts a pod of this name, or is about to. The pod that failed runs only if its node says so; of a later
 * one the node may not have reported anything yet. What ran on a node that is silent now does not start.
 */
export function isStarting({ pod }: PodView, { podUid }: FailureRecord): boolean {
    if (pod === undefined) {
        return true;
    }
    const { container, terminating, trouble, uid } = pod;
    const hasEnded = container.known && container.value.is === "stopped" && !terminating;
    const mayStart = container.known || (uid !== podUid && container.ranSince === undefined);
    return trouble === undefined && !hasEnded && mayStart;
}

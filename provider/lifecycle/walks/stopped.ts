import { type Component, topology } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { counted } from "../vocabulary/counted";
import { notAsked } from "../vocabulary/evidence";
import { type Memory, waitingSince } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import { noticesOf } from "../vocabulary/notices";
import type { Observation, ObservedPod } from "../vocabulary/observation";
import { stepsOfDestroy } from "./destroy";

/** How a member stops before the members that it needs: its pods have time to end, and a store that was killed is named. */

/** What Kubernetes gives a pod to stop, unless the pod says otherwise, in seconds. */
const defaultGraceSeconds = 30;
/** How long Kubernetes may take to delete the pods, and to report them gone after that, in seconds. */
const reportSeconds = 60;
/** The exit code of a process that SIGKILL has ended. */
const killedCode = 137;

/**
 * Returns the next move until the pods of a member have stopped whose StatefulSet Pulumi has just deleted. A pod that never ends, because its
 * node is gone, must not keep a cluster from being destroyed: then it goes on, and says so.
 */
export function nextStoppedMove(
    observation: Observation,
    { component }: { readonly component: Component },
    memory: Memory,
): Move {
    const { statefulSet, pods = [] } = observation.members[component] ?? {};
    // Pods that nothing deletes stay: those of a StatefulSet that is kept, or that was deleted without them.
    const stopping = pods.filter(({ terminating }) => terminating || statefulSet?.terminating);
    if (stopping.length === 0) {
        return { kind: "done" };
    }
    const look = askLeaders(observation, component);
    if (look) {
        return look;
    }
    const [step, target] = [stepsOfDestroy.stopped, memberName(observation.cluster, component)];
    const since = waitingSince(memory, step, target, observation.now);
    if (
        observation.now - since > reportSeconds * 1000 &&
        stopping.some((pod) => !pod.ready && pod.death === undefined)
    ) {
        return { kind: "look", at: { deathsOf: component, parts: [], status: false } };
    }
    // No process ends on a node that is gone, however long its pod may take.
    const graces = stopping.filter(isWatched).map(({ graceSeconds = defaultGraceSeconds }) => graceSeconds);
    const grace = Math.max(0, ...graces);
    const until = since + (grace + reportSeconds) * 1000;
    const names = stopping.map(({ name }) => name).join(", ");
    return observation.now < until
        ? { kind: "wait", step, target, waitingFor: `${names} not stopped yet`, since, goesOnAt: until }
        : {
              kind: "done",
              remarks: noticesOf(
                  "pods-not-stopped",
                  `${names} not stopped ${grace + reportSeconds} s after the deletion: what ${target} needs is deleted now. Next: check the node of the pods, and their finalizers`,
              ),
          };
}

/** @returns whether the node of the pod is not known to be gone or silent: then Kubernetes ends the pod, and reports it. */
function isWatched({ death }: ObservedPod): boolean {
    const node = death?.node.known ? death.node.value : undefined;
    const isSilent = node?.is === "not-ready" && !node.byOwnClock && node.for >= reportSeconds * 1000;
    return node?.is !== "absent" && !isSilent;
}

/** @returns the question for PD's stores, which tell how many leaders a store that stops still has; `undefined` if that was asked, or it has none. */
export function askLeaders({ pd }: Observation, component: Component): Move | undefined {
    return topology[component].hasLeaders && pd.stores === notAsked
        ? { kind: "look", at: { parts: ["stores"] } }
        : undefined;
}

/** A pod that stops, as it was seen. Times are those of the run's own clock. */
interface StoppingPod extends Pick<ObservedPod, "uid" | "graceSeconds" | "exitCode"> {
    readonly firstSeen: number;
    readonly lastSeen: number;
    /** Leaders of its store, by PD; undefined if that was not known. */
    readonly leaders: number | undefined;
}

/** The pods of a member that stop, by name. */
export type StoppingPods = ReadonlyMap<string, StoppingPod>;

/** @returns the pods that are seen to stop, with what was known of them before. */
export function seenStopping(
    before: StoppingPods,
    { members, pd, now }: Observation,
    component: Component,
): StoppingPods {
    const stopping = (members[component]?.pods ?? []).filter(({ terminating }) => terminating);
    return new Map(
        stopping.map(({ name, uid, graceSeconds, exitCode }) => {
            const known = before.get(name)?.uid === uid ? before.get(name) : undefined;
            const store = pd.stores.known ? pd.stores.value.find((one) => one.own && one.podName === name) : undefined;
            const leaders = store?.leaderCount.reported ?? known?.leaders;
            return [name, { uid, graceSeconds, exitCode, leaders, firstSeen: known?.firstSeen ?? now, lastSeen: now }];
        }),
    );
}

/**
 * @param before the pods that were seen to stop until now.
 * @returns a sentence on each store that is gone now, and was killed while it led regions. What TiKV does after SIGTERM ends before that.
 */
export function killedStores(before: StoppingPods, { members }: Observation, component: Component): string[] {
    const left = new Set((members[component]?.pods ?? []).map(({ uid }) => uid));
    const gone = topology[component].hasLeaders ? [...before].filter(([, { uid }]) => !left.has(uid)) : [];
    return gone.flatMap(([name, pod]) => {
        const { exitCode, leaders, graceSeconds: grace } = pod;
        const hasLasted = grace !== undefined && pod.lastSeen - pod.firstSeen >= grace * 1000;
        const isKilled = exitCode === undefined ? hasLasted : exitCode === killedCode;
        return !isKilled || leaders === 0
            ? []
            : [
                  `${name} was killed${grace === undefined ? "" : ` after its grace period of ${grace} s`} with ${leaders === undefined ? "an unknown number of leaders" : counted(leaders, "leader")} left (by PD). It recovers as after a crash. Next: raise terminationGracePeriodSeconds`,
              ];
    });
}

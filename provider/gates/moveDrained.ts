import type { GatePorts } from "../cluster/gatePorts";
import { givingWay } from "../lifecycle/failover/givingWay";
import { withReplacements } from "../lifecycle/failover/records";
import { journalPlan } from "../lifecycle/journal/planDigest";
import { isStale } from "../lifecycle/stages/sharedStages";
import type { PlannedMoves } from "../lifecycle/vocabulary/drain";
import type { Move } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { viewsOf } from "../lifecycle/vocabulary/stage";
import type { GatePolicy, MemberTarget } from "../lifecycle/vocabulary/target";
import { describePlan, stepItems } from "../lifecycle/walks/describePlan";
import { leftOpenIn } from "../lifecycle/walks/leftOpen";
import { notForeseen } from "../lifecycle/dryRun/planSteps";
import { dueSteps } from "../lifecycle/walks/planRollout";
import { nextRolloutMove, walkOrder } from "../lifecycle/walks/rollout";
import { planDrain, withDrains } from "./drain";
import { glance, lookForRollout } from "./looks";
import { mustUndo, runOperation } from "./loop";
import { runDry } from "./runDry";
import {
    isNotedStill,
    noWork,
    runningMember,
    type UnattendedMember,
    unattendedPorts,
    type UnattendedWork,
    whyNothing,
} from "./unattended";
import { noticesOf } from "../lifecycle/vocabulary/notices";

/** How long it waits before it has begun anything. It holds no lock yet, but the cluster is not looked at meanwhile. */
const patienceMilliseconds = 30_000;
/** How long it waits for a store's leaders to leave. Meanwhile it has the lock, and no update can begin. */
const longestEvictionSeconds = 600;

/**
 * Moves one pod of a member away from a node that is being emptied, by the steps of `pulumi up`, under the same lock. What an earlier
 * run has left half done, such as an eviction, it ends as an update would.
 * @param isInterrupted whether to end: then nothing more is begun, and evictions are ended.
 * @throws GateError if a run works on the cluster, or a step fails.
 */
export async function moveDrained(
    member: UnattendedMember,
    opened: GatePorts,
    isInterrupted: () => boolean,
): Promise<UnattendedWork> {
    const { component, note } = member;
    const { drain, policy } = note.unattended;
    if (drain === "off") {
        return noWork;
    }
    const wanted: MemberTarget = { component, replicas: note.replicas, policy: boundedPolicy(policy) };
    const atFirst = withDrains(glance(component), drain);
    const first = await opened.look(atFirst);
    const name = runningMember(first, member);
    if (name === undefined) {
        return noWork;
    }
    const all = withReplacements(first, wanted);
    const found = await runDry(planDrain(first, all, atFirst), atFirst, opened);
    const remarks = noticesOf("pod-not-moved", ...found.remarks, ...notKnown(first, all));
    const moves = firstOf(first, { ...all, moves: found.moves });
    const target = { ...wanted, moves };
    // The walk also ends the eviction that a move has left behind which was killed.
    const due = dueSteps(first, { ...all, moves }).filter(({ kind }) => kind === "move");
    const open = leftOpenIn(first, component);
    if (due.length === 0 && open.length === 0) {
        return { done: [], remarks };
    }
    const against = whyNotMoved(first, wanted);
    if (against !== undefined) {
        return {
            done: [],
            remarks: [...remarks, { code: "pod-not-moved", message: `nothing of ${name} is moved: ${against}` }],
        };
    }
    const done: string[] = [];
    let waitsFor: string | undefined;
    await runOperation(
        {
            description: `move ${name} away from nodes that are being emptied`,
            look: withDrains(lookForRollout(component), drain),
            next: (observation, memory) => {
                const isWanted = isNotedStill(observation, member) && whyNotMoved(observation, wanted) === undefined;
                // A pod that was deleted is waited for, whatever the program wants meanwhile.
                // Only a failure ends what an earlier run of the controller has begun, too.
                const hasBegun = done.length > 0 || mustUndo(observation.records);
                if (!isWanted && !isGone(observation, target)) {
                    return hasBegun ? notWanted(name) : { kind: "done" };
                }
                const move = givingWay(
                    nextRolloutMove(observation, withReplacements(observation, target), memory, "all-well", "never"),
                    observation,
                    wanted,
                    note.unattended.failover,
                );
                const isOver = move.kind === "wait" && observation.now - move.since > patienceMilliseconds;
                if (isOver && done.length === 0) {
                    waitsFor = move.waitingFor;
                    return hasBegun ? notMoved(move) : { kind: "done" };
                }
                return move;
            },
        },
        unattendedPorts(
            { ...opened, plan: journalPlan(describePlan(stepItems(notForeseen(due, first)))) },
            {
                kind: "drain",
                name,
                whys: [...due.map(({ target: pod, why }) => ({ pod, why })), ...open].map(
                    ({ pod, why }) => `${pod}: ${why}`,
                ),
            },
            isInterrupted,
            (action) => done.push(action),
        ),
    );
    const waiting = noticesOf(
        "pod-not-moved",
        waitsFor === undefined ? undefined : `${Object.keys(moves).join()} is not moved yet: ${waitsFor}`,
    );
    return { done, remarks: [...remarks, ...waiting] };
}

/** One pod at a time, so that others can have the lock in between. The one that was begun comes first. */
function firstOf(observation: Observation, target: MemberTarget): PlannedMoves {
    const { moves = {} } = target;
    const next = walkOrder(observation, target).find(({ podName }) => Object.hasOwn(moves, podName));
    return next === undefined ? {} : { [next.podName]: moves[next.podName] };
}

/** Why nothing is moved: a pod that starts again gets the newest template, and that is for an update to decide. */
function whyNotMoved(observation: Observation, wanted: MemberTarget): string | undefined {
    const target = withReplacements(observation, wanted);
    const views = viewsOf(observation, target);
    const stale = views.find(isStale);
    return (
        whyNothing(observation, wanted) ??
        (stale === undefined ? undefined : `${stale.podName} still runs an earlier template: an update has not ended`)
    );
}

function isGone({ members }: Observation, { component, moves = {} }: MemberTarget): boolean {
    const live = new Set(members[component]?.pods.map(({ uid }) => uid));
    const uids = Object.values(moves);
    return uids.length > 0 && uids.every((uid) => !live.has(uid));
}

function notWanted(name: string): Move {
    const seen = "an update has changed what the program wants, or pauses the cluster";
    return {
        kind: "fail",
        problem: {
            code: "program-changed",
            step: "drain",
            target: name,
            seen,
            next: "nothing: the controller looks again",
        },
    };
}

/** What an earlier run has begun is ended: no leader is kept away while something else is waited for. */
function notMoved({ step, target, waitingFor }: Extract<Move, { kind: "wait" }>): Move {
    const next = "nothing: the controller looks again, and moves the pod once this holds";
    return { kind: "fail", problem: { code: "move-held-up", step, target, seen: waitingFor, next } };
}

/** The deadline after which a store restarts with its leaders is the user's, and counts only as long as the lock may be held. */
function boundedPolicy(policy: GatePolicy): GatePolicy {
    return policy.evictLeaderTimeoutSeconds <= longestEvictionSeconds
        ? policy
        : { ...policy, evictLeaderTimeoutSeconds: longestEvictionSeconds, afterEvictLeaderTimeout: "fail" };
}

function notKnown(observation: Observation, target: MemberTarget): string[] {
    const why = viewsOf(observation, target).flatMap(({ pod }) => (pod?.drain?.known === false ? [pod.drain.why] : []));
    return [...new Set(why)].map(
        (one) => `whether pods of ${target.component} are on a node that is being emptied is not known: ${one}`,
    );
}

import { isDeepStrictEqual } from "node:util";
import { memberName } from "../../topology/names";
import type { Component } from "../../topology/members";
import type { GatePorts } from "../cluster/gatePorts";
import { nextFailoverMove } from "../lifecycle/failover/failoverMoves";
import { betweenUpdates, lacksReplicas, nextReplicasMove } from "../lifecycle/failover/replicasMove";
import { journalPlan } from "../lifecycle/journal/planDigest";
import { describeAction, isBookkeeping } from "../lifecycle/vocabulary/actions";
import type { Memory } from "../lifecycle/vocabulary/memory";
import type { Action, Move } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberNote, UnattendedFailover } from "../lifecycle/vocabulary/ownership";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { withReplacements } from "../lifecycle/failover/records";
import { mayHaveTakenBackRemoval, nextScaleMove } from "../lifecycle/walks/scale";
import { describePlan, stepItems } from "../lifecycle/walks/describePlan";
import { planMemberFailover } from "./failover";
import { GateError } from "./gateError";
import { glance, lookForFailover } from "./looks";
import { runOperation } from "./loop";
import { ClusterIsOperated } from "./removeLeftovers";

/** A little longer than the lock of a dead run lasts. */
const lockPatienceMilliseconds = 20_000;
/** How long it waits with the lock for the effect of a step, such as the end of a pod. */
const longestWaitMilliseconds = 10_000;

/** A member whose dead are to be replaced while no `pulumi up` runs. */
export interface UnattendedMember {
    readonly component: Component;
    /** What the last update noted of it. */
    readonly note: MemberNote & { readonly unattended: UnattendedFailover };
}

/** What came of it. */
export interface ReplacedDead {
    /** Why, and what was done, one line each. Empty if nothing was due. */
    readonly done: readonly string[];
    /** What the user should know although nothing follows from it: a pod that seems dead, and what keeps it. */
    readonly remarks: readonly string[];
}

/**
 * Replaces the dead of one member by the steps of `pulumi up`, under the same lock, and gives the StatefulSet its new number of
 * replicas, which `pulumi up` leaves to Pulumi. It does not wait for the replacements: nothing depends on them.
 * @param isInterrupted whether to end: then nothing more is begun.
 * @throws ClusterIsOperated if a run works on the cluster; GateError if a step fails.
 */
export async function replaceDead(
    member: UnattendedMember,
    opened: GatePorts,
    isInterrupted: () => boolean,
): Promise<ReplacedDead> {
    const { component, note } = member;
    const { failover, policy } = note.unattended;
    const target: MemberTarget = { component, replicas: note.replicas, policy };
    const first = await opened.look(glance(component));
    const name = memberName(first.cluster, component);
    const live = first.members[component]?.statefulSet;
    if (live === undefined || live.terminating || !isNotedStill(first, member)) {
        return { done: [], remarks: [] };
    }
    const against = whyNothing(first, target);
    if (against !== undefined) {
        return { done: [], remarks: [`nothing of ${name} is replaced: ${against}`] };
    }
    const asked = { component, failover };
    const { steps, remarks } = await planMemberFailover(asked, first, target, (options) => opened.look(options));
    if (steps.length === 0 && !lacksReplicas(first, target)) {
        return { done: [], remarks };
    }
    const plan = journalPlan(describePlan(stepItems(steps)));
    const allowed = { policy: failover, planned: steps.map((step) => step.target) };
    const whys = steps.map(({ why }) => why);
    const done: string[] = [];
    let waitsFor: string | undefined;
    await runOperation(
        {
            description: `replace the dead of ${name}`,
            look: lookForFailover(component),
            next: (observation, memory) => {
                // The notes may have changed until this run had the lock, and so may the number of replicas.
                if (!isNotedStill(observation, member) || whyNothing(observation, target) !== undefined) {
                    return { kind: "done" };
                }
                const move =
                    nextFailoverMove(observation, target, allowed, memory) ??
                    beforeScaleOut(observation, target, memory) ??
                    nextReplicasMove(observation, target, memory);
                if (move?.kind === "wait" && observation.now - move.since > longestWaitMilliseconds) {
                    // The next look goes on from the records. Until then others may work on the cluster.
                    waitsFor = move.waitingFor;
                    return { kind: "done" };
                }
                return move ?? { kind: "done" };
            },
        },
        unattendedPorts({ ...opened, plan }, name, isInterrupted, (action) => {
            if (!isBookkeeping(action)) {
                done.push(describeAction(action));
            }
        }),
    );
    const waiting = waitsFor === undefined ? [] : [`the failover of ${name} goes on later: ${waitsFor}`];
    return { done: done.length === 0 ? [] : [...whys, ...done], remarks: [...remarks, ...waiting] };
}

/** Whether the program still wants what the plan was made from, as far as its last update has noted it. */
function isNotedStill({ isPaused, notes }: Observation, { component, note }: UnattendedMember): boolean {
    return !isPaused && isDeepStrictEqual(notes?.[component], note);
}

/** Why nothing is replaced although a member may be dead: what an update has begun, only `pulumi up` ends or undoes. */
function whyNothing(observation: Observation, target: MemberTarget): string | undefined {
    return (
        betweenUpdates(observation, target) ??
        (mayHaveTakenBackRemoval(observation, withReplacements(observation, target))
            ? "a removal was begun and has not ended: run `pulumi up`"
            : undefined)
    );
}

/** The volumes that an earlier scale-in released are deleted before a pod of that name comes: it would start with a store that has left PD. */
function beforeScaleOut(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    if (!lacksReplicas(observation, target)) {
        return undefined;
    }
    const move = nextScaleMove(observation, withReplacements(observation, target), memory);
    return move.kind === "done" ? undefined : move;
}

/**
 * Ports of a run that nobody waits for: it gives way to every other run, and ends when it is asked to.
 * @param took is told each action that was taken.
 */
function unattendedPorts(
    ports: GatePorts,
    name: string,
    isInterrupted: () => boolean,
    took: (action: Action) => void,
): GatePorts {
    const began = ports.now();
    const failure = (seen: string) => ({
        step: "failover",
        target: name,
        seen,
        next: "nothing: the controller looks again, and goes on from what it sees then",
    });
    return {
        ...ports,
        look: (options, lag) =>
            isInterrupted()
                ? Promise.reject(new GateError(failure("the controller ends, or another one leads")))
                : ports.look(options, lag),
        perform: async (action) => {
            await ports.perform(action);
            took(action);
        },
        tryLock: async (lease, operation) => {
            const answer = await ports.tryLock(lease, operation);
            if (!("lock" in answer) && ports.now() - began > lockPatienceMilliseconds) {
                throw new ClusterIsOperated(failure(`${answer.heldBy} works on the cluster (${answer.operation})`));
            }
            return answer;
        },
    };
}

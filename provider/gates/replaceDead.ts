import { memberName } from "../../topology/names";
import type { Component } from "../../topology/members";
import type { GatePorts } from "../cluster/gatePorts";
import { nextFailoverMove } from "../lifecycle/failover/failoverMoves";
import { betweenUpdates, nextReplicasMove } from "../lifecycle/failover/replicasMove";
import { journalPlan } from "../lifecycle/journal/planDigest";
import { describeAction, isBookkeeping } from "../lifecycle/vocabulary/actions";
import { emptyMemory, type Memory } from "../lifecycle/vocabulary/memory";
import type { Action, Move } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { UnattendedFailover } from "../lifecycle/vocabulary/ownership";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { withReplacements } from "../lifecycle/failover/records";
import { nextScaleMove } from "../lifecycle/walks/scale";
import { describePlan, stepItems } from "../lifecycle/walks/describePlan";
import { planMemberFailover } from "./failover";
import { GateError } from "./gateError";
import { glance, lookForScale } from "./looks";
import { runOperation } from "./loop";
import { ClusterIsOperated } from "./removeLeftovers";

/** A little longer than the lock of a dead run lasts. */
const lockPatienceMilliseconds = 20_000;

/** A member whose dead are to be replaced while no `pulumi up` runs. */
export interface UnattendedMember extends UnattendedFailover {
    readonly component: Component;
    /** Replicas that the last update asked for, without replacements. */
    readonly replicas: number;
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
    const { component, failover, policy, replicas } = member;
    const target: MemberTarget = { component, replicas, policy };
    const first = await opened.look(glance(component));
    const live = first.members[component]?.statefulSet;
    if (live === undefined || live.terminating || first.isPaused) {
        return { done: [], remarks: [] };
    }
    const name = memberName(first.cluster, component);
    const between = betweenUpdates(first, target);
    if (between !== undefined) {
        return { done: [], remarks: [`nothing of ${name} is replaced: ${between}`] };
    }
    const { steps, remarks } = await planMemberFailover(member, first, target, (options) => opened.look(options));
    if (steps.length === 0 && nextReplicasMove(first, target, emptyMemory) === undefined) {
        return { done: [], remarks };
    }
    const plan = journalPlan(describePlan(stepItems(steps)));
    const allowed = { policy: failover, planned: steps.map((step) => step.target) };
    const whys = steps.map(({ why }) => why);
    const done: string[] = [];
    await runOperation(
        {
            description: `replace the dead of ${name}`,
            look: lookForScale(component),
            next: (observation, memory) =>
                (observation.isPaused
                    ? undefined
                    : (nextFailoverMove(observation, target, allowed, memory) ??
                      beforeScaleOut(observation, target, memory) ??
                      nextReplicasMove(observation, target, memory))) ?? { kind: "done" },
        },
        unattendedPorts({ ...opened, plan }, name, isInterrupted, (action) => {
            if (!isBookkeeping(action)) {
                done.push(describeAction(action));
            }
        }),
    );
    return { done: done.length === 0 ? [] : [...whys, ...done], remarks };
}

/** The volumes that an earlier scale-in released are deleted before a pod of that name comes: it would start with a store that has left PD. */
function beforeScaleOut(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    const wanted = withReplacements(observation, target);
    const live = observation.members[target.component]?.statefulSet;
    if (live === undefined || live.replicas >= wanted.replicas || betweenUpdates(observation, target) !== undefined) {
        return undefined;
    }
    const move = nextScaleMove(observation, wanted, memory);
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

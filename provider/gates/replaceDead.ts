import type { GatePorts } from "../cluster/gatePorts";
import { nextFailoverMove } from "../lifecycle/failover/failoverMoves";
import { lacksReplicas, nextReplicasMove } from "../lifecycle/failover/replicasMove";
import { journalPlan } from "../lifecycle/journal/planDigest";
import { noLook } from "../lifecycle/vocabulary/look";
import type { Memory } from "../lifecycle/vocabulary/memory";
import type { Move } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { withReplacements } from "../lifecycle/failover/records";
import { nextScaleMove } from "../lifecycle/walks/scale";
import { describePlan, stepItems } from "../lifecycle/walks/describePlan";
import { planMemberFailover } from "./failover";
import { glance, lookForFailover } from "./looks";
import { runOperation } from "./loop";
import { runDry } from "./runDry";
import {
    isNotedStill,
    longestWaitMilliseconds,
    noWork,
    runningMember,
    type UnattendedMember,
    unattendedPorts,
    type UnattendedWork,
    whyNothing,
} from "./unattended";
import { notForeseen } from "../lifecycle/dryRun/planSteps";
import { noticesOf } from "../lifecycle/vocabulary/notices";

/**
 * Replaces the dead of one member by the steps of `pulumi up`, under the same lock, and gives the StatefulSet its new number of
 * replicas, which `pulumi up` leaves to Pulumi. It does not wait for the replacements: nothing depends on them.
 * @param isInterrupted whether to end: then nothing more is begun.
 * @throws GateError if a run works on the cluster, or a step fails.
 */
export async function replaceDead(
    member: UnattendedMember,
    opened: GatePorts,
    isInterrupted: () => boolean,
): Promise<UnattendedWork> {
    const { component, note } = member;
    const { failover, policy } = note.unattended;
    const target: MemberTarget = { component, replicas: note.replicas, policy };
    const first = await opened.look(glance(component));
    const name = runningMember(first, member);
    if (name === undefined) {
        return noWork;
    }
    const against = whyNothing(first, target);
    if (against !== undefined) {
        return { done: [], remarks: noticesOf("not-replaced", `nothing of ${name} is replaced: ${against}`) };
    }
    const asked = { component, failover };
    const failed = await runDry(planMemberFailover(asked, first, target), noLook, opened);
    const { steps, remarks, dueInSeconds, forgotten } = failed;
    if (steps.length === 0 && forgotten.length === 0 && !lacksReplicas(first, target)) {
        return { done: [], remarks, dueInSeconds };
    }
    const plan = journalPlan(describePlan(stepItems(notForeseen(steps, first))));
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
                    nextReplicasMove(observation, target, failover, memory);
                const isLong = move?.kind === "wait" && observation.now - move.since > longestWaitMilliseconds;
                // What must be seen without a break must be seen by one run.
                if (isLong && move.steadyAt === undefined) {
                    // The next look goes on from the records. Until then others may work on the cluster.
                    waitsFor = move.waitingFor;
                    return { kind: "done" };
                }
                return move ?? { kind: "done" };
            },
        },
        unattendedPorts({ ...opened, plan }, { kind: "failover", name, whys }, isInterrupted, (action) =>
            done.push(action),
        ),
    );
    const waiting = noticesOf(
        "failover-open",
        waitsFor === undefined ? undefined : `the failover of ${name} goes on later: ${waitsFor}`,
    );
    return { done, remarks: [...remarks, ...waiting] };
}

/** The volumes that an earlier scale-in released are deleted before a pod of that name comes: it would start with a store that has left PD. */
function beforeScaleOut(observation: Observation, target: MemberTarget, memory: Memory): Move | undefined {
    if (!lacksReplicas(observation, target)) {
        return undefined;
    }
    const move = nextScaleMove(observation, withReplacements(observation, target), memory);
    return move.kind === "done" ? undefined : move;
}

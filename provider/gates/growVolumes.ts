import type { GatePorts, PlanPorts } from "../cluster/gatePorts";
import { withReplacements } from "../lifecycle/failover/records";
import { journalPlan } from "../lifecycle/journal/planDigest";
import { notForeseen } from "../lifecycle/dryRun/planSteps";
import { added, type LookOptions } from "../lifecycle/vocabulary/look";
import { emptyMemory } from "../lifecycle/vocabulary/memory";
import { noticesOf } from "../lifecycle/vocabulary/notices";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { dueGrowth, notGrowing } from "../lifecycle/volumes/planVolumes";
import { nextGrowthMove } from "../lifecycle/volumes/nextVolumesMove";
import { describePlan, stepItems } from "../lifecycle/walks/describePlan";
import { glance, lookForUse } from "./looks";
import { runOperation } from "./loop";
import {
    isNotedStill,
    longestWaitMilliseconds,
    noWork,
    runningMember,
    type UnattendedMember,
    unattendedPorts,
    type UnattendedWork,
} from "./unattended";

/**
 * @param look what Kubernetes is asked for.
 * @returns an observation that also tells how full the disks of stores are, and, of volumes that are to grow, whether their classes let them.
 */
export async function lookAtUse(
    look: LookOptions,
    target: MemberTarget,
    ports: Pick<PlanPorts, "look">,
): Promise<Observation> {
    const asked = lookForUse(look);
    const seen = await ports.look(asked);
    const move = nextGrowthMove(seen, target, emptyMemory);
    const closer = move?.kind === "look" ? added(asked, move.at) : undefined;
    return closer === undefined ? seen : ports.look(closer, { isCloser: true });
}

/**
 * Enlarges the volumes of a member's stores that are full enough for `operations.volumes`, one pod's at a time, by the steps of `pulumi up`, under
 * the same lock. It changes neither the program's sizes nor the StatefulSet, and restarts nothing.
 * @param isInterrupted whether to end: then nothing more is begun.
 * @throws GateError if a run works on the cluster, or a step fails.
 */
export async function growVolumes(
    member: UnattendedMember,
    opened: GatePorts,
    isInterrupted: () => boolean,
): Promise<UnattendedWork> {
    const { component, note } = member;
    const { growth, policy } = note.unattended;
    if (growth === undefined) {
        return noWork;
    }
    const wanted: MemberTarget = { component, replicas: note.replicas, policy, growth };
    const look = { ...glance(component), claimStates: true };
    const first = await lookAtUse(look, wanted, opened);
    const name = runningMember(first, member);
    if (name === undefined) {
        return noWork;
    }
    const target = withReplacements(first, wanted);
    const remarks = notGrowing(first, target);
    // A growth that is under way ends by itself.
    if (nextGrowthMove(first, target, emptyMemory)?.kind !== "act") {
        return { done: [], remarks };
    }
    const due = dueGrowth(first, target);
    const done: string[] = [];
    let waitsFor: string | undefined;
    await runOperation(
        {
            description: `grow the volumes of ${name}`,
            look: lookForUse(look),
            next: (observation, memory) => {
                const move = isNotedStill(observation, member)
                    ? nextGrowthMove(observation, withReplacements(observation, wanted), memory)
                    : undefined;
                if (move?.kind === "wait" && observation.now - move.since > longestWaitMilliseconds) {
                    waitsFor = move.waitingFor;
                    return { kind: "done" };
                }
                return move ?? { kind: "done" };
            },
        },
        unattendedPorts(
            { ...opened, plan: journalPlan(describePlan(stepItems(notForeseen(due, first)))) },
            { kind: "grow", name, whys: due.map(({ target: pod, why }) => `${pod}: ${why}`) },
            isInterrupted,
            (action) => done.push(action),
        ),
    );
    const waiting = noticesOf("volume-not-grown", waitsFor && `${name} waits for a larger volume: ${waitsFor}`);
    return { done, remarks: [...remarks, ...waiting] };
}

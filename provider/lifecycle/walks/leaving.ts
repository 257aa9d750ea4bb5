import { type Component, components, inOrderOfLeaving } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { unreleasedClaims, leavingTarget, refuseLeaving, type Unused, withAllOrdinals } from "./mayLeave";
import { forgetAllFailures } from "../failover/failoverMoves";
import { memberLifecycles } from "../members/memberLifecycles";
import { forgetBatch } from "../stages/batches/batchOnRecord";
import type { Memory } from "../vocabulary/memory";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import type { MemberNote, MemberNotes, UnattendedFailovers } from "../vocabulary/ownership";
import type { DryRun } from "../dryRun/dryRun";
import type { DueStep, PlannedSteps } from "../dryRun/planSteps";
import { dueScaling, planScale } from "./planScale";
import { cleanUp } from "./cleanUp";
import { nextScaleMove } from "./scale";
import type { GatePolicy } from "../vocabulary/target";

/**
 * Members that have left the program. Pulumi deletes their StatefulSets at the end of the update without any check, so
 * everything that PD knows about them must be gone by then. The StatefulSets keep their replicas until Pulumi deletes them.
 */

/**
 * @param noted the members recorded in the Lease; undefined if an earlier version deployed the cluster. Then every member
 * with a StatefulSet counts.
 * @param before the members in the stack's state.
 * @returns the members that may have left the program, in the order of their removal. An observation shows what is left of
 * them.
 */
export function mayHaveLeft(
    program: readonly Component[],
    noted: MemberNotes | undefined,
    before: readonly Component[],
): Component[] {
    const had = noted === undefined ? components : [...(Object.keys(noted) as Component[]), ...before];
    return inOrderOfLeaving(components.filter((component) => had.includes(component) && !program.includes(component)));
}

/**
 * @param isOnRecord whether the member is in the notes or in the stack's state. Claims alone may be those of an earlier cluster of this
 * name, which no PD of this one knows.
 * @returns whether Kubernetes still has objects of a member that Pulumi would delete or that hold data of this cluster.
 */
export function isStillThere(observation: Observation, component: Component, isOnRecord: boolean): boolean {
    const member = observation.members[component];
    return (
        member !== undefined &&
        (member.statefulSet !== undefined ||
            member.pods.length > 0 ||
            (isOnRecord && unreleasedClaims(member).length > 0))
    );
}

/** @returns the steps before Pulumi deletes the member, as they would be taken now. */
export function planLeaving(
    run: DryRun,
    observation: Observation,
    component: Component,
    policy: GatePolicy,
): PlannedSteps {
    const due = dueToLeave(observation, component, policy);
    return planScale(run, withAllOrdinals(observation, component), leavingTarget(component, policy), due);
}

/** @returns the removals that a member takes that has left the program, as Kubernetes alone shows them. */
export function dueToLeave(observation: Observation, component: Component, policy: GatePolicy): DueStep[] {
    return dueScaling(withAllOrdinals(observation, component), leavingTarget(component, policy)).map((step) => ({
        ...step,
        why: `${component} left the program`,
        ...(step.waitsFor === undefined
            ? {}
            : { waitsFor: "Pulumi deletes its StatefulSet later in the update, and all its pods at once" }),
    }));
}

/** @returns the next move until Pulumi may delete the member. */
export function nextLeavingMove(
    observation: Observation,
    component: Component,
    policy: GatePolicy,
    unused: Unused | undefined,
    memory: Memory,
): Move {
    const name = memberName(observation.cluster, component);
    if (memberLifecycles[component].leavesProgram === "refused") {
        const seen = refuseLeaving(observation, component, policy, unused);
        const next = "put the member back into the program";
        return seen === undefined
            ? { kind: "done" }
            : {
                  kind: "fail",
                  problem: { code: "member-may-not-leave", step: "leave-program", target: name, seen, next },
              };
    }
    const leaving = leavingTarget(component, policy);
    const move = nextScaleMove(withAllOrdinals(observation, component), leaving, memory);
    const { batch } = observation.records;
    const left = batch?.component === component ? { action: forgetBatch(batch) } : undefined;
    return move.kind === "done"
        ? (forgetAllFailures(observation, component, memory) ?? cleanUp(left, observation, leaving, memory) ?? move)
        : move;
}

/**
 * @param suspended the program's members that it suspends.
 * @param unattended the program's members whose dead the controller may replace.
 * @returns what to record in the Lease: the program's members, and the members that left but still have objects.
 */
export function memberNotes(
    program: Readonly<Partial<Record<Component, number>>>,
    suspended: readonly Component[],
    noted: MemberNotes | undefined,
    stillThere: readonly Component[],
    unattended: UnattendedFailovers = {},
): MemberNotes {
    const kept = Object.entries(leavingNotes(noted, stillThere)).map(([component, note]) => [
        component,
        { ...note, hasLeft: true },
    ]);
    const wanted = (Object.entries(program) as [Component, number][]).map(([component, replicas]) => {
        const failover = unattended[component];
        return [
            component,
            {
                replicas,
                ...(suspended.includes(component) ? { suspended: true } : {}),
                ...(failover === undefined ? {} : { unattended: failover }),
            },
        ];
    });
    return Object.fromEntries([...kept, ...wanted]) as MemberNotes;
}

/** @returns the notes of members that leave. The controller replaces nothing of them: it must not bring their stores back. */
export function leavingNotes(noted: MemberNotes | undefined, leaving: readonly Component[]): MemberNotes {
    const notes = leaving.map((component) => {
        const { replicas, suspended }: MemberNote = noted?.[component] ?? { replicas: 0 };
        return [component, { replicas, ...(suspended ? { suspended } : {}) }];
    });
    return Object.fromEntries(notes) as MemberNotes;
}

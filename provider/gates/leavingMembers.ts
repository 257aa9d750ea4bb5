import { type Component, topology } from "../../topology/members";
import { memberName } from "../../topology/names";
import type { LeaseView } from "../cluster/leaseNotes";
import { dueToLeave, isStillThere, mayHaveLeft, nextLeavingMove, planLeaving } from "../lifecycle/walks/leaving";
import { type LookOptions, noLook } from "../lifecycle/vocabulary/look";
import { refuseLeaving } from "../lifecycle/walks/mayLeave";
import { memberLifecycles } from "../lifecycle/members/memberLifecycles";
import type { Refusal } from "../lifecycle/vocabulary/ownership";
import { type PlanItem, undecidedItems } from "../lifecycle/walks/describePlan";
import type { ClusterProgramInputs } from "./inputs";
import { lookForScale } from "./looks";
import { runOperation } from "./loop";
import { runDry } from "./runDry";
import { dryRun, type DryRun } from "../lifecycle/dryRun/dryRun";
import { notForeseen } from "../lifecycle/dryRun/planSteps";
import { planItems } from "../lifecycle/dryRun/holds";
import type { GatePorts, PlanPorts } from "../cluster/gatePorts";

/** @returns the members that the program no longer has but that still have objects in Kubernetes. */
export async function findLeavingMembers(
    { components }: ClusterProgramInputs,
    olds: Record<string, unknown>,
    lease: LeaseView | undefined,
    ports: PlanPorts,
): Promise<Component[]> {
    const before = (olds.components ?? []) as Component[];
    const noted = lease?.members;
    const candidates = mayHaveLeft(components, noted, before);
    if (candidates.length === 0) {
        return [];
    }
    const observation = await ports.look({ ...noLook, components: candidates });
    const isOnRecord = (component: Component): boolean =>
        noted?.[component] !== undefined || before.includes(component);
    return candidates.filter((component) => isStillThere(observation, component, isOnRecord(component)));
}

/** The steps for members that left the program, or why they may not leave. */
export interface LeavingPlan {
    steps: PlanItem[];
    refused: Refusal[];
    /** What removing each of them would do. */
    foreseen: DryRun[];
    /** Why PD could not be asked, if its answer is needed. */
    trouble?: string;
}

/** Plans how each member leaves, from the live cluster. */
export async function planLeavingMembers(
    leaving: readonly Component[],
    { policy, unused }: ClusterProgramInputs,
    ports: PlanPorts,
): Promise<LeavingPlan> {
    const found: LeavingPlan = { steps: [], refused: [], foreseen: [] };
    for (const component of leaving) {
        const { field = component, leavesProgram } = memberLifecycles[component];
        const observation = await ports.look(lookForLeaving(component));
        if (observation.pdTrouble !== undefined && leavesProgram !== "refused") {
            found.trouble = observation.pdTrouble.why;
            found.steps.push(...undecidedItems(notForeseen(dueToLeave(observation, component, policy), observation)));
            continue;
        }
        const reason = refuseLeaving(observation, component, policy, unused[component]);
        if (reason === undefined) {
            const foreseen = await runDry(
                dryRun(
                    (seen, memory) => nextLeavingMove(seen, component, policy, unused[component], memory),
                    observation,
                ),
                lookForLeaving(component),
                ports,
            );
            const steps = planLeaving(foreseen, observation, component, policy);
            found.steps.push(...planItems(steps, foreseen));
            found.foreseen.push(foreseen);
        }
        found.refused.push(...(reason === undefined ? [] : [{ property: `spec.${field}`, reason }]));
    }
    return found;
}

/** What to observe before a member leaves: what scaling it depends on, and the member that may use it. */
function lookForLeaving(component: Component): LookOptions {
    const look = lookForScale(component);
    const { usedBy } = topology[component];
    return usedBy === undefined ? look : { ...look, components: [...look.components, usedBy] };
}

/** Removes a member that left the program. @throws GateError if it may not leave, or if a step times out. */
export function removeLeavingMember(
    component: Component,
    inputs: ClusterProgramInputs,
    ports: GatePorts,
): Promise<void> {
    const { cluster, policy, unused } = inputs;
    return runOperation(
        {
            description: `remove ${memberName(cluster, component)}, which left the program, from ${cluster}`,
            look: lookForLeaving(component),
            next: (observation, memory) => nextLeavingMove(observation, component, policy, unused[component], memory),
        },
        ports,
    );
}

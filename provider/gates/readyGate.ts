import { codeOfPd } from "../lifecycle/vocabulary/waitOrFail";
import { isDeepStrictEqual } from "node:util";
import { type PlanItem, stepItems } from "../lifecycle/walks/describePlan";
import { untilKnown } from "../lifecycle/dryRun/asking";
import { withReplacements } from "../lifecycle/failover/records";
import { nextReadyMove, planReady } from "../lifecycle/walks/ready";
import { describeAction, needsConsent } from "../lifecycle/vocabulary/actions";
import type { ApprovalMode } from "../lifecycle/vocabulary/approvals";
import type { Move } from "../lifecycle/vocabulary/move";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { noLook } from "../lifecycle/vocabulary/look";
import { labelWork } from "../lifecycle/storeLabels/labelWork";
import { planLabels } from "../lifecycle/storeLabels/setLabels";
import { planReclaim, policiesStay, reclaimWork } from "../lifecycle/volumes/reclaimPolicy";
import type { PlanPorts } from "../cluster/gatePorts";
import { beforeClusterIsDeleted } from "./destroy";
import { aboutLastBackup } from "./lastBackup";
import { planMemberFailover } from "./failover";
import { createGate } from "./gate";
import { deleteLeftBackups, planLeftBackups } from "./leftBackups";
import { liveLeftBackups, type LeftBackupsWorld } from "./leftBackupJobs";
import { type ReadyProgramInputs, unknownValue, unknownPath } from "./inputs";
import { lookForReady, lookForReadyPlan } from "./looks";
import { runOperation } from "./loop";
import { runDry } from "./runDry";
import { type Gate, type GateDefinition, Unreadable } from "./gateDefinition";
import { noticesOf } from "../lifecycle/vocabulary/notices";

function targetsOf(inputs: ReadyProgramInputs): MemberTarget[] {
    return inputs.members.map(({ component, replicas, policy, labels, reclaimPolicy }) => ({
        component,
        replicas,
        policy,
        ...(labels ? { labels } : {}),
        ...(reclaimPolicy ? { reclaimPolicy } : {}),
    }));
}

/** @returns the observation with the records that the gates before this one plan: what is dead is not waited for. */
async function foreseeFailovers(
    inputs: ReadyProgramInputs,
    observation: Observation,
    ports: PlanPorts,
): Promise<Observation> {
    let { failovers } = observation.records;
    for (const plain of targetsOf(inputs)) {
        const { component } = plain;
        const target = { ...plain, wantedTemplate: inputs.wantedTemplates?.[component] };
        const asked = { component, failover: inputs.failovers?.[component], lostNodes: inputs.lostNodes };
        const { foreseen } = await runDry(planMemberFailover(asked, observation, target), noLook, ports);
        failovers = { ...failovers, [component]: (foreseen?.records ?? observation.records).failovers?.[component] };
    }
    return { ...observation, records: { ...observation.records, failovers } };
}

function withAllReplacements(observation: Observation, targets: readonly MemberTarget[]): MemberTarget[] {
    return targets.map((target) => withReplacements(observation, target));
}

/**
 * With `operations.approval`, each step was consented to in its own gate. What is still to do here changed after that, so nobody
 * has seen it in a plan.
 */
function withConsent(approval: ApprovalMode | undefined, move: Move): Move {
    if (approval === undefined || move.kind !== "act" || !needsConsent(move.action)) {
        return move;
    }
    const seen = `nobody has approved it: ${describeAction(move.action)}; something changed after the gate of this member`;
    const next = "run `pulumi up`, which plans this step and asks for consent";
    return { kind: "fail", problem: { code: "step-not-approved", step: "approval", target: move.target, seen, next } };
}

/** The last gate of a cluster: an update ends once every pod, member and store is as the program asks. */
export const createReadyGateDefinition = (
    left: LeftBackupsWorld = liveLeftBackups,
): GateDefinition<ReadyProgramInputs> => ({
    isLast: true,
    notes: (olds, { onDestroy }) => {
        const isSame = isDeepStrictEqual(olds.onDestroy, onDestroy);
        return isSame ? [] : [{ is: "note", code: "last-backup", words: aboutLastBackup(onDestroy), isWarning: false }];
    },
    // In a preview all members may be unknown, or the replicas of one.
    replicasOf: ({ members }) =>
        unknownPath(members) === undefined ? members.reduce((sum, { replicas }) => sum + replicas, 0) : unknownValue,
    plan: async (inputs, ports) => {
        const components = inputs.members.map((member) => member.component);
        const cleans = await planLeftBackups(inputs, await ports.lease(), left);
        const look = lookForReadyPlan(components);
        const observation = await ports.look(look);
        if (observation.pdTrouble !== undefined) {
            throw new Unreadable(codeOfPd(observation.pdTrouble), observation.pdTrouble.why, cleans.items);
        }
        const foreseen = await foreseeFailovers(inputs, observation, ports);
        const lacks = planReady(foreseen, withAllReplacements(foreseen, targetsOf(inputs)));
        const waits = lacks.map((lack): PlanItem => ({ is: "missing", ...lack }));
        // Labels are compared only where PD, or the program, has some: an update without them reads no node for it.
        const compared = untilKnown(observation, (seen) => labelWork(seen, targetsOf(inputs)));
        const { found: labels } = await runDry(compared, look, ports);
        // Of a cluster whose program says no policy, no volume is read.
        const reclaimed = untilKnown(observation, (seen) => reclaimWork(seen, targetsOf(inputs)));
        const { found: reclaim } = await runDry(reclaimed, look, ports);
        const sets = planReclaim(reclaim.due).map((words): PlanItem => ({ is: "task", words }));
        const { items, remarks, ...others } = cleans;
        return {
            plan: [...waits, ...stepItems(planLabels(labels.due)), ...sets, ...items],
            remarks: [...noticesOf("labels-stay", ...labels.remarks), ...policiesStay(reclaim.remarks), ...remarks],
            ...others,
        };
    },
    effect: async (inputs, ports) => {
        const targets = targetsOf(inputs);
        await runOperation(
            {
                description: `wait for ${inputs.cluster}`,
                look: lookForReady(inputs.members.map((member) => member.component)),
                next: (observation, memory) =>
                    withConsent(
                        inputs.approval,
                        nextReadyMove(observation, withAllReplacements(observation, targets), memory),
                    ),
                isLast: true,
            },
            ports,
        );
        await deleteLeftBackups(inputs, await ports.lease(), left);
    },
});

export const readyGateDefinition = createReadyGateDefinition();

/** Comes after everything else of its cluster, so Pulumi deletes it first: `pulumi destroy` begins here. */
export const readyGate: Gate = {
    ...createGate(readyGateDefinition),
    delete: (id, props) => beforeClusterIsDeleted(id, props),
};

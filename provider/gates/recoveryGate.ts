import { codeOfPd } from "../lifecycle/vocabulary/waitOrFail";
import { dryRun } from "../lifecycle/dryRun/dryRun";
import { endItems } from "../lifecycle/dryRun/holds";
import { approvalItems } from "../lifecycle/approval/approvalWords";
import { nextRecoveryMove, recoveryWait, refusedAdvice } from "../lifecycle/unsafeRecovery/nextRecovery";
import { planRecovery } from "../lifecycle/unsafeRecovery/planRecovery";
import { recoveryState } from "../lifecycle/unsafeRecovery/recoveryState";
import { pendingStores, type RecoveryTarget, requestedStores } from "../lifecycle/unsafeRecovery/recoveryTarget";
import { lookCloser } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { storesInWords } from "../lifecycle/vocabulary/storesInWords";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { type PlanItem, stepItems } from "../lifecycle/walks/describePlan";
import type { PlanPorts } from "../cluster/gatePorts";
import { type GateDefinition, Unreadable } from "./gateDefinition";
import type { RecoveryProgramInputs } from "./inputs";
import { lookForRecovery } from "./looks";
import { runOperation } from "./loop";
import { runDry } from "./runDry";
import { operationApproval, planToApprove } from "./operationApproval";
import { noticesOf } from "../lifecycle/vocabulary/notices";

const field = "operations.unsafeRecovery";

/**
 * Comes before every member, and only with `operations.unsafeRecovery`: makes PD recover from the loss of stores that hold majorities of
 * regions. It loses data, so a person consents to it in any case, whatever `operations.approval` says.
 */
export const recoveryGateDefinition: GateDefinition<RecoveryProgramInputs> = {
    replicasOf: () => 0,
    plan: async (inputs, ports) => {
        const target = targetOf(inputs);
        const lease = await ports.lease();
        if (lease && pendingStores(target, lease.records).length === 0) {
            const on = storesInWords(target.failedStores);
            return {
                plan: [],
                remarks: noticesOf(
                    "unsafe-recovery-over",
                    `${field}: PD has recovered from the loss of ${on}; take it out of the program`,
                ),
            };
        }
        const observation = await observed(inputs, ports);
        const state = recoveryState(observation, target);
        const on = storesInWords(requestedStores(target, observation));
        const task = (words: string): { plan: PlanItem[] } => ({ plan: [{ is: "task", words }] });
        switch (state.is) {
            case "kept":
                if ("lacks" in state.why) {
                    const { pdTrouble } = observation;
                    const code = pdTrouble ? codeOfPd(pdTrouble) : "unsafe-recovery-evidence";
                    throw new Unreadable(code, pdTrouble?.why ?? state.why.lacks, [
                        { is: "task", words: `recover unsafely from the loss of ${on}, if PD's answers allow it` },
                    ]);
                }
                return {
                    plan: [],
                    refused: { property: field, reason: `${state.why.refused}. Next: ${refusedAdvice}` },
                };
            case "running":
                return task(
                    state.isOther
                        ? "wait until PD has ended the unsafe recovery of other stores that it runs"
                        : `wait until PD has finished the unsafe recovery from the loss of ${on} that it runs`,
                );
            case "ended":
                return task(`record that PD has finished the unsafe recovery from the loss of ${on}`);
            case "look":
            case "over":
            case "due": {
                const planned = plannedOf(inputs, observation);
                const toApprove = planToApprove(subjectOf(inputs), descriptionOf(inputs), planned, observation);
                const foreseen = await runDry(
                    dryRun((seen, memory) => nextRecoveryMove(seen, target, memory, false), observation),
                    lookForRecovery,
                    (options, lag) => ports.look(options, lag),
                );
                return {
                    plan: [
                        ...stepItems(planned.steps),
                        ...endItems(foreseen),
                        ...approvalItems(toApprove, observation),
                    ],
                    foreseen: [foreseen],
                };
            }
        }
    },
    effect: async (inputs, ports) => {
        const target = targetOf(inputs);
        let report: string | undefined;
        // The loop forgets its waits when it takes the lock. That PD gave up what this run followed still ends it.
        let followed = false;
        await runOperation(
            {
                description: descriptionOf(inputs),
                look: lookForRecovery,
                next: (observation, memory) => {
                    const move = nextRecoveryMove(observation, target, memory, followed);
                    followed ||= move.kind === "wait" && move.step === recoveryWait;
                    if (move.kind === "act" && move.action.do === "note-recovery-finished") {
                        report = move.action.report;
                    }
                    return move;
                },
                approval: operationApproval(subjectOf(inputs), descriptionOf(inputs), (observation) =>
                    plannedOf(inputs, observation),
                ),
            },
            ports,
        );
        if (report !== undefined) {
            ports.progress.info(`${descriptionOf(inputs)}: ${report}`);
        }
    },
};

/** The regions are listed only once everything else lets the recovery begin. */
async function observed(inputs: RecoveryProgramInputs, ports: PlanPorts): Promise<Observation> {
    const observation = await ports.look(lookForRecovery);
    const state = recoveryState(observation, targetOf(inputs));
    return state.is === "look" ? ports.look(lookCloser(lookForRecovery, state.at)) : observation;
}

function targetOf({ failedStores, neverComeBack, timeoutSeconds, policy }: RecoveryProgramInputs): RecoveryTarget {
    const ascending = [...new Set(failedStores)].sort((one, other) => one - other);
    return { failedStores: ascending, neverComeBack, timeoutSeconds, policy };
}

/** Consent is needed in any case. */
function subjectOf(inputs: RecoveryProgramInputs) {
    return { ...inputs, approval: inputs.approval ?? ("member" as const), component: "tikv" as const };
}

function descriptionOf({ cluster, ...inputs }: RecoveryProgramInputs): string {
    return `recover ${cluster} from the loss of ${storesInWords(targetOf({ cluster, ...inputs }).failedStores)}`;
}

function plannedOf(inputs: RecoveryProgramInputs, observation: Observation) {
    const target: MemberTarget = { component: "tikv", replicas: 0, policy: inputs.policy };
    return { steps: planRecovery(observation, targetOf(inputs)), target };
}

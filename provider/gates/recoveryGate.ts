import { codeOfPd } from "../lifecycle/vocabulary/waitOrFail";
import { dryRun } from "../lifecycle/dryRun/dryRun";
import { planItems } from "../lifecycle/dryRun/holds";
import { notForeseen } from "../lifecycle/dryRun/planSteps";
import { approvalItems } from "../lifecycle/approval/approvalWords";
import { nextRecoveryMove, recoveryWait } from "../lifecycle/unsafeRecovery/nextRecovery";
import { dueRecovery, planRecovery } from "../lifecycle/unsafeRecovery/planRecovery";
import { pendingStores, type RecoveryTarget } from "../lifecycle/unsafeRecovery/recoveryTarget";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { storesInWords } from "../lifecycle/vocabulary/storesInWords";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { refusalAhead } from "./gateError";
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
        const first = await ports.look(lookForRecovery);
        if (first.pdTrouble !== undefined) {
            const words = `recover unsafely from the loss of ${storesInWords(target.failedStores)}, if PD's answers allow it`;
            throw new Unreadable(codeOfPd(first.pdTrouble), first.pdTrouble.why, [{ is: "task", words }]);
        }
        const foreseen = await runDry(
            dryRun((seen, memory) => nextRecoveryMove(seen, target, memory), first),
            lookForRecovery,
            ports,
        );
        const refused = refusalAhead(foreseen, field);
        if (refused !== undefined) {
            return { plan: [], refused };
        }
        const { live } = foreseen;
        const toApprove = planToApprove(subjectOf(inputs), descriptionOf(inputs), plannedOf(inputs, live), live);
        return {
            plan: [...planItems(planRecovery(foreseen, target), foreseen), ...approvalItems(toApprove, live)],
            foreseen: [foreseen],
        };
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
    return { steps: notForeseen(dueRecovery(observation, targetOf(inputs)), observation), target };
}

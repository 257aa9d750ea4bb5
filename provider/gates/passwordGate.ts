import { passwordSecretName } from "../../topology/names";
import { nextPasswordMove, planPassword, refusePassword } from "../lifecycle/walks/rootPassword";
import type { PasswordTarget } from "../lifecycle/walks/rootPassword";
import { createGate } from "./gate";
import type { PasswordProgramInputs } from "./inputs";
import { lookAtPasswordSecret, lookForPassword } from "./looks";
import { runOperation } from "./loop";
import type { Gate, GateDefinition } from "./gateDefinition";

function targetOf({ policy, hasServers }: PasswordProgramInputs, isNew: boolean): PasswordTarget {
    return { policy, hasServers, isNew };
}

const field = "spec.tidb.initializer.createPassword";

/**
 * Stands behind TiDB: gives a root that has no password a random one, which a Secret of the cluster keeps. The Secret is
 * made here, and not by the Kubernetes provider, so that the password is never in Pulumi's state.
 */
export const passwordGateDefinition: GateDefinition<PasswordProgramInputs> = {
    replicasOf: () => 0,
    plan: async (inputs, ports) => {
        const observation = await ports.look(lookAtPasswordSecret);
        const plan = planPassword(observation, targetOf(inputs, false));
        const problem = plan.length > 0 ? refusePassword(observation) : undefined;
        return problem
            ? { plan: [], refused: { property: field, reason: `${problem.seen}. Next: ${problem.next}` } }
            : { plan };
    },
    effect: async (inputs, ports, first) => {
        const target = targetOf(inputs, first);
        let isLeftAlone = false;
        await runOperation(
            {
                description: `set root's password in ${inputs.cluster}`,
                look: lookForPassword,
                next: (observation, memory) => {
                    const move = nextPasswordMove(observation, target, memory);
                    if (move.kind === "act") {
                        isLeftAlone = move.action.do === "note-password" && move.action.how === "left-alone";
                    }
                    return move;
                },
            },
            ports,
        );
        if (isLeftAlone) {
            const secret = `Secret ${inputs.namespace}/${passwordSecretName(inputs.cluster)}`;
            ports.progress.warn(
                `${field}: root has a password already, and keeps it: the one in ${secret} is not root's`,
            );
        }
    },
};

export const passwordGate: Gate = createGate(passwordGateDefinition);

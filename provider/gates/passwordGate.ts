import { passwordSecretName } from "../../topology/names";
import { actionsOf, dryRun } from "../lifecycle/dryRun/dryRun";
import { describeAction } from "../lifecycle/vocabulary/actions";
import { untilAsked } from "../lifecycle/walks/planLooks";
import { nextPasswordMove } from "../lifecycle/walks/rootPassword";
import type { PasswordTarget } from "../lifecycle/walks/rootPassword";
import { refusalAhead } from "./gateError";
import type { PasswordProgramInputs } from "./inputs";
import { lookAtPasswordSecret, lookForPassword } from "./looks";
import { runOperation } from "./loop";
import type { GateDefinition } from "./gateDefinition";

function targetOf({ policy, hasServers }: PasswordProgramInputs, isNew: boolean): PasswordTarget {
    return { policy, hasServers, isNew };
}

const field = "spec.tidb.initializer.createPassword";

/**
 * Comes after TiDB: if root has no password, sets a random one and keeps it in a Secret of the cluster. The gate creates
 * the Secret, not the Kubernetes provider, so the password is never in Pulumi's state.
 */
export const passwordGateDefinition: GateDefinition<PasswordProgramInputs> = {
    replicasOf: () => 0,
    plan: async (inputs, ports) => {
        const target = targetOf(inputs, false);
        const observation = await ports.look(lookAtPasswordSecret);
        // A preview does not try how root can log in: TiDB counts the logins that fail.
        const { run, look } = untilAsked(dryRun((seen, memory) => nextPasswordMove(seen, target, memory), observation));
        const refused = refusalAhead(run, field);
        if (refused !== undefined) {
            return { plan: [], refused };
        }
        const secret = passwordSecretName(inputs.cluster);
        const words = [
            ...actionsOf(run).map(describeAction),
            ...(look ? [`set the password in Secret ${secret} for root, unless root has a different one`] : []),
        ];
        return { plan: words.map((task) => ({ is: "task", words: task })), foreseen: [run] };
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
            const message = `${field}: root already has a password and keeps it: the one in ${secret} is not root's password`;
            ports.progress.warn({ code: "password-kept", message });
        }
    },
};

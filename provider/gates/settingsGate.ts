import { memberName } from "../../topology/names";
import { approvalItems } from "../lifecycle/approval/approvalWords";
import { dryRun } from "../lifecycle/dryRun/dryRun";
import { planItems } from "../lifecycle/dryRun/holds";
import { notForeseen } from "../lifecycle/dryRun/planSteps";
import { nextSettingsMove } from "../lifecycle/settings/nextSettings";
import { changedOutside, keptWhileSuspended } from "../lifecycle/settings/changedOutside";
import { settingsWork, type SettingsTarget, unknownServers } from "../lifecycle/settings/settingsPlan";
import { dueSettings, notWritten, planSettings } from "../lifecycle/settings/settingsSteps";
import type { Observation } from "../lifecycle/vocabulary/observation";
import { inWords } from "../lifecycle/vocabulary/settings";
import { shortDigest } from "../lifecycle/vocabulary/shortDigest";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { refusalAhead } from "./gateError";
import { type GateDefinition, Unreadable } from "./gateDefinition";
import type { SettingsProgramInputs } from "./inputs";
import { lookForSettings } from "./looks";
import { runOperation } from "./loop";
import { runDry } from "./runDry";
import { operationApproval, planToApprove } from "./operationApproval";
import { undoingFailure } from "./undoSettings";
import { noticesOf } from "../lifecycle/vocabulary/notices";

/**
 * Comes before a member's ConfigMap: sets the changed settings that take effect at once on the running servers, and reads them
 * back. If it fails, it takes back what it set, and the ConfigMap stays as it is. The RolloutGate confirms the settings after the
 * ConfigMap was written, because a server that starts in between reads the old one.
 */
export const settingsGateDefinition: GateDefinition<SettingsProgramInputs> = {
    replicasOf: () => 0,
    plan: async (inputs, ports) => {
        const observation = await ports.look(lookForSettings(inputs));
        const target = settingsTarget(inputs);
        const work = settingsWork(observation, target);
        if (!work.known) {
            throw new Unreadable("settings-unknown", work.why);
        }
        const unknown = unknownServers(work.value.servers);
        const remarks = [
            ...noticesOf("setting-changed-outside", ...changedOutside(observation, target)),
            ...noticesOf("setting-kept-by-suspended", ...keptWhileSuspended(observation, target)),
            ...noticesOf("setting-not-written", ...notWritten(observation, target)),
            ...noticesOf(
                "servers-not-asked",
                unknown.length === 0
                    ? undefined
                    : `whether settings were changed outside the program is not known: ${unknown.join("; ")}`,
            ),
        ];
        const foreseen = await runDry(
            dryRun((seen, memory) => nextSettingsMove(seen, target, memory), observation),
            lookForSettings(inputs),
            ports,
        );
        const refused = refusalAhead(foreseen, `spec.${inputs.component}.config`);
        if (refused !== undefined) {
            return { plan: [], refused, remarks };
        }
        const steps = planSettings(foreseen, observation, target);
        const toApprove = planToApprove(inputs, descriptionOf(inputs), planned(inputs, observation), observation);
        const plan = [...planItems(steps, foreseen), ...approvalItems(toApprove, observation)];
        return { plan, remarks, foreseen: [foreseen] };
    },
    effect: async (inputs, ports) => {
        const target = settingsTarget(inputs);
        const description = descriptionOf(inputs);
        const look = lookForSettings(inputs);
        await undoingFailure({ description, look, target }, ports, () =>
            runOperation(
                {
                    description,
                    look,
                    next: (observation, memory) => nextSettingsMove(observation, target, memory),
                    approval: operationApproval(inputs, description, (observation) => planned(inputs, observation)),
                },
                ports,
            ),
        );
    },
};

/** @returns what the gate's settings are to be. */
function settingsTarget({ component, settings, policy }: SettingsProgramInputs): SettingsTarget {
    return { component, settings, policy };
}

function descriptionOf({ cluster, component }: SettingsProgramInputs): string {
    return `set settings of ${memberName(cluster, component)}`;
}

/** What needs consent. */
function planned(inputs: SettingsProgramInputs, observation: Observation) {
    const steps = notForeseen(dueSettings(observation, settingsTarget(inputs)), observation);
    return { steps, target: goalOf(inputs) };
}

/** What a consent is for: these values, whatever the template is. */
function goalOf({ component, settings, policy }: SettingsProgramInputs): MemberTarget {
    return { component, replicas: 0, templateRevision: shortDigest(inWords(settings)), policy };
}

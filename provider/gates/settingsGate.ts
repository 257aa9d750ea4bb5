import { memberName } from "../../topology/names";
import { approvalItems } from "../lifecycle/approval/approvalWords";
import { dryRun } from "../lifecycle/dryRun/dryRun";
import { endItems } from "../lifecycle/dryRun/holds";
import { nextSettingsMove } from "../lifecycle/settings/nextSettings";
import { changedOutside, keptWhileSuspended } from "../lifecycle/settings/changedOutside";
import { settingsWork, type SettingsTarget, unknownServers } from "../lifecycle/settings/settingsPlan";
import { notWritten, planSettings, refuseSettings } from "../lifecycle/settings/settingsSteps";
import { inWords } from "../lifecycle/vocabulary/settings";
import { shortDigest } from "../lifecycle/vocabulary/shortDigest";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { stepItems } from "../lifecycle/walks/describePlan";
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
        const steps = planSettings(observation, target);
        const problem = steps.length > 0 ? refuseSettings(observation, target) : undefined;
        if (problem !== undefined) {
            const property = `spec.${inputs.component}.config`;
            return { plan: [], refused: { property, reason: `${problem.seen}. Next: ${problem.next}` }, remarks };
        }
        const toApprove = planToApprove(inputs, descriptionOf(inputs), { steps, target: goalOf(inputs) }, observation);
        if (steps.length === 0) {
            return { plan: [], remarks };
        }
        const foreseen = await runDry(
            dryRun((seen, memory) => nextSettingsMove(seen, target, memory), observation),
            lookForSettings(inputs),
            (options, lag) => ports.look(options, lag),
        );
        const plan = [...stepItems(steps), ...endItems(foreseen), ...approvalItems(toApprove, observation)];
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
                    approval: operationApproval(inputs, description, (observation) => ({
                        steps: planSettings(observation, target),
                        target: goalOf(inputs),
                    })),
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

/** What a consent is for: these values, whatever the template is. */
function goalOf({ component, settings, policy }: SettingsProgramInputs): MemberTarget {
    return { component, replicas: 0, templateRevision: shortDigest(inWords(settings)), policy };
}

import { imageTag } from "../../topology/imageVersion";
import { isForUpgrade, upgradedMembers, versionChanges, type VersionChanges } from "../lifecycle/backups/beforeUpgrade";
import { isVersion } from "../lifecycle/backups/backupNames";
import { judgeJob } from "../lifecycle/jobs/judgeJob";
import { secretsOf } from "../lifecycle/jobs/jobSecrets";
import { jobName } from "../lifecycle/jobs/observedJob";
import { planNew, planSeen } from "../lifecycle/jobs/planJob";
import { noLook } from "../lifecycle/vocabulary/look";
import type { PlanPorts } from "../cluster/gatePorts";
import { createGate } from "./gate";
import type { Gate, GateDefinition } from "./gateDefinition";
import { GateError } from "./gateError";
import type { BeforeUpgradeProgramInputs } from "./inputs";
import { missingBefore } from "./jobSecrets";
import { recordedBackup } from "./recordedBackup";
import { asGateErrors, lookAtJob, runJob } from "./runJob";
import { jobForUpgrade, liveUpgradeJobs, type MadeJob, targetOf, type UpgradeJobsWorld } from "./upgradeJobs";

/** What an upgrade needs: the change of versions, and the version that TiKV has until then. */
interface Upgrade {
    readonly changes: VersionChanges;
    readonly tag: string;
}

/**
 * Comes before every member, and only with `operations.backup.beforeUpgrade`: takes a backup before the first step of a change of version, once
 * for each, and waits for its success. It is a Job that the gate creates, because only the live cluster says from which version an upgrade
 * comes.
 */
export function beforeUpgradeGateDefinition(
    world: UpgradeJobsWorld = liveUpgradeJobs,
): GateDefinition<BeforeUpgradeProgramInputs> {
    return {
        replicasOf: () => 0,
        plan: async (inputs, ports) => {
            const upgrade = await upgradeOf(inputs, ports);
            if (upgrade === undefined) {
                return { plan: [] };
            }
            if (inputs.untaggedImage !== undefined && !isVersion(upgrade.tag)) {
                return { plan: [], refused: withoutVersion(inputs, upgrade) };
            }
            const { job, isThere, runs } = await jobOf(inputs, upgrade, world);
            const target = targetOf(inputs, job);
            if (!isThere) {
                const secrets = secretsOf(inputs.job.spec.template.spec);
                const warnings = await missingBefore(target, secrets, () => world.open({ ...inputs, job: job.name }));
                return { plan: planNew(target, true, runs).plan.map((words) => ({ is: "task", words })), warnings };
            }
            const seen = await lookAtJob(await world.open({ ...inputs, job: job.name }));
            const verdict = judgeJob(seen, target);
            if (verdict.is === "succeeded") {
                return { plan: [], remarks: [`${jobName(target)} has succeeded: ${target.does}`] };
            }
            const { plan, warnings } = planSeen(verdict, target, true, runs);
            return { plan: plan.map((words) => ({ is: "task", words })), warnings };
        },
        effect: async (inputs, ports) => {
            const upgrade = await upgradeOf(inputs, ports);
            if (upgrade === undefined) {
                return;
            }
            let found = await jobOf(inputs, upgrade, world);
            if (!found.isThere) {
                const made = jobForUpgrade(inputs, upgrade.changes, upgrade.tag);
                const target = targetOf(inputs, found.job);
                await asGateErrors(target, () => world.create(inputs, made));
                ports.progress.note(`created ${jobName(target)}: ${target.does}`);
                found = await jobOf(inputs, upgrade, world);
                if (!found.isThere) {
                    throw new GateError({
                        step: target.does,
                        target: jobName(target),
                        seen: "a Job of this name is there that was not made for this upgrade, or the new one is gone",
                        next: "delete that Job, then run `pulumi up` again",
                    });
                }
            }
            const target = targetOf(inputs, found.job);
            await recordedBackup(target, ports, async () =>
                runJob(target, true, await world.open({ ...inputs, job: target.job })),
            );
        },
    };
}

export const beforeUpgradeGate: Gate = createGate(beforeUpgradeGateDefinition());

/** Without TiKV there is nothing to back up. */
async function upgradeOf(
    { tags }: BeforeUpgradeProgramInputs,
    ports: Pick<PlanPorts, "look">,
): Promise<Upgrade | undefined> {
    const { members } = await ports.look({ ...noLook, components: upgradedMembers });
    const changes = versionChanges(members, tags);
    const image = members.tikv?.statefulSet?.image;
    return changes === undefined || image === undefined ? undefined : { changes, tag: imageTag(image) };
}

/** @returns the Job that was made for the upgrade, or the one that would be. */
async function jobOf(
    inputs: BeforeUpgradeProgramInputs,
    { changes, tag }: Upgrade,
    world: UpgradeJobsWorld,
): Promise<{ job: MadeJob; isThere: boolean; runs: string[] }> {
    const made = jobForUpgrade(inputs, changes, tag);
    const runs = made.spec.template.spec.containers.map(({ image }) => `BR (${image})`);
    const there = (await world.list(inputs)).find(({ record }) => isForUpgrade(record, changes, inputs.attempt));
    const record = { attempt: inputs.attempt, changes };
    return { job: there ?? { name: made.metadata.name, uid: "", record }, isThere: there !== undefined, runs };
}

function withoutVersion({ untaggedImage }: BeforeUpgradeProgramInputs, { tag }: Upgrade) {
    return {
        property: "operations.backup.beforeUpgrade.spec.toolImage",
        reason: `found no version for ${untaggedImage}: TiKV's image has the tag ${tag} now, expected an image of BR with its tag, such as pingcap/br:v8.5.3`,
    };
}

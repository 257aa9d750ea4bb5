import { imageTag } from "../../topology/imageVersion";
import { isForUpgrade, upgradedMembers, versionChanges, type VersionChanges } from "../lifecycle/backups/beforeUpgrade";
import { isVersion } from "../lifecycle/backups/backupNames";
import { judgeJob } from "../lifecycle/jobs/judgeJob";
import { secretsOf } from "../lifecycle/jobs/jobSecrets";
import { jobName } from "../lifecycle/jobs/observedJob";
import { planNew, planSeen } from "../lifecycle/jobs/planJob";
import type { Estimate } from "../lifecycle/estimates/expectedTime";
import { duration } from "../lifecycle/walks/describePlan";
import { noLook } from "../lifecycle/vocabulary/look";
import type { PlanPorts } from "../cluster/gatePorts";
import type { GateDefinition } from "./gateDefinition";
import { GateError } from "./gateError";
import type { BeforeUpgradeProgramInputs } from "./inputs";
import { missingBefore } from "./jobSecrets";
import { recordedBackup } from "./recordedBackup";
import { asGateErrors, lookAtJob, runJob } from "./runJob";
import {
    jobForUpgrade,
    lastDuration,
    liveUpgradeJobs,
    type MadeJob,
    targetOf,
    type UpgradeJobsWorld,
    wantedRecord,
} from "./upgradeJobs";
import { noticesOf } from "../lifecycle/vocabulary/notices";

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
            const { job, isThere, runs, seconds } = await jobOf(inputs, upgrade, world);
            const target = targetOf(inputs, job);
            if (!isThere) {
                const secrets = secretsOf(inputs.job.spec.template.spec);
                const warnings = await missingBefore(target, secrets, () => world.open({ ...inputs, job: job.name }));
                const last = seconds === undefined ? "" : `; the last one took ${duration(seconds)}`;
                const plan = planNew(target, true, runs).plan.map((words) => ({
                    is: "task" as const,
                    words: words + last,
                }));
                return { plan, warnings, estimate: estimateOf("the backup", seconds) };
            }
            const seen = await lookAtJob(await world.open({ ...inputs, job: job.name }));
            const verdict = judgeJob(seen, target);
            if (verdict.is === "succeeded") {
                return {
                    plan: [],
                    remarks: noticesOf("backup-taken", `${jobName(target)} has succeeded: ${target.does}`),
                };
            }
            const { plan, warnings } = planSeen(verdict, target, true, runs);
            // A failed one takes no time.
            const rest = verdict.is === "failed" ? {} : { estimate: estimateOf("the rest of the backup", undefined) };
            return { plan: plan.map((words) => ({ is: "task", words })), warnings, ...rest };
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
                        code: "job-name-taken",
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

/** Only an earlier backup shows how long one takes: neither PD nor the program does. */
function estimateOf(work: string, seconds: number | undefined): Estimate {
    return seconds === undefined
        ? { known: false, why: "no earlier Job shows it", work }
        : { known: true, seconds, operations: [] };
}

/** @returns the Job that was made for the upgrade, or the one that would be, and how long the last one took. */
async function jobOf(
    inputs: BeforeUpgradeProgramInputs,
    { changes, tag }: Upgrade,
    world: UpgradeJobsWorld,
): Promise<{ job: MadeJob; isThere: boolean; runs: string[]; seconds: number | undefined }> {
    const made = jobForUpgrade(inputs, changes, tag);
    const runs = made.spec.template.spec.containers.map(({ image }) => `BR (${image})`);
    const jobs = await world.list(inputs);
    const wanted = wantedRecord(inputs, changes);
    const there = jobs.find(({ record }) => isForUpgrade(record, wanted));
    const job = there ?? { name: made.metadata.name, uid: "", record: wanted };
    return { job, isThere: there !== undefined, runs, seconds: lastDuration(jobs) };
}

function withoutVersion({ untaggedImage }: BeforeUpgradeProgramInputs, { tag }: Upgrade) {
    return {
        property: "operations.backup.beforeUpgrade.spec.toolImage",
        reason: `found no version for ${untaggedImage}: TiKV's image has the tag ${tag} now, expected an image of BR with its tag, such as pingcap/br:v8.5.3`,
    };
}

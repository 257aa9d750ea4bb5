import type { V1Job } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { beforeUpgradeAnnotation } from "../../topology/annotations";
import { anyUpgrade, backupLabel, beforeUpgradeName } from "../../topology/backupPods";
import { instanceLabel } from "../../topology/labels";
import { leaseName } from "../../topology/names";
import { createJobCalls } from "../cluster/jobs/jobCalls";
import { loadKubeConfig } from "../cluster/kubeConfig";
import {
    upgradeInWords,
    upgradeJobName,
    upgradeName,
    type UpgradeRecord,
    upgradeRecordOf,
    upgradeRecordText,
    type VersionChanges,
} from "../lifecycle/backups/beforeUpgrade";
import type { JobTarget } from "../lifecycle/jobs/observedJob";
import type { BeforeUpgradeProgramInputs, UpgradeJob } from "./inputs";
import { type JobWorld, liveJobWorld } from "./jobWorld";

/** A Job that was made for an upgrade. */
export interface MadeJob {
    readonly name: string;
    readonly uid: string;
    readonly record: UpgradeRecord;
}

type Place = Pick<BeforeUpgradeProgramInputs, "access" | "namespace" | "instance">;

/** How the gate of the backup before an upgrade reaches its Jobs. */
export interface UpgradeJobsWorld extends Pick<JobWorld, "open"> {
    /** The Jobs that were made for upgrades of the cluster. @throws KubernetesApiError if the API server does not list them. */
    list(place: Place): Promise<MadeJob[]>;
    /** @returns its UID; undefined if another Job of its name is there. */
    create(place: Place, job: UpgradeJob): Promise<string | undefined>;
}

const callsIn = async ({ access, namespace }: Place) => createJobCalls(await loadKubeConfig(access), namespace);

export const liveUpgradeJobs: UpgradeJobsWorld = {
    open: (place) => liveJobWorld.open(place),
    list: async (place) => {
        const selector = `${backupLabel}=${beforeUpgradeName},${instanceLabel}=${place.instance}`;
        const jobs = await (await callsIn(place)).jobs(selector);
        return jobs.flatMap(({ metadata }) => {
            const record = upgradeRecordOf(metadata?.annotations?.[beforeUpgradeAnnotation]);
            return record === undefined ? [] : [{ name: metadata?.name ?? "", uid: metadata?.uid ?? "", record }];
        });
    },
    create: async (place, job) => (await callsIn(place)).create(job as V1Job),
};

/**
 * @returns the Job for an upgrade. It belongs to the cluster's Lease, so it leaves Kubernetes with the cluster.
 * @param tag the version of TiKV now, which BR must have.
 */
export function jobForUpgrade(inputs: BeforeUpgradeProgramInputs, changes: VersionChanges, tag: string): UpgradeJob {
    const record = { attempt: inputs.attempt, changes };
    const job = structuredClone(inputs.job);
    job.metadata.name = upgradeJobName(inputs.cluster, record);
    job.metadata.annotations = { ...job.metadata.annotations, [beforeUpgradeAnnotation]: upgradeRecordText(record) };
    const lease = { kind: "Lease", name: leaseName(inputs.cluster), uid: inputs.leaseUid };
    job.metadata.ownerReferences = [{ apiVersion: "coordination.k8s.io/v1", ...lease }];
    for (const container of job.spec.template.spec.containers) {
        container.image = inputs.untaggedImage === undefined ? container.image : `${inputs.untaggedImage}:${tag}`;
        container.args = container.args.map((argument) => argument.replaceAll(anyUpgrade, upgradeName(record)));
    }
    return job;
}

/** @returns the Job as `runJob` waits for it. */
export function targetOf(
    { namespace, cluster, url, attempt, timeoutSeconds }: BeforeUpgradeProgramInputs,
    { name, uid, record }: MadeJob,
): JobTarget {
    const to = url.replaceAll(anyUpgrade, upgradeName(record));
    return {
        namespace,
        job: name,
        jobUid: uid,
        revision: "",
        does: `back up the cluster ${namespace}/${cluster} to ${to} before its upgrade from ${upgradeInWords(record.changes)}`,
        attempt,
        attemptField: "operations.backup.beforeUpgrade.attempt",
        timeoutSeconds,
    };
}

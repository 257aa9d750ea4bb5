import type { V1Job } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { anyFolder, backupLabel } from "../../topology/backupPods";
import { instanceLabel } from "../../topology/labels";
import { leaseName } from "../../topology/names";
import { createJobCalls } from "../cluster/jobs/jobCalls";
import { loadKubeConfig } from "../cluster/kubeConfig";
import { backupJobName } from "../lifecycle/backups/backupNames";
import type { CommonInputs } from "./gateDefinition";
import type { BackupJob, GateBackup } from "./inputs";
import { type JobWorld, liveJobWorld } from "./jobWorld";

type Place = Pick<CommonInputs, "access" | "namespace" | "instance">;

/** How gates reach the Jobs of the backups that they take. */
export interface BackupJobsWorld<Made> extends Pick<JobWorld, "open"> {
    /** The Jobs that were made for such backups of the cluster. @throws KubernetesApiError if the API server does not list them. */
    list(place: Place): Promise<Made[]>;
    /** @returns its UID; undefined if another Job of its name is there. */
    create(place: Place, job: BackupJob): Promise<string | undefined>;
}

const callsIn = async ({ access, namespace }: Place) => createJobCalls(await loadKubeConfig(access), namespace);

/** @param name the name of such backups, in the label of their Jobs. @param read returns none for a Job that is something else. */
export function liveBackupJobs<Made>(name: string, read: (job: V1Job) => Made[]): BackupJobsWorld<Made> {
    return {
        open: (place) => liveJobWorld.open(place),
        list: async (place) => {
            const selector = `${backupLabel}=${name},${instanceLabel}=${place.instance}`;
            return (await (await callsIn(place)).jobs(selector)).flatMap(read);
        },
        create: async (place, job) => (await callsIn(place)).create(job as V1Job),
    };
}

/** What is known of a backup once it is taken. */
interface Taken {
    readonly cluster: string;
    readonly leaseUid: string;
    /** Its folder, which is also in the name of the Job. */
    readonly folder: string;
    /** The version of TiKV now, which BR must have. */
    readonly tag: string;
    /** Default: those of the Job. */
    readonly annotations?: Readonly<Record<string, string>>;
}

/** @returns the Job of a backup. It belongs to the cluster's Lease, so it leaves Kubernetes with the cluster. */
export function backupJobOf({ job, untaggedImage }: GateBackup, taken: Taken): BackupJob {
    const made = structuredClone(job);
    made.metadata.name = backupJobName(taken.cluster, taken.folder);
    made.metadata.annotations = { ...made.metadata.annotations, ...taken.annotations };
    const lease = { kind: "Lease", name: leaseName(taken.cluster), uid: taken.leaseUid };
    made.metadata.ownerReferences = [{ apiVersion: "coordination.k8s.io/v1", ...lease }];
    for (const container of made.spec.template.spec.containers) {
        container.image = untaggedImage === undefined ? container.image : `${untaggedImage}:${taken.tag}`;
        container.args = container.args.map((argument) => argument.replaceAll(anyFolder, taken.folder));
    }
    return made;
}

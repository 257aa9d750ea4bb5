import type { V1Job } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { leftBackupAnnotation } from "../../topology/annotations";
import { cleanWord } from "../../topology/backupPods";
import { componentLabel } from "../../topology/labels";
import { leaseName } from "../../topology/names";
import { createJobCalls } from "../cluster/jobs/jobCalls";
import { cronJobAsUser, jobAsUser } from "../cluster/jobs/storageUsers";
import { loadKubeConfig } from "../cluster/kubeConfig";
import { createKubernetesApi } from "../cluster/kubernetesApi";
import { noteLeftBackups } from "../cluster/leaseNotes";
import {
    cleanJobName,
    type LeftBackup,
    leftBackupOf,
    leftBackupText,
    type StorageUser,
} from "../lifecycle/backups/leftBackup";
import type { CleanInputs, CleanJob, JobProgramInputs } from "./jobInputs";
import { type JobWorld, liveJobWorld } from "./jobWorld";

/** A Job that is to delete the data of a Backup that left the program. */
export interface CleanRecord {
    readonly name: string;
    readonly uid: string;
    /** Undefined if its annotation cannot be read. */
    readonly left: LeftBackup | undefined;
    readonly state: "new" | "at work" | "complete" | "failed";
    readonly job: CleanJob;
}

type Place = Pick<JobProgramInputs, "access" | "namespace"> & { leaseUid: string };

/** How gates reach the Jobs that delete the data of Backups. */
export interface LeftBackupsWorld extends Pick<JobWorld, "open" | "progress"> {
    /** @throws KubernetesApiError if the API server does not list all of them. */
    list(place: Place): Promise<{ records: CleanRecord[]; users: StorageUser[] }>;
    /** The Job of a Backup; undefined if there is none. */
    job(place: Place, name: string): Promise<StorageUser | undefined>;
    /** Records on the cluster's Lease that a Backup has left. @returns whether the Lease is that of this cluster. */
    noteOnLease(place: Place, cluster: string): Promise<boolean>;
    /** @returns its UID; undefined if a Job of its name is there. */
    create(place: Place, job: CleanJob): Promise<string | undefined>;
    remove(place: Place, name: string, uid: string): Promise<void>;
}

const callsIn = async ({ access, namespace }: Place) => createJobCalls(await loadKubeConfig(access), namespace);

export const liveLeftBackups: LeftBackupsWorld = {
    ...liveJobWorld,
    list: async (place) => {
        const calls = await callsIn(place);
        const [jobs, cronJobs] = await Promise.all([calls.jobs(""), calls.cronJobs("")]);
        const isClean = ({ metadata }: V1Job) => metadata?.labels?.[componentLabel] === cleanWord;
        const isOwn = ({ metadata }: V1Job) => metadata?.ownerReferences?.some(({ uid }) => uid === place.leaseUid);
        return {
            records: jobs.filter((job) => isClean(job) && isOwn(job)).map(recordOf),
            users: [...jobs.filter((job) => !isClean(job)).map(jobAsUser), ...cronJobs.map(cronJobAsUser)],
        };
    },
    job: async (place, name) => {
        const job = await (await callsIn(place)).job(name);
        return job && jobAsUser(job);
    },
    noteOnLease: async ({ access, namespace, leaseUid }, cluster) => {
        const api = await createKubernetesApi(await loadKubeConfig(access));
        const lease = await api.readLease(namespace, leaseName(cluster));
        if (lease?.metadata?.uid !== leaseUid) {
            return false;
        }
        await noteLeftBackups(api, namespace, cluster);
        return true;
    },
    create: async (place, job) => (await callsIn(place)).create(job as V1Job),
    remove: async (place, name, uid) => (await callsIn(place)).remove(name, uid),
};

/**
 * @returns the Job that deletes the data of a Backup, suspended: nothing but the cluster's last gate starts it. It belongs to the cluster's Lease, so it
 * leaves Kubernetes with the cluster.
 * @param args what only the end of the backup tells.
 */
export function firstCleanJob(
    { job, cluster, leaseUid }: CleanInputs,
    left: LeftBackup,
    args: readonly string[],
): CleanJob {
    const made = cleanJobOf(job, left);
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", name: leaseName(cluster), uid: leaseUid };
    made.metadata.ownerReferences = [lease];
    const [container] = made.spec.template.spec.containers;
    container.args = [...(container.args ?? []), ...args];
    return made;
}

/** @returns the Job of an attempt. @param job that of an earlier one. */
export function cleanJobOf(job: CleanJob, left: LeftBackup): CleanJob {
    const made = structuredClone(job);
    made.metadata.name = cleanJobName(left);
    made.metadata.annotations = { ...made.metadata.annotations, [leftBackupAnnotation]: leftBackupText(left) };
    made.spec.suspend = true;
    return made;
}

/** Labels that Kubernetes gives the pods of a Job. */
const ofController = ["controller-uid", "job-name"].flatMap((name) => [name, `batch.kubernetes.io/${name}`]);

function recordOf({ metadata, spec, status }: V1Job): CleanRecord {
    const is = (type: string) => status?.conditions?.some((one) => one.type === type && one.status === "True");
    const isNew = spec?.suspend === true && metadata?.generation === 1;
    const { name = "", uid = "", namespace, labels, annotations, ownerReferences } = metadata ?? {};
    const withoutOwn = (all: Record<string, string> | undefined) =>
        Object.fromEntries(Object.entries(all ?? {}).filter(([key]) => !ofController.includes(key)));
    const template = spec?.template as CleanJob["spec"]["template"];
    return {
        name,
        uid,
        left: leftBackupOf(annotations?.[leftBackupAnnotation]),
        state: is("Complete") ? "complete" : is("Failed") ? "failed" : isNew ? "new" : "at work",
        job: {
            metadata: { name, namespace, labels: withoutOwn(labels), annotations, ownerReferences },
            spec: {
                backoffLimit: spec?.backoffLimit,
                template: {
                    metadata: {
                        labels: withoutOwn(template?.metadata?.labels),
                        annotations: template?.metadata?.annotations,
                    },
                    spec: template?.spec,
                },
            } as CleanJob["spec"],
        },
    };
}

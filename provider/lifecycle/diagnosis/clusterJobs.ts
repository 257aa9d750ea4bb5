import { brPdArgument } from "../../../topology/backupPods";
import { leaseName, memberName } from "../../../topology/names";
import type { Job } from "./objects";

type Cluster = { readonly cluster: string; readonly namespace: string };

/**
 * @returns the Jobs of a cluster that should have a pod, or had one that failed. Of those of one CronJob only the newest counts: a later run
 * makes up for an earlier one.
 */
export function jobsToDiagnose<Of extends Job>(jobs: readonly Of[], cluster: Cluster): Of[] {
    const own = jobs.filter((job) => isOf(job, cluster));
    return own.filter(
        (job) =>
            job.spec?.suspend !== true &&
            job.metadata?.deletionTimestamp === undefined &&
            !job.status?.conditions?.some(({ type, status }) => type === "Complete" && status === "True") &&
            !own.some(
                (other) => cronJobOf(job) !== undefined && cronJobOf(job) === cronJobOf(other) && isNewer(other, job),
            ),
    );
}

/** Its arguments name the cluster: BR its PD, Dumpling, TiDB Lightning and an initializer its TiDB. Those of gates belong to its Lease. */
function isOf({ metadata, spec }: Job, { cluster, namespace }: Cluster): boolean {
    const { containers = [], initContainers = [] } = spec?.template.spec ?? {};
    const args = [...initContainers, ...containers].flatMap((one) => [...(one.command ?? []), ...(one.args ?? [])]);
    const hosts = args.flatMap((text) => /^--(?:tidb-)?host=(.+)$/.exec(text)?.[1] ?? []);
    return (
        args.includes(brPdArgument(cluster, namespace)) ||
        hosts.some((host) => {
            const [name, of = namespace] = host.split(".");
            return name === memberName(cluster, "tidb") && of === namespace;
        }) ||
        (metadata?.ownerReferences ?? []).some(({ kind, name }) => kind === "Lease" && name === leaseName(cluster))
    );
}

function cronJobOf({ metadata }: Job): string | undefined {
    return metadata?.ownerReferences?.find(({ kind }) => kind === "CronJob")?.uid;
}

/** @returns whether an object was created after another one. */
export function isNewer(one: Pick<Job, "metadata">, other: Pick<Job, "metadata">): boolean {
    const [at, before] = [one, other].map(({ metadata }) => new Date(metadata?.creationTimestamp ?? 0).getTime());
    return at > before;
}

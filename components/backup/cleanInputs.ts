import * as pulumi from "@pulumi/pulumi";
import type { CleanInputs, CleanJob } from "../../provider/gates/jobInputs";
import type { TidbCluster } from "../tidbCluster";
import type { BackupArgs } from "./args";
import type { PlannedBr } from "./plannedBr";

/** @returns what the gate of a Backup with a `cleanPolicy` that deletes gets; undefined for another Backup. */
export function cleanInputs(
    planned: PlannedBr,
    { lease }: TidbCluster,
    name: string,
    { metadata }: BackupArgs,
): pulumi.Output<CleanInputs | undefined> {
    return pulumi
        .all([planned.clean, planned.cluster, planned.url, metadata?.name ?? name])
        .apply(([clean, cluster, url, backup]) =>
            clean === undefined
                ? pulumi.output(undefined)
                : lease.metadata.uid.apply((leaseUid) => ({
                      backup,
                      url,
                      cluster: cluster.name,
                      leaseUid,
                      storage: [...clean.storage],
                      ...(clean.onFailure ? { onFailure: true } : {}),
                      job: clean.job as unknown as CleanJob,
                  })),
        ) as pulumi.Output<CleanInputs | undefined>;
}

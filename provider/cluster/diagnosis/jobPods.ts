import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Component } from "../../../topology/members";
import { isNewer, jobsToDiagnose } from "../../lifecycle/diagnosis/clusterJobs";
import type { Fact } from "../../lifecycle/vocabulary/evidence";
import type { ClusterId } from "../clusterId";
import { inGroups } from "../inGroups";
import type { Ask } from "./ask";
import type { DiagnosisCalls } from "./diagnosisCalls";

/** Jobs whose pods are read at once. */
const jobsAtOnce = 20;

/** A pod to diagnose. `found`: what was read of it already. */
export interface AskedPod {
    readonly name: string;
    readonly component?: Component;
    readonly job?: string;
    readonly found?: Fact<V1Pod | undefined>;
}

/**
 * @returns the newest pod of each Job of the cluster that has not succeeded. A Job whose pod cannot be created has none.
 * @param unread gets what could not be read.
 */
export async function podsOfJobs(
    calls: DiagnosisCalls,
    cluster: Pick<ClusterId, "cluster" | "namespace">,
    ask: Ask,
    unread: string[],
): Promise<AskedPod[]> {
    const jobs = await ask(() => calls.jobs());
    if (!jobs.known) {
        unread.push(`the pods of Jobs: ${jobs.why}`);
        return [];
    }
    const all = await inGroups(jobsToDiagnose(jobs.value, cluster), jobsAtOnce, async ({ metadata }) => {
        const job = metadata?.name ?? "";
        const pods = await ask(async () => {
            const own = (await calls.podsOfJob(job)).filter((pod) =>
                pod.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid),
            );
            return own.reduce<V1Pod | undefined>((one, other) => (one && isNewer(one, other) ? one : other), undefined);
        });
        const name = (pods.known && pods.value?.metadata?.name) || `a pod of Job ${job}`;
        return pods.known && pods.value?.status?.phase === "Succeeded" ? [] : [{ job, name, found: pods }];
    });
    return all.flat();
}

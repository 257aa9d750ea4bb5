import { readWithPorts, type StatusRequest } from "../readStatus";
import type { StatusSources } from "../statusSources";
import { assembleDiagnosis } from "./assembleDiagnosis";
import type { ClusterDiagnosis } from "./clusterDiagnosis";

/**
 * Reads what is wrong with a cluster, and why. Changes nothing.
 * @param guaranteed whether the user wants Guaranteed pods.
 * @throws as `readStatus` does
 */
export async function readDiagnosis(
    request: Omit<StatusRequest, "zones">,
    guaranteed: boolean,
    sources: StatusSources,
): Promise<ClusterDiagnosis> {
    const { status, ports } = await readWithPorts({ ...request, zones: false }, sources);
    const pods = status.members
        .filter(({ isSuspended }) => !isSuspended)
        .flatMap(({ component, pods: all }) => all.map(({ name }) => ({ component, name })));
    const ofJobs = await sources.jobPods(status.namespace, status.name);
    const facts = await ports.diagnose?.({ pods: [...pods, ...ofJobs.pods], certificates: true });
    const found = facts ?? { pods: [], certificates: [], unread: [] };
    return assembleDiagnosis(status, { ...found, unread: [...found.unread, ...ofJobs.unread] }, guaranteed);
}

import { readCertificate } from "../provider/cluster/diagnosis/readCertificates";
import type { KubernetesApi } from "../provider/cluster/kubernetesApi";
import type { ClusterName } from "../provider/cluster/controllerCalls";
import type { CertificateFacts } from "../provider/lifecycle/diagnosis/facts";
import type { ClusterStatus } from "../status/clusterStatus";
import { components } from "../topology/members";
import { clientSecretName, memberSecretName } from "../topology/names";

/**
 * Reads the certificates of a cluster: those that its pods mount, of one pod of each member, and the one that gates and this controller
 * present to members.
 */
export async function readClusterCertificates(
    api: Pick<KubernetesApi, "readDiagnosis" | "readSecret">,
    { namespace, cluster }: ClusterName,
    { members }: Pick<ClusterStatus, "members">,
    now: () => number,
): Promise<readonly CertificateFacts[]> {
    // Of a pod that is not Ready, a diagnosis would read more.
    const pods = members.flatMap(({ component, pods: all }) => {
        const ready = all.find(({ phase }) => phase === "ready");
        return ready === undefined ? [] : [{ component, name: ready.name, isMissing: false }];
    });
    const id = { namespace, cluster, instance: cluster };
    const { certificates } = await api.readDiagnosis(id, { pods, certificates: true }, now);
    const ofMembers = components.map((component) => memberSecretName(cluster, component));
    const client = clientSecretName(cluster);
    const hasTls = certificates.some(({ secret }) => ofMembers.includes(secret));
    return hasTls && certificates.every(({ secret }) => secret !== client)
        ? [
              ...certificates,
              { secret: client, pods: [], certificate: await readCertificate(api, namespace, client, now) },
          ]
        : certificates;
}

import type { V1Deployment, V1Lease, V1StatefulSet } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import { instanceLabel } from "../../topology/labels";
import { type Component, components } from "../../topology/members";
import { leaseName, memberName } from "../../topology/names";
import type { ClusterId } from "./clusterId";
import { viewLease } from "./leaseView";
import type { ReadCalls } from "./readCalls";
import { mountsCertificate } from "./observeObjects";
import type { MemberNote } from "../lifecycle/vocabulary/ownership";
import type { PdAccess } from "./pdAccess";

/** What Kubernetes shows of a deployed cluster: enough to observe it without its program. */
export interface DeployedCluster {
    readonly id: ClusterId;
    /** Why it is not known whether the cluster has a domain, so its members and stores in PD are not known to be its own. Default: it is known. */
    readonly lacksDomain?: string;
    /** Where its PD is; undefined if it joins the PD of another TidbCluster that no object of its own names. */
    readonly pd: PdAccess | undefined;
    /** Whether its members use TLS: whether a StatefulSet mounts the member's certificate. */
    readonly tls: boolean;
    /** Members that have a StatefulSet or that the program has, in the order of a rollout. */
    readonly components: readonly Component[];
    readonly discovery: DeployedDiscovery | undefined;
}

/** Discovery's Deployment. */
export interface DeployedDiscovery {
    readonly replicas: number;
    readonly ready: number;
    /** Pods of the newest template. */
    readonly updated: number;
    /** Image in its template. */
    readonly image: string | undefined;
}

/**
 * Names of variables in discovery's environment (`components/discovery/server/settings.ts`): apart from the start scripts,
 * it alone names the TidbCluster whose PD the cluster joins, and the domain of a cluster whose Lease does not note it.
 */
const variables = {
    hasPd: "TC_HAS_PD",
    domain: "TC_CLUSTER_DOMAIN",
    referenceName: "TC_REFERENCE_NAME",
    referenceNamespace: "TC_REFERENCE_NAMESPACE",
    referenceDomain: "TC_REFERENCE_CLUSTER_DOMAIN",
} as const;

/** The objects that are read. */
export interface DeployedObjects {
    readonly lease: V1Lease;
    readonly statefulSets: Partial<Record<Component, V1StatefulSet>>;
    readonly discovery: V1Deployment | undefined;
}

/** Reads a deployed cluster; undefined if Kubernetes has no Lease of it. @throws KubernetesApiError if a call fails. */
export async function readDeployedCluster(
    { apps, readOrMissing }: Pick<ReadCalls, "apps" | "readOrMissing">,
    readLease: (name: string) => Promise<V1Lease | undefined>,
    namespace: string,
    cluster: string,
): Promise<DeployedCluster | undefined> {
    const lease = await readLease(leaseName(cluster));
    if (lease === undefined) {
        return undefined;
    }
    const statefulSet = async (component: Component) => {
        const name = memberName(cluster, component);
        const found = await readOrMissing(`read StatefulSet ${name}`, () =>
            apps.readNamespacedStatefulSet({ namespace, name }),
        );
        return [component, found] as const;
    };
    const name = memberName(cluster, "discovery");
    const [found, discovery] = await Promise.all([
        Promise.all(components.map(statefulSet)),
        readOrMissing(`read Deployment ${name}`, () => apps.readNamespacedDeployment({ namespace, name })),
    ]);
    const statefulSets = Object.fromEntries(found.filter(([, one]) => one !== undefined));
    return deployedCluster({ lease, statefulSets, discovery }, namespace, cluster);
}

/** @returns what the objects of a cluster show. @throws Error if an annotation of the Lease is not a JSON object. */
export function deployedCluster(
    { lease, statefulSets, discovery }: DeployedObjects,
    namespace: string,
    cluster: string,
): DeployedCluster {
    const instance = lease.metadata?.labels?.[instanceLabel] ?? cluster;
    const viewed = viewLease(lease);
    const noted = viewed.members ?? {};
    const environment = environmentOf(discovery);
    // An earlier version of this package noted no domain. Then discovery's Deployment names it.
    const domain = viewed.domain ?? environment[variables.domain];
    const isKnown = viewed.domain !== undefined || discovery !== undefined;
    const id: ClusterId = { namespace, cluster, instance, ...(domain ? { domain } : {}) };
    const tls = Object.entries(statefulSets).some(([component, one]) =>
        mountsCertificate(one.spec?.template.spec, { cluster, component: component as Component }),
    );
    const hasOwnPd =
        statefulSets.pd !== undefined ||
        noted.pd !== undefined ||
        (discovery !== undefined && environment[variables.hasPd] !== "false");
    const reference = environment[variables.referenceName];
    return {
        id,
        ...(isKnown ? {} : { lacksDomain: lacksDomain(cluster) }),
        tls,
        pd: hasOwnPd
            ? pdAccess({ namespace, cluster, instance }, tls, domain)
            : reference
              ? pdAccess(
                    {
                        namespace: environment[variables.referenceNamespace] ?? namespace,
                        cluster: reference,
                        instance: reference,
                    },
                    tls,
                    environment[variables.referenceDomain],
                )
              : undefined,
        components: components.filter((one) => statefulSets[one] !== undefined || isWanted(noted[one])),
        discovery: discovery && {
            replicas: discovery.spec?.replicas ?? 1,
            ready: discovery.status?.readyReplicas ?? 0,
            updated: discovery.status?.updatedReplicas ?? 0,
            image: containerOf(discovery)?.image,
        },
    };
}

function lacksDomain(cluster: string): string {
    return `whether spec.clusterDomain is set is not known: ${leaseName(cluster)} does not note it, and Deployment ${memberName(cluster, "discovery")} is gone. Run \`pulumi up\``;
}

function isWanted(noted: MemberNote | undefined): boolean {
    return noted !== undefined && noted.hasLeft !== true;
}

function pdAccess(of: Pick<PdAccess, "namespace" | "cluster" | "instance">, tls: boolean, domain?: string): PdAccess {
    return { ...of, tls, ...(tls && domain ? { domain } : {}) };
}

function containerOf(discovery: V1Deployment | undefined) {
    return discovery?.spec?.template.spec?.containers.find(({ name }) => name === "discovery");
}

function environmentOf(discovery: V1Deployment | undefined): Record<string, string | undefined> {
    return Object.fromEntries((containerOf(discovery)?.env ?? []).map(({ name, value }) => [name, value]));
}

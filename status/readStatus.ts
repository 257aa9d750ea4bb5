import type { ClusterAccess } from "../provider/cluster/access";
import type { DeployedCluster } from "../provider/cluster/deployedCluster";
import type { GatePorts } from "../provider/cluster/gatePorts";
import { NoSuchCluster } from "../provider/cluster/noSuchCluster";
import type { PdAccess } from "../provider/cluster/pdAccess";
import { lookForStatus } from "../provider/gates/looks";
import { assembleStatus } from "./assembleStatus";
import type { ClusterStatus } from "./clusterStatus";
import { nothingDeployed } from "./conditions";
import { lastOperation } from "./lastOperation";
import type { StatusSources } from "./statusSources";

/** The cluster to read, and how it is reached. */
export interface StatusRequest {
    readonly namespace: string;
    readonly cluster: string;
    readonly access: ClusterAccess;
    /** Addresses of PD instead of a port-forward. Default: a port-forward. */
    readonly pdAddress?: string;
    /** The TidbCluster whose PD the cluster joins, as `namespace/name` or `name`. Default: as discovery's Deployment says. */
    readonly pdCluster?: string;
    /** Whether to read the nodes of the pods, for their zones. */
    readonly zones: boolean;
    /** Whether to read the Jobs that run or wait. Default: no. */
    readonly jobs?: boolean;
}

/**
 * Reads the status of a cluster. Changes nothing.
 * @throws NoSuchCluster if there is no Lease of it, KubernetesApiError or ClusterAccessError if the API server cannot be asked.
 */
export async function readStatus(request: StatusRequest, sources: StatusSources): Promise<ClusterStatus> {
    return (await readWithPorts(request, sources)).status;
}

/** Reads the status of a cluster, and returns it with the ports to ask for more. @throws as `readStatus` does */
export async function readWithPorts(
    request: StatusRequest,
    sources: StatusSources,
): Promise<{ status: ClusterStatus; ports: GatePorts }> {
    const { namespace, cluster, zones } = request;
    const { kubernetes } = sources;
    const { deployed, pd, ports } = await openDeployed(request, sources);
    const readAt = ports.now();
    const [observation, schedules, jobs] = await Promise.all([
        ports.look(lookForStatus(deployed.components, pd !== undefined, zones)),
        sources.schedules(namespace, cluster),
        request.jobs ? sources.jobs(namespace, cluster) : null,
    ]);
    const { lease, journal } = await leaseAndJournal(ports);
    if (lease === undefined) {
        throw new NoSuchCluster(namespace, cluster, kubernetes.server);
    }
    const pdNotAsked = whyPdIsNotAsked(deployed, pd);
    return {
        status: assembleStatus({
            kubernetes,
            deployed,
            lease,
            readAt,
            observation,
            pdNotAsked,
            schedules,
            journal,
            jobs,
        }),
        ports,
    };
}

/**
 * Reads who holds the lock, and after it the journal: a run writes the end of an operation into the journal before it lets go of the
 * lock, so an operation that ends meanwhile is not taken for one that was interrupted. Neither is one that begins meanwhile: then both
 * are read again.
 */
async function leaseAndJournal(ports: GatePorts) {
    const read = async () => ({ lease: await ports.lease(), journal: await ports.operations?.() });
    const first = await read();
    const last = first.journal?.known ? lastOperation(first.journal.value) : undefined;
    const isAtWork = last !== undefined && last.outcome === undefined;
    return isAtWork && last.holder !== first.lease?.lock.holder ? read() : first;
}

/** Returns why what PD lists is not the cluster's own, for all that is known; undefined if it is. */
export function whyPdIsNotAsked(
    { components, discovery, lacksDomain }: DeployedCluster,
    pd: PdAccess | undefined,
): string | undefined {
    if (pd !== undefined) {
        return lacksDomain;
    }
    // Without a member and discovery, nothing shows whether it has a PD or joins another one.
    return components.length === 0 && discovery === undefined
        ? nothingDeployed({ discovery: null })
        : "the cluster joins the PD of another TidbCluster, but none of its objects names that TidbCluster: pass --pd-cluster";
}

/**
 * Opens a cluster that is deployed, without its program.
 * @returns what Kubernetes shows of it, how its PD is reached if that is known, and ports to it.
 * @throws as `readStatus` does
 */
export async function openDeployed(
    request: Omit<StatusRequest, "zones">,
    { world, kubernetes, ...sources }: StatusSources,
): Promise<{ deployed: DeployedCluster; pd: PdAccess | undefined; ports: GatePorts }> {
    const { namespace, cluster, access } = request;
    const deployed = await sources.deployed(namespace, cluster);
    if (deployed === undefined) {
        throw new NoSuchCluster(namespace, cluster, kubernetes.server);
    }
    const pd = pdOf(request, deployed);
    const unused = { namespace, cluster, instance: deployed.id.instance, tls: deployed.tls };
    const inputs = { ...deployed.id, access, leaseUid: "", statusUrn: "", gate: "", pd: pd ?? unused };
    return { deployed, pd, ports: await world.open(inputs, "effect") };
}

/** Returns how PD is reached; undefined if it is not known where PD is. */
function pdOf(
    { pdAddress, pdCluster, namespace }: Omit<StatusRequest, "zones">,
    deployed: DeployedCluster,
): PdAccess | undefined {
    const [name, of = namespace] = pdCluster?.split("/").reverse() ?? [];
    const given = name === undefined ? undefined : { namespace: of, cluster: name, instance: name, tls: deployed.tls };
    const found = given ?? deployed.pd;
    if (pdAddress === undefined) {
        return found;
    }
    const { id, tls } = deployed;
    const own = { namespace: id.namespace, cluster: id.cluster, instance: id.instance, tls };
    return { ...(found ?? own), address: pdAddress };
}

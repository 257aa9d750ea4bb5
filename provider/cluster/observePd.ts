import type { PdPart } from "../lifecycle/look";
import type {
    Microservice,
    ObservedMember,
    ObservedMicroservice,
    ObservedPd,
    ObservedPump,
    ObservedStore,
} from "../lifecycle/observation";
import { isNameOf } from "../lifecycle/stage";
import type { PdClient, PdPump, PdStore } from "../pd";

/** Asks PD for the parts that a decision needs, side by side, one call each. */
export async function askPd(
    client: PdClient,
    parts: readonly PdPart[],
    pdMember: ObservedMember | undefined,
    cluster: string,
    namespace: string,
): Promise<ObservedPd> {
    const ask = <T>(part: PdPart, call: () => Promise<T>) => (parts.includes(part) ? call() : undefined);
    const toStore = (store: PdStore) => observeStore(store, cluster, namespace);
    const [health, members, stores, tombstones, replication, evictedStores, regionsAtRisk, tiflashReplicas] =
        await Promise.all([
            ask("health", () => client.health()),
            ask("leader", () => client.members()),
            ask("stores", () => client.stores()),
            ask("tombstones", () => client.tombstoneStores()),
            ask("max-replicas", () => client.replication()),
            ask("evicted-stores", () => client.evictedStores()),
            ask("regions-at-risk", () => askRegionsAtRisk(client)),
            ask("tiflash-replicas", () => client.tiflashReplicas()),
        ]);
    const [tso, scheduling, pumps] = await Promise.all([
        ask("tso", () => askMicroservice(client, "tso")),
        ask("scheduling", () => askMicroservice(client, "scheduling")),
        ask("pumps", () => client.pumps()),
    ]);
    const healthy = (health ?? []).filter((member) => member.healthy).map((member) => member.name);
    const readyMembers = await ask("ready-members", () => askReadyMembers(client, pdMember, healthy));
    return {
        tiflashReplicas,
        members: health?.map((member) => ({ name: member.name, healthy: member.healthy })),
        leader: members?.leader?.name,
        stores: stores?.map(toStore),
        tombstones: tombstones?.map(toStore),
        maxReplicas: replication?.maxReplicas,
        evictedStores: evictedStores && [...evictedStores],
        regionsAtRisk,
        readyMembers,
        microservices: { tso, scheduling },
        pumps: pumps?.map((pump) => observePump(pump, cluster, namespace)),
    };
}

async function askMicroservice(client: PdClient, service: Microservice): Promise<ObservedMicroservice> {
    const [servers, primary] = await Promise.all([client.serviceMembers(service), client.servicePrimary(service)]);
    return { servers: servers.map(({ name, address }) => ({ name, address })), primary };
}

async function askRegionsAtRisk(client: PdClient) {
    const [missPeer, downPeer, pendingPeer] = await Promise.all([
        client.regionsInCheck("miss-peer"),
        client.regionsInCheck("down-peer"),
        client.regionsInCheck("pending-peer"),
    ]);
    return { missPeer, downPeer, pendingPeer };
}

/**
 * Asks each restarted member itself, once the others call it healthy: before that its process may not serve yet. A
 * member that does not answer is not ready; that one cannot be asked is no fault of PD as a whole.
 */
async function askReadyMembers(
    client: PdClient,
    pdMember: ObservedMember | undefined,
    healthy: readonly string[],
): Promise<string[]> {
    const update = pdMember?.statefulSet?.updateRevision;
    const pods =
        pdMember?.pods.filter(
            (pod) =>
                pod.ready &&
                !pod.terminating &&
                pod.revision === update &&
                healthy.some((name) => isNameOf(name, pod.name)),
        ) ?? [];
    const answers = await Promise.allSettled(
        pods.map(async (pod) => ((await client.memberReady(pod.name)) ? pod.name : undefined)),
    );
    return answers.flatMap((answer) => (answer.status === "fulfilled" && answer.value ? [answer.value] : []));
}

/** A pump's address is its pod's name behind the Service; the namespace comes after it only with a cluster's domain. */
function observePump({ nodeId, host, state }: PdPump, cluster: string, namespace: string): ObservedPump {
    const [podName, service, inNamespace = namespace] = host.replace(/:\d+$/, "").split(".");
    const own = service === `${cluster}-pump` && inNamespace === namespace && podName.startsWith(`${cluster}-pump-`);
    return { nodeId, podName, own, state };
}

function observeStore(store: PdStore, cluster: string, namespace: string): ObservedStore {
    const host = store.address.replace(/:\d+$/, "");
    const [podName, service, inNamespace] = host.split(".");
    const engine = store.labels.engine === "tiflash" ? "tiflash" : "tikv";
    return {
        id: store.id,
        podName,
        own:
            service === `${cluster}-${engine}-peer` &&
            inNamespace === namespace &&
            podName.startsWith(`${cluster}-${engine}-`),
        engine,
        state: store.state,
        leaderCount: store.leaderCount,
        regionCount: store.regionCount,
        lastHeartbeat: store.lastHeartbeat?.getTime(),
    };
}

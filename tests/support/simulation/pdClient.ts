import type { PdClient, PdMember, PdRegion } from "../../../provider/pd";
import { memberUrls, podHost } from "../../../sandbox/dataPlane/facts/addresses";
import { defaultRule, tiflashRule } from "../../../sandbox/dataPlane/facts/placement";
import { defaultSchedulers } from "../../../sandbox/dataPlane/facts/schedulers";
import { isShort } from "./pd";
import { type AskPd, pdError } from "./pdCall";
import { etcdCalls } from "./pdEtcd";
import { evictionCalls } from "./pdEvictions";
import { listed, listFault, toStore } from "./pdStores";
import type { SimulatedProcess } from "./process";
import { judgeMemberRemoval, judgeStoreChange } from "./rules";
import { hasQuorum, memberRuns, storeById } from "./truth";
import type { Heard, World } from "./world";

/**
 * @returns PD as one process calls it; answers come from what was reported to its current leader. Calls that the model
 * does not support are missing: making one is a bug in the model.
 * @param assertMay called right before each change, once it is connected
 */
export function createModelPdClient(
    world: World,
    process: SimulatedProcess,
    assertMay: () => void = () => undefined,
): PdClient {
    const { pd } = world;
    const send = async <T>(call: string, work: () => T): Promise<T> => {
        if (world.now < pd.unreachableUntil || !pd.members.some((member) => memberRuns(world, member))) {
            await process.sleep(1_000);
            throw pdError("PD_UNREACHABLE", call);
        }
        return process.send(pd, work);
    };
    const ask: AskPd = (call, work) =>
        send(call, () => {
            if (!pd.leadership) {
                throw pdError("PD_NO_LEADER", call);
            }
            return work(pd.leadership);
        });
    const askBootstrapped: AskPd = (call, work) =>
        ask(call, (leadership) => {
            const isDenied = !pd.isBootstrapped || listFault(world)?.kind === "not-bootstrapped";
            if (isDenied) {
                throw pdError("PD_NOT_BOOTSTRAPPED", call);
            }
            return work(leadership);
        });
    const client: Partial<PdClient> = {
        guardedBy: (guard) => createModelPdClient(world, process, guard),
        clusterId: () => ask("cluster id", () => pd.clusterId),
        leadership: () =>
            send("leadership", () => {
                if (!hasQuorum(world)) {
                    throw pdError("PD_NO_LEADER", "leadership");
                }
                return leadershipOf(world);
            }),
        members: () =>
            send("members", () => {
                if (!hasQuorum(world)) {
                    throw pdError("PD_NO_LEADER", "members");
                }
                const members = pd.members.map((member) => toMember(world, member));
                return { members, leader: members.find(({ name }) => name === pd.leadership?.leader) };
            }),
        health: () =>
            ask("health", () =>
                pd.members.map((member) => ({ ...toMember(world, member), healthy: memberRuns(world, member) })),
            ),
        memberReady: (name) =>
            send("ready", () => memberRuns(world, pd.members.find((member) => member.name === name) ?? { claim: "" })),
        transferLeader: (to) =>
            ask("transfer leader", () => {
                pd.transfer = { to, at: world.now + 300 };
            }),
        deleteMemberById: (id) =>
            ask("delete member", () => {
                const member = pd.members.find(({ memberId }) => memberId === id);
                if (member) {
                    judgeMemberRemoval(world, process, member);
                    pd.removedClaims.add(member.claim);
                    pd.members = pd.members.filter((one) => one !== member);
                }
            }),
        schedulers: () => askBootstrapped("schedulers", ({ isLoaded }) => (isLoaded ? [...defaultSchedulers] : [])),
        regionCount: () => askBootstrapped("region count", () => world.regions.length * world.weight),
        regionStatus: () =>
            ask("region status", ({ status: { missPeer, downPeer, pendingPeer }, isolation }) => ({
                missPeer: missPeer * world.weight,
                downPeer: downPeer * world.weight,
                pendingPeer: pendingPeer * world.weight,
                ...(isolation ? { isolation: { ...isolation }, patrolSeconds: world.patrolSeconds } : {}),
            })),
        regionsShortOf: (kind) =>
            ask("short regions", ({ heard }) => {
                const isOf = (one: Heard) =>
                    kind === "miss-peer"
                        ? isShort(world, one)
                        : one[kind === "down-peer" ? "down" : "behind"].length > 0;
                return [...heard].filter(([, one]) => isOf(one)).map(toRegion);
            }),
        regionsOfStore: (id) =>
            ask("regions of a store", ({ heard }) =>
                [...heard].filter(([, { peers }]) => peers.some(({ store }) => store === id)).map(toRegion),
            ),
        stores: () => askBootstrapped("stores", (leadership) => listed(world, leadership)),
        // A real PD finds a store by its id whatever its state is; a fault of the list hides it here too.
        store: (id) =>
            askBootstrapped("store", (leadership) => {
                const tombstone = world.stores.find((store) => store.id === id && store.phase === "Tombstone");
                return tombstone
                    ? toStore(world, leadership, tombstone)
                    : listed(world, leadership).find((store) => store.id === id);
            }),
        tombstoneStores: () =>
            askBootstrapped("tombstones", (leadership) =>
                world.stores
                    .filter(({ phase }) => phase === "Tombstone")
                    .map((store) => toStore(world, leadership, store)),
            ),
        deleteStore: (id) => askBootstrapped("delete store", () => setPhase(world, process, id, "Offline")),
        setStoreUp: (id) => askBootstrapped("set store up", () => setPhase(world, process, id, "Serving")),
        setStoreLabels: (id, labels) => askBootstrapped("set labels of a store", () => setLabels(world, id, labels)),
        replication: () =>
            ask("replication", () => ({
                maxReplicas: world.maxReplicas,
                locationLabels: world.zones > 0 ? ["zone"] : [],
                enablePlacementRules: true,
            })),
        logBackups: () => ask("log backups", () => []),
        lowSpaceRatio: () => ask("low space ratio", () => 0.8),
        storeDownTime: () => ask("store down time", () => 1_800_000),
        placementRules: () => ask("placement rules", () => rulesOf(world)),
        beginMaintenance: () => ask("begin maintenance", () => "unknown" as const),
        endMaintenance: () => ask("end maintenance", () => undefined),
        ...evictionCalls(world, process, askBootstrapped),
        ...etcdCalls(world, send),
        close: () => undefined,
    };
    for (const name of changes) {
        const sendNow = client[name] as (...given: unknown[]) => Promise<void>;
        client[name] = async (...given: unknown[]) => {
            await process.connect();
            assertMay();
            return sendNow(...given);
        };
    }
    return client as PdClient;
}

const changes = [
    ...(["transferLeader", "deleteMemberById", "deleteStore", "setStoreUp", "setStoreLabels"] as const),
    ...(["beginLeaderEviction", "endLeaderEviction", "setConfig", "setEvictionBatch"] as const),
];

function leadershipOf({ pd, now }: World) {
    const { leadership } = pd;
    if (!leadership) {
        return { leader: undefined, term: "none" };
    }
    const { leader, term, beganAt, since } = leadership;
    if (!pd.hasGateway) {
        return { leader, term: `name:${leader}` };
    }
    // PD saves a timestamp every few seconds.
    const heldForMilliseconds = Math.max(0, Math.floor((now - beganAt) / 3_000) * 3_000 - 3_000);
    return { leader, term: String(term), heldForMilliseconds, since: new Date(since) };
}

function toMember({ clusters }: World, { name, memberId }: { name: string; memberId: string }): PdMember {
    const { name: cluster, namespace, domain } = clusters.ours;
    const { peer, client } = memberUrls(podHost(name, `${cluster}-pd-peer`, namespace, domain));
    return { name, memberId, peerUrls: [peer], clientUrls: [client] };
}

function toRegion([id, { peers, behind, down }]: [number, Heard]): PdRegion {
    return {
        id,
        peers: peers.map(({ store, role }) => ({
            peerId: id * 100 + store,
            storeId: store,
            role,
            isPending: behind.includes(store),
            isDown: down.includes(store),
        })),
    };
}

function setPhase(world: World, process: SimulatedProcess, id: number, phase: "Offline" | "Serving"): void {
    const store = storeById(world, id);
    if (!store) {
        throw pdError("PD_NOT_FOUND", `store ${id}`);
    }
    if (store.phase !== "Tombstone") {
        judgeStoreChange(world, process, store, phase);
        store.phase = phase;
    }
}

function setLabels(world: World, id: number, labels: Readonly<Record<string, string>>): void {
    const store = storeById(world, id);
    if (!store) {
        throw pdError("PD_NOT_FOUND", `store ${id}`);
    }
    store.labels = { ...store.labels, ...labels };
}

function rulesOf({ maxReplicas, tiflashReplicas }: World) {
    const rules = [defaultRule(maxReplicas), ...(tiflashReplicas > 0 ? [tiflashRule(tiflashReplicas)] : [])];
    return rules.map((rule) => ({ ...rule, startKey: "", endKey: "" }));
}

import { type ClusterState, maxReplicas, type Store } from "./cluster";
import { inRegionOrder } from "./regionOrder";
import { isReportedDown, tikvStores } from "./storeState";

/**
 * A region with its peers. The model only counts regions. The counts determine which store has a peer of which region.
 */
export interface Region {
    index: number;
    peers: Peer[];
    leader: Peer | undefined;
}

/** A copy of a region on a store. */
export interface Peer {
    store: Store;
    role: "Voter" | "Learner" | "IncomingVoter" | "DemotingVoter";
    isPending: boolean;
    isDown: boolean;
}

/**
 * A region by its index. The regions form a circle, and the peers of each store cover an arc that starts where the
 * previous store's arc ends. So no region has two peers on one store, and the peer counts of regions differ by at most
 * one.
 */
export function regionOf(state: ClusterState, index: number): Region {
    const { faults } = state;
    const peer = (store: Store, role: Peer["role"]): Peer => ({
        store,
        role,
        isPending: false,
        isDown: isReportedDown(state, store),
    });
    const voters = storesOf(state, "tikv", index).map((store) => peer(store, "Voter"));
    const learners = storesOf(state, "tiflash", index).map((store) => peer(store, "Learner"));
    if (index < (faults.regions.missPeers ?? 0) && voters.length >= maxReplicas(state)) {
        voters.pop();
    }
    const last = voters.at(-1);
    if (last !== undefined && index < (faults.regions.pendingPeers ?? 0)) {
        last.isPending = true;
    }
    if (voters.length > 0 && index < (faults.regions.downPeers ?? 0)) {
        (voters[1] ?? voters[0]).isDown = true;
    }
    if (learners.length > 0 && index < (faults.regions.pendingLearners ?? 0)) {
        learners[0].isPending = true;
    }
    const free = state.stores.find(
        (store) => store.engine === "tikv" && store.running && !voters.some((voter) => voter.store === store),
    );
    if (last !== undefined && free !== undefined && index < (faults.regions.inJointConsensus ?? 0)) {
        last.role = "DemotingVoter";
        voters.push(peer(free, "IncomingVoter"));
    }
    const able = voters.filter(({ store, role }) => store.running && role === "Voter");
    return { index, peers: [...voters, ...learners], leader: able[index % Math.max(1, able.length)] ?? voters[0] };
}

/** The indexes of the regions that have a peer on one of these stores, ascending. */
export function regionsOn(state: ClusterState, stores: readonly Store[]): number[] {
    const arcs = (["tikv", "tiflash"] as const).flatMap((engine) => arcsOf(state, engine));
    const asked = arcs.filter(({ store }) => stores.includes(store));
    return asked.length === 0
        ? []
        : indexes(state.regions).filter((index) => asked.some((arc) => isOn(state, arc, index)));
}

/** The number of peers on a store that lag behind their leaders. Only faults cause that. */
export function pendingPeers(state: ClusterState, store: Store): number {
    const { pendingPeers: voters = 0, pendingLearners: learners = 0 } = state.faults.regions;
    const affected = indexes(Math.min(state.regions, Math.max(voters, learners)));
    const peers = affected.flatMap((index) => regionOf(state, index).peers);
    return peers.filter((peer) => peer.isPending && peer.store === store).length;
}

/** The total number of missing peers: TiKV voters below `max-replicas`. */
export function missingPeers(state: ClusterState): number {
    const voters = tikvStores(state).reduce((sum, store) => sum + store.regions, 0);
    return Math.max(0, state.regions * maxReplicas(state) - voters);
}

/** Returns the indexes from 0 up. */
export function indexes(count: number): number[] {
    return Array.from({ length: count }, (_unused, index) => index);
}

function storesOf(state: ClusterState, engine: Store["engine"], index: number): Store[] {
    return arcsOf(state, engine)
        .filter((arc) => isOn(state, arc, index))
        .map(({ store }) => store);
}

interface Arc {
    store: Store;
    from: number;
}

function arcsOf(state: ClusterState, engine: Store["engine"]): Arc[] {
    let from = 0;
    const stores = state.stores
        // A store that an unsafe recovery has buried has its peers until the recovery takes them out of their regions.
        .filter((store) => store.engine === engine && (store.nodeState !== "Removed" || store.regions > 0));
    return inRegionOrder(state, stores).map((store) => {
        const arc = { store, from };
        from += store.regions;
        return arc;
    });
}

function isOn({ regions }: ClusterState, { store, from }: Arc, index: number): boolean {
    return (((index - from) % regions) + regions) % regions < store.regions;
}

import { message } from "./protobuf";

/** A region of played stores. */
export interface PlayedRegion {
    readonly id: number;
    /** Stores that have a peer. */
    readonly stores: readonly number[];
    /** The store that leads it. */
    leader: number;
    /** When its time to report comes, as a fraction of the interval. */
    readonly phase: number;
    /** What its leader tells PD (pdpb.RegionHeartbeatRequest). */
    report(header: Buffer): Buffer;
}

const firstId = 1000;
const peerOf = (region: number, store: number) => message([1, region * 1000 + store], [2, store]);

/** The region that a store bootstraps its cluster with: all keys, and one peer. */
export function firstRegion(store: number): Buffer {
    return message([1, firstId], [4, message([1, 1], [2, 1])], [5, peerOf(firstId, store)]);
}

/**
 * Regions side by side. One alone has one peer, on the first store; more have three each, on the stores in turn. The last
 * peer of the first few is pending.
 */
export function playedRegions(stores: readonly number[], count: number, pending: number): PlayedRegion[] {
    const peers = count === 1 ? 1 : Math.min(3, stores.length);
    const key = (index: number) => (index === 0 || index === count ? "" : `k${String(index).padStart(7, "0")}`);
    return Array.from({ length: count }, (_, index) => {
        const id = firstId + index;
        const holders = Array.from({ length: peers }, (__, at) => stores[(index + at) % stores.length]);
        const epoch = message([1, peers], [2, count]);
        const behind = index < pending ? [[5, peerOf(id, holders[peers - 1])] as const] : [];
        const body = message(
            [1, id],
            [2, key(index)],
            [3, key(index + 1)],
            [4, epoch],
            ...holders.map((store) => [5, peerOf(id, store)] as const),
        );
        return {
            id,
            stores: holders,
            leader: holders[0],
            // Spread evenly, and in another order than the stores.
            phase: (index * 0.618034) % 1,
            report(header) {
                return message(
                    [1, header],
                    [2, body],
                    [3, peerOf(id, this.leader)],
                    ...behind,
                    [10, 96 * 2 ** 20],
                    [14, 6],
                );
            },
        };
    });
}

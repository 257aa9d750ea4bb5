import type { PdPeer, PdPeerRole, PdRegion, PdRegionCheck } from "./model";
import { asArray, asBoolean, asCount, asObject, asText, BadAnswer, optional, type Fields } from "./wireFields";

/** The checks that find regions short of peers. */
export const regionChecks = ["miss-peer", "down-peer", "pending-peer"] as const satisfies readonly PdRegionCheck[];

/**
 * Reads a list of regions: `regions/check/<kind>` and `regions/store/<id>`. The list may be long, and region ids count
 * up from 1, so the fast JSON parser without support for 64-bit ids is used.
 */
export function parseRegions(body: string): PdRegion[] {
    const answer = asObject(JSON.parse(body), "regions");
    const count = asCount(answer.count, "count");
    const regions = asArray(answer.regions, "regions");
    if (regions.length !== count) {
        throw new BadAnswer("regions", `a list of ${regions.length}`, `${count} regions, as its count says`);
    }
    return regions.map((element, index) => toRegion(element, `regions[${index}]`));
}

/** Reads the number of regions that a check found. */
export function parseRegionCount(body: string): number {
    return asCount(asObject(JSON.parse(body), "regions").count, "count");
}

function toRegion(value: unknown, field: string): PdRegion {
    const region = asObject(value, field);
    const peers = asArray(region.peers, `${field}.peers`);
    if (peers.length === 0) {
        throw new BadAnswer(`${field}.peers`, peers, "at least one peer");
    }
    const pending = idsOf(region.pending_peers, `${field}.pending_peers`, (peer) => peer);
    const down = idsOf(region.down_peers, `${field}.down_peers`, ({ peer }) => peer);
    const startKey = optional(region.start_key, `${field}.start_key`, asText);
    const endKey = optional(region.end_key, `${field}.end_key`, asText);
    const approximateMebibytes = optional(region.approximate_size, `${field}.approximate_size`, asCount);
    return {
        id: asCount(region.id, `${field}.id`),
        peers: peers.map((peer, index) => toPeer(peer, `${field}.peers[${index}]`, pending, down)),
        ...(startKey === undefined || endKey === undefined ? {} : { startKey, endKey }),
        ...(approximateMebibytes === undefined ? {} : { approximateMebibytes }),
    };
}

function toPeer(value: unknown, field: string, pending: Set<number>, down: Set<number>): PdPeer {
    const peer = asObject(value, field);
    const peerId = asCount(peer.id, `${field}.id`);
    return {
        peerId,
        storeId: asCount(peer.store_id, `${field}.store_id`),
        role: toRole(peer.role, `${field}.role`),
        isPending: pending.has(peerId),
        isDown: down.has(peerId),
        ...(optional(peer.is_witness, `${field}.is_witness`, asBoolean) ? { isWitness: true as const } : {}),
    };
}

/** `metapb.PeerRole`, by its numbers. */
const roles: readonly PdPeerRole[] = ["voter", "learner", "incoming", "demoting"];

function toRole(value: unknown, field: string): PdPeerRole {
    const role = roles[optional(value, field, asCount) ?? 0];
    if (role === undefined) {
        throw new BadAnswer(field, value, "a role from 0 to 3");
    }
    return role;
}

function idsOf(value: unknown, field: string, peerOf: (element: Fields) => unknown): Set<number> {
    const elements = optional(value, field, asArray) ?? [];
    return new Set(
        elements.map((element, index) => {
            const peer = asObject(peerOf(asObject(element, `${field}[${index}]`)), `${field}[${index}]`);
            return asCount(peer.id, `${field}[${index}].id`);
        }),
    );
}

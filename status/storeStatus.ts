import type { Observation, ObservedStore, OperationRecords } from "../provider/lifecycle/vocabulary/observation";
import { isLowOnSpace } from "../provider/lifecycle/stages/storeSpace";
import { dataBytes } from "./claimStatus";
import type { ClusterStatus, EvictionStatus, MemberStatus, PdMemberStatus, StoreStatus } from "./clusterStatus";
import { known, notKnown, type Reading, readingOf } from "./reading";

/** Returns the stores that PD lists, by pod. @param members whose claims hold the data of stores. */
export function storeStatuses({ pd }: Observation, members: readonly MemberStatus[]): Reading<StoreStatus[]> {
    const { stores, placement } = pd;
    const isLow = (store: ObservedStore) => (placement.known ? isLowOnSpace(store, placement.value) : undefined);
    return readingOf(stores, (all) => all.map((one) => storeStatus(one, members, isLow(one))).sort(byEngineAndPod));
}

function storeStatus(store: ObservedStore, members: readonly MemberStatus[], isLow: boolean | undefined): StoreStatus {
    const { id, podName, address, own, engine, state, leaderCount, regionCount } = store;
    const { capacityBytes = null, availableBytes = null, usedBytes = null } = store;
    const pods = members.flatMap((member) => (own && member.component === engine ? member.pods : []));
    return {
        id,
        pod: podName,
        address,
        own,
        engine,
        state,
        leaders: leaderCount.reported,
        regions: regionCount,
        capacityBytes,
        availableBytes,
        usedBytes,
        claimBytes: dataBytes(engine, pods.find(({ name }) => name === podName)?.claims ?? []),
        isLowOnSpace: isLow ?? null,
    };
}

/** TiKV first, own stores before others, `basic-tikv-2` before `basic-tikv-10`. */
function byEngineAndPod(one: StoreStatus, other: StoreStatus): number {
    return (
        other.engine.localeCompare(one.engine) ||
        Number(other.own) - Number(one.own) ||
        one.pod.localeCompare(other.pod, "en", { numeric: true }) ||
        one.id - other.id
    );
}

/** Returns the stores that PD does not hear of and that no pod of the cluster runs, or should: those of earlier members and other clusters. */
export function silentStores({ stores, members }: Pick<ClusterStatus, "stores" | "members">): StoreStatus[] {
    const pods = members.flatMap((member) => member.pods.map(({ name }) => name));
    return (stores.known ? stores.value : []).filter(
        ({ own, pod, state }) => ["New", "Down", "Disconnected"].includes(state) && !(own && pods.includes(pod)),
    );
}

/** Returns a store with its pod, or with its address if it is not the cluster's. */
export function storeWords({ id, own, pod, address }: StoreStatus): string {
    return `store ${id} (${own ? pod : address})`;
}

/** Returns PD's members by name. */
export function pdMembers({ pd }: Observation): Reading<PdMemberStatus[]> {
    return readingOf(pd.members, (members) =>
        members
            .map(({ name, healthy, podName }) => ({
                name,
                healthy,
                isLeader: readingOf(pd.leader, (leader) => leader === name && name !== ""),
                own: podName !== undefined,
            }))
            .sort((one, other) => one.name.localeCompare(other.name, "en", { numeric: true })),
    );
}

/**
 * Returns the evictions that PD lists, and those that are on record.
 * @param newer what was on record after PD was asked. A run records an eviction before it begins, and that it has ended after that: so
 * what PD lists is told by what was on record at either time, and what it does not list by what was on record afterwards.
 */
export function evictionStatuses(
    { pd, records }: Observation,
    newer: Pick<OperationRecords, "evictions">,
): EvictionStatus[] {
    const { evictedStores, ownEvictions, stores } = pd;
    const listed = evictedStores.known ? evictedStores.value : [];
    const byPd = new Map(
        (ownEvictions.known ? ownEvictions.value.evictions : []).map(({ storeId, scheduler }) => [storeId, scheduler]),
    );
    const recordOf = (storeId: number) => {
        const then = listed.includes(storeId) ? records.evictions[storeId] : undefined;
        const record = then ?? newer.evictions[storeId];
        return record?.isGone === true ? undefined : record;
    };
    const recorded = Object.keys(newer.evictions).map(Number);
    return [...new Set([...listed, ...byPd.keys(), ...recorded.filter((id) => recordOf(id) !== undefined)])]
        .sort((one, other) => one - other)
        .map((storeId) => {
            const store = stores.known ? stores.value.find(({ id }) => id === storeId) : undefined;
            const record = recordOf(storeId);
            return {
                storeId,
                pod: store?.podName ?? record?.pod ?? null,
                inForce: readingOf(evictedStores, (ids) => ids.includes(storeId) || byPd.has(storeId)),
                byPd: byPd.get(storeId) ?? null,
                record: record
                    ? {
                          begunAt: new Date(record.begunAt).toISOString(),
                          leadersBefore: record.leadersBefore,
                          endedAt: record.endedAt === undefined ? null : new Date(record.endedAt).toISOString(),
                      }
                    : null,
                leaders: leadersOf(stores, store),
            };
        });
}

function leadersOf(stores: Observation["pd"]["stores"], store: ObservedStore | undefined): Reading<number> {
    if (!stores.known) {
        return notKnown(stores.why);
    }
    return store === undefined ? notKnown("PD does not list the store") : known(store.leaderCount.reported);
}

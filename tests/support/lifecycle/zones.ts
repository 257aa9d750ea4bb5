import type { Observation, ObservedPeer, ObservedRegion } from "../../../provider/lifecycle/vocabulary/observation";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { type Deviation, longAgo, now } from "./observations";

/** Six TiKV stores in three zones, so 0 and 3, 1 and 4, 2 and 5 are together, all of them to restart. Their ids are 10 to 15. */
export function zoned(more: Deviation = {}): Deviation {
    const zones = ["a", "b", "c"];
    const leaders = (one: number) => more.stores?.[one]?.leaderCount?.reported ?? 1000;
    const regions = more.leadership?.regionCount ?? [0, 1, 2, 3, 4, 5].reduce((sum, one) => sum + leaders(one), 0);
    const labelled = [0, 1, 2, 3, 4, 5].map((one) => [
        one,
        {
            labels: { zone: zones[one % 3], host: `h${one}` },
            leaderCount: { reported: 1000 },
            regionCount: Math.ceil(((more.maxReplicas ?? 3) * regions) / 6),
            ...more.stores?.[one],
        },
    ]);
    return {
        live: 6,
        stale: [0, 1, 2, 3, 4, 5],
        locationLabels: ["zone", "host"],
        ...more,
        stores: { ...more.stores, ...(Object.fromEntries(labelled) as Deviation["stores"]) },
        regions: more.regions === null ? null : { isolation: { zone: 6000 }, patrolSeconds: 0.5, ...more.regions },
        policy: { parallelism: "zone", ...more.policy },
    };
}

/** The same with 600 regions: few enough to list them. */
export function few(more: Deviation = {}): Deviation {
    const stores = Object.fromEntries(
        [0, 1, 2, 3, 4, 5].map((one) => [
            one,
            { leaderCount: { reported: 100 }, regionCount: 0, ...more.stores?.[one] },
        ]),
    );
    return zoned({
        ...more,
        stores,
        regions: more.regions === null ? null : { isolation: { none: 600 }, ...more.regions },
    });
}

/** The batch of these ordinals on record. */
export function batchOf(
    ordinals: readonly number[],
    records: Observation["records"] = noRecords(),
): Observation["records"] {
    const stores = Object.fromEntries(ordinals.map((one) => [`basic-tikv-${one}`, 10 + one]));
    return { ...records, batch: { component: "tikv", stores, begunAt: now - 60_000 } };
}

/** Our evictions of these ordinals. */
export function evictionsOf(ordinals: readonly number[], more: object = {}): Observation["records"] {
    const record = (one: number) => ({ pod: `basic-tikv-${one}`, begunAt: longAgo, leadersBefore: 10, ...more });
    return { evictions: Object.fromEntries(ordinals.map((one) => [10 + one, record(one)])), removals: {} };
}

/** A region with a voter on the store of each of these ordinals. */
export function regionOn(id: number, ...ordinals: (number | [number, Partial<ObservedPeer>])[]): ObservedRegion {
    const peers = ordinals.map((one): ObservedPeer => {
        const [ordinal, more] = typeof one === "number" ? [one, {}] : one;
        return { storeId: 10 + ordinal, role: "voter", isBehind: false, ...more };
    });
    return { id, peers };
}

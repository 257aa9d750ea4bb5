import { mapFact } from "../evidence";
import type { Observation, ObservedStore } from "../observation";
import { mayLackLeaders } from "../observedPd";
import { withLeaders, withPd, withStores } from "./foreseen";
import { counted } from "../counted";
import type { OperationRecords } from "../operationRecords";
import { type KindsOf, record } from "./actionKind";
import { without } from "./without";

/** Actions that remove a store or a PD member from the cluster, or take that back. */
export type RemovalAction =
    /** `isLost`: its node is gone with its volumes, which is on record. `onClaims`: UIDs of the pod's claims. */
    | { do: "remove-store"; storeId: number; pod: string; regions: number; isLost?: true; onClaims?: readonly string[] }
    | { do: "bring-store-back"; storeId: number; pod: string }
    | { do: "forget-removal"; of: string }
    /** `isDead`: it failed, and its failure is on record. */
    | {
          do: "remove-member";
          member: string;
          memberId: string;
          pod: string;
          isDead?: true;
          onClaims?: readonly string[];
      };

export const removalActions: KindsOf<RemovalAction> = {
    "remove-store": {
        describe: ({ storeId, pod, regions }) =>
            `remove store ${storeId} (${pod}, ${counted(regions, "region")}) from the cluster`,
        inStep: ({ storeId, regions }) => `remove store ${storeId}, move its ${counted(regions, "region")}`,
        step: ({ isLost }) => (isLost ? "give-up" : "remove"),
        on: ({ storeId }) => storeId,
        before: (records, action, now) => (action.isLost ? records : withRemoval(records, action.storeId, action, now)),
        perform: ({ storeId }, { pd }) => pd.deleteStore(storeId),
        // Three PD 8.5.6 moved 4 to 6 small regions a second.
        seconds: ({ regions }) => regions / 4,
        foresee: withoutStore,
    },
    "bring-store-back": {
        describe: ({ storeId, pod }) => `set store ${storeId} (${pod}) Up again`,
        inStep: ({ storeId }) => `set store ${storeId} Up again`,
        step: () => "take-back",
        on: ({ storeId }) => storeId,
        needsNoConsent: () => true,
        perform: ({ storeId }, { pd }) => pd.setStoreUp(storeId),
        foresee: (seen, { storeId }) =>
            withStores(seen, (stores) => stores.map((one) => (one.id === storeId ? { ...one, state: "Up" } : one))),
    },
    "forget-removal": {
        ...record({
            describe: ({ of }) => `delete the record of the finished removal of ${of}`,
            on: ({ of }) => of,
            after: (records, { of }) => withoutRemoval(records, of),
        }),
        step: () => "take-back",
    },
    "remove-member": {
        describe: ({ member, memberId, pod, isDead }) =>
            isDead
                ? `remove PD member ${member} (id ${memberId}) of ${pod}, which failed`
                : member === ""
                  ? `remove the PD member of ${pod} that never started (id ${memberId})`
                  : `remove PD member ${member}`,
        inStep: ({ member }) =>
            member === "" ? "remove its member that never started from PD" : "remove the member from PD",
        step: ({ isDead }) => (isDead ? "replace" : "remove"),
        on: ({ memberId }) => memberId,
        isTriedAgain: true,
        before: (records, action, now) =>
            action.isDead ? records : withRemoval(records, action.memberId, action, now),
        // By id: another member may have the name by now, and a member that never started has no name.
        perform: ({ memberId }, { pd }) => pd.deleteMemberById(memberId),
        foresee: (seen, { memberId, pod }) =>
            withPd(seen, ({ members, readyMembers }) => ({
                members: mapFact(members, (list) => list.filter((one) => one.memberId !== memberId)),
                readyMembers: mapFact(readyMembers, (list) => list.filter((one) => one !== pod)),
            })),
    },
};

/** @returns the stores once PD has spread the regions of one over the others of the engine that are Up. */
function withRegions(stores: readonly ObservedStore[], storeId: number): ObservedStore[] {
    const leaving = stores.find(({ id }) => id === storeId);
    const others = stores.filter(
        ({ id, engine, state }) => id !== storeId && engine === leaving?.engine && state === "Up",
    );
    const share = (leaving?.regionCount ?? 0) / Math.max(1, others.length);
    return stores.map((one) => {
        const place = others.indexOf(one);
        const more = Math.floor(share * (place + 1)) - Math.floor(share * place);
        return place < 0 ? one : { ...one, regionCount: one.regionCount + more };
    });
}

/** PD has moved its regions to the other stores, and made it Tombstone. A region without a leader does not move. */
function withoutStore(seen: Observation, { storeId }: { storeId: number }): Observation {
    const { stores: listed } = seen.pd;
    if (listed.known && mayLackLeaders(listed.value, storeId)) {
        return withStores(seen, (stores) =>
            stores.map((one) => (one.id === storeId ? { ...one, state: "Offline" } : one)),
        );
    }
    return withPd(seen, ({ stores, tombstones }) => {
        const store = stores.known ? stores.value.find(({ id }) => id === storeId) : undefined;
        const moved = mapFact(stores, (list) =>
            withRegions(
                withLeaders(list, storeId, 0, () => false),
                storeId,
            ).filter(({ id }) => id !== storeId),
        );
        const tombstone = store && { ...store, state: "Tombstone", regionCount: 0, leaderCount: { reported: 0 } };
        return {
            stores: moved,
            tombstones: mapFact(tombstones, (list) => [...list, ...(tombstone ? [tombstone] : [])]),
        };
    });
}

/**
 * @param of the id of the store or the PD member.
 * @returns the records with a removal that is about to begin. A removal under way keeps its start time.
 */
function withRemoval(
    records: OperationRecords,
    of: string | number,
    { pod, onClaims = [] }: { pod: string; onClaims?: readonly string[] },
    now: number,
): OperationRecords {
    const on = onClaims.length > 0 ? { onClaims } : {};
    const removal = records.removals[of] ?? { pod, begunAt: now, ...on };
    return { ...records, removals: { ...records.removals, [of]: removal } };
}

/** @returns the records without a removal that has finished for good. */
function withoutRemoval(records: OperationRecords, of: string): OperationRecords {
    return { ...records, removals: without(records.removals, of) };
}

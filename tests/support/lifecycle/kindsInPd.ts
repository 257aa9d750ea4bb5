import { type Deviation, movedMemberOf, movedStoreOf, storeOf } from "./observations";

/** Stores and PD's own members obey the same rules. This is how a row's cluster has pod 3 of each, with the id of its store or member. */

export interface KindInPd {
    component: "pd" | "tikv";
    /** The id of the pod's member or store. */
    id: string;
    /** PD does not list it. */
    unlisted: Deviation;
    /** PD has certainly dropped it. */
    dropped: Deviation;
    /** PD lists it under another domain than the cluster has now. */
    moved: Deviation;
    /** PD lists it, while its pod is yet to come: the cluster has three pods. */
    listed3: Deviation;
    /** PD lists it under another domain, likewise. */
    moved3: Deviation;
    /** PD's list is empty. */
    empty: Deviation;
    /** The part of PD's answers that has the list. */
    part: "members" | "stores";
    stage: "member-known" | "store-known";
    listed: "members-listed" | "stores-listed";
    /** What the record of its failure names it by. */
    failure: object;
}

const noStores = { stores: { 0: undefined, 1: undefined, 2: undefined, 3: undefined } };
const noStore3 = { stores: { 3: undefined } };
/** Of a process before the one that runs: only the id says that it is the store of the pod's volume. */
const grave = storeOf(3, { state: "Tombstone", startedAt: 1 });
const pd: KindInPd = {
    component: "pd",
    id: "103",
    unlisted: { notMembers: [3] },
    dropped: { notMembers: [3] },
    moved: { notMembers: [3], moreMembers: [movedMemberOf(3)] },
    listed3: { moreMembers: [{ name: "basic-pd-3", memberId: "103", podName: "basic-pd-3", healthy: true }] },
    moved3: { moreMembers: [movedMemberOf(3)] },
    empty: { notMembers: [0, 1, 2, 3] },
    part: "members",
    stage: "member-known",
    listed: "members-listed",
    failure: { member: { name: "basic-pd-3", id: "103" } },
};
const tikv: KindInPd = {
    component: "tikv",
    id: "13",
    unlisted: noStore3,
    dropped: { ...noStore3, tombstones: [grave] },
    moved: { ...noStore3, moreStores: [movedStoreOf(3)] },
    listed3: { moreStores: [storeOf(3)] },
    moved3: { moreStores: [movedStoreOf(3)] },
    empty: noStores,
    part: "stores",
    stage: "store-known",
    listed: "stores-listed",
    failure: { storeId: 13 },
};

export const kindsInPd = [pd, tikv] as const;

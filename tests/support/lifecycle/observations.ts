import { emptyMemory } from "../../../provider/lifecycle/memory";
import type { Move } from "../../../provider/lifecycle/move";
import {
    type Component,
    noRecords,
    type Observation,
    type ObservedCaptures,
    type ObservedClaim,
    type ObservedPod,
    type ObservedStore,
} from "../../../provider/lifecycle/observation";
import { defaultPolicy, type GatePolicy, type MemberTarget } from "../../../provider/lifecycle/target";

/** When every observation is made. */
export const now = 1_700_000_000_000;
/** When everything in an observation came to be: an hour before. */
export const longAgo = now - 3_600_000;

/** What of a row's cluster is not as in a healthy one of three PD, four TiKV and two TiDB, of which none is stale. */
export interface Deviation {
    replicas?: number;
    /** Replicas that the live StatefulSet has. */
    live?: number;
    /** Ordinals whose pods still run the old revision. */
    stale?: number[];
    pods?: Record<number, Partial<ObservedPod> | undefined>;
    claims?: ObservedClaim[];
    /** Ordinals beyond the live replicas whose pods still stop. */
    leavingPods?: number[];
    settled?: boolean;
    unhealthy?: number[];
    notReadyMembers?: number[];
    /** Ordinals that are no members of PD, though they have pods. */
    notMembers?: number[];
    leader?: number | null;
    stores?: Record<number, Partial<ObservedStore> | undefined>;
    moreStores?: ObservedStore[];
    tombstones?: ObservedStore[];
    evicted?: number[];
    regions?: { missPeer?: number; downPeer?: number; pendingPeer?: number } | "not asked";
    maxReplicas?: number;
    records?: Observation["records"];
    tidb?: Record<number, string>;
    /** TiFlash stores, where TiFlash is asked about: as `stores`. */
    tiflash?: Record<number, Partial<ObservedStore> | undefined>;
    /** TiFlash replicas of a table; null where PD did not say. Default: 1. */
    tiflashReplicas?: number | null;
    /** What pods say of themselves that are not well. */
    trouble?: Record<number, string>;
    /** Ordinal of a microservice's primary; null for none. Default: 0. */
    primary?: number | null;
    /** Ordinals of a microservice that PD does not list. */
    notRegistered?: number[];
    /** Whether a microservice's servers have no names, as before version 8.3.0. */
    nameless?: boolean;
    /** State of the pump of an ordinal; null for none. Default: online. */
    pumps?: Record<number, string | null>;
    podManagementPolicy?: string;
    /** What of TiCDC is not as in a healthy one, in which all captures are known, and pod 0 owns it. */
    captures?: Partial<ObservedCaptures> & { owner?: number | null };
    /** Version that the pods shall run. */
    version?: string;
    pdSilent?: boolean;
    policy?: Partial<GatePolicy>;
}

const sizes: Record<Component, number> = {
    tso: 2,
    scheduling: 2,
    pd: 3,
    tiflash: 2,
    tikv: 4,
    tidb: 2,
    tiproxy: 2,
    pump: 2,
    ticdc: 3,
};

/** Ids of the stores of pods 0, 1, 2, 3 are 10, 11, 12, 13. */
export function storeOf(ordinal: number, more: Partial<ObservedStore> = {}): ObservedStore {
    return {
        id: 10 + ordinal,
        podName: `basic-tikv-${ordinal}`,
        own: true,
        engine: "tikv",
        state: "Up",
        leaderCount: 500,
        regionCount: 1500,
        lastHeartbeat: now - 1000,
        ...more,
    };
}

/** Ids of the TiFlash stores of pods 0 and 1 are 20 and 21. */
export function tiflashStoreOf(ordinal: number, more: Partial<ObservedStore> = {}): ObservedStore {
    const pod = { id: 20 + ordinal, podName: `basic-tiflash-${ordinal}`, engine: "tiflash" } as const;
    return storeOf(ordinal, { ...pod, leaderCount: 0, ...more });
}

/** An eviction of ours on record, of store 10 + ordinal. */
export function evicting(ordinal: number, more: object = {}): Observation["records"] {
    const record = { pod: `basic-tikv-${ordinal}`, begunAt: now - 60_000, leadersBefore: 500, ...more };
    return { evictions: { [10 + ordinal]: record }, removals: {} };
}

/** @returns the observation of a healthy cluster with the row's deviation, and the target of its member. */
export function observed(component: Component, row: Deviation): { observation: Observation; target: MemberTarget } {
    const live = row.live ?? row.replicas ?? sizes[component];
    const target: MemberTarget = {
        component,
        replicas: row.replicas ?? live,
        templateRevision: "new-template",
        version: row.version,
        policy: { ...defaultPolicy, ...row.policy },
    };
    const ordinals = range(live);
    const members = range(component === "pd" ? live : sizes.pd).filter((one) => !row.notMembers?.includes(one));
    const stores = range(component === "tikv" ? live : sizes.tikv);
    const regions =
        row.regions === "not asked" ? undefined : { missPeer: 0, downPeer: 0, pendingPeer: 0, ...row.regions };
    const observation: Observation = {
        now,
        cluster: "basic",
        members: {
            [component]: {
                component,
                statefulSet: {
                    name: `basic-${component}`,
                    uid: `set-${component}`,
                    terminating: false,
                    replicas: live,
                    updateRevision: "new",
                    settled: row.settled ?? true,
                    templateRevision: "new-template",
                    fixed: { podManagementPolicy: row.podManagementPolicy ?? "Parallel", serviceName: "", claims: [] },
                },
                pods: [
                    ...ordinals.flatMap((ordinal) => podOf(component, ordinal, row) ?? []),
                    ...(row.leavingPods ?? []).flatMap(
                        (ordinal) => podOf(component, ordinal, { pods: { [ordinal]: { terminating: true } } }) ?? [],
                    ),
                ],
                claims: row.claims ?? [],
            },
        },
        pd: {
            members: members.map((one) => ({ name: `basic-pd-${one}`, healthy: !row.unhealthy?.includes(one) })),
            leader: row.leader === null ? undefined : `basic-pd-${row.leader ?? 0}`,
            readyMembers: members.filter((one) => !row.notReadyMembers?.includes(one)).map((one) => `basic-pd-${one}`),
            stores: [
                ...stores.flatMap((one) =>
                    row.stores && one in row.stores && !row.stores[one] ? [] : [storeOf(one, row.stores?.[one])],
                ),
                ...(component === "tiflash" ? ordinals : []).flatMap((one) =>
                    row.tiflash && one in row.tiflash && !row.tiflash[one]
                        ? []
                        : [tiflashStoreOf(one, row.tiflash?.[one])],
                ),
                ...(row.moreStores ?? []),
            ],
            tombstones: row.tombstones ?? [],
            maxReplicas: row.maxReplicas ?? 3,
            tiflashReplicas: row.tiflashReplicas === null ? undefined : (row.tiflashReplicas ?? 1),
            evictedStores: row.evicted ?? [],
            regionsAtRisk: regions,
            pumps: ordinals
                .filter((one) => row.pumps?.[one] !== null)
                .map((one) => ({
                    nodeId: `basic-pump-${one}:8250`,
                    podName: `basic-pump-${one}`,
                    own: true,
                    state: row.pumps?.[one] ?? "online",
                })),
            microservices: {
                [component]: {
                    servers: ordinals
                        .filter((one) => !row.notRegistered?.includes(one))
                        .map((one) => ({
                            name: row.nameless ? "" : `basic-${component}-${one}`,
                            address: serverAddress(component, one),
                        })),
                    primary: row.primary === null ? undefined : serverAddress(component, row.primary ?? 0),
                },
            },
        },
        records: row.records ?? noRecords(),
        podStatus: Object.fromEntries(
            ordinals.map((one) => [`basic-${component}-${one}`, row.trouble?.[one] ?? row.tidb?.[one] ?? null]),
        ),
        captures: capturesOf(ordinals, row.captures),
    };
    const silent = { ...observation, pd: undefined, pdTrouble: "PD answers 500" };
    return { observation: row.pdSilent ? silent : observation, target };
}

function capturesOf(ordinals: number[], { owner = 0, ...more }: NonNullable<Deviation["captures"]> = {}) {
    return {
        byPod: Object.fromEntries(
            ordinals.map((one) => [`basic-ticdc-${one}`, { id: `capture-${one}`, version: "v8.5.3" }]),
        ),
        list: ordinals.map((one) => ({ id: `capture-${one}`, isOwner: one === owner })),
        tablesLeft: {},
        ...more,
    };
}

function serverAddress(component: Component, ordinal: number): string {
    return `http://basic-${component}-${ordinal}.basic-${component}-peer.tidb.svc:2379`;
}

function podOf(component: Component, ordinal: number, row: Deviation): ObservedPod | undefined {
    const more = row.pods?.[ordinal];
    if (row.pods && ordinal in row.pods && more === undefined) {
        return undefined;
    }
    return {
        name: `basic-${component}-${ordinal}`,
        ordinal,
        uid: `uid-${ordinal}`,
        revision: row.stale?.includes(ordinal) ? "old" : "new",
        ready: true,
        readySince: longAgo,
        createdAt: longAgo,
        terminating: false,
        ...more,
    };
}

function range(count: number): number[] {
    return Array.from({ length: count }, (_, index) => index);
}

/** @returns the move in a few words: `restart basic-pd-2`, `wait other-stores-up basic-tikv-3`, `done`, … */
export function inShort(move: Move): string {
    switch (move.kind) {
        case "done":
            return "done";
        case "look":
            return `look ${move.at}`;
        case "wait":
            return `wait ${move.step} ${move.target}`;
        case "fail":
            return `fail ${move.problem.step} ${move.problem.target}`;
        case "act": {
            const { action } = move;
            switch (action.do) {
                case "delete-pod":
                    return `restart ${action.pod}`;
                case "transfer-leader":
                    return `transfer-leader to ${action.to}`;
                case "transfer-primary":
                    return `transfer-primary of ${action.service} to ${action.to}`;
                case "remove-member":
                    return `remove-member ${action.member}`;
                case "note-pd":
                    return `note-pd ${action.clusterId}`;
                case "begin-shutdown":
                case "resign-owner":
                case "drain-capture":
                case "close-pump":
                    return `${action.do} ${action.pod}`;
                case "forget-removal":
                    return `forget-removal ${action.of}`;
                case "release-claims":
                case "delete-claims":
                    return `${action.do} ${action.claims.map((claim) => claim.name).join(" ")}`;
                case "delete-stateful-set":
                    return `delete-stateful-set ${action.name}`;
                case "make-password-secret":
                case "set-password":
                    return `${action.do} ${action.secret}`;
                case "note-password":
                    return `note-password ${action.how}`;
                case "begin-eviction":
                case "end-eviction":
                case "forget-eviction":
                case "remove-store":
                case "bring-store-back":
                    return `${action.do} ${action.storeId}`;
            }
        }
    }
}

/** A claim of the pod with that ordinal. */
export function claimOf(component: Component, ordinal: number, more: Partial<ObservedClaim> = {}): ObservedClaim {
    const name = `${component}-basic-${component}-${ordinal}`;
    return { name, uid: `claim-${ordinal}`, ordinal, released: false, terminating: false, ...more };
}

export { emptyMemory };

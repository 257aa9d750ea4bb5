import type { Component, OperationRecords } from "../../../provider/lifecycle/observation";
import { noRecords } from "../../../provider/lifecycle/observation";
import type { ObservedLock } from "../../../provider/lifecycle/lock";

/** A tiny model of one cluster for properties of the gates: StatefulSets, PD's members, stores, and one Lease. */

export interface SimulatedPod {
    name: string;
    component: Component;
    ordinal: number;
    uid: string;
    claim: string;
    revision: string;
    createdAt: number;
    startsAt: number;
    stopsAt?: number;
}

export interface SimulatedClaim {
    name: string;
    uid: string;
    component: Component;
    ordinal: number;
    released: boolean;
    terminating: boolean;
}

export interface SimulatedStatefulSet {
    replicas: number;
    revision: string;
    /** What the controller has caught up with, and when it does with the newest. */
    seen: { replicas: number; revision: string };
    seenAt: number;
}

export interface SimulatedStore {
    id: number;
    engine: "tikv" | "tiflash";
    podName: string;
    claim: string;
    phase: "Serving" | "Offline" | "Tombstone";
    leaders: number;
    regions: number;
    lastHeartbeat: number;
}

export type Fault =
    | { at: number; kind: "pod-deleted"; component: Component; ordinal: number }
    | { at: number; kind: "process-down"; component: Component; ordinal: number; seconds: number }
    | { at: number; kind: "pd-silent" | "eviction-stuck" | "regions-pending"; seconds: number }
    | { at: number; kind: "scheduler-lost" }
    | { at: number; kind: "foreign-eviction"; ordinal: number };

/** All of the model. Times are milliseconds. */
export interface Simulation {
    now: number;
    statefulSets: Partial<Record<Component, SimulatedStatefulSet>>;
    pods: SimulatedPod[];
    claims: SimulatedClaim[];
    members: { name: string; claim: string }[];
    deletedMemberClaims: Set<string>;
    leader: string | undefined;
    leaderlessSince: number | undefined;
    transfer: { to: string; at: number } | undefined;
    stores: SimulatedStore[];
    evictions: Map<number, { owner: "ours" | "other"; since: number }>;
    maxReplicas: number;
    /** TiFlash replicas of the tables. */
    tiflashReplicas: number;
    lease: { lock: ObservedLock; records: OperationRecords };
    /** Revisions whose image never starts. */
    badRevisions: Set<string>;
    faults: Fault[];
    downUntil: Record<string, number>;
    silentUntil: number;
    stuckUntil: number;
    pendingUntil: number;
    leadersToLoad: number;
    nextId: number;
    /** What the gates are asked for; guards judge by it. */
    wanted: Partial<Record<Component, number>>;
    evictDeadlineSeconds: number | undefined;
    /** Rules of design §5 that an action broke. */
    violations: string[];
    log: string[];
}

export const clusterName = "basic";

export function createSimulation(maxReplicas = 3): Simulation {
    return {
        now: 1_700_000_000_000,
        statefulSets: {},
        pods: [],
        claims: [],
        members: [],
        deletedMemberClaims: new Set(),
        leader: undefined,
        leaderlessSince: undefined,
        transfer: undefined,
        stores: [],
        evictions: new Map(),
        maxReplicas,
        tiflashReplicas: 0,
        lease: { lock: {}, records: noRecords() },
        badRevisions: new Set(),
        faults: [],
        downUntil: {},
        silentUntil: 0,
        stuckUntil: 0,
        pendingUntil: 0,
        leadersToLoad: 0,
        nextId: 1,
        wanted: {},
        evictDeadlineSeconds: undefined,
        violations: [],
        log: [],
    };
}

export function podNameOf(component: Component, ordinal: number): string {
    return `${clusterName}-${component}-${ordinal}`;
}

/** @returns whether the pod's process runs, which is whether the pod is Ready. */
export function runs(state: Simulation, pod: SimulatedPod | undefined): boolean {
    return (
        pod !== undefined &&
        pod.stopsAt === undefined &&
        state.now >= pod.startsAt &&
        state.now >= (state.downUntil[pod.name] ?? 0) &&
        !state.badRevisions.has(pod.revision) &&
        !state.deletedMemberClaims.has(pod.claim) &&
        // Without a cluster to take part in TiFlash ends again and again.
        (pod.component !== "tiflash" || state.stores.some(({ engine }) => engine === "tikv")) &&
        !state.stores.some((store) => store.claim === pod.claim && store.phase === "Tombstone")
    );
}

export function podWithClaim(state: Simulation, claim: string): SimulatedPod | undefined {
    return state.pods.find((pod) => pod.claim === claim);
}

export function memberAlive(state: Simulation, member: { claim: string }): boolean {
    return runs(state, podWithClaim(state, member.claim));
}

export function pdAnswers(state: Simulation): boolean {
    const alive = state.members.filter((member) => memberAlive(state, member)).length;
    return alive * 2 > state.members.length && state.now >= state.silentUntil;
}

export function storeRuns(state: Simulation, store: SimulatedStore): boolean {
    return runs(state, podWithClaim(state, store.claim));
}

/** @returns what PD calls the store. */
export function storeState(state: Simulation, store: SimulatedStore): string {
    if (store.phase !== "Serving") {
        return store.phase;
    }
    const silent = state.now - store.lastHeartbeat;
    return silent < 5_000 ? "Up" : silent < 60_000 ? "Disconnected" : "Down";
}

export function liveStores(state: Simulation, engine?: SimulatedStore["engine"]): SimulatedStore[] {
    return state.stores.filter(
        (store) => store.phase !== "Tombstone" && (engine === undefined || store.engine === engine),
    );
}

import type { Component, Microservice } from "../../../../topology/members";
import type { BoundVolume, ReclaimPolicy } from "../boundVolume";
import type { LimitChanges } from "../leaderLimits";
import type { OutdatedIn, StatefulSetManifest } from "../fixedFields";
import type { ServerSettings } from "../settings";
import type { GrownBy } from "../volumeGrowth";

/** A StatefulSet with the number of replicas that it was observed with. */
export interface StatefulSetReplicas {
    readonly name: string;
    readonly uid: string;
    readonly replicas: number;
}

/** A process, by its pod. */
export interface ServerPod {
    readonly name: string;
    readonly uid: string;
}

type Labels = Readonly<Record<string, string>>;

/** The clients that carry out actions. Each call is refused in the last moment if the lock was not renewed a moment ago. */
export interface ActionClients {
    readonly pd: {
        transferLeader(to: string): Promise<void>;
        beginLeaderEviction(storeId: number): Promise<void>;
        endLeaderEviction(storeId: number): Promise<void>;
        deleteStore(storeId: number): Promise<void>;
        setStoreUp(storeId: number): Promise<void>;
        setStoreLabels(storeId: number, labels: Labels): Promise<void>;
        deleteMemberById(memberId: string): Promise<void>;
        removeFailedStores(stores: readonly number[], timeoutSeconds: number): Promise<void>;
        changeLimits(changes: LimitChanges): Promise<void>;
    };
    readonly kubernetes: {
        deletePod(pod: string, uid: string, resourceVersion: string): Promise<void>;
        noteShutdown(pod: string, uid: string, isBegun: boolean): Promise<void>;
        releaseClaim(claim: string, uid: string, storeOrMember?: string): Promise<void>;
        keepClaim(claim: string, uid: string): Promise<void>;
        resizeClaim(claim: string, uid: string, size: string, grown?: Omit<GrownBy, "at">): Promise<void>;
        modifyClaim(claim: string, uid: string, attributesClass: string): Promise<void>;
        deleteClaim(claim: string, uid: string, resourceVersion: string): Promise<void>;
        noteOutdated(claim: string, uid: string, parts: readonly OutdatedIn[]): Promise<void>;
        noteVersion(claim: string, uid: string, version: string, tls?: boolean): Promise<void>;
        setReclaimPolicy(volume: BoundVolume, policy: ReclaimPolicy): Promise<void>;
        deleteStatefulSet(name: string, uid: string): Promise<void>;
        remakeStatefulSet(name: string, uid: string, manifest: StatefulSetManifest): Promise<void>;
        keepStatefulSet(name: string, uid: string): Promise<void>;
        setReplicas(from: StatefulSetReplicas, replicas: number): Promise<void>;
        giveReplicasBack(from: StatefulSetReplicas): Promise<void>;
    };
    readonly microservices: { transferPrimary(service: Microservice, from: ServerPod, to: string): Promise<void> };
    readonly captures: {
        resignOwner(of: ServerPod): Promise<void>;
        drain(of: ServerPod, capture: string): Promise<void>;
    };
    readonly pumps: { close(of: ServerPod, nodeId: string): Promise<void> };
    readonly rootPassword: {
        makeSecret(): Promise<void>;
        set(through: ServerPod): Promise<void>;
        note(how: "set" | "left-alone"): Promise<void>;
    };
    readonly settings: { set(component: Component, sets: readonly ServerSettings[]): Promise<void> };
    readonly tidb: {
        startUpgrade(through: ServerPod): Promise<void>;
        finishUpgrade(through: ServerPod): Promise<void>;
        setLabels(of: ServerPod, labels: Labels): Promise<void>;
    };
    readonly lock: {
        notePd(clusterId: string): Promise<void>;
        /** Ends PD's maintenance task, which never expires, before PD is ended. */
        endMaintenance(): Promise<void>;
        noteEndOfPd(): void;
    };
    /** Does the work for each thing, a few side by side, also after one has failed. @throws the first error. */
    eachTried<T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void>;
}

/** The state of discovery. It is only in memory. */
export interface DiscoveryState {
    /** When each member without data last asked and was told to wait, in milliseconds of a monotonic clock. */
    readonly waiting: ReadonlyMap<string, number>;
    /** The member that was told to form the cluster. */
    readonly founder?: string;
    /** Whether a PD of the cluster has ever answered. */
    readonly formed: boolean;
    /** The member that was last told to join, when it was told, and when it was first seen as started. */
    readonly joining?: { readonly member: string; readonly at: number; readonly thereAt?: number };
}

/** The state when discovery starts. */
export const initialState: DiscoveryState = { waiting: new Map(), formed: false };

/** A request of a PD pod that asks how to start. */
export interface StartRequest {
    /** Name of the pod, which is the name of the member. */
    readonly member: string;
    /** Ordinal of the pod. */
    readonly ordinal: number;
    /** Full host name of the pod. */
    readonly host: string;
}

/** A member in PD's list. */
export interface ListedMember {
    /** Name; empty if the member was added but has never started. */
    readonly name: string;
    readonly peerUrls: readonly string[];
    readonly clientUrls: readonly string[];
}

/** PD's answer. `own`: it comes from this cluster's PD, not from the cluster that it joins. */
export type PdAnswer =
    | { readonly kind: "members"; readonly own: boolean; readonly members: readonly ListedMember[] }
    | { readonly kind: "present"; readonly own: boolean; readonly detail: string }
    | { readonly kind: "none"; readonly detail: string };

/** The existing and desired ordinals of PD's StatefulSet, ascending; or why they are unknown. */
export type Ordinals = { readonly ordinals: readonly number[] } | { readonly problem: string };

/** The facts for the decision about one request. */
export interface Facts {
    readonly now: number;
    readonly pd: PdAnswer;
    readonly ordinals: Ordinals;
    readonly cluster: ClusterFacts;
}

/** The facts that do not change while discovery runs. */
export interface ClusterFacts {
    /** Name of the cluster. */
    readonly name: string;
    readonly scheme: "http" | "https";
    /** Whether the name of a member is its full host name (`acrossK8s`, `clusterDomain`). */
    readonly namedByHost: boolean;
    /** Whether the cluster joins another TidbCluster (`spec.cluster`), so it never forms one. */
    readonly joinsAnother: boolean;
    /** Client URLs of an existing PD that the first member joins instead of forming a cluster (`spec.pdAddresses`). */
    readonly pdAddresses: readonly string[];
}

/** `start`: the argument for pd-server. `wait`: ask again; with `mayHold` the answer may change soon, so the request may be held open. */
export type Answer =
    | { readonly kind: "start"; readonly argument: string }
    | { readonly kind: "wait"; readonly reason: string; readonly mayHold: boolean };

/** The answer, and the next state. */
export interface Decision {
    readonly state: DiscoveryState;
    readonly answer: Answer;
}

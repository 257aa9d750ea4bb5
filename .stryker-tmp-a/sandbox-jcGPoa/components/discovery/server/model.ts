/** What discovery remembers, in memory only. */
export interface DiscoveryState {
    /** When each member without data last asked and was told to wait, in milliseconds of a clock that never jumps. */
    readonly waiting: ReadonlyMap<string, number>;
    /** The member that was told to form the cluster. */
    readonly founder?: string;
    /** Whether any PD of the cluster was ever seen. */
    readonly formed: boolean;
    /** The member that was told to join last, when, and when it was first seen to be there. */
    readonly joining?: { readonly member: string; readonly at: number; readonly thereAt?: number };
}

/** The state of a discovery that has just started. */
export const initialState: DiscoveryState = { waiting: new Map(), formed: false };

/** A PD pod that asks how to start. */
export interface Ask {
    /** Name of the pod. */
    readonly member: string;
    /** Its ordinal. */
    readonly ordinal: number;
    /** Its host name, whole. */
    readonly host: string;
}

/** One member, as PD lists it. */
export interface ListedMember {
    /** Name; empty as long as it was added but never started. */
    readonly name: string;
    readonly peerUrls: readonly string[];
    readonly clientUrls: readonly string[];
}

/** What PD said. `own`: a PD of this cluster, not the one that it joins. */
export type PdAnswer =
    | { readonly kind: "members"; readonly own: boolean; readonly members: readonly ListedMember[] }
    | { readonly kind: "present"; readonly own: boolean; readonly detail: string }
    | { readonly kind: "none"; readonly detail: string };

/** The ordinals that PD's StatefulSet has or wants, ascending; or why they are not known. */
export type Ordinals = { readonly ordinals: readonly number[] } | { readonly problem: string };

/** What was found out for one ask. */
export interface Facts {
    readonly now: number;
    readonly pd: PdAnswer;
    readonly ordinals: Ordinals;
    readonly cluster: ClusterFacts;
}

/** What does not change while discovery runs. */
export interface ClusterFacts {
    /** Name of the cluster. */
    readonly name: string;
    readonly scheme: "http" | "https";
    /** Whether members are named by their whole host name (`acrossK8s`, `clusterDomain`). */
    readonly namedByHost: boolean;
    /** Whether the cluster joins another TidbCluster (`spec.cluster`) and so never forms one. */
    readonly joinsAnother: boolean;
    /** Client URLs of a PD elsewhere that the first member joins instead of forming a cluster (`spec.pdAddresses`). */
    readonly pdAddresses: readonly string[];
}

/** `start`: the argument for pd-server. `wait`: ask again; `patient` when an answer is near and the ask may be held a moment. */
export type Answer =
    | { readonly kind: "start"; readonly argument: string }
    | { readonly kind: "wait"; readonly reason: string; readonly patient: boolean };

/** The answer, and what to remember. */
export interface Decision {
    readonly state: DiscoveryState;
    readonly answer: Answer;
}

import type { Component } from "../../../topology/members";
import type { BoundVolume } from "./boundVolume";
import type { ClaimState } from "./claimState";
import type { PodDrain, Room } from "./drain";
import type { Fact, Known, NotKnown } from "./evidence";
import type { FixedFields, OutdatedIn, StatefulSetManifest } from "./fixedFields";
import type { SpreadConstraint } from "./spread";
import type { VolumePlace } from "./volumePlace";

/**
 * The state of the member's main container; sidecars do not count. `not-started`: it has never run in this pod.
 * `startedAt` uses the clock of the pod's node.
 */
export type ContainerState = { is: "running"; startedAt: number } | { is: "stopped" } | { is: "not-started" };

/**
 * The state of a container, if it is known. `reported`: its pod says that it has never started, but the user may not read
 * the node, which might still run what it no longer reports. `ranSince`: its node, which is silent or gone, has reported last that it
 * had been running since then.
 */
export type ContainerFact =
    Known<ContainerState> | (NotKnown & { readonly reported?: "not-started"; readonly ranSince?: number });

/** @returns since when the process of the container's last report runs, also where its node is silent now; undefined if none was reported as running. */
export function ranSince(container: ContainerFact): number | undefined {
    if (!container.known) {
        return container.ranSince;
    }
    return container.value.is === "running" ? container.value.startedAt : undefined;
}

/** A look that found a pod's process ended, and kubelet waiting to restart it. Both in milliseconds, by the run's own clock. */
export interface SeenCrash {
    readonly since: number;
    /** The gap to the look before that found it so: for no longer can it have been Ready, or anything else. `Infinity`: there was none. */
    readonly after: number;
}

/** One pod of a member's StatefulSet, as the API server last showed it. Times are milliseconds since 1970. */
export interface ObservedPod {
    /** The pod's name. It determines the ordinal; labels do not. */
    name: string;
    ordinal: number;
    uid: string;
    /** The resource version that was read. The pod is deleted only if it is unchanged since then. */
    resourceVersion: string;
    /** `controller-revision-hash`: the revision of the template that the pod was created from. */
    revision?: string;
    /** Whether the whole pod is Ready, including sidecars. */
    ready: boolean;
    /** Since when every check of this run has seen the pod Ready, by the run's own clock. */
    readySince?: number;
    /** When this process first saw it, by its own clock; `-Infinity` if it was there at the first look. Default: it was. */
    seenSince?: number;
    /** When Ready last changed, by the clock of the pod's node, or of Kubernetes where that node is silent. */
    readyChangedAt?: number;
    /**
     * The least time for which the pod has been Ready, in milliseconds, by the API server's clock or the run's own; undefined if not asked, see
     * `LookOptions.deaths`, or if its process has never ended. No clock of a node can lengthen it.
     */
    readyAtLeast?: Fact<number>;
    /** How often kubelet has restarted the member's main container in this pod. Default: never. */
    restarts?: number;
    /** The last run of the member's main container that has ended, by its node's clock; undefined if none has, or kubelet has lost its times. */
    lastRun?: { readonly startedAt: number; readonly finishedAt: number };
    /** How long kubelet waits before it restarts the member's main container, in milliseconds; undefined if it does not report it. */
    backOff?: number;
    /** The looks of this run that found it so, while it does. Only those are kept that came after a longer gap than each later one. */
    crashesSeen?: readonly SeenCrash[];
    /** The member's main container. Known only if its node is Ready: another node may still run what it no longer reports. */
    container: ContainerFact;
    /** The latest time at which the pod can have been created. Anything older may come from an earlier pod. */
    createdAt: number;
    /** Image of the member's main container. */
    image?: string;
    /** Whether the pod mounts the member's certificate of `spec.tlsCluster`. */
    clusterTls?: boolean;
    /** The claim templates of which it has a volume. Default: not known. */
    volumes?: readonly string[];
    /** The node that it is scheduled on. */
    node?: string;
    /** The zone of its node, from the node's label; undefined if the node was not read, see `LookOptions.zones`. The value is undefined if the node has no such label. */
    zone?: Fact<string | undefined>;
    /** The labels of its node; undefined if it has no node or they were not asked, see `LookOptions.zones`. */
    nodeLabels?: Fact<Readonly<Record<string, string>>>;
    /** The Ready condition of its node, and for how long the pod is not Ready; undefined if not asked, see `LookOptions.deaths`. */
    death?: { readonly node: Fact<NodeCondition>; readonly notReadyFor: Fact<number> };
    /** Whether its node is being emptied; undefined if not asked, see `LookOptions.drains`. */
    drain?: Fact<PodDrain>;
    /** Whether another node would take it; undefined if not asked, see `LookOptions.rooms`. */
    room?: Fact<Room>;
    terminating: boolean;
    /** How long it gets to stop, in seconds; undefined unless it is terminating. */
    graceSeconds?: number;
    /** The exit code of the member's main container, where that has ended, as its node reports it. */
    exitCode?: number;
    /** When the graceful shutdown began, for members that shut down before the pod is deleted. Kept in a pod annotation. */
    shutdownBegunAt?: number;
    /** Whether this package wrote that annotation, and not TiDB Operator or a person. Default: no. */
    ownShutdown?: boolean;
    /** What keeps the member's main container from starting, as Kubernetes reports it: the scheduler's reason, ImagePullBackOff, … */
    trouble?: string;
    /** What is wrong with the other containers, as Kubernetes reports it. It neither counts as an outage nor blocks a step. */
    sidecarTrouble?: string;
}

/**
 * The Ready condition of a node. `unscheduled`: the pod has no node. `for`: milliseconds by the clocks of Kubernetes' control
 * plane. `reason`: as Kubernetes gives it. `byOwnClock`: the node itself reports that it is not Ready, and since when by its own clock.
 */
export type NodeCondition =
    | { is: "ready" }
    | { is: "absent" }
    | { is: "unscheduled" }
    | { is: "not-ready"; for: number; reason: string; byOwnClock?: true };

/** A PersistentVolumeClaim of one pod. */
export interface ObservedClaim {
    name: string;
    uid: string;
    /** Identifies the state in which it was observed. */
    resourceVersion: string;
    ordinal: number;
    /** Whether it is marked as released by a scale-in. The mark is a hint: PD is asked before the volume is deleted. */
    released: boolean;
    /** The id of the store or PD member on the volume, as marked with it. Default: not known, or its process never ran. */
    releasedId?: string;
    /** Whether a user made the mark. Default: no. */
    releasedByHand?: true;
    /** Whether it has been deleted but is still kept by the pod that uses it. */
    terminating: boolean;
    /** In what its volume is not as the program has it, as marked: it is to be replaced. Default: it is not. */
    outdated?: readonly OutdatedIn[];
    /** The tag of the image that last ran on the volume, as recorded on the claim. */
    version?: string;
    /** Whether it used TLS between members, as recorded with it. */
    tls?: boolean;
    /** Whether its StorageClass lets it grow; undefined if not asked, see `LookOptions.expansions`. */
    expands?: Fact<boolean>;
    /** Its spec and status; undefined if not asked, see `LookOptions.claimStates`. */
    state?: ClaimState;
    /** Where its volume is; undefined if not asked, see `LookOptions.volumePlaces`. */
    place?: Fact<VolumePlace>;
    /** Its volume, or undefined if it is not bound to one; undefined if not asked, see `LookOptions.volumesOf`. */
    volume?: Fact<BoundVolume | undefined>;
}

/** Who wrote a part of a pod template. */
export interface TemplateWriter {
    /** The field manager, such as `kubectl-set`. */
    manager: string;
    /** When, by the API server's clock. Default: not known. */
    at?: number;
    /** Whether the Kubernetes provider takes fields of it out of the template when it next changes the StatefulSet. Default: no. */
    isTakenOut?: true;
}

/** A member's StatefulSet. Wherever it is `undefined`, there is none yet. */
export interface ObservedStatefulSet {
    name: string;
    uid: string;
    /** Whether it has been deleted and exists only until its pods have stopped. */
    terminating: boolean;
    replicas: number;
    /** Whether its number of replicas is a field of this package's own field manager, and not of Pulumi's. Default: it is Pulumi's. */
    gatesOwnReplicas?: true;
    /** The field manager that has set its number of replicas, beside Pulumi's and this package's: `kubectl`. Default: none has. */
    scaledBy?: string;
    /** Counts the changes of its spec. Default: not known. */
    generation?: number;
    /** The revision that a pod created now would get. */
    updateRevision?: string;
    /** Whether the controller has seen the newest generation. Until then `updateRevision` may be the previous one. */
    settled: boolean;
    /** Digest of the rendered template, as this package recorded it on the object. */
    templateRevision?: string;
    /** Who besides Pulumi wrote fields of the pod template. Default: nobody. For messages only. */
    templateWriters?: TemplateWriter[];
    /** Image of the member's main container in the pod template. */
    image?: string;
    /** Whether the pod template mounts the member's certificate of `spec.tlsCluster`. */
    clusterTls?: boolean;
    /** Whether its pods were to recover from snapshots of volumes (`spec.recoveryMode`). Default: no. */
    recovers?: true;
    /** The `topologySpreadConstraints` of the pod template. Default: none. */
    spreadConstraints?: SpreadConstraint[];
    fixed: FixedFields;
    /** The whole object, to create it again; undefined if not asked, see `LookOptions.manifests`. */
    manifest?: StatefulSetManifest;
}

export interface ObservedMember {
    component: Component;
    statefulSet?: ObservedStatefulSet;
    /** Ascending by ordinal. */
    pods: ObservedPod[];
    claims: ObservedClaim[];
    /** Default: they were not requested, or all pods are on the newest one, which the controller has seen. For plans only. */
    revisions?: Fact<ObservedRevisions>;
}

/** The revisions of a member's template. */
export interface ObservedRevisions {
    /** The revision of each template, by the digest that this package records; empty if several have it. */
    readonly byTemplate: Readonly<Record<string, string>>;
    /** By each other revision than the newest: the fields of the pod template that the newest one has changed. */
    readonly changes: Readonly<Record<string, readonly string[]>>;
}

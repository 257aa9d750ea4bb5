import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { stoppedLabel } from "../stoppedLabel";
import type { Driver } from "./driver";

/** What is known of a claim and of all that its volume depends on. */
export interface VolumeWorld {
    readonly claim: k8s.V1PersistentVolumeClaim;
    /** The volume that the claim is bound to. */
    readonly volume?: k8s.V1PersistentVolume;
    /** Undefined if the claim's class is gone, or has no provisioner. */
    readonly driver?: Driver;
    /** The class that the claim asks for, if there is one. */
    readonly attributesClass?: k8s.V1VolumeAttributesClass;
    /** The other volumes of the claim's class. */
    readonly others: readonly k8s.V1PersistentVolume[];
    /** The pods that use the claim and have not ended. */
    readonly pods: readonly k8s.V1Pod[];
    readonly nodes: readonly k8s.V1Node[];
    /** In milliseconds. */
    readonly now: number;
}

/** A call of the driver that is under way. */
interface Call {
    readonly target: string;
    readonly since: number;
}

/** What the controllers keep in their own memory, not in the claim. */
export interface VolumeMemory {
    readonly growth?: Call;
    readonly modification?: Call;
    /** When the node's expansion began. */
    readonly onNodeSince?: number;
    /** When a refused growth is tried again. */
    readonly growthAgainAt?: number;
    readonly modificationAgainAt?: number;
    /** The last growth failed for certain: a new request need not wait for it. */
    readonly hasFailed?: boolean;
    /** The driver has refused to grow the volume while it is in use. */
    readonly refusedInUse?: boolean;
    /** Since when no pod uses the volume. Undefined while one does. */
    readonly freeSince?: number;
    /** The pods that had mounted the volume before it grew, by uid. */
    readonly mountedBy?: readonly string[];
}

/** An Event on the claim, or on a pod. */
export interface VolumeEvent {
    readonly type: "Normal" | "Warning";
    readonly reason: string;
    readonly message: string;
    readonly from: string;
    readonly on?: k8s.V1Pod;
}

/** What is to be written next: first the volume, then the claim's status, then the Events. Merge patches. */
export interface VolumeStep {
    readonly volume?: object;
    readonly status?: object;
    readonly events?: readonly VolumeEvent[];
    readonly memory: VolumeMemory;
    /** When to look again even if nothing changes. */
    readonly againAt?: number;
}

type Condition = k8s.V1PersistentVolumeClaimCondition;

/** The conditions of a claim with others of some types: they replace those that are dropped or of the same type. */
export function withConditions(
    { status }: k8s.V1PersistentVolumeClaim,
    added: readonly { type: string; message?: string; reason?: string; lastProbeTime?: Date }[],
    now: number,
    drop: readonly string[] = [],
): Condition[] {
    const old = status?.conditions ?? [];
    const kept = old.filter(({ type }) => !drop.includes(type) && !added.some((one) => one.type === type));
    const lastTransitionTime = new Date(now);
    return [...kept, ...added.map((one) => ({ status: "True", lastTransitionTime, ...one }))];
}

/** Whether a claim has a condition. */
export function hasCondition({ status }: k8s.V1PersistentVolumeClaim, type: string): boolean {
    return status?.conditions?.some((one) => one.type === type) === true;
}

/** The pods whose node has a kubelet that works. */
export function podsOnRunningNodes({ pods, nodes }: Pick<VolumeWorld, "pods" | "nodes">): k8s.V1Pod[] {
    const running = new Set(nodes.filter(isRunning).map(({ metadata }) => metadata?.name));
    return pods.filter(({ spec }) => spec?.nodeName !== undefined && running.has(spec.nodeName));
}

function isRunning({ metadata, status }: k8s.V1Node): boolean {
    const isReady = status?.conditions?.some((one) => one.type === "Ready" && one.status === "True");
    return isReady === true && !Object.hasOwn(metadata?.labels ?? {}, stoppedLabel);
}

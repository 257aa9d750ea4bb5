/** Objects of Kubernetes as its API has them, with the fields that a diagnosis reads, and those that decide where a pod can run. */

type Time = Date | string;
type Texts = Readonly<Record<string, string>>;

interface Metadata {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Texts;
    readonly annotations?: Texts;
    readonly creationTimestamp?: Time;
    readonly deletionTimestamp?: Time;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
}

export interface Resources {
    readonly requests?: Texts;
    readonly limits?: Texts;
}

export interface Container {
    readonly name: string;
    readonly command?: readonly string[];
    readonly args?: readonly string[];
    readonly restartPolicy?: string;
    readonly ports?: readonly { readonly hostPort?: number; readonly protocol?: string }[];
    readonly resources?: Resources;
}

/** What a container does, or did before. */
export interface ContainerPhase {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
    readonly terminated?: {
        readonly exitCode: number;
        readonly reason?: string;
        readonly message?: string;
        readonly containerID?: string;
        readonly finishedAt?: Date | string;
    };
}

export interface ContainerStatus {
    readonly name: string;
    readonly image: string;
    readonly ready: boolean;
    readonly restartCount: number;
    readonly state?: ContainerPhase;
    readonly lastState?: ContainerPhase;
}

interface Toleration {
    readonly key?: string;
    readonly operator?: string;
    readonly value?: string;
    readonly effect?: string;
}

/** A condition on one label or field, as selectors and affinities have it. */
export interface Requirement {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
}

export interface Selector {
    readonly matchLabels?: Texts;
    readonly matchExpressions?: readonly Requirement[];
}

export interface NodeTerm {
    readonly matchExpressions?: readonly Requirement[];
    readonly matchFields?: readonly Requirement[];
}

/** Pods that a pod must, or must not, share a node, a zone, … with. */
export interface PodTerm {
    readonly topologyKey: string;
    readonly labelSelector?: Selector;
    readonly namespaces?: readonly string[];
    readonly namespaceSelector?: Selector;
    readonly matchLabelKeys?: readonly string[];
    readonly mismatchLabelKeys?: readonly string[];
}

interface Affinity {
    readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms: readonly NodeTerm[] };
    };
    readonly podAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodTerm[] };
    readonly podAntiAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodTerm[] };
}

export interface TopologySpread {
    readonly maxSkew: number;
    readonly minDomains?: number;
    readonly topologyKey: string;
    readonly whenUnsatisfiable: string;
    readonly labelSelector?: Selector;
    readonly matchLabelKeys?: readonly string[];
    readonly nodeAffinityPolicy?: string;
    readonly nodeTaintsPolicy?: string;
}

interface PodVolume {
    readonly persistentVolumeClaim?: { readonly claimName: string };
    readonly secret?: { readonly secretName?: string };
}

export interface PodSpec {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly overhead?: Texts;
    readonly resources?: Resources;
    readonly nodeName?: string;
    readonly nodeSelector?: Texts;
    readonly affinity?: Affinity;
    readonly topologySpreadConstraints?: readonly TopologySpread[];
    readonly tolerations?: readonly Toleration[];
    readonly volumes?: readonly PodVolume[];
}

interface Condition {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
    readonly lastTransitionTime?: Time;
}

export interface Pod {
    readonly metadata?: Metadata;
    readonly spec?: PodSpec;
    readonly status?: {
        readonly phase?: string;
        readonly reason?: string;
        readonly message?: string;
        readonly qosClass?: string;
        readonly conditions?: readonly Condition[];
        readonly containerStatuses?: readonly ContainerStatus[];
        readonly initContainerStatuses?: readonly ContainerStatus[];
    };
}

export interface Job {
    readonly metadata?: Metadata;
    readonly spec?: { readonly suspend?: boolean; readonly template: { readonly spec?: PodSpec } };
    readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface Taint {
    readonly key: string;
    readonly value?: string;
    readonly effect: string;
}

export interface Node {
    readonly metadata?: Metadata;
    readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] };
    readonly status?: { readonly allocatable?: Texts; readonly conditions?: readonly Condition[] };
}

export interface Event {
    readonly metadata: Metadata;
    readonly type?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly count?: number;
    readonly source?: { readonly component?: string };
    readonly reportingComponent?: string;
    readonly lastTimestamp?: Time;
    readonly eventTime?: Time;
    readonly series?: { readonly count?: number; readonly lastObservedTime?: Time };
}

export interface Claim {
    readonly spec?: {
        readonly storageClassName?: string;
        readonly volumeName?: string;
        readonly resources?: Resources;
    };
    readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

export interface Volume {
    readonly metadata?: Metadata;
    readonly spec?: {
        readonly storageClassName?: string;
        readonly capacity?: Texts;
        readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms: readonly NodeTerm[] } };
        readonly local?: object;
        readonly hostPath?: object;
    };
    readonly status?: { readonly phase?: string };
}

export interface StorageClass {
    readonly metadata?: Metadata;
    readonly provisioner: string;
    readonly volumeBindingMode?: string;
}

/** Objects of Kubernetes as its API has them, with the fields that a diagnosis reads. */

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
}

export interface Resources {
    readonly requests?: Texts;
    readonly limits?: Texts;
}

export interface Container {
    readonly name: string;
    readonly restartPolicy?: string;
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
    readonly tolerations?: readonly Toleration[];
    readonly volumes?: readonly PodVolume[];
}

interface Condition {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
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

export interface Taint {
    readonly key: string;
    readonly value?: string;
    readonly effect: string;
}

export interface Node {
    readonly metadata?: Metadata;
    readonly spec?: { readonly taints?: readonly Taint[] };
    readonly status?: { readonly allocatable?: Texts };
}

export interface Event {
    readonly metadata: Metadata;
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
    readonly status?: { readonly phase?: string };
}

export interface Volume {
    readonly spec?: { readonly storageClassName?: string; readonly capacity?: Texts };
    readonly status?: { readonly phase?: string };
}

export interface StorageClass {
    readonly metadata?: Metadata;
    readonly provisioner: string;
    readonly volumeBindingMode?: string;
}

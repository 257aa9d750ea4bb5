import type { Component } from "../../topology/members";
import type { ComponentSpec, FailoverSpec, ResourceSpec, ScalePolicy, StorageVolume } from "../componentSpec";
import type { StringMap } from "./labels";
import type { KubernetesObject } from "./object";
import type { Container, EnvironmentVariable, KubernetesFields } from "./pod";
import type { MemberSettings } from "./settings";
import type { StorageClasses } from "../../topology/claimTemplate";
import type { TomlTable } from "./toml";
import type { MountedVolume } from "./volumes";

/** Settings of every member that runs as a StatefulSet. */
export interface MemberSpec extends ComponentSpec, ResourceSpec, StorageClasses {
    replicas: number;
    baseImage?: string;
    serviceAccount?: string;
    storageVolumes?: StorageVolume[];
    scalePolicy?: ScalePolicy;
    gracefulShutdownTimeout?: string;
    spareVolReplaceReplicas?: number;
    maxFailoverCount?: number;
    recoverFailover?: boolean;
    failover?: FailoverSpec;
}

/** A key of the member's ConfigMap: its content, and its file in the container. */
export interface ConfigFile {
    /** Name of the volume. */
    readonly volume: string;
    /** Key in the ConfigMap. */
    readonly key: string;
    /** Text, or a configuration that is written as TOML. */
    readonly content: string | TomlTable;
    /** File in the container. */
    readonly file: { readonly folder: string; readonly name: string };
    /** Whether the mount has `readOnly: true`. A ConfigMap is read-only in any case. Default: true. */
    readonly isReadOnly?: boolean;
}

/** A key of a ConfigMap that contains a configuration. */
export interface ConfigKey {
    readonly key: string;
    readonly config: TomlTable;
    /** Prefix of the configuration's keys in the facts for the gates: `proxy`. Default: none. */
    readonly path?: string;
}

/** A member's ConfigMap as one volume, with a file for each key. */
export interface ConfigFolder {
    /** Name of the volume. */
    readonly volume: string;
    /** Keys and their configurations. */
    readonly files: readonly ConfigKey[];
    /** Mount path in the member's container. Default: only an init container mounts it. */
    readonly mountPath?: string;
}

/** How a cluster is rendered, besides its manifest. */
export interface RenderOptions {
    /** `operations.rollout.online`: settings that gates can set on running servers do not change the pod template. Default: false. */
    readonly online?: boolean;
    /** Whether pods may get the default constraints (`operations.placement`). Default: true. */
    readonly isPlaced?: boolean;
}

/**
 * How many of a member's pods one node may have, if there are three or more (tidb-operator pkg/scheduler/predicates/ha.go):
 * `minority`, fewer than half; `third`, a third, rounded up.
 */
export type PodsPerNode = "minority" | "third";

/** Everything that distinguishes a member from the other members. The rest is rendered in the same way for all of them. */
export interface MemberDescription extends RenderOptions {
    /** Whether the program creates root's password, so gates can log in as root. Only for TiDB. Default: false. */
    readonly hasRoot?: boolean;
    /** Name of the member in labels and in the names of objects: `tikv`. */
    readonly member: Component;
    /** How many of its pods one node may have. Default: any number, and its pods get no default constraints. */
    readonly podsPerNode?: PodsPerNode;
    /** The member's spec. */
    readonly spec: MemberSpec;
    /** The cluster's settings, overridden by the member's. */
    readonly settings: MemberSettings;
    /** Image with tag. */
    readonly image: string;
    /** Services, in the order of creation. */
    readonly services: KubernetesObject[];
    /** Keys of the ConfigMap. The keys of one volume are in one folder. */
    readonly configFiles: readonly ConfigFile[];
    /** Additional keys of the ConfigMap, with the whole ConfigMap as one volume. Default: none. */
    readonly configFolder?: ConfigFolder;
    /** Other volumes. */
    readonly volumes: readonly MountedVolume[];
    /** Data volumes, each with one claim per pod and its mount path. */
    readonly dataVolumes: readonly { readonly claim: KubernetesFields; readonly mountPath: string }[];
    /** Port and path of the metrics, and additional annotations for them, which users cannot override. */
    readonly metrics: { readonly port: number; readonly path: string; readonly annotations?: StringMap };
    /** Command of the container. */
    readonly command: readonly string[];
    /** Ports of the container, by name. */
    readonly ports: Readonly<Record<string, number>>;
    /** Environment variables that the member needs. */
    readonly environment: readonly EnvironmentVariable[];
    /** Optional fields of the container: security context, readiness and startup probes, lifecycle. */
    readonly containerFields: KubernetesFields;
    /** Sidecars that are listed before the member's container. */
    readonly sidecars: readonly Container[];
    /** Sidecars that are listed after the member's container. Default: none. */
    readonly laterSidecars?: readonly Container[];
    /** Init containers of the member, after the one that sets kernel parameters. */
    readonly initContainers: readonly Container[];
    /** Name of the init container that sets kernel parameters. Default: `init`. */
    readonly sysctlContainer?: string;
    /** Whether the container mounts the pod's annotations, where a start script finds the debug mode. Default: true. */
    readonly mountsAnnotations?: boolean;
    /** Whether an init container sets kernel parameters if the member's annotation requests it. Default: true. */
    readonly setsSysctls?: boolean;
    /** Whether the cluster's delete-slots annotation is copied to the StatefulSet. Default: true. */
    readonly hasDeleteSlots?: boolean;
}

import type { Component } from "../../topology/members";
import type { ComponentSpec, ResourceSpec, ScalePolicy, StorageVolume } from "../componentSpec";
import type { StringMap } from "./labels";
import type { KubernetesObject } from "./object";
import type { Container, EnvironmentVariable, KubernetesFields } from "./pod";
import type { MemberSettings } from "./settings";
import type { StorageClasses } from "./storage";
import type { TomlTable } from "./toml";
import type { MountedVolume } from "./volumes";

/** What every member that runs as a StatefulSet may say. */
export interface MemberSpec extends ComponentSpec, ResourceSpec, StorageClasses {
    replicas: number;
    baseImage?: string;
    serviceAccount?: string;
    storageVolumes?: StorageVolume[];
    scalePolicy?: ScalePolicy;
    gracefulShutdownTimeout?: string;
}

/** A key of the member's ConfigMap: its text, and the file that the container sees. */
export interface ConfigFile {
    /** Name of the volume. */
    readonly volume: string;
    /** Key in the ConfigMap. */
    readonly key: string;
    /** Its text, or a configuration, which is written as TOML. */
    readonly content: string | TomlTable;
    /** The file. */
    readonly file: { readonly folder: string; readonly name: string };
    /** Whether its mount says that it is only read; a ConfigMap's always is. Default: true. */
    readonly isReadOnly?: boolean;
}

/** A key of a ConfigMap that holds a configuration. */
export interface ConfigKey {
    readonly key: string;
    readonly config: TomlTable;
    /** What comes before its keys where gates are told of them: `proxy`. Default: nothing. */
    readonly path?: string;
}

/** A member's ConfigMap as one volume, each key a file. */
export interface ConfigFolder {
    /** Name of the volume. */
    readonly volume: string;
    /** Its keys, and the configuration that each holds. */
    readonly files: readonly ConfigKey[];
    /** Where the member's container sees it. Default: it does not; an init container does. */
    readonly mountPath?: string;
}

/** A member as data: what makes it this member and no other. All else is rendered the same way for all of them. */
export interface MemberDescription {
    /** Its name in labels and in the names of objects: `tikv`. */
    readonly member: Component;
    /** What the user says. */
    readonly spec: MemberSpec;
    /** The cluster's settings and the member's, put together. */
    readonly settings: MemberSettings;
    /** Image with tag. */
    readonly image: string;
    /** Its Services, in the order of creation. */
    readonly services: KubernetesObject[];
    /** Its ConfigMap's keys; those of one volume are in one folder. */
    readonly configFiles: readonly ConfigFile[];
    /** Further keys of its ConfigMap, and the whole of it as one volume. Default: none. */
    readonly configFolder?: ConfigFolder;
    /** Its other volumes. */
    readonly volumes: readonly MountedVolume[];
    /** Its data volumes: one claim each a pod, and where the container sees it. */
    readonly dataVolumes: readonly { readonly claim: KubernetesFields; readonly mountPath: string }[];
    /** Where its metrics are, and further annotations that say so: those cannot be overridden. */
    readonly metrics: { readonly port: number; readonly path: string; readonly annotations?: StringMap };
    /** Its container's command. */
    readonly command: readonly string[];
    /** Its container's ports: name to number. */
    readonly ports: Readonly<Record<string, number>>;
    /** The environment that it needs. */
    readonly environment: readonly EnvironmentVariable[];
    /** Security context of its container, readiness and startup probes, lifecycle: what it has of these. */
    readonly containerFields: KubernetesFields;
    /** Sidecars, before its container. */
    readonly sidecars: readonly Container[];
    /** Sidecars after its container. Default: none. */
    readonly laterSidecars?: readonly Container[];
    /** Init containers of its own, after the one that sets kernel parameters. */
    readonly initContainers: readonly Container[];
    /** Name of the init container that sets kernel parameters. Default: `init`. */
    readonly sysctlContainer?: string;
    /** Whether its container sees the pod's annotations, where a start script finds the debug switch. Default: true. */
    readonly mountsAnnotations?: boolean;
    /** Whether an init container sets kernel parameters where its annotation asks for that. Default: true. */
    readonly setsSysctls?: boolean;
    /** Whether the cluster's annotation with its delete-slots is passed on. Default: true. */
    readonly hasDeleteSlots?: boolean;
}

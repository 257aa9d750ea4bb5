import {
    deleteSlotsAnnotation,
    statefulSetDeleteSlotsAnnotation,
    templateRevisionAnnotation,
} from "../../topology/annotations";
import type { Component } from "../../topology/members";
import { headlessServiceName, memberName } from "../../topology/names";
import { helper } from "../cluster";
import type { ComponentSpec, ResourceSpec, ScalePolicy, StorageVolume } from "../componentSpec";
import type { TidbClusterManifest } from "../spec";
import { memberConfigMap } from "./configMap";
import { combine, memberLabels, type StringMap } from "./labels";
import { mergeContainers } from "./mergeContainers";
import { objectMetadata } from "./metadata";
import type { KubernetesObject } from "./object";
import type { Container, EnvironmentVariable, KubernetesFields } from "./pod";
import { metricsAnnotations, podSpec, withUserEnvironment } from "./podSpec";
import { present } from "./present";
import { containerResources } from "./resources";
import { skipAwait } from "./services";
import type { MemberSettings } from "./settings";
import { type StorageClasses, storageVolumeClaims, storageVolumeMounts } from "./storage";
import { sysctlInit } from "./sysctlInit";
import { templateRevision } from "./templateRevision";
import { userContainers, userMounts, userVolumes } from "./userPod";
import { configMapFiles, configMapFolder, type MountedVolume, podAnnotations, type PodVolume } from "./volumes";

/** The objects of one member: its Services, its ConfigMap where it has one, its StatefulSet. */
export interface MemberManifests {
    services: KubernetesObject[];
    configMap: KubernetesObject | undefined;
    statefulSet: KubernetesObject;
}

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
    /** Its text. */
    readonly text: string;
    /** The file. */
    readonly file: { readonly folder: string; readonly name: string };
    /** Whether its mount says that it is only read; a ConfigMap's always is. Default: true. */
    readonly isReadOnly?: boolean;
}

/** A member's ConfigMap as one volume, each key a file. */
export interface ConfigFolder {
    /** Name of the volume. */
    readonly volume: string;
    /** Key to text. */
    readonly files: Readonly<StringMap>;
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

/** Renders a member. */
export function renderMember(manifest: TidbClusterManifest, description: MemberDescription): MemberManifests {
    const { member, settings } = description;
    const data = {
        ...Object.fromEntries(description.configFiles.map(({ key, text }) => [key, text])),
        ...description.configFolder?.files,
    };
    const configMap =
        Object.keys(data).length === 0
            ? undefined
            : memberConfigMap(manifest, member, data, settings.configUpdateStrategy);
    return {
        services: description.services,
        configMap,
        statefulSet: statefulSet(manifest, description, configMap?.metadata.name ?? ""),
    };
}

function statefulSet(
    manifest: TidbClusterManifest,
    description: MemberDescription,
    configMapName: string,
): KubernetesObject {
    const { member, spec, settings } = description;
    const cluster = manifest.metadata.name;
    const labels = memberLabels(manifest, member);
    const claims = [
        ...description.dataVolumes.map(({ claim }) => claim),
        ...storageVolumeClaims(member, spec.storageVolumes, spec),
    ];
    const template = {
        metadata: {
            annotations: combine(
                description.metrics.annotations,
                settings.annotations,
                metricsAnnotations(description.metrics.port, description.metrics.path),
            ),
            labels: combine(labels, settings.labels),
        },
        spec: memberPod(manifest, description, configMapName),
    };
    return {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata: objectMetadata(
            manifest,
            memberName(cluster, member),
            labels,
            combine(skipAwait, description.hasDeleteSlots === false ? {} : deleteSlots(manifest, member), {
                [templateRevisionAnnotation]: templateRevision(template),
            }),
        ),
        spec: {
            podManagementPolicy: settings.podManagementPolicy,
            replicas: spec.replicas,
            selector: { matchLabels: labels },
            serviceName: headlessServiceName(cluster, member),
            template,
            // A gate deletes pods of an older revision, each when it is safe; nothing else may restart them.
            updateStrategy: { type: "OnDelete" },
            ...present({ volumeClaimTemplates: claims }),
        },
    };
}

function memberPod(
    manifest: TidbClusterManifest,
    description: MemberDescription,
    configMapName: string,
): KubernetesFields {
    const { spec, settings } = description;
    const folder = description.configFolder;
    const mounted: PodVolume[] = [
        ...(description.mountsAnnotations === false ? [] : [podAnnotations]),
        ...configMapVolumes(description.configFiles, configMapName),
        ...(folder === undefined ? [] : [configMapFolder(folder.volume, configMapName, folder.mountPath)]),
        ...description.volumes,
    ];
    const sysctls =
        description.setsSysctls === false
            ? { initContainers: [], podSecurityContext: settings.podSecurityContext }
            : sysctlInit(
                  settings,
                  helper(manifest).image,
                  containerResources(spec),
                  description.sysctlContainer ?? "init",
              );
    const own = memberContainer(description, mounted);
    return podSpec(settings, spec, {
        serviceAccountName: spec.serviceAccount || manifest.spec.serviceAccount,
        securityContext: sysctls.podSecurityContext,
        initContainers: [
            ...sysctls.initContainers,
            ...description.initContainers,
            ...userContainers(spec.initContainers),
        ],
        containers: mergeContainers(
            [...description.sidecars, own, ...(description.laterSidecars ?? [])],
            userContainers(spec.additionalContainers),
        ),
        volumes: [...mounted.map(({ volume }) => volume), ...userVolumes(spec.additionalVolumes)],
    });
}

/** One volume for each name, with a file for each key. */
function configMapVolumes(files: readonly ConfigFile[], configMap: string): MountedVolume[] {
    const names = [...new Set(files.map(({ volume }) => volume))];
    return names.map((name) =>
        configMapFiles(
            name,
            configMap,
            files.filter(({ volume }) => volume === name),
        ),
    );
}

function memberContainer(description: MemberDescription, mounted: readonly PodVolume[]): Container {
    const { member, spec, settings } = description;
    return {
        name: member,
        image: description.image,
        imagePullPolicy: settings.imagePullPolicy,
        command: [...description.command],
        env: withUserEnvironment(description.environment, spec.env),
        ports: Object.entries(description.ports).map(([name, containerPort]) => ({
            containerPort,
            name,
            protocol: "TCP",
        })),
        resources: containerResources(spec),
        ...present({ envFrom: spec.envFrom }),
        ...present(description.containerFields),
        volumeMounts: [
            ...mounted.flatMap(({ mount }) => (mount === undefined ? [] : [mount])),
            ...description.dataVolumes.map(({ claim, mountPath }) => ({ name: claim.metadata.name, mountPath })),
            ...storageVolumeMounts(member, spec.storageVolumes),
            ...userMounts(spec.additionalVolumeMounts),
        ],
    };
}

/** Which ordinals an advanced StatefulSet leaves out. A plain one does not know it; it is passed on all the same. */
function deleteSlots(manifest: TidbClusterManifest, member: Component): StringMap {
    const slots = manifest.metadata.annotations?.[deleteSlotsAnnotation(member)];
    return slots === undefined ? {} : { [statefulSetDeleteSlotsAnnotation]: slots };
}

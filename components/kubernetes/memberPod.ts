import { helper } from "../cluster";
import type { TidbClusterManifest } from "../spec";
import type { ConfigFile, MemberDescription } from "./memberDescription";
import { mergeContainers } from "./mergeContainers";
import type { Container, KubernetesFields } from "./pod";
import { podSpec, withUserEnvironment } from "./podSpec";
import { present } from "./present";
import { containerResources } from "./resources";
import { storageVolumeMounts } from "./storage";
import { sysctlInit } from "./sysctlInit";
import { userContainers, userMounts, userVolumes } from "./userPod";
import { configMapFiles, configMapFolder, type MountedVolume, podAnnotations, type PodVolume } from "./volumes";

/** Renders the pod spec of a member. */
export function memberPod(
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

/** @returns one volume for each volume name, with a file for each key. */
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

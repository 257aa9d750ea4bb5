import type { Volume, VolumeMount } from "./pod";

/** A volume of a pod, and its mount in the member's container, if it has one. */
export interface PodVolume {
    readonly volume: Volume;
    readonly mount?: VolumeMount;
}

/** A volume of a pod, and its mount in the member's container. */
export interface MountedVolume extends PodVolume {
    readonly mount: VolumeMount;
}

/** The pod's annotations as the file `/etc/podinfo/annotations`. Start scripts look for the debug mode there. */
export const podAnnotations: MountedVolume = {
    volume: {
        name: "annotations",
        downwardAPI: { items: [{ path: "annotations", fieldRef: { fieldPath: "metadata.annotations" } }] },
    },
    mount: { name: "annotations", mountPath: "/etc/podinfo", readOnly: true },
};

/** A key of a ConfigMap as the only file in a folder. */
export function configMapFile(
    name: string,
    configMap: string,
    key: string,
    file: { folder: string; name: string },
): MountedVolume {
    return {
        volume: { name, configMap: { name: configMap, items: [{ key, path: file.name }] } },
        mount: { name, mountPath: file.folder, readOnly: true },
    };
}

/** Keys of a ConfigMap as files in one folder: the folder of the first file. */
export function configMapFiles(
    name: string,
    configMap: string,
    files: readonly { key: string; file: { folder: string; name: string }; isReadOnly?: boolean }[],
): MountedVolume {
    const items = files.map(({ key, file }) => ({ key, path: file.name }));
    const [{ file, isReadOnly }] = files;
    return {
        volume: { name, configMap: { name: configMap, items } },
        mount: { name, mountPath: file.folder, ...(isReadOnly === false ? {} : { readOnly: true }) },
    };
}

/** A ConfigMap as a folder. Without a mount path, the member's container does not mount it. */
export function configMapFolder(name: string, configMap: string, mountPath: string | undefined): PodVolume {
    const volume = { name, configMap: { name: configMap } };
    return mountPath === undefined ? { volume } : { volume, mount: { name, mountPath, readOnly: true } };
}

/** A Secret as a folder. */
export function secretFolder(name: string, secretName: string, mountPath: string): MountedVolume {
    return { volume: { name, secret: { secretName } }, mount: { name, mountPath, readOnly: true } };
}

/** A volume that is deleted with the pod. */
export function temporaryFolder(name: string, mountPath: string): MountedVolume {
    return { volume: { name, emptyDir: {} }, mount: { name, mountPath } };
}

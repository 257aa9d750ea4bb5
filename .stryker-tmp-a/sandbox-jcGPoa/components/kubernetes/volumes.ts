import type { Volume, VolumeMount } from "./pod";

/** A volume of a pod, and where the member's container sees it, if it does. */
export interface PodVolume {
    readonly volume: Volume;
    readonly mount?: VolumeMount;
}

/** A volume of a pod, and where the member's container sees it. */
export interface MountedVolume extends PodVolume {
    readonly mount: VolumeMount;
}

/** The pod's own annotations as a file, `/etc/podinfo/annotations`: start scripts read the debug switch there. */
export const podAnnotations: MountedVolume = {
    volume: {
        name: "annotations",
        downwardAPI: { items: [{ path: "annotations", fieldRef: { fieldPath: "metadata.annotations" } }] },
    },
    mount: { name: "annotations", mountPath: "/etc/podinfo", readOnly: true },
};

/** One key of a ConfigMap as a file in a folder of its own. */
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

/** Keys of a ConfigMap as files in one folder, which the first of them names. */
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

/** A ConfigMap as a folder; without a path the member's container does not see it. */
export function configMapFolder(name: string, configMap: string, mountPath: string | undefined): PodVolume {
    const volume = { name, configMap: { name: configMap } };
    return mountPath === undefined ? { volume } : { volume, mount: { name, mountPath, readOnly: true } };
}

/** A Secret as a folder. */
export function secretFolder(name: string, secretName: string, mountPath: string): MountedVolume {
    return { volume: { name, secret: { secretName } }, mount: { name, mountPath, readOnly: true } };
}

/** A volume that ends with the pod. */
export function temporaryFolder(name: string, mountPath: string): MountedVolume {
    return { volume: { name, emptyDir: {} }, mount: { name, mountPath } };
}

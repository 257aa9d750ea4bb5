import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as fs from "node:fs";
import * as path from "node:path";
import type { PodObjects } from "./podObjects";
import { expand, fieldOf, type Texts } from "./environment";
import type { MountedPath } from "./mountedPaths";

/** A volume cannot be mounted yet. Kubelet tries again. */
export class MountError extends Error {
    override readonly name = "MountError";
}

/** Makes a folder of each volume of a pod. Throws MountError if a Secret, a ConfigMap or a claim is missing. */
export async function makeVolumes(pod: k8s.V1Pod, folder: string, objects: PodObjects): Promise<Map<string, string>> {
    const folders = new Map<string, string>();
    for (const volume of pod.spec?.volumes ?? []) {
        const own = path.join(folder, "volumes", volume.name);
        folders.set(volume.name, await makeVolume(volume, pod, own, objects));
    }
    return folders;
}

/** Returns where the mounts of a container are on this machine. */
export function mountsOf(
    { volumeMounts = [] }: k8s.V1Container,
    folders: ReadonlyMap<string, string>,
    variables: Texts,
): MountedPath[] {
    return volumeMounts.map(({ name, mountPath, subPath = "", subPathExpr }) => ({
        mountPath,
        file: path.join(folders.get(name) ?? "", subPathExpr === undefined ? subPath : expand(subPathExpr, variables)),
    }));
}

async function makeVolume(volume: k8s.V1Volume, pod: k8s.V1Pod, own: string, objects: PodObjects): Promise<string> {
    const namespace = pod.metadata?.namespace ?? "";
    const { name, secret, configMap, emptyDir, persistentVolumeClaim: claim, projected, downwardAPI } = volume;
    if (claim) {
        const folder = await objects.claimFolder(namespace, claim.claimName);
        if (folder === undefined) {
            throw new MountError(`persistentvolumeclaim "${claim.claimName}" not found, or not bound`);
        }
        fs.mkdirSync(folder, { recursive: true });
        return folder;
    }
    fs.mkdirSync(own, { recursive: true });
    if (secret) {
        const data = await objects.secret(namespace, secret.secretName ?? "");
        writeFiles(own, data, secret.items, secret.optional, `secret "${secret.secretName}"`);
    } else if (configMap) {
        const data = await objects.configMap(namespace, configMap.name ?? "");
        writeFiles(own, data, configMap.items, configMap.optional, `configmap "${configMap.name}"`);
    } else if (downwardAPI) {
        writeFields(own, pod, downwardAPI.items);
    } else if (projected) {
        for (const source of projected.sources ?? []) {
            await writeProjected(own, pod, source, objects);
        }
    } else if (!emptyDir) {
        throw new MountError(
            `the sandbox does not simulate the volume ${name}: only emptyDir, secret, configMap, downwardAPI, projected and persistentVolumeClaim`,
        );
    }
    return own;
}

async function writeProjected(
    folder: string,
    pod: k8s.V1Pod,
    { secret, configMap, downwardAPI, serviceAccountToken }: k8s.V1VolumeProjection,
    objects: PodObjects,
): Promise<void> {
    const { namespace = "" } = pod.metadata ?? {};
    if (serviceAccountToken) {
        const token = await objects.token(namespace, pod.spec?.serviceAccountName ?? "default");
        writeFiles(folder, { token }, [{ key: "token", path: serviceAccountToken.path }], false, "token");
    } else if (secret) {
        const data = await objects.secret(namespace, secret.name ?? "");
        writeFiles(folder, data, secret.items, secret.optional, `secret "${secret.name}"`);
    } else if (configMap) {
        const data = await objects.configMap(namespace, configMap.name ?? "");
        writeFiles(folder, data, configMap.items, configMap.optional, `configmap "${configMap.name}"`);
    } else {
        writeFields(folder, pod, downwardAPI?.items);
    }
}

/** Writes fields of a pod as kubelet does: a map as lines of `key="value"`. */
function writeFields(folder: string, pod: k8s.V1Pod, items: k8s.V1DownwardAPIVolumeFile[] = []): void {
    for (const { path: file, fieldRef } of items) {
        const [, map] = /^metadata\.(labels|annotations)$/.exec(fieldRef?.fieldPath ?? "") ?? [];
        const entries = Object.entries(pod.metadata?.[map as "labels" | "annotations"] ?? {}).sort();
        const text =
            map === undefined
                ? fieldOf(fieldRef?.fieldPath ?? "", pod)
                : entries.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join("\n");
        writeFiles(folder, { text: Buffer.from(text) }, [{ key: "text", path: file }], false, file);
    }
}

function writeFiles(
    folder: string,
    data: Readonly<Record<string, Buffer>> | undefined,
    items: k8s.V1KeyToPath[] | undefined,
    optional = false,
    what: string,
): void {
    if (data === undefined) {
        if (optional) {
            return;
        }
        throw new MountError(`${what} not found`);
    }
    const files = items ?? Object.keys(data).map((key) => ({ key, path: key }));
    for (const { key, path: file } of files) {
        if (Object.hasOwn(data, key)) {
            const target = path.join(folder, file);
            fs.mkdirSync(path.dirname(target), { recursive: true });
            replaceFile(target, data[key]);
        } else if (!optional) {
            throw new MountError(`${what} references non-existent key: ${key}`);
        }
    }
}

/** Replaces a file at once, as kubelet does: who has mounted the file itself keeps the old one. */
function replaceFile(file: string, content: Buffer): void {
    if (fs.existsSync(file) && fs.readFileSync(file).equals(content)) {
        return;
    }
    fs.writeFileSync(`${file}.new`, content, { mode: 0o600 });
    fs.renameSync(`${file}.new`, file);
}

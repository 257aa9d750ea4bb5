import type { Container } from "../kubernetes/pod";
import { isMap } from "../plainMap";
import { specError, type SpecProblem } from "../problem";
import type { RenderedCluster } from "../render";
import type { RenderedPod } from "./podLists";
import { renderedPods } from "./renderedPods";

/**
 * Refuses two mounts at the same path of a container. The API server refuses them too, but this error names the field of
 * the manifest. One of the mounts may be the member's own, so only the rendered pod shows both.
 *
 * @param cluster A cluster without other errors.
 */
export function mountPathProblems(cluster: RenderedCluster): SpecProblem[] {
    return renderedPods(cluster).flatMap(({ at, container, spec, pod }) => {
        const containers = [...((pod.initContainers ?? []) as Container[]), ...(pod.containers as Container[])];
        const duplicates = new Set(containers.flatMap(duplicatePaths));
        return [...duplicates].map((path) =>
            specError(fieldOf(spec, at, path), JSON.stringify(path), `a path where ${container} has no other mount`),
        );
    });
}

/** The API server checks the user's own containers; their fields may have any shape. */
function duplicatePaths({ volumeMounts }: Container): string[] {
    const mounts: unknown[] = Array.isArray(volumeMounts) ? volumeMounts : [];
    const paths = mounts.flatMap((mount) =>
        isMap(mount) && typeof mount.mountPath === "string" ? mount.mountPath : [],
    );
    return paths.filter((path, index) => paths.indexOf(path) !== index);
}

/** @returns the last field that mounts something at the path. */
function fieldOf(spec: RenderedPod["spec"], at: string, path: string): string {
    const mounts = (spec.additionalVolumeMounts ?? []).map(({ mountPath }) => mountPath).lastIndexOf(path);
    const volumes = (spec.storageVolumes ?? []).map(({ mountPath }) => mountPath).lastIndexOf(path);
    return mounts >= 0
        ? `${at}.additionalVolumeMounts[${mounts}].mountPath`
        : volumes >= 0
          ? `${at}.storageVolumes[${volumes}].mountPath`
          : at;
}

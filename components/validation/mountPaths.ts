import type { MemberSpec } from "../kubernetes/memberDescription";
import type { Container, KubernetesFields } from "../kubernetes/pod";
import { membersOf } from "../members";
import { isMap } from "../plainMap";
import { specError, type SpecProblem } from "../problem";
import type { RenderedCluster } from "../render";

/**
 * Refuses two mounts at one path of a container, as the API server does, but by the field of the manifest: one of them
 * may be the member's own, which only the rendered pod shows.
 *
 * @param cluster Without other errors.
 */
export function mountPathProblems({ manifest, members }: RenderedCluster): SpecProblem[] {
    return membersOf(manifest.spec).flatMap((member) => {
        const pod = members[member.component]?.statefulSet.spec.template.spec as KubernetesFields;
        const containers = [...((pod.initContainers ?? []) as Container[]), ...(pod.containers as Container[])];
        const repeated = new Set(containers.flatMap(repeatedPaths));
        const spec = member.specOf(manifest.spec) as MemberSpec;
        return [...repeated].map((path) =>
            specError(
                fieldOf(spec, member.pathIn(manifest.spec), path),
                JSON.stringify(path),
                `a path where nothing else of ${member.component} is mounted`,
            ),
        );
    });
}

/** What is in containers of the user's own is for the API server to check, and may be of any shape. */
function repeatedPaths({ volumeMounts }: Container): string[] {
    const mounts: unknown[] = Array.isArray(volumeMounts) ? volumeMounts : [];
    const paths = mounts.flatMap((mount) =>
        isMap(mount) && typeof mount.mountPath === "string" ? mount.mountPath : [],
    );
    return paths.filter((path, index) => paths.indexOf(path) !== index);
}

/** The last field that asks for the path. */
function fieldOf(spec: MemberSpec, at: string, path: string): string {
    const mounts = (spec.additionalVolumeMounts ?? []).map(({ mountPath }) => mountPath).lastIndexOf(path);
    const volumes = (spec.storageVolumes ?? []).map(({ mountPath }) => mountPath).lastIndexOf(path);
    return mounts >= 0
        ? `${at}.additionalVolumeMounts[${mounts}].mountPath`
        : volumes >= 0
          ? `${at}.storageVolumes[${volumes}].mountPath`
          : at;
}

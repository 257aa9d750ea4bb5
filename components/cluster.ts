import type { ComponentSpec, ImagePullPolicy } from "./componentSpec";
import { imageTag } from "./imageVersion";
import type { TidbClusterManifest } from "./spec";

/** Init and log containers' image, where the spec names none (tidb-operator's default). */
const defaultHelperImage = "busybox:1.26.2";

/** What a member says about its image. */
export type ImageSpec = Pick<ComponentSpec, "image" | "version"> & { baseImage?: string };

/**
 * A member's image: `baseImage:version`, with the cluster's version where the member has none; without `baseImage`,
 * the deprecated `image`. Empty where nothing says.
 */
export function memberImage(manifest: TidbClusterManifest, member: ImageSpec): string {
    if (member.baseImage === undefined || member.baseImage === "") {
        return member.image ?? "";
    }
    const version = member.version ?? manifest.spec.version ?? "";
    return version === "" ? member.baseImage : `${member.baseImage}:${version}`;
}

/** Image and pull policy of init and log containers. */
export function helper(manifest: TidbClusterManifest): { image: string; imagePullPolicy: ImagePullPolicy } {
    const { spec } = manifest;
    const legacy = spec.tidb?.slowLogTailer;
    return {
        image: spec.helper?.image ?? legacy?.image ?? defaultHelperImage,
        imagePullPolicy:
            spec.helper?.imagePullPolicy ?? legacy?.imagePullPolicy ?? spec.imagePullPolicy ?? "IfNotPresent",
    };
}

/**
 * Major version of an image, from its tag. An image without tag, and one whose tag is no version, counts as the
 * newest (tidb-operator's rule).
 */
export function majorVersion(image: string): number {
    const version = /^v?(\d+)(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.exec(imageTag(image));
    return version === null ? Number.POSITIVE_INFINITY : Number(version[1]);
}

/** Whether the cluster has its own discovery: it has PD, or spans Kubernetes clusters. */
export function hasDiscovery(manifest: TidbClusterManifest): boolean {
    return manifest.spec.pd !== undefined || manifest.spec.acrossK8s === true;
}

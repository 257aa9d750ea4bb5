import type { ComponentSpec, ImagePullPolicy } from "./componentSpec";
import { imageTag } from "../topology/imageVersion";
import type { TidbClusterManifest } from "./spec";

/** Default image of the init and log containers (tidb-operator's default). */
const defaultHelperImage = "busybox:1.26.2";

/** The fields of a member that determine its image. */
export type ImageSpec = Pick<ComponentSpec, "image" | "version"> & { baseImage?: string };

/**
 * Returns a member's image: `baseImage:version`, where the version defaults to the cluster's. Without `baseImage` it is
 * the deprecated `image`, or empty if that is not set either.
 */
export function memberImage(manifest: TidbClusterManifest, member: ImageSpec): string {
    if (member.baseImage === undefined || member.baseImage === "") {
        return member.image ?? "";
    }
    const version = member.version ?? manifest.spec.version ?? "";
    return version === "" ? member.baseImage : `${member.baseImage}:${version}`;
}

/** Image and pull policy of the init and log containers. */
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
 * Returns the major version of an image, from its tag. An image without a tag, or with a tag that is not a version, counts
 * as the newest (tidb-operator's rule).
 */
export function majorVersion(image: string): number {
    const version = /^v?(\d+)(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.exec(imageTag(image));
    return version === null ? Number.POSITIVE_INFINITY : Number(version[1]);
}

/** Whether the cluster has discovery: it has PD, or spans several Kubernetes clusters. */
export function hasDiscovery(manifest: TidbClusterManifest): boolean {
    return manifest.spec.pd !== undefined || manifest.spec.acrossK8s === true;
}

import type { TidbClusterManifest } from "../spec";
import type { StringMap } from "./labels";
import type { ObjectMetadata } from "./object";

/** @returns the namespace of a cluster's objects. */
export function namespaceOf(manifest: TidbClusterManifest): string {
    return manifest.metadata.namespace ?? "default";
}

/** @returns the metadata of a cluster's object. An empty map of annotations is left out. */
export function objectMetadata(
    manifest: TidbClusterManifest,
    name: string,
    labels: StringMap,
    annotations: StringMap = {},
): ObjectMetadata {
    return {
        name,
        namespace: namespaceOf(manifest),
        labels,
        ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    };
}

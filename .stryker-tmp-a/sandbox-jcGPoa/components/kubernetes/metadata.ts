import type { TidbClusterManifest } from "../spec";
import type { StringMap } from "./labels";
import type { ObjectMetadata } from "./object";

/** The namespace of every object of a cluster. */
export function namespaceOf(manifest: TidbClusterManifest): string {
    return manifest.metadata.namespace ?? "default";
}

/** Metadata of an object of a cluster. Annotations that are empty are left out. */
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

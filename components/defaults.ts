import { type Member, membersOf } from "./members";
import type { TidbClusterManifest, TidbClusterSpec } from "./spec";

/**
 * Adds the defaults to a manifest (tidb-operator pkg/apis/pingcap/v1alpha1/defaulting). A field has no default here if it
 * matters whether the user set it: `tikv.evictLeaderTimeout` is a deadline only if it is set.
 */
export function withDefaults(manifest: TidbClusterManifest): TidbClusterManifest {
    const { metadata } = manifest;
    const spec = membersOf(manifest.spec).reduce(withBaseImage, manifest.spec);
    const namespace = metadata.namespace || "default";
    const cluster = spec.cluster && { ...spec.cluster, namespace: spec.cluster.namespace || namespace };
    return {
        apiVersion: "pingcap.com/v1alpha1",
        kind: "TidbCluster",
        metadata: { ...metadata, namespace },
        spec: {
            ...spec,
            imagePullPolicy: spec.imagePullPolicy ?? "IfNotPresent",
            configUpdateStrategy: spec.configUpdateStrategy ?? "InPlace",
            ...(cluster === undefined ? {} : { cluster }),
        },
    };
}

/** A member gets its default `baseImage` only if there is a version for the tag. Otherwise the deprecated `image` is used. */
function withBaseImage(spec: TidbClusterSpec, { baseImage, specOf, withSpec }: Member): TidbClusterSpec {
    const own = specOf(spec);
    const hasVersion = Boolean(spec.version) || own?.version !== undefined;
    return own === undefined || own.baseImage || !hasVersion ? spec : withSpec(spec, { ...own, baseImage });
}

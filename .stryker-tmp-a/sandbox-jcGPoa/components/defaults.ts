import { type Member, membersOf } from "./members";
import type { TidbClusterManifest, TidbClusterSpec } from "./spec";

/**
 * Adds what holds where a manifest says nothing (tidb-operator pkg/apis/pingcap/v1alpha1/defaulting). Where it makes a
 * difference whether the user said it, nothing is added: `tikv.evictLeaderTimeout` is a deadline only where one is set.
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

/** A member's own image is only named where there is a version to be its tag: else a deprecated `image` holds. */
function withBaseImage(spec: TidbClusterSpec, { baseImage, specOf, withSpec }: Member): TidbClusterSpec {
    const own = specOf(spec);
    const hasVersion = Boolean(spec.version) || own?.version !== undefined;
    return own === undefined || own.baseImage || !hasVersion ? spec : withSpec(spec, { ...own, baseImage });
}

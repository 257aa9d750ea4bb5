import type { TidbClusterManifest } from "./spec";

/** Image of each member, without tag, where its spec names none. */
const baseImages = { pd: "pingcap/pd", tikv: "pingcap/tikv", tidb: "pingcap/tidb" } as const;

/**
 * Adds what holds where a manifest says nothing (tidb-operator pkg/apis/pingcap/v1alpha1/defaulting). Where it makes a
 * difference whether the user said it, nothing is added: `tikv.evictLeaderTimeout` is a deadline only where one is set.
 */
export function withDefaults(manifest: TidbClusterManifest): TidbClusterManifest {
    const { metadata, spec } = manifest;
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
            ...withBaseImage(spec, "pd"),
            ...withBaseImage(spec, "tikv"),
            ...withBaseImage(spec, "tidb"),
        },
    };
}

/** A member's own image is only named where there is a version to be its tag: else a deprecated `image` holds. */
function withBaseImage(
    spec: TidbClusterManifest["spec"],
    member: keyof typeof baseImages,
): Partial<TidbClusterManifest["spec"]> {
    const own = spec[member];
    if (own === undefined) {
        return {};
    }
    const hasVersion = Boolean(spec.version) || own.version !== undefined;
    return own.baseImage || !hasVersion ? {} : { [member]: { ...own, baseImage: baseImages[member] } };
}

import type { TidbClusterManifest } from "../spec";
import type { TiflashSpec } from "./spec";

/** The annotation of `spec.tiflash` that has TiFlash read its ConfigMap itself, without an init container. */
const mountConfigMapAnnotation = "tiflash.tidb.pingcap.com/mount-cm-in-tiflash-container";

/** The annotation of the cluster that keeps the two plain ports in the configuration of TiFlash 7.1 and later. */
const keepPortsAnnotation = "tidb.pingcap.com/tiflash-710-keep-ports";

/** Whether TiFlash reads its ConfigMap itself, and gets what depends on the pod as arguments. */
export function readsConfigMap(spec: TiflashSpec): boolean {
    return spec.annotations?.[mountConfigMapAnnotation] === "true";
}

/** Whether the plain ports stay configured though TiFlash no longer has them. */
export function keepsPorts(manifest: TidbClusterManifest): boolean {
    return manifest.metadata.annotations?.[keepPortsAnnotation] !== undefined;
}

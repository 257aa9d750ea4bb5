import type { TidbClusterManifest } from "../spec";
import type { TiflashSpec } from "./spec";

/** Annotation of `spec.tiflash` with which TiFlash reads its ConfigMap directly, without an init container. */
const mountConfigMapAnnotation = "tiflash.tidb.pingcap.com/mount-cm-in-tiflash-container";

/** Annotation of the cluster that keeps the two non-TLS ports in the configuration of TiFlash 7.1 and later. */
const keepPortsAnnotation = "tidb.pingcap.com/tiflash-710-keep-ports";

/** Whether TiFlash reads its ConfigMap directly and gets the pod's values as arguments. */
export function readsConfigMap(spec: TiflashSpec): boolean {
    return spec.annotations?.[mountConfigMapAnnotation] === "true";
}

/** Whether the non-TLS ports stay in the configuration even if TiFlash no longer has them. */
export function keepsPorts(manifest: TidbClusterManifest): boolean {
    return manifest.metadata.annotations?.[keepPortsAnnotation] !== undefined;
}

import { helper } from "../cluster";
import { logTailer } from "../kubernetes/logTailer";
import { logVolumeMount } from "../kubernetes/logVolume";
import type { Container } from "../kubernetes/pod";
import { type MountedVolume, temporaryFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import type { TidbSpec } from "./spec";

/** Where TiDB writes its slow log, and who shows it. */
export interface SlowLog {
    /** Path of the file; empty where the slow log goes into TiDB's own log. */
    readonly file: string;
    readonly sidecars: Container[];
    readonly volumes: MountedVolume[];
}

const temporary = temporaryFolder("slowlog", "/var/log/tidb");

/** The slow log: by default a file of its own that a sidecar shows, on a volume that ends with the pod. */
export function slowLog(manifest: TidbClusterManifest, spec: TidbSpec): SlowLog {
    if (spec.separateSlowLog === false) {
        return { file: "", sidecars: [], volumes: [] };
    }
    const named = spec.slowLogVolumeName && logVolumeMount("tidb", spec, spec.slowLogVolumeName);
    const mount = named || temporary.mount;
    // On a volume of the user's the file has the volume's name, as in tidb-operator.
    const file = named && spec.slowLogVolumeName ? spec.slowLogVolumeName : "slowlog";
    return {
        file: `${mount.mountPath.replace(/\/+$/, "")}/${file}`,
        sidecars: [logTailer({ container: "slowlog", mount, file }, helper(manifest), spec.slowLogTailer)],
        volumes: named ? [] : [temporary],
    };
}

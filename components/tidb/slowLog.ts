import { helper } from "../cluster";
import { logTailer } from "../kubernetes/logTailer";
import { logVolumeMount } from "../kubernetes/logVolume";
import type { Container } from "../kubernetes/pod";
import { type MountedVolume, temporaryFolder } from "../kubernetes/volumes";
import type { TidbClusterManifest } from "../spec";
import type { TidbSpec } from "./spec";

/** TiDB's slow log: its file, and the sidecar and volume for it. */
export interface SlowLog {
    /** Path of the file; empty if the slow log is part of TiDB's log. */
    readonly file: string;
    readonly sidecars: Container[];
    readonly volumes: MountedVolume[];
}

const temporary = temporaryFolder("slowlog", "/var/log/tidb");

/** Renders the slow log: by default a separate file that a sidecar prints, on a volume that is deleted with the pod. */
export function slowLog(manifest: TidbClusterManifest, spec: TidbSpec): SlowLog {
    if (spec.separateSlowLog === false) {
        return { file: "", sidecars: [], volumes: [] };
    }
    const named = spec.slowLogVolumeName && logVolumeMount("tidb", spec, spec.slowLogVolumeName);
    const mount = named || temporary.mount;
    // On a user's volume the file has the name of the volume, as in tidb-operator.
    const file = named && spec.slowLogVolumeName ? spec.slowLogVolumeName : "slowlog";
    return {
        file: `${mount.mountPath.replace(/\/+$/, "")}/${file}`,
        sidecars: [logTailer({ container: "slowlog", mount, file }, helper(manifest), spec.slowLogTailer)],
        volumes: named ? [] : [temporary],
    };
}

import { helper, majorVersion } from "../cluster";
import { logTailer } from "../kubernetes/logTailer";
import { logVolumeMount } from "../kubernetes/logVolume";
import type { Container, VolumeMount } from "../kubernetes/pod";
import type { TidbClusterManifest } from "../spec";
import type { TikvSpec } from "./spec";

const dataVolume: VolumeMount = { name: "tikv", mountPath: "/var/lib/tikv" };

/** Renders the sidecars that print the logs of TiKV's two engines. Before TiKV 5 the engines wrote them to their own folders. */
export function logTailers(manifest: TidbClusterManifest, spec: TikvSpec, image: string): Container[] {
    const isOld = majorVersion(image) < 5;
    const logs = [
        {
            isWanted: spec.separateRocksDBLog,
            container: "rocksdblog",
            volume: spec.rocksDBLogVolumeName,
            file: isOld ? "db/LOG" : "rocksdb.info",
        },
        {
            isWanted: spec.separateRaftLog,
            container: "raftlog",
            volume: spec.raftLogVolumeName,
            file: isOld ? "raft/LOG" : "raftdb.info",
        },
    ];
    return logs
        .filter(({ isWanted }) => isWanted === true)
        .map(({ container, volume, file }) => {
            const mount = (volume && logVolumeMount("tikv", spec, volume)) || dataVolume;
            return logTailer({ container, mount, file }, helper(manifest), spec.logTailer);
        });
}

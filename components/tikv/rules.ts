import type { SpecProblem } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { componentProblems, scalePolicyProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { dottedKeyProblems } from "../validation/dottedKeys";
import { durationProblems } from "../validation/durations";
import { noClusterTls, noEffectProblems, storeNoEffects } from "../validation/noEffect";
import { dataVolumeProblems, resourceProblems } from "../validation/resources";
import { labelKeyProblems } from "../validation/labelKeys";
import { logVolumeProblems, storageVolumeProblems, subfolderProblems } from "../validation/storage";
import { gracePeriodProblems } from "./gracePeriod";
import type { TikvSpec } from "./spec";

const field = "spec.tikv";

/** Checks TiKV against the rules of tidb-operator, Kubernetes and TiKV. */
export function tikvProblems(spec: TikvSpec, cluster: TidbClusterSpec): SpecProblem[] {
    const logVolumes = [
        { isUsed: spec.separateRaftLog, name: "raftLogVolumeName" },
        { isUsed: spec.separateRocksDBLog, name: "rocksDBLogVolumeName" },
    ] as const;
    return [
        ...componentProblems(field, spec),
        ...dataVolumeProblems(field, spec),
        ...storageVolumeProblems(field, "tikv", spec.storageVolumes),
        ...subfolderProblems(`${field}.dataSubDir`, spec.dataSubDir),
        ...scalePolicyProblems(field, spec.scalePolicy),
        ...durationProblems(`${field}.evictLeaderTimeout`, spec.evictLeaderTimeout),
        ...durationProblems(`${field}.waitLeaderTransferBackTimeout`, spec.waitLeaderTransferBackTimeout),
        ...logVolumes
            .filter(({ isUsed }) => isUsed === true)
            .flatMap(({ name }) => logVolumeProblems(field, name, "tikv", spec, spec[name])),
        ...configProblems(`${field}.config`, spec.config, ["security"]),
        ...dottedKeyProblems(`${field}.config`, spec.config),
        ...gracePeriodProblems(spec, cluster),
        ...labelKeyProblems(`${field}.storeLabels`, spec.storeLabels),
        ...resourceProblems(`${field}.logTailer`, spec.logTailer ?? {}),
        ...noEffects(spec, cluster),
    ];
}

function noEffects(spec: TikvSpec, cluster: TidbClusterSpec): SpecProblem[] {
    const hasTailer = spec.separateRaftLog === true || spec.separateRocksDBLog === true;
    return noEffectProblems(field, [
        ...storeNoEffects(spec),
        {
            field: "logTailer",
            value: !hasTailer && spec.logTailer,
            why: "neither separateRaftLog nor separateRocksDBLog is set",
        },
        {
            field: "raftLogVolumeName",
            value: spec.separateRaftLog !== true && spec.raftLogVolumeName,
            why: "separateRaftLog is not set",
        },
        {
            field: "rocksDBLogVolumeName",
            value: spec.separateRocksDBLog !== true && spec.rocksDBLogVolumeName,
            why: "separateRocksDBLog is not set",
        },
        {
            field: "mountClusterClientSecret",
            value: cluster.tlsCluster?.enabled !== true && spec.mountClusterClientSecret,
            why: noClusterTls,
        },
        {
            field: "readinessProbe.type",
            value: spec.readinessProbe?.type === "command" && "command",
            why: "TiKV's probe only connects to its port",
        },
    ]);
}

import { sysctlInitAnnotation } from "../../topology/annotations";
import { isAtLeast } from "../imageVersion";
import { parseQuantity } from "../kubernetes/quantity";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { componentProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { noEffectProblems, noSysctlInit } from "../validation/noEffect";
import { shown } from "../validation/path";
import type { PumpSpec } from "./spec";

const field = "spec.pump";

/** Checks Pump by tidb-operator's rules, and by those that Kubernetes and Pump have. */
export function pumpProblems(spec: PumpSpec, cluster: TidbClusterSpec): SpecProblem[] {
    return [
        ...binlogProblems(cluster),
        ...componentProblems(field, spec),
        ...volumeProblems(spec.requests?.storage),
        ...configProblems(`${field}.config`, spec.config, ["security"]),
        ...noEffects(spec),
    ];
}

/** TiDB Binlog is removed from TiDB 8.4.0 on (TiDB's release notes): its servers send nothing to Pump. */
function binlogProblems({ tidb, version }: TidbClusterSpec): SpecProblem[] {
    const ofTidb = tidb?.version ?? version;
    return tidb !== undefined && ofTidb !== undefined && isAtLeast(`tidb:${ofTidb}`, [8, 4, 0]) === true
        ? [specWarning(field, `TiDB ${ofTidb}`, "a TiDB before v8.4.0", "later ones have no binlog: use TiCDC")]
        : [];
}

function volumeProblems(size: string | number | undefined): SpecProblem[] {
    const at = `${field}.requests.storage`;
    if (size === undefined) {
        const expected = "the size of the data volume, such as 20Gi";
        return [specError(at, "nothing", expected, undefined, `${field}.spec.Requests`)];
    }
    return parseQuantity(size)?.billionths === 0n ? [specError(at, shown(size), "a size above 0")] : [];
}

function noEffects(spec: PumpSpec): SpecProblem[] {
    const notPump = "tidb-operator gives Pump none either";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version win" },
        { field: "limits.storage", value: spec.limits?.storage, why: "requests.storage sizes the volume" },
        { field: "additionalVolumes", value: spec.additionalVolumes, why: notPump },
        { field: "additionalVolumeMounts", value: spec.additionalVolumeMounts, why: notPump },
        { field: "readinessProbe", value: spec.readinessProbe, why: "Pump's probe always connects to its port" },
        {
            field: `annotations.${sysctlInitAnnotation}`,
            value: spec.annotations?.[sysctlInitAnnotation],
            why: noSysctlInit,
        },
    ]);
}

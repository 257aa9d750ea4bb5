import { sysctlInitAnnotation } from "../../topology/annotations";
import { isAtLeast } from "../imageVersion";
import { parseQuantity } from "../../topology/quantity";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { componentProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { noEffectProblems, noSysctlInit } from "../validation/noEffect";
import { shown } from "../validation/path";
import { noSizeProblems } from "../validation/resources";
import type { PumpSpec } from "./spec";

const field = "spec.pump";

/** Checks Pump against the rules of tidb-operator, Kubernetes and Pump. */
export function pumpProblems(spec: PumpSpec, cluster: TidbClusterSpec): SpecProblem[] {
    return [
        ...binlogProblems(cluster),
        ...componentProblems(field, spec),
        ...volumeProblems(spec),
        ...configProblems(`${field}.config`, spec.config, ["security"]),
        ...noEffects(spec),
    ];
}

/** TiDB Binlog was removed in TiDB 8.4.0 (TiDB's release notes): later servers send nothing to Pump. */
function binlogProblems({ tidb, version }: TidbClusterSpec): SpecProblem[] {
    const tidbVersion = tidb?.version ?? version;
    return tidb !== undefined && tidbVersion !== undefined && isAtLeast(`tidb:${tidbVersion}`, [8, 4, 0]) === true
        ? [
              specWarning(
                  field,
                  `TiDB ${tidbVersion}`,
                  "a TiDB before v8.4.0",
                  "later versions have no binlog; use TiCDC",
                  `TiDB ${tidbVersion} sends nothing to Pump`,
              ),
          ]
        : [];
}

function volumeProblems(spec: PumpSpec): SpecProblem[] {
    const at = `${field}.requests`;
    const size = spec.requests?.storage;
    if (size === undefined) {
        return noSizeProblems(at, "the size of the data volume, such as 20Gi", `${field}.spec.Requests`);
    }
    return parseQuantity(size)?.billionths === 0n ? [specError(`${at}.storage`, shown(size), "a size above 0")] : [];
}

function noEffects(spec: PumpSpec): SpecProblem[] {
    const notForPump = "tidb-operator does not support it for Pump either";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version take precedence" },
        { field: "limits.storage", value: spec.limits?.storage, why: "requests.storage sets the size of the volume" },
        { field: "additionalVolumes", value: spec.additionalVolumes, why: notForPump },
        { field: "additionalVolumeMounts", value: spec.additionalVolumeMounts, why: notForPump },
        { field: "readinessProbe", value: spec.readinessProbe, why: "Pump's probe always connects to its port" },
        {
            field: `annotations.${sysctlInitAnnotation}`,
            value: spec.annotations?.[sysctlInitAnnotation],
            why: noSysctlInit,
        },
    ]);
}

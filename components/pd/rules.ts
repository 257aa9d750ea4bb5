import type { SpecProblem } from "../problem";
import { componentProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { noEffectProblems, noFailover, noVolumeReplacement } from "../validation/noEffect";
import { dataVolumeProblems } from "../validation/resources";
import { serviceProblems } from "../validation/service";
import { storageVolumeProblems, subfolderProblems } from "../validation/storage";
import type { PdSpec } from "./spec";

const field = "spec.pd";

/** Checks PD by tidb-operator's rules, and by those that Kubernetes and PD have. */
export function pdProblems(spec: PdSpec): SpecProblem[] {
    return [
        ...componentProblems(field, spec),
        ...dataVolumeProblems(field, spec),
        ...storageVolumeProblems(field, "pd", spec.storageVolumes),
        ...subfolderProblems(`${field}.dataSubDir`, spec.dataSubDir),
        ...serviceProblems(field, spec.service),
        ...configProblems(`${field}.config`, spec.config, ["security", "dashboard"]),
        ...noEffects(spec),
    ];
}

function noEffects(spec: PdSpec): SpecProblem[] {
    const { service } = spec;
    const inOperator = "tidb-operator does not put it on PD's Service either";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version win" },
        { field: "maxFailoverCount", value: spec.maxFailoverCount, why: noFailover },
        { field: "spareVolReplaceReplicas", value: spec.spareVolReplaceReplicas, why: noVolumeReplacement },
        { field: "limits.storage", value: spec.limits?.storage, why: "requests.storage sizes the volume" },
        {
            field: "readinessProbe.type",
            value: spec.readinessProbe?.type === "command" && "command",
            why: "PD's probe connects to its port",
        },
        { field: "service.port", value: service?.port, why: "PD's Service has port 2379" },
        { field: "service.loadBalancerSourceRanges", value: service?.loadBalancerSourceRanges, why: inOperator },
        { field: "service.loadBalancerClass", value: service?.loadBalancerClass, why: inOperator },
    ]);
}

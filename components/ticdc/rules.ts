import { sysctlInitAnnotation } from "../../topology/annotations";
import { specError, type SpecProblem, specWarning } from "../problem";
import { componentProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { anyDurationProblems } from "../validation/durations";
import { isDnsLabel } from "../validation/kubernetesNames";
import { noEffectProblems, noSysctlInit } from "../validation/noEffect";
import { shown } from "../validation/path";
import { storageVolumeProblems } from "../validation/storage";
import { readTicdcConfig } from "./config";
import type { TicdcSpec } from "./spec";

const field = "spec.ticdc";

/** Checks TiCDC against the rules of tidb-operator, Kubernetes and TiCDC. */
export function ticdcProblems(spec: TicdcSpec): SpecProblem[] {
    const config = configProblems(`${field}.config`, spec.config);
    return [
        ...componentProblems(field, spec),
        ...storageVolumeProblems(field, "ticdc", spec.storageVolumes),
        ...anyDurationProblems(`${field}.gracefulShutdownTimeout`, spec.gracefulShutdownTimeout),
        ...secretProblems(spec.tlsClientSecretNames),
        ...config,
        ...(config.length > 0 ? [] : argumentProblems(spec)),
        ...noEffects(spec),
    ];
}

/** The names of the Secrets are also the names of volumes. */
function secretProblems(names: readonly string[] = []): SpecProblem[] {
    return names.flatMap((name, index) => {
        const at = `${field}.tlsClientSecretNames[${index}]`;
        if (!isDnsLabel(name)) {
            const expected = "the name of a Secret with at most 63 lower-case letters, digits and dashes";
            return [specError(at, shown(name), expected, "a volume has the same name")];
        }
        return names.indexOf(name) < index
            ? [specError(at, `a second ${shown(name)}`, "each Secret at most once")]
            : [];
    });
}

/** tidb-operator uses the default if a value has the wrong type. */
function argumentProblems(spec: TicdcSpec): SpecProblem[] {
    const config = readTicdcConfig(spec.config);
    const kinds = [
        ["tz", "string", "text"],
        ["gc-ttl", "bigint", "a whole number of seconds"],
        ["log-level", "string", "text"],
        ["log-file", "string", "text"],
    ] as const;
    return kinds
        .filter(([key, type]) => config[key] !== undefined && typeof config[key] !== type)
        .map(([key, , expected]) =>
            specWarning(`${field}.config.${key}`, shown(config[key]), expected, "the default is used instead"),
        );
}

function noEffects(spec: TicdcSpec): SpecProblem[] {
    const noDataVolume = "TiCDC has no data volume; use storageVolumes";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version take precedence" },
        { field: "readinessProbe", value: spec.readinessProbe, why: "TiCDC has no probe, as in tidb-operator" },
        { field: "requests.storage", value: spec.requests?.storage, why: noDataVolume },
        { field: "limits.storage", value: spec.limits?.storage, why: noDataVolume },
        {
            field: `annotations.${sysctlInitAnnotation}`,
            value: spec.annotations?.[sysctlInitAnnotation],
            why: noSysctlInit,
        },
    ]);
}

import { sysctlInitAnnotation } from "../../topology/annotations";
import { configValue, readConfig } from "../kubernetes/toml";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { componentProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { noEffectProblems, noSysctlInit } from "../validation/noEffect";
import { shown } from "../validation/path";
import { storageVolumeProblems } from "../validation/storage";
import { zeroInMaps } from "./config";
import type { TiproxySpec } from "./spec";

const field = "spec.tiproxy";

/** Checks TiProxy. tidb-operator does not, but refuses to render it in a cluster that spans Kubernetes clusters. */
export function tiproxyProblems(spec: TiproxySpec, cluster: TidbClusterSpec): SpecProblem[] {
    return [
        ...componentProblems(field, spec, "tiproxy"),
        ...storageVolumeProblems(field, "tiproxy", spec.storageVolumes),
        ...configProblems(`${field}.config`, spec.config, ["proxy", "security"]),
        ...(cluster.acrossK8s === true
            ? [
                  specError(
                      field,
                      "TiProxy, with spec.acrossK8s",
                      "no TiProxy",
                      "it does not run across Kubernetes clusters",
                  ),
              ]
            : []),
        ...versionProblems(spec, cluster),
        ...layoutProblems(spec, cluster),
        ...mapProblems(spec),
        ...noEffects(spec),
    ];
}

/** TiProxy's versions are not TiDB's: there is no TiProxy 8. */
function versionProblems(spec: TiproxySpec, { version }: TidbClusterSpec): SpecProblem[] {
    return spec.version === undefined && !spec.image && /^v?[4-9]\./.test(version ?? "")
        ? [
              specWarning(
                  `${field}.version`,
                  "nothing",
                  "a version of TiProxy, such as v1.3.0",
                  `${shown(version)} is one of TiDB, and TiProxy has versions of its own`,
              ),
          ]
        : [];
}

function layoutProblems({ certLayout }: TiproxySpec, { tlsCluster }: TidbClusterSpec): SpecProblem[] {
    return certLayout === "v1" && tlsCluster?.enabled !== true
        ? [
              specWarning(
                  `${field}.certLayout`,
                  '"v1"',
                  "spec.tlsCluster.enabled",
                  "TiProxy's API looks for a certificate that is only there with it, as with tidb-operator",
              ),
          ]
        : [];
}

/** In a map, what is not said is 0, and that leaves a connection to a TiDB that died open for hours. */
function mapProblems({ config }: TiproxySpec): SpecProblem[] {
    const isSaid = (path: string) => configValue(readConfig(config), path) !== undefined;
    return config === undefined ||
        typeof config === "string" ||
        configProblems("", config).length > 0 ||
        zeroInMaps.filter((path) => path.startsWith("proxy.backend-")).every(isSaid)
        ? []
        : [
              specWarning(
                  `${field}.config`,
                  "a map that does not say all of proxy.backend-healthy-keepalive and proxy.backend-unhealthy-keepalive",
                  "TOML text, of which TiProxy takes its own defaults",
                  "in a map they are 0, as with tidb-operator, and TiProxy is slow to notice that a TiDB is gone",
              ),
          ];
}

function noEffects(spec: TiproxySpec): SpecProblem[] {
    const noDataVolume = "TiProxy has no data volume; name volumes in storageVolumes";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version win" },
        { field: "readinessProbe", value: spec.readinessProbe, why: "tidb-operator gives TiProxy no probe either" },
        { field: "requests.storage", value: spec.requests?.storage, why: noDataVolume },
        { field: "limits.storage", value: spec.limits?.storage, why: noDataVolume },
        {
            field: "tlsClientSecretName",
            value: spec.certLayout === "v1" && spec.tlsClientSecretName,
            why: "certLayout v1 has no client's certificate",
        },
        {
            field: "configUpdateStrategy",
            value: spec.configUpdateStrategy === "RollingUpdate" && spec.configUpdateStrategy,
            why: "TiProxy reads a changed configuration while it runs, and is not restarted for it",
        },
        {
            field: `annotations.${sysctlInitAnnotation}`,
            value: spec.annotations?.[sysctlInitAnnotation],
            why: noSysctlInit,
        },
    ]);
}

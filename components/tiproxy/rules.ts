import { sysctlInitAnnotation } from "../../topology/annotations";
import { imageTag } from "../../topology/imageVersion";
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

/** Checks TiProxy. tidb-operator does not check it, but does not render it in a cluster that spans Kubernetes clusters. */
export function tiproxyProblems(spec: TiproxySpec, cluster: TidbClusterSpec): SpecProblem[] {
    return [
        ...componentProblems(field, spec, "tiproxy"),
        ...storageVolumeProblems(field, "tiproxy", spec.storageVolumes),
        ...configProblems(`${field}.config`, spec.config, ["proxy", "security"]),
        ...(cluster.acrossK8s === true
            ? [
                  specError(
                      field,
                      "TiProxy with spec.acrossK8s",
                      "no TiProxy",
                      "TiProxy does not support clusters that span Kubernetes clusters",
                  ),
              ]
            : []),
        ...versionProblems(spec, cluster),
        ...layoutProblems(spec, cluster),
        ...mapProblems(spec),
        ...noEffects(spec),
    ];
}

/** TiProxy's version numbers differ from TiDB's: there is no TiProxy 8. */
function versionProblems(spec: TiproxySpec, { version }: TidbClusterSpec): SpecProblem[] {
    const [own, image] = spec.baseImage
        ? (["version", `${spec.baseImage}:${spec.version ?? version}`] as const)
        : (["image", spec.image ?? ""] as const);
    const tag = imageTag(image);
    return /^v?[4-9]\./.test(tag)
        ? [
              specWarning(
                  `${field}.${own}`,
                  spec[own] === undefined ? "nothing" : shown(spec[own]),
                  "a version of TiProxy, such as v1.3.0",
                  `${shown(tag)} is a version of TiDB, and TiProxy's version numbers differ`,
                  `pods of TiProxy start only if ${image} exists`,
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
                  "without it, the certificate for TiProxy's API does not exist, as in tidb-operator",
              ),
          ]
        : [];
}

/** In a map, keys that are not set are 0. Then a connection to a dead TiDB stays open for hours. */
function mapProblems({ config }: TiproxySpec): SpecProblem[] {
    const isSet = (path: string) => configValue(readConfig(config), path) !== undefined;
    return config === undefined ||
        typeof config === "string" ||
        configProblems("", config).length > 0 ||
        zeroInMaps.filter((path) => path.startsWith("proxy.backend-")).every(isSet)
        ? []
        : [
              specWarning(
                  `${field}.config`,
                  "a map without all keys of proxy.backend-healthy-keepalive and proxy.backend-unhealthy-keepalive",
                  "TOML text, for which TiProxy uses its defaults",
                  "in a map they default to 0, as in tidb-operator, and TiProxy is slow to notice that a TiDB is gone",
              ),
          ];
}

function noEffects(spec: TiproxySpec): SpecProblem[] {
    const noDataVolume = "TiProxy has no data volume; use storageVolumes";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version take precedence" },
        { field: "readinessProbe", value: spec.readinessProbe, why: "TiProxy has no probe, as in tidb-operator" },
        { field: "requests.storage", value: spec.requests?.storage, why: noDataVolume },
        { field: "limits.storage", value: spec.limits?.storage, why: noDataVolume },
        {
            field: "tlsClientSecretName",
            value: spec.certLayout === "v1" && spec.tlsClientSecretName,
            why: "certLayout v1 does not use a client certificate",
        },
        {
            field: "configUpdateStrategy",
            value: spec.configUpdateStrategy === "RollingUpdate" && spec.configUpdateStrategy,
            why: "TiProxy reloads a changed configuration while it runs, and is not restarted",
        },
        {
            field: `annotations.${sysctlInitAnnotation}`,
            value: spec.annotations?.[sysctlInitAnnotation],
            why: noSysctlInit,
        },
    ]);
}

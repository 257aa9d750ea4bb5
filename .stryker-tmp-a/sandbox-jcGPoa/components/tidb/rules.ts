import { configValue, readConfig } from "../kubernetes/toml";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { componentProblems, scalePolicyProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { isDnsLabel } from "../validation/kubernetesNames";
import { noEffectProblems, noFailover } from "../validation/noEffect";
import { shown } from "../validation/path";
import { resourceProblems } from "../validation/resources";
import { serviceProblems } from "../validation/service";
import { logVolumeProblems, storageVolumeProblems } from "../validation/storage";
import type { TidbServiceSpec, TidbSpec } from "./spec";

const field = "spec.tidb";

const noSqlTls = "tlsClient.enabled is not set";
const noSlowLog = "separateSlowLog is false";

/** Checks TiDB by tidb-operator's rules, and by those that Kubernetes and TiDB have. */
export function tidbProblems(spec: TidbSpec, cluster: TidbClusterSpec): SpecProblem[] {
    return [
        ...componentProblems(field, spec),
        ...scalePolicyProblems(field, spec.scalePolicy, "at once"),
        ...serviceProblems(field, spec.service),
        ...storageVolumeProblems(field, "tidb", spec.storageVolumes),
        ...(spec.separateSlowLog === false
            ? []
            : logVolumeProblems(field, "slowLogVolumeName", "tidb", spec, spec.slowLogVolumeName)),
        ...resourceProblems(`${field}.slowLogTailer`, spec.slowLogTailer ?? {}),
        ...configProblems(`${field}.config`, spec.config, ["log", "security"]),
        ...startupProbeProblems(spec),
        ...externalProblems(spec.service),
        ...binlogProblems(spec, cluster),
        ...passwordProblems(spec),
        ...noEffects(spec),
    ];
}

/** Kubernetes refuses what a Service that is reached only from inside cannot have. */
function externalProblems(service: TidbServiceSpec | undefined): SpecProblem[] {
    const { type } = service ?? {};
    const isInner = type === undefined || type === "ClusterIP";
    const asked = { ...service };
    return (["externalTrafficPolicy", "mysqlNodePort", "statusNodePort"] as const)
        .filter((name) => isInner && Boolean(asked[name]))
        .map((name) =>
            specError(
                `${field}.service.${name}`,
                shown(asked[name]),
                "nothing, or a service.type NodePort or LoadBalancer",
                `a Service of type ${type ?? "ClusterIP"} has none, and Kubernetes refuses it`,
            ),
        );
}

function binlogProblems(spec: TidbSpec, cluster: TidbClusterSpec): SpecProblem[] {
    return spec.binlogEnabled === true && cluster.pump === undefined && cluster.cluster === undefined
        ? [
              specWarning(
                  `${field}.binlogEnabled`,
                  "true",
                  "Pump in spec.pump, or false",
                  "TiDB finds no Pump to write its binlog to, and does not start",
              ),
          ]
        : [];
}

/** TiDB's settings with which root cannot be given a password over SQL. */
const againstPasswords = {
    "security.skip-grant-table": "TiDB lets everybody in, with any password or none",
    "security.require-secure-transport": "the password is set through a port-forward, without TLS",
};

function passwordProblems(spec: TidbSpec): SpecProblem[] {
    if (spec.initializer?.createPassword !== true || configProblems(field, spec.config).length > 0) {
        return [];
    }
    const config = readConfig(spec.config);
    return Object.entries(againstPasswords)
        .filter(([key]) => configValue(config, key) === true)
        .map(([key, why]) =>
            specWarning(`${field}.initializer.createPassword`, "true", `config.${key} not set`, `it fails: ${why}`),
        );
}

function startupProbeProblems({ customizedStartupProbe: probe }: TidbSpec): SpecProblem[] {
    const at = `${field}.customizedStartupProbe`;
    if (probe === undefined) {
        return [];
    }
    return [
        ...(probe.image ? [] : [specError(`${at}.image`, "nothing", "the image that holds the program")]),
        ...(isDnsLabel(probe.binaryName ?? "")
            ? []
            : [
                  specError(
                      `${at}.binaryName`,
                      shown(probe.binaryName),
                      "lower-case letters, digits and dashes",
                      "it names a volume as well",
                  ),
              ]),
    ];
}

function noEffects(spec: TidbSpec): SpecProblem[] {
    const { service, customizedStartupProbe: probe } = spec;
    const onlyLoadBalancer = "the Service's type is not LoadBalancer";
    const balancer = service?.type === "LoadBalancer" ? undefined : service;
    const tls = spec.tlsClient?.enabled === true ? undefined : spec.tlsClient;
    const isTogether = spec.separateSlowLog === false;
    const noDataVolume = "TiDB has no data volume; name volumes in storageVolumes";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version win" },
        { field: "maxFailoverCount", value: spec.maxFailoverCount, why: noFailover },
        { field: "requests.storage", value: spec.requests?.storage, why: noDataVolume },
        { field: "limits.storage", value: spec.limits?.storage, why: noDataVolume },
        {
            field: "initializer.createPassword",
            value: spec.replicas === 0 && spec.initializer?.createPassword,
            why: "without a server nobody can be given a password; it is set once there is one",
        },
        { field: "tlsClient.disableClientAuthn", value: tls?.disableClientAuthn, why: noSqlTls },
        { field: "tlsClient.skipInternalClientCA", value: tls?.skipInternalClientCA, why: noSqlTls },
        { field: "slowLogTailer", value: isTogether && spec.slowLogTailer, why: noSlowLog },
        { field: "slowLogVolumeName", value: isTogether && spec.slowLogVolumeName, why: noSlowLog },
        ...(spec.storageVolumes?.length
            ? []
            : [
                  { field: "storageClassName", value: spec.storageClassName, why: noDataVolume },
                  { field: "volumeAttributesClassName", value: spec.volumeAttributesClassName, why: noDataVolume },
              ]),
        { field: "service.loadBalancerIP", value: balancer?.loadBalancerIP, why: onlyLoadBalancer },
        { field: "service.loadBalancerSourceRanges", value: balancer?.loadBalancerSourceRanges, why: onlyLoadBalancer },
        { field: "service.loadBalancerClass", value: balancer?.loadBalancerClass, why: onlyLoadBalancer },
        {
            field: "customizedStartupProbe.initialDelaySeconds",
            value: probe?.initialDelaySeconds,
            why: "tidb-operator does not use it either",
        },
        {
            field: "customizedStartupProbe.successThreshold",
            value: probe?.successThreshold !== 1 && probe?.successThreshold,
            why: "a startup probe has 1",
        },
    ]);
}

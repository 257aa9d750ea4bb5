import { configValue, readConfig } from "../kubernetes/toml";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { componentProblems, scalePolicyProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { dottedKeyProblems } from "../validation/dottedKeys";
import { isDnsLabel } from "../validation/kubernetesNames";
import { noEffectProblems } from "../validation/noEffect";
import { shown } from "../validation/path";
import { resourceProblems } from "../validation/resources";
import { serviceProblems } from "../validation/service";
import { logVolumeProblems, storageVolumeProblems } from "../validation/storage";
import { gracePeriodProblems } from "./gracePeriod";
import type { TidbServiceSpec, TidbSpec } from "./spec";

const field = "spec.tidb";

const noSqlTls = "tlsClient.enabled is not set";
const noSlowLog = "separateSlowLog is false";

/** Checks TiDB against the rules of tidb-operator, Kubernetes and TiDB. */
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
        ...dottedKeyProblems(`${field}.config`, spec.config),
        ...startupProbeProblems(spec),
        ...gracePeriodProblems(spec),
        ...externalProblems(spec.service),
        ...binlogProblems(spec, cluster),
        ...passwordProblems(spec),
        ...noEffects(spec),
    ];
}

/** Kubernetes refuses these fields on a Service that is reachable only inside Kubernetes. */
function externalProblems(service: TidbServiceSpec | undefined): SpecProblem[] {
    const { type } = service ?? {};
    const isInner = type === undefined || type === "ClusterIP";
    const fields = { ...service };
    return (["externalTrafficPolicy", "mysqlNodePort", "statusNodePort"] as const)
        .filter((name) => isInner && Boolean(fields[name]))
        .map((name) =>
            specError(
                `${field}.service.${name}`,
                shown(fields[name]),
                "nothing, or service.type NodePort or LoadBalancer",
                `Kubernetes refuses it on a Service of type ${type ?? "ClusterIP"}`,
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
                  "without Pump, TiDB cannot write its binlog and does not start",
                  "without Pump, TiDB does not start",
              ),
          ]
        : [];
}

/** Settings of TiDB that prevent a gate from setting root's password over SQL. */
const passwordBlockers = {
    "security.skip-grant-table": "TiDB accepts every login, with any password or none",
    "security.require-secure-transport": "the password is set through a port-forward, without TLS",
};

function passwordProblems(spec: TidbSpec): SpecProblem[] {
    if (spec.initializer?.createPassword !== true || configProblems(field, spec.config).length > 0) {
        return [];
    }
    const config = readConfig(spec.config);
    return Object.entries(passwordBlockers)
        .filter(([key]) => configValue(config, key) === true)
        .map(([key, why]) =>
            specWarning(
                `${field}.initializer.createPassword`,
                "true",
                `config.${key} not set`,
                `setting the password fails: ${why}`,
                "setting root's password fails",
            ),
        );
}

function startupProbeProblems({ customizedStartupProbe: probe }: TidbSpec): SpecProblem[] {
    const at = `${field}.customizedStartupProbe`;
    if (probe === undefined) {
        return [];
    }
    return [
        ...(probe.image ? [] : [specError(`${at}.image`, "nothing", "the image that contains the program")]),
        ...(isDnsLabel(probe.binaryName ?? "")
            ? []
            : [
                  specError(
                      `${at}.binaryName`,
                      shown(probe.binaryName),
                      "lower-case letters, digits and dashes",
                      "a volume has the same name",
                  ),
              ]),
    ];
}

function noEffects(spec: TidbSpec): SpecProblem[] {
    const { service, customizedStartupProbe: probe } = spec;
    const onlyLoadBalancer = "the Service's type is not LoadBalancer";
    const balancer = service?.type === "LoadBalancer" ? undefined : service;
    const tls = spec.tlsClient?.enabled === true ? undefined : spec.tlsClient;
    const hasNoSlowLogFile = spec.separateSlowLog === false;
    const noDataVolume = "TiDB has no data volume; use storageVolumes";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version take precedence" },
        { field: "requests.storage", value: spec.requests?.storage, why: noDataVolume },
        { field: "limits.storage", value: spec.limits?.storage, why: noDataVolume },
        {
            field: "initializer.createPassword",
            value: spec.replicas === 0 && spec.initializer?.createPassword,
            why: "the password cannot be set without a server; it is set once there is one",
        },
        { field: "tlsClient.disableClientAuthn", value: tls?.disableClientAuthn, why: noSqlTls },
        { field: "tlsClient.skipInternalClientCA", value: tls?.skipInternalClientCA, why: noSqlTls },
        { field: "slowLogTailer", value: hasNoSlowLogFile && spec.slowLogTailer, why: noSlowLog },
        { field: "slowLogVolumeName", value: hasNoSlowLogFile && spec.slowLogVolumeName, why: noSlowLog },
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
            why: "it is always 1 for a startup probe",
        },
    ]);
}

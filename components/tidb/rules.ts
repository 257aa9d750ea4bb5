import { specError, type SpecProblem } from "../problem";
import { componentProblems, scalePolicyProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { isDnsLabel } from "../validation/kubernetesNames";
import { noEffectProblems, noFailover } from "../validation/noEffect";
import { shown } from "../validation/path";
import { resourceProblems } from "../validation/resources";
import { serviceProblems } from "../validation/service";
import { logVolumeProblems, storageVolumeProblems } from "../validation/storage";
import type { TidbSpec } from "./spec";

const field = "spec.tidb";

/** Checks TiDB by tidb-operator's rules, and by those that Kubernetes and TiDB have. */
export function tidbProblems(spec: TidbSpec): SpecProblem[] {
    return [
        ...componentProblems(field, spec),
        ...scalePolicyProblems(field, spec.scalePolicy),
        ...serviceProblems(field, spec.service),
        ...storageVolumeProblems(field, "tidb", spec.storageVolumes),
        ...(spec.separateSlowLog === false
            ? []
            : logVolumeProblems(field, "slowLogVolumeName", "tidb", spec, spec.slowLogVolumeName)),
        ...resourceProblems(`${field}.slowLogTailer`, spec.slowLogTailer ?? {}),
        ...configProblems(`${field}.config`, spec.config, ["log", "security"]),
        ...startupProbeProblems(spec),
        ...noEffects(spec),
    ];
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
    const noDataVolume = "TiDB has no data volume; name volumes in storageVolumes";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version win" },
        { field: "maxFailoverCount", value: spec.maxFailoverCount, why: noFailover },
        { field: "requests.storage", value: spec.requests?.storage, why: noDataVolume },
        { field: "limits.storage", value: spec.limits?.storage, why: noDataVolume },
        {
            field: "initializer.createPassword",
            value: spec.initializer?.createPassword,
            why: "this version sets no password: root has none until you set one",
        },
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

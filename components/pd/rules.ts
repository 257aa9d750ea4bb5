import { ports } from "../../topology/ports";
import { hasMicroservices } from "../pdms/microservices";
import { type SpecProblem, specWarning } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { componentProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { noClusterTls, noEffectProblems, noFailover, noVolumeReplacement } from "../validation/noEffect";
import { dataVolumeProblems } from "../validation/resources";
import { serviceProblems } from "../validation/service";
import { storageVolumeProblems, subfolderProblems } from "../validation/storage";
import type { PdSpec } from "./spec";

const field = "spec.pd";

/** Checks PD by tidb-operator's rules, and by those that Kubernetes and PD have. */
export function pdProblems(spec: PdSpec, cluster: TidbClusterSpec): SpecProblem[] {
    return [
        ...componentProblems(field, spec),
        ...dataVolumeProblems(field, spec),
        ...storageVolumeProblems(field, "pd", spec.storageVolumes),
        ...subfolderProblems(`${field}.dataSubDir`, spec.dataSubDir),
        ...serviceProblems(field, spec.service),
        ...configProblems(`${field}.config`, spec.config, ["security", "dashboard"]),
        ...orderProblems(spec, cluster),
        ...noEffects(spec, cluster),
    ];
}

/** PD forms once all of its pods have asked discovery, and a pod is Ready once PD has formed. */
function orderProblems(spec: PdSpec, cluster: TidbClusterSpec): SpecProblem[] {
    const own = spec.podManagementPolicy !== undefined;
    const policy = own ? spec.podManagementPolicy : cluster.podManagementPolicy;
    return policy === "OrderedReady" && spec.readinessProbe !== undefined && spec.replicas > 1
        ? [
              specWarning(
                  own ? `${field}.podManagementPolicy` : "spec.podManagementPolicy",
                  policy,
                  "Parallel, or no spec.pd.readinessProbe",
                  "PD forms once all its pods run, and of these each waits for the one before to be Ready: a new cluster never starts",
              ),
          ]
        : [];
}

function noEffects(spec: PdSpec, cluster: TidbClusterSpec): SpecProblem[] {
    const { service } = spec;
    const isSecondScript = cluster.startScriptVersion === "v2" || hasMicroservices(cluster);
    const hasSqlTls = cluster.tidb?.tlsClient?.enabled === true;
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
        {
            field: "startUpScriptVersion",
            value: isSecondScript && spec.startUpScriptVersion,
            why: "the second start scripts look names up with dig in any case",
        },
        {
            field: "mountClusterClientSecret",
            value: cluster.tlsCluster?.enabled !== true && spec.mountClusterClientSecret,
            why: noClusterTls,
        },
        {
            field: "tlsClientSecretName",
            value: !hasSqlTls && spec.tlsClientSecretName,
            why: "spec.tidb.tlsClient.enabled is not set",
        },
        { field: "service.port", value: service?.port, why: `PD's Service has port ${ports.pd.client}` },
        { field: "service.loadBalancerSourceRanges", value: service?.loadBalancerSourceRanges, why: inOperator },
        { field: "service.loadBalancerClass", value: service?.loadBalancerClass, why: inOperator },
    ]);
}

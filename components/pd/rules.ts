import { ports } from "../../topology/ports";
import { hasMicroservices } from "../pdms/microservices";
import { type SpecProblem, specWarning } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { componentProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { dottedKeyProblems } from "../validation/dottedKeys";
import { noClusterTls, noEffectProblems } from "../validation/noEffect";
import { dataVolumeProblems } from "../validation/resources";
import { serviceProblems } from "../validation/service";
import { storageVolumeProblems, subfolderProblems } from "../validation/storage";
import type { PdSpec } from "./spec";

const field = "spec.pd";

/** Checks PD against the rules of tidb-operator, Kubernetes and PD. */
export function pdProblems(spec: PdSpec, cluster: TidbClusterSpec): SpecProblem[] {
    return [
        ...componentProblems(field, spec),
        ...dataVolumeProblems(field, spec),
        ...storageVolumeProblems(field, "pd", spec.storageVolumes),
        ...subfolderProblems(`${field}.dataSubDir`, spec.dataSubDir),
        ...serviceProblems(field, spec.service),
        ...configProblems(`${field}.config`, spec.config, ["security", "dashboard"]),
        ...dottedKeyProblems(`${field}.config`, spec.config),
        ...orderProblems(spec, cluster),
        ...noEffects(spec, cluster),
    ];
}

/** PD's cluster forms after all its pods have asked discovery, and a pod is Ready only after that. */
function orderProblems(spec: PdSpec, cluster: TidbClusterSpec): SpecProblem[] {
    const own = spec.podManagementPolicy !== undefined;
    const policy = own ? spec.podManagementPolicy : cluster.podManagementPolicy;
    return policy === "OrderedReady" && spec.readinessProbe !== undefined && spec.replicas > 1
        ? [
              specWarning(
                  own ? `${field}.podManagementPolicy` : "spec.podManagementPolicy",
                  policy,
                  "Parallel, or no spec.pd.readinessProbe",
                  "a new cluster never starts: PD's cluster forms after all its pods run, but each pod waits for the one before it to be Ready",
                  "PD does not start where all its pods are down",
              ),
          ]
        : [];
}

function noEffects(spec: PdSpec, cluster: TidbClusterSpec): SpecProblem[] {
    const { service } = spec;
    const usesV2Script = cluster.startScriptVersion === "v2" || hasMicroservices(cluster);
    const hasSqlTls = cluster.tidb?.tlsClient?.enabled === true;
    const inOperator = "tidb-operator does not set it on PD's Service either";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version take precedence" },
        { field: "limits.storage", value: spec.limits?.storage, why: "requests.storage sets the size of the volume" },
        {
            field: "readinessProbe.type",
            value: spec.readinessProbe?.type === "command" && "command",
            why: "PD's probe only connects to its port",
        },
        {
            field: "startUpScriptVersion",
            value: usesV2Script && spec.startUpScriptVersion,
            why: "the v2 start scripts always prefer dig",
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

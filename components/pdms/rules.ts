import { ports } from "../../topology/ports";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { componentProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { noClusterTls, noEffectProblems } from "../validation/noEffect";
import { shown } from "../validation/path";
import { serviceProblems } from "../validation/service";
import { storageVolumeProblems } from "../validation/storage";
import { hasMicroservices } from "./microservices";
import type { PdMicroserviceSpec } from "./spec";

/**
 * Checks PD's microservices against the rules of tidb-operator, Kubernetes and PD. As in tidb-operator, they are checked
 * even if they have no effect.
 */
export function pdMicroserviceProblems(spec: TidbClusterSpec): SpecProblem[] {
    const services = spec.pdms ?? [];
    return [
        ...services.flatMap((service, index) => serviceSpecProblems(`spec.pdms[${index}]`, service, spec)),
        ...duplicates(services),
        ...(hasMicroservices(spec) ? missingTso(services) : unusedMicroservices(spec, services)),
    ];
}

function serviceSpecProblems(field: string, spec: PdMicroserviceSpec, cluster: TidbClusterSpec): SpecProblem[] {
    const { name } = spec;
    return [
        ...withOperatorPath(field, name, [
            ...componentProblems(field, spec),
            ...storageVolumeProblems(field, name, spec.storageVolumes),
        ]),
        ...serviceProblems(field, spec.service, false),
        ...configProblems(`${field}.config`, spec.config, ["security"]),
        ...noEffects(field, spec, cluster),
    ];
}

/** tidb-operator reports the name of a microservice, not its index in the list. */
function withOperatorPath(field: string, name: string, problems: SpecProblem[]): SpecProblem[] {
    const checkedByOperator = ["env", "additionalContainers", "storageVolumes"].map((part) => `${field}.${part}[`);
    return problems.map((problem) =>
        problem.severity === "error" && checkedByOperator.some((start) => problem.field.startsWith(start))
            ? {
                  ...problem,
                  message: `${problem.message} (tidb-operator: ${problem.field.replace(field, `spec.${name}`)})`,
              }
            : problem,
    );
}

function duplicates(services: readonly PdMicroserviceSpec[]): SpecProblem[] {
    return services.flatMap(({ name }, index) =>
        services.findIndex((other) => other.name === name) < index
            ? [specError(`spec.pdms[${index}].name`, `a second ${shown(name)}`, "each microservice at most once")]
            : [],
    );
}

function missingTso(services: readonly PdMicroserviceSpec[]): SpecProblem[] {
    return services.some(({ name }) => name === "tso")
        ? []
        : [
              specWarning(
                  "spec.pdms",
                  "no tso",
                  "a microservice tso",
                  "with spec.pd.mode ms PD itself may not allocate timestamps, and no other service does",
                  "no service may allocate timestamps",
              ),
          ];
}

function unusedMicroservices(spec: TidbClusterSpec, services: readonly PdMicroserviceSpec[]): SpecProblem[] {
    if (services.length > 0) {
        const expected = spec.pd === undefined ? "PD in spec.pd" : "spec.pd.mode: ms";
        return [specWarning("spec.pdms", shown(services), expected, "without it the microservices are not deployed")];
    }
    return spec.pd?.mode === "ms"
        ? [specWarning("spec.pd.mode", '"ms"', "microservices in spec.pdms", "without them PD runs as one service")]
        : [];
}

function noEffects(field: string, spec: PdMicroserviceSpec, cluster: TidbClusterSpec): SpecProblem[] {
    const { service } = spec;
    const noVolume = "the microservice has no data volume; use storageVolumes";
    const inOperator = "tidb-operator does not use it either";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version take precedence" },
        { field: "maxFailoverCount", value: spec.maxFailoverCount, why: "microservices have no failover" },
        { field: "requests.storage", value: spec.requests?.storage, why: noVolume },
        { field: "limits.storage", value: spec.limits?.storage, why: noVolume },
        {
            field: "mountClusterClientSecret",
            value: cluster.tlsCluster?.enabled !== true && spec.mountClusterClientSecret,
            why: noClusterTls,
        },
        ...(spec.storageVolumes?.length
            ? []
            : [
                  { field: "storageClassName", value: spec.storageClassName, why: noVolume },
                  { field: "volumeAttributesClassName", value: spec.volumeAttributesClassName, why: noVolume },
              ]),
        { field: "readinessProbe", value: spec.readinessProbe, why: inOperator },
        { field: "tlsClientSecretName", value: spec.tlsClientSecretName, why: inOperator },
        { field: "startUpScriptVersion", value: spec.startUpScriptVersion, why: inOperator },
        { field: "startTimeout", value: spec.startTimeout, why: "the start script uses spec.pd.startTimeout" },
        { field: "service.port", value: service?.port, why: `the Service has port ${ports.pd.client}` },
        { field: "service.loadBalancerSourceRanges", value: service?.loadBalancerSourceRanges, why: inOperator },
        { field: "service.loadBalancerClass", value: service?.loadBalancerClass, why: inOperator },
    ]);
}

import { ports } from "../../topology/ports";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterSpec } from "../spec";
import { componentProblems } from "../validation/component";
import { configProblems } from "../validation/config";
import { noClusterTls, noEffectProblems, noFailover } from "../validation/noEffect";
import { shown } from "../validation/path";
import { serviceProblems } from "../validation/service";
import { storageVolumeProblems } from "../validation/storage";
import { hasMicroservices } from "./microservices";
import type { PdMicroserviceSpec } from "./spec";

/**
 * Checks the microservices of PD by tidb-operator's rules, and by those that Kubernetes and PD have. They are checked
 * also where they have no effect, as there.
 */
export function pdMicroserviceProblems(spec: TidbClusterSpec): SpecProblem[] {
    const services = spec.pdms ?? [];
    return [
        ...services.flatMap((service, index) => serviceSpecProblems(`spec.pdms[${index}]`, service, spec)),
        ...repeated(services),
        ...(hasMicroservices(spec) ? missing(services) : unused(spec, services)),
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

/** tidb-operator names a service by itself, not by its place in the list. */
function withOperatorPath(field: string, name: string, problems: SpecProblem[]): SpecProblem[] {
    const checkedThere = ["env", "additionalContainers", "storageVolumes"].map((part) => `${field}.${part}[`);
    return problems.map((problem) =>
        problem.severity === "error" && checkedThere.some((start) => problem.field.startsWith(start))
            ? {
                  ...problem,
                  message: `${problem.message} (tidb-operator: ${problem.field.replace(field, `spec.${name}`)})`,
              }
            : problem,
    );
}

function repeated(services: readonly PdMicroserviceSpec[]): SpecProblem[] {
    return services.flatMap(({ name }, index) =>
        services.findIndex((other) => other.name === name) < index
            ? [specError(`spec.pdms[${index}].name`, `${shown(name)} once more`, "each microservice at most once")]
            : [],
    );
}

function missing(services: readonly PdMicroserviceSpec[]): SpecProblem[] {
    return services.some(({ name }) => name === "tso")
        ? []
        : [
              specWarning(
                  "spec.pdms",
                  "no tso",
                  "a microservice tso",
                  "with spec.pd.mode ms PD itself need not hand out timestamps, and nothing else does",
              ),
          ];
}

function unused(spec: TidbClusterSpec, services: readonly PdMicroserviceSpec[]): SpecProblem[] {
    if (services.length > 0) {
        const expected = spec.pd === undefined ? "PD of its own in spec.pd" : "spec.pd.mode: ms";
        return [specWarning("spec.pdms", shown(services), expected, "the microservices are not deployed without it")];
    }
    return spec.pd?.mode === "ms"
        ? [specWarning("spec.pd.mode", '"ms"', "microservices in spec.pdms", "PD runs as one without them")]
        : [];
}

function noEffects(field: string, spec: PdMicroserviceSpec, cluster: TidbClusterSpec): SpecProblem[] {
    const { service } = spec;
    const noVolume = "it has no data volume; name volumes in storageVolumes";
    const inOperator = "tidb-operator does not use it either";
    return noEffectProblems(field, [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version win" },
        { field: "maxFailoverCount", value: spec.maxFailoverCount, why: noFailover },
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

import { besideSpec } from "../besideSpec";
import { isMap } from "../plainMap";
import { attemptName, jobRunProblems, type JobRunArgs } from "../jobRunArgs";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterManifest } from "../spec";
import { isDnsLabel, isDnsSubdomain, longestLabel } from "../validation/kubernetesNames";
import { fieldTypes, isLater, kubernetesTypes } from "../validation/kubernetesTypes";
import { shownWithKind } from "../validation/path";
import { pullSecretProblems } from "../validation/podLists";
import { unknownFields } from "../validation/unknownField";
import type { TidbInitializerArgs } from "./args";
import { initializerFields } from "./spec";

const argumentNames: readonly string[] = [
    "metadata",
    "spec",
    ...besideSpec.TidbInitializer,
] satisfies (keyof TidbInitializerArgs)[];

/** Fields with texts, and what each must be. */
const texts: Readonly<Record<string, { is: (text: string) => boolean; expected: string }>> = {
    image: { is: isFilled, expected: "an image with its tag" },
    initSql: { is: isFilled, expected: "SQL statements" },
    initSqlConfigMap: { is: isDnsSubdomain, expected: "the name of a ConfigMap" },
    passwordSecret: { is: isDnsSubdomain, expected: "the name of a Secret" },
    permitHost: { is: isFilled, expected: "a host, as MySQL writes it: %, 10.0.%, or a name" },
    tlsClientSecretName: { is: isDnsSubdomain, expected: "the name of a Secret" },
    timezone: { is: isFilled, expected: "a time zone: Asia/Shanghai" },
    serviceAccountName: { is: isDnsSubdomain, expected: "the name of a service account" },
};

const maps: readonly string[] = ["podSecurityContext", "resources", "nodeSelector"];
const lists: readonly string[] = ["imagePullSecrets", "tolerations"];
const { imagePullSecrets, nodeSelector, podSecurityContext, resources, tolerations } = kubernetesTypes;
const podTypes = fieldTypes({
    spec: { properties: { imagePullSecrets, nodeSelector, podSecurityContext, resources, tolerations } },
});
const pullPolicies: readonly unknown[] = ["Always", "IfNotPresent", "Never"];

/** The end of the Job's name after the cluster's name. Kubernetes makes a label of the name. */
const longestSuffix = "-tidb-initializer".length;

/** What the rules need to know of the cluster that the program deploys. */
export type KnownCluster = Pick<TidbClusterManifest, "metadata" | "spec">;

/**
 * @returns the errors and warnings about the arguments of a TidbInitializer. Values that are Outputs are checked once they are known.
 * @param name Name of the TidbInitializer.
 * @param cluster The cluster that the program deploys; undefined if it is another's.
 */
export function initializerProblems(args: object, name: string, cluster: KnownCluster | undefined): SpecProblem[] {
    const { metadata = {}, spec } = args as Record<string, unknown>;
    return [
        ...unknownFields("", args, argumentNames),
        ...jobRunProblems(args as Record<keyof JobRunArgs, unknown>),
        ...(isMap(metadata)
            ? unknownFields("metadata", metadata, ["name", "namespace", "labels", "annotations"])
            : [specError("metadata", shownWithKind(metadata), "a map")]),
        ...(isDnsLabel(name) ? [] : [specError("metadata.name", shownWithKind(name), "a DNS label")]),
        ...(isMap(spec)
            ? [...specProblems(spec), ...clusterProblems(spec, args as JobRunArgs, metadata, cluster)]
            : [specError("spec", shownWithKind(spec), "a map")]),
    ];
}

function specProblems(spec: Record<string, unknown>): SpecProblem[] {
    const { initSql, initSqlConfigMap, imagePullPolicy, passwordSecret, permitHost } = spec;
    const isIdle = [initSql, initSqlConfigMap, passwordSecret, permitHost].every((value) => value === undefined);
    return [
        ...unknownFields("spec", spec, initializerFields, "TidbInitializer"),
        ...Object.entries(texts).flatMap(([field, { is, expected }]) => {
            const value = spec[field];
            return value === undefined || isLater(value) || (typeof value === "string" && is(value))
                ? []
                : [specError(`spec.${field}`, shownWithKind(value), expected)];
        }),
        ...maps.flatMap((field) => wrong(spec, field, isMap, "a map, which is not an Output")),
        ...lists.flatMap((field) => wrong(spec, field, Array.isArray, "a list, which is not an Output")),
        ...podTypes({ spec }).filter(({ field }) => /^spec\.\w+[.[]/.test(field)),
        ...(Array.isArray(spec.imagePullSecrets) && spec.imagePullSecrets.every(isMap)
            ? pullSecretProblems("spec", { imagePullSecrets: spec.imagePullSecrets })
            : []),
        ...(imagePullPolicy === undefined || pullPolicies.includes(imagePullPolicy)
            ? []
            : [specError("spec.imagePullPolicy", shownWithKind(imagePullPolicy), pullPolicies.join(" or "))]),
        ...(initSql !== undefined && initSqlConfigMap !== undefined
            ? [specWarning("spec.initSql", "it beside initSqlConfigMap", "one of them", "initSqlConfigMap is used")]
            : []),
        ...(isIdle
            ? [specError("spec", "nothing to do", "one of passwordSecret, initSql, initSqlConfigMap and permitHost")]
            : []),
    ];
}

function clusterProblems(
    spec: Record<string, unknown>,
    run: JobRunArgs,
    metadata: unknown,
    cluster: KnownCluster | undefined,
): SpecProblem[] {
    const { cluster: given, tlsClientSecretName } = spec;
    if (given !== undefined && !isMap(given)) {
        return [specError("spec.cluster", shownWithKind(given), "a map with the name of a TidbCluster")];
    }
    const { name = cluster?.metadata.name, namespace } = given ?? {};
    const unknown = given === undefined ? [] : unknownFields("spec.cluster", given, ["name", "namespace"]);
    if (typeof name !== "string" || !isDnsLabel(name)) {
        const next = "or pass the argument tidbCluster";
        return [...unknown, specError("spec.cluster.name", shownWithKind(name), "the name of a TidbCluster", next)];
    }
    const own = isMap(metadata) ? (metadata.namespace ?? cluster?.metadata.namespace ?? "default") : undefined;
    const suffix = attemptName("", run).length;
    return [
        ...unknown,
        ...(namespace === undefined || isLater(own) || namespace === own
            ? []
            : [
                  specError(
                      "spec.cluster.namespace",
                      shownWithKind(namespace),
                      `${String(own)}, the namespace of the TidbInitializer`,
                      "the Job uses the Service of TiDB and the Secrets of its own namespace",
                  ),
              ]),
        ...(name.length + longestSuffix + suffix <= longestLabel
            ? []
            : [
                  specError(
                      "spec.cluster.name",
                      `${name.length} characters`,
                      `at most ${longestLabel - longestSuffix - suffix}, because the name of the Job begins with it`,
                  ),
              ]),
        ...(cluster === undefined ? [] : knownClusterProblems(name, own, tlsClientSecretName, cluster)),
    ];
}

/** Of a cluster in the same program it is known whether it can be initialized. */
function knownClusterProblems(
    name: string,
    namespace: unknown,
    tlsSecret: unknown,
    cluster: KnownCluster,
): SpecProblem[] {
    const { metadata, spec } = cluster;
    const clusterNamespace = metadata.namespace ?? "default";
    const { tidb } = spec;
    return [
        ...(name === metadata.name
            ? []
            : [specError("spec.cluster.name", shownWithKind(name), `${metadata.name}, the name of tidbCluster`)]),
        ...(isLater(namespace) || namespace === clusterNamespace
            ? []
            : [
                  specError(
                      "metadata.namespace",
                      shownWithKind(namespace),
                      `${clusterNamespace}, the namespace of tidbCluster`,
                  ),
              ]),
        ...(tidb !== undefined && tidb.replicas > 0
            ? []
            : [specError("tidbCluster", "a cluster without TiDB", "one with spec.tidb.replicas of at least 1")]),
        ...(tidb?.initializer?.createPassword === true
            ? [
                  specError(
                      "tidbCluster",
                      `spec.tidb.initializer.createPassword of TidbCluster ${metadata.name}`,
                      "a TidbInitializer or createPassword, not both",
                      "createPassword sets a random password, with which the Job cannot log in; remove it, or use it alone",
                  ),
              ]
            : []),
        ...(tlsSecret !== undefined && tidb?.tlsClient?.enabled !== true
            ? [
                  specWarning(
                      "spec.tlsClientSecretName",
                      "it for a cluster without spec.tidb.tlsClient.enabled",
                      "nothing",
                      "it has no effect",
                  ),
              ]
            : []),
    ];
}

function wrong(
    spec: Record<string, unknown>,
    field: string,
    is: (value: unknown) => boolean,
    expected: string,
): SpecProblem[] {
    return spec[field] === undefined || is(spec[field])
        ? []
        : [specError(`spec.${field}`, shownWithKind(spec[field]), expected)];
}

function isFilled(text: string): boolean {
    return text.trim() !== "";
}

import * as pulumi from "@pulumi/pulumi";
import { brClusterOf, type BrCluster, type BrPods, brPodsOf } from "../br/brCluster";
import { checkBr, sourceOf } from "../br/checkBr";
import type { BackupArgs, ExistingClusterArgs, RestoreArgs } from "../br/args";
import { brJob, brJobName } from "../br/job";
import type { BrKind, BrManifest } from "../br/spec";
import { storageOf } from "../br/storages";
import { versionProblems } from "../br/versions";
import { jobRunFields, jobRunProblems } from "../jobRunArgs";
import type { KubernetesObject } from "../kubernetes/object";
import type { Planned } from "../objects";
import { isPlain } from "../outline";
import { isMap } from "../plainMap";
import { ManifestError, specError, type SpecProblem } from "../problem";
import type { TidbClusterManifest } from "../spec";
import { TidbCluster } from "../tidbCluster";
import { shown, shownWithKind } from "../validation/path";
import { unknownFields } from "../validation/unknownField";

/** A Backup or Restore of a program, checked as far as its values are known. */
export interface PlannedBr {
    readonly manifest: pulumi.Output<BrManifest>;
    readonly cluster: pulumi.Output<BrCluster & BrPods>;
    readonly job: Planned<KubernetesObject>;
    /** What BR does: `back up the cluster db/basic to s3://backups/full`. */
    readonly does: pulumi.Output<string>;
}

const common = ["metadata", "spec", "cluster", "kubeconfig", "context", ...jobRunFields];
const argumentNames: Readonly<Record<BrKind, readonly string[]>> = {
    Backup: common,
    Restore: [...common, "allowExistingData", "backupVersion"] satisfies (keyof RestoreArgs)[] | string[],
};

/**
 * Checks and renders a Backup or Restore. Values that are Outputs are checked once they are known.
 *
 * @throws ManifestError that lists every error with its field.
 */
export function plannedBr(kind: BrKind, name: string, args: BackupArgs | RestoreArgs): PlannedBr {
    const others = argumentProblems(kind, args);
    const { cluster } = args;
    const given = { kind, metadata: { ...args.metadata, name: args.metadata?.name ?? name }, spec: args.spec };
    const check = (value: unknown, live: ClusterName | undefined) => checkBr(kind, withCluster(value, live), others);
    if (others.length > 0) {
        throw new ManifestError(others, sourceOf(kind, isPlain(given) ? given : {}));
    }
    if (isPlain(given)) {
        // The name of the program's cluster may be an Output; any name stands for it here.
        check(given, cluster instanceof TidbCluster ? { name: "cluster", namespace: "default" } : undefined);
    }
    const facts = factsOf(cluster);
    const manifest = pulumi
        .all([pulumi.output(given), facts.own])
        .apply(([value, own]) => check(value, own as ClusterName | undefined));
    const backupVersion = "backupVersion" in args ? args.backupVersion : undefined;
    const found = pulumi.all([manifest, facts.of(manifest), backupVersion]).apply(([one, of, version]) => {
        const checked = one as BrManifest;
        const problems = [
            ...clusterProblems(checked, of as BrCluster),
            ...versionProblems(kind, checked.spec.toolImage, of as BrCluster, version),
        ];
        if (problems.length > 0) {
            throw new ManifestError(problems, sourceOf(kind, checked));
        }
        return { checked, of: of as BrCluster & BrPods };
    });
    return {
        manifest: found.apply(({ checked }) => checked as BrManifest),
        cluster: found.apply(({ of }) => of as BrCluster & BrPods),
        does: found.apply(({ checked, of }) => describe(kind, checked as BrManifest, of)),
        job: {
            outline: outlineOf(kind, name),
            content: found.apply(({ checked, of }) => brJob(kind, checked as BrManifest, of)),
        },
    };
}

/** @returns what BR does, in words. */
export function describe(kind: BrKind, { spec }: BrManifest, { namespace, name }: BrCluster): string {
    const { url } = storageOf(spec);
    return kind === "Backup"
        ? `back up the cluster ${namespace}/${name} to ${url}`
        : `restore ${url} into the cluster ${namespace}/${name}`;
}

/** A Job always exists, and with the same fields: only its values can be Outputs. */
function outlineOf(kind: BrKind, name: string): KubernetesObject {
    return { apiVersion: "batch/v1", kind: "Job", metadata: { name: brJobName(kind, name) }, spec: {} };
}

interface ClusterName {
    readonly name: string;
    readonly namespace: string;
}

/** Fills in the name and namespace of the program's cluster. */
function withCluster(given: unknown, own: ClusterName | undefined): unknown {
    if (own === undefined || !isMap(given)) {
        return given;
    }
    const { metadata, spec } = given;
    const br = isMap(spec) ? (spec.br ?? {}) : undefined;
    return {
        ...given,
        metadata: isMap(metadata) ? { ...metadata, namespace: metadata.namespace ?? own.namespace } : metadata,
        spec: isMap(br)
            ? {
                  ...(spec as object),
                  br: { ...br, cluster: br.cluster ?? own.name, clusterNamespace: br.clusterNamespace ?? own.namespace },
              }
            : spec,
    };
}

/** What is known of the cluster: of one of the program, everything; of another one, what the program says. */
function factsOf(cluster: TidbCluster | ExistingClusterArgs): {
    own: pulumi.Output<ClusterName | undefined>;
    of: (manifest: pulumi.Output<BrManifest>) => pulumi.Output<BrCluster & BrPods>;
} {
    if (cluster instanceof TidbCluster) {
        const facts = cluster.manifest.apply((manifest) => {
            const plain = manifest as TidbClusterManifest;
            return { ...brClusterOf(plain), ...brPodsOf(plain) };
        });
        return {
            own: facts.apply(({ name, namespace }): ClusterName | undefined => ({ name, namespace })),
            of: () => facts,
        };
    }
    return {
        own: pulumi.output<ClusterName | undefined>(undefined),
        of: (manifest) =>
            pulumi.all([pulumi.output(cluster), manifest]).apply(([given, one]) => {
                const { metadata, spec } = one as BrManifest;
                const { version, tls = false, instance, clusterDomain } = given;
                return {
                    name: spec.br.cluster,
                    namespace: spec.br.clusterNamespace || (metadata.namespace ?? "default"),
                    version,
                    tls,
                    instance: instance ?? spec.br.cluster,
                    ...(clusterDomain ? { domain: clusterDomain } : {}),
                };
            }),
    };
}

function clusterProblems({ spec, metadata }: BrManifest, { name, namespace, tls }: BrCluster): SpecProblem[] {
    const { cluster, clusterNamespace } = spec.br;
    const given = clusterNamespace || metadata.namespace;
    return [
        ...(cluster === name
            ? []
            : [specError("spec.br.cluster", shown(cluster), `${name}, the TidbCluster that is the argument \`cluster\``)]),
        ...(given === namespace
            ? []
            : [specError("spec.br.clusterNamespace", shown(given), `${namespace}, the namespace of ${name}`)]),
        // A pod mounts only Secrets of its own namespace.
        ...(tls && metadata.namespace !== namespace
            ? [
                  specError(
                      "metadata.namespace",
                      shown(metadata.namespace),
                      `${namespace}, the namespace of the cluster, whose client certificate the Job mounts`,
                  ),
              ]
            : []),
    ];
}

function argumentProblems(kind: BrKind, args: BackupArgs | RestoreArgs): SpecProblem[] {
    const { metadata, cluster, spec, attempt, wait, timeoutSeconds } = args as unknown as Record<string, unknown>;
    const { allowExistingData } = args as RestoreArgs;
    return [
        ...unknownFields("", args, argumentNames[kind]),
        ...(metadata === undefined || isMap(metadata)
            ? isMap(metadata)
                ? unknownFields("metadata", metadata, ["name", "namespace", "labels", "annotations"])
                : []
            : [specError("metadata", shownWithKind(metadata), "a map")]),
        ...(isMap(spec) ? [] : [specError("spec", shownWithKind(spec), "a map")]),
        ...(cluster instanceof TidbCluster ? [] : existingProblems(cluster)),
        ...jobRunProblems({ attempt, wait, timeoutSeconds }),
        ...(allowExistingData === undefined || typeof allowExistingData === "boolean"
            ? []
            : [specError("allowExistingData", shown(allowExistingData), "true or false, not an Output")]),
    ];
}

function existingProblems(cluster: unknown): SpecProblem[] {
    if (!isMap(cluster)) {
        return [specError("cluster", shownWithKind(cluster), "a TidbCluster, or a map with the version of another cluster")];
    }
    return [
        ...unknownFields("cluster", cluster, ["version", "tls", "instance", "clusterDomain"]),
        ...(cluster.version === undefined || cluster.version === ""
            ? [specError("cluster.version", "nothing", "the version of the cluster, such as v8.5.3")]
            : []),
    ];
}

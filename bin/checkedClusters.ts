import { checkBr, sourceOf } from "../components/br/checkBr";
import { backupOf, checkSchedule } from "../components/br/schedule/checkSchedule";
import { renderSchedule } from "../components/br/schedule/renderSchedule";
import type { BackupScheduleManifest } from "../components/br/schedule/spec";
import { type BrCluster, brClusterOf } from "../components/br/brCluster";
import { renderBr } from "../components/br/renderBr";
import type { BrKind, BrManifest } from "../components/br/spec";
import { namedCluster } from "../components/br/sql/access";
import { accessField, isSql, type SqlManifest } from "../components/br/sql/spec";
import { type CheckedManifest, checkManifest } from "../components/checkManifest";
import { checkInitializer, type CheckedInitializer } from "../components/initializer/checkInitializer";
import type { KubernetesObject } from "../components/kubernetes/object";
import { documentName } from "../components/manifestObjects";
import {
    type BrDocument,
    type ManifestText,
    type ParsedManifests,
    parseManifests,
    singleCluster,
} from "../components/parseManifest";
import { ManifestError, specError, type SpecProblem, visible } from "../components/problem";
import type { TidbClusterManifest } from "../components/spec";

/** A Backup, Restore, CompactBackup or BackupSchedule of a text, checked against its cluster of the same text. */
export type CheckedWork = { readonly object: KubernetesObject } & (
    | { readonly kind: BrKind; readonly manifest: BrManifest | SqlManifest }
    | { readonly kind: "BackupSchedule"; readonly manifest: BackupScheduleManifest }
);

/** The valid clusters of a text, and all messages. */
export interface CheckedClusters {
    readonly clusters: CheckedManifest[];
    /** The TidbInitializers. Empty if they are not asked for. */
    readonly initializers: CheckedInitializer[];
    /** The Backups, Restores, CompactBackups and BackupSchedules. Empty if they are not asked for. */
    readonly work: CheckedWork[];
    /** The warnings that are about no cluster of the text. */
    readonly ofText: string[];
    readonly warnings: string[];
    readonly errors: string[];
}

/** Reads and checks the clusters of texts, and its TidbInitializers if they are asked for. If there are several, each message names its object. */
export function checkedClusters(
    texts: readonly ManifestText[],
    {
        only,
        single,
        withWork,
        converts,
    }: { only: string | undefined; single: boolean; withWork: boolean; converts: boolean },
): CheckedClusters {
    const nothing: Omit<ParsedManifests, "warnings"> = {
        clusters: [],
        initializers: [],
        work: [],
        around: [],
        leftOut: [],
    };
    const source = texts.map((one) => one.source).join(", ");
    const parsed = checked(nothing, "", () => {
        const found = parseManifests(texts, source, only, "--only", withWork);
        const { clusters, initializers, warnings, leftOut } = found;
        if (single && clusters.length === 0 && initializers.length === 0) {
            const found = only === undefined ? "none" : JSON.stringify(only);
            throw new ManifestError(
                [specError(only === undefined ? "" : "--only", found, "a TidbCluster", ofCluster)],
                source,
            );
        }
        const taken =
            single && clusters.length > 0 ? [singleCluster(clusters, source, (name) => `--only ${name}`)] : clusters;
        return {
            result: { ...found, clusters: taken },
            warnings: [...warnings, ...(single ? leftOut.map(leftOutWarning) : [])],
        };
    });
    const { initializers: ofInitializers, work: ofWork, around } = parsed.result;
    const isAlone = parsed.result.clusters.length + ofInitializers.length + ofWork.length === 1;
    const work = ofWork.map((one) =>
        checked(undefined, "", () => ({ result: checkedWork(one, around), warnings: [] })),
    );
    const clusters = parsed.result.clusters.map((cluster) =>
        checked(undefined, isAlone ? "" : `TidbCluster ${nameOf(cluster)}: `, () => {
            const result = checkManifest(cluster, [], undefined, converts);
            return { result, warnings: result.warnings };
        }),
    );
    const valid = clusters.flatMap(({ result }) => result ?? []);
    const initializers = parsed.result.initializers.map((object) =>
        checked(undefined, isAlone ? "" : `${documentName(object)}: `, () => {
            const result = checkInitializer(object, valid, converts);
            return { result, warnings: result.warnings };
        }),
    );
    return {
        clusters: valid,
        initializers: initializers.flatMap(({ result }) => result ?? []),
        work: work.flatMap(({ result }) => result ?? []),
        ofText: parsed.warnings,
        warnings: [parsed, ...clusters, ...initializers].flatMap(({ warnings }) => warnings),
        errors: [parsed, ...clusters, ...initializers, ...work].flatMap(({ errors }) => errors),
    };
}

const ofCluster = "give the file of its TidbCluster too: the image and the certificates come from it";

/** Its Job depends on the version and the TLS of its cluster, which only the cluster's manifest has. */
function checkedWork(document: BrDocument, around: readonly TidbClusterManifest[]): CheckedWork {
    const { kind } = document;
    if (kind === "BackupSchedule") {
        const manifest = checkSchedule(document);
        const own = clusterOf(backupOf(manifest), around, sourceOf(kind, manifest), "spec.backupTemplate.br.cluster");
        return { kind, manifest, object: renderSchedule(manifest, own).cronJob };
    }
    const manifest = checkBr(kind, document);
    const field = isSql(manifest) ? `spec.${accessField(kind)}.host` : "spec.br.cluster";
    const own = clusterOf(manifest, around, sourceOf(kind, manifest), field);
    return { kind, manifest, object: renderBr(kind, manifest, own).job };
}

function clusterOf(
    manifest: BrManifest | SqlManifest,
    around: readonly TidbClusterManifest[],
    source: string,
    field: string,
): BrCluster {
    const { name, namespace } = namedCluster(manifest);
    const found = around.find(
        ({ metadata }) => metadata?.name === name && (metadata.namespace || "default") === namespace,
    );
    if (found === undefined) {
        const service = isSql(manifest) ? "<cluster>-tidb, the Service of TiDB of " : "";
        const expected = `${service}a TidbCluster in namespace ${namespace}, in one of the files`;
        throw new ManifestError([specError(field, JSON.stringify(name), expected, ofCluster)], source);
    }
    // Where the cluster is taken too, its own check reports unknown fields.
    return brClusterOf(checkManifest(found, [], undefined, true).manifest);
}

/** Runs a check. If it refuses, the result is `otherwise`. */
function checked<T>(
    otherwise: T,
    prefix: string,
    check: () => { result: T; warnings: SpecProblem[] },
): { result: T; warnings: string[]; errors: string[] } {
    try {
        const { result, warnings } = check();
        return { result, warnings: messages(warnings, prefix), errors: [] };
    } catch (error) {
        if (!(error instanceof ManifestError)) {
            throw error;
        }
        return { result: otherwise, warnings: messages(error.problems, prefix), errors: [error.message] };
    }
}

/** A program of one cluster lacks what the cluster had beside it. */
function leftOutWarning(found: string): SpecProblem {
    const message = visible(`${found} is left out: --only takes one object`);
    return { field: "", found, expected: "no --only", message, severity: "warning" };
}

function messages(problems: readonly SpecProblem[], prefix: string): string[] {
    return problems.filter(({ severity }) => severity === "warning").map(({ message }) => visible(prefix) + message);
}

/** The manifest is not checked yet: it may have no name. */
function nameOf({ metadata }: TidbClusterManifest): string {
    const { name } = (metadata ?? {}) as { name?: unknown };
    return typeof name === "string" ? name : "without name";
}

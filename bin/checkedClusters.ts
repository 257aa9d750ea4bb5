import { checkBr, sourceOf } from "../components/br/checkBr";
import { brClusterOf } from "../components/br/brCluster";
import { type RenderedBr, renderBr } from "../components/br/renderBr";
import type { BrKind, BrManifest } from "../components/br/spec";
import { type CheckedManifest, checkManifest } from "../components/checkManifest";
import {
    type BrDocument,
    type ParsedWork,
    parseManifests,
    parseWork,
    singleCluster,
} from "../components/parseManifest";
import { ManifestError, specError, type SpecProblem, visible } from "../components/problem";
import type { TidbClusterManifest } from "../components/spec";

/** A Backup or Restore of a text, checked against its cluster of the same text. */
export interface CheckedWork extends RenderedBr {
    readonly kind: BrKind;
    readonly manifest: BrManifest;
}

/** The valid clusters of a text, and all messages. */
export interface CheckedClusters {
    readonly clusters: CheckedManifest[];
    /** Empty unless the caller takes Backups and Restores. */
    readonly work: CheckedWork[];
    readonly warnings: string[];
    readonly errors: string[];
}

/** Reads and checks the clusters of a text. If there are several, each message names its cluster. */
export function checkedClusters(
    text: string,
    source: string,
    { only, single, takesWork }: { only: string | undefined; single: boolean; takesWork: boolean },
): CheckedClusters {
    const nothing: Omit<ParsedWork, "warnings"> = { clusters: [], work: [], around: [] };
    const parsed = checked(nothing, "", () => {
        const found = takesWork
            ? parseWork(text, source, only, "--only")
            : { ...nothing, ...parseManifests(text, source, only, "--only") };
        const { warnings, clusters } = found;
        if (!single) {
            return { result: found, warnings };
        }
        if (clusters.length === 0) {
            throw new ManifestError([specError("--only", JSON.stringify(only), "a TidbCluster")], source);
        }
        const one = singleCluster(clusters, source, (name) => `--only ${name}`);
        return { result: { ...found, clusters: [one] }, warnings };
    });
    const given = parsed.result.clusters;
    const work = parsed.result.work.map((one) =>
        checked(undefined, "", () => ({ result: checkedWork(one, parsed.result.around), warnings: [] })),
    );
    const clusters = given.map((cluster) =>
        checked(undefined, given.length === 1 ? "" : `TidbCluster ${nameOf(cluster)}: `, () => {
            const result = checkManifest(cluster);
            return { result, warnings: result.warnings };
        }),
    );
    return {
        clusters: clusters.flatMap(({ result }) => result ?? []),
        work: work.flatMap(({ result }) => result ?? []),
        warnings: [parsed, ...clusters].flatMap(({ warnings }) => warnings),
        errors: [parsed, ...clusters, ...work].flatMap(({ errors }) => errors),
    };
}

/** Its Job depends on the version and the TLS of its cluster, which only the cluster's manifest has. */
function checkedWork(document: BrDocument, around: readonly TidbClusterManifest[]): CheckedWork {
    const { kind } = document;
    const manifest = checkBr(kind, document);
    const { cluster, clusterNamespace } = manifest.spec.br;
    const namespace = clusterNamespace || (manifest.metadata.namespace ?? "default");
    const own = around.find(
        ({ metadata }) => metadata?.name === cluster && (metadata.namespace || "default") === namespace,
    );
    if (own === undefined) {
        const expected = `a TidbCluster of the same text, in namespace ${namespace}`;
        const next = "the image and the certificates of BR depend on it";
        throw new ManifestError(
            [specError("spec.br.cluster", JSON.stringify(cluster), expected, next)],
            sourceOf(kind, manifest),
        );
    }
    return { kind, manifest, ...renderBr(kind, manifest, brClusterOf(checkManifest(own).manifest)) };
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

function messages(problems: readonly SpecProblem[], prefix: string): string[] {
    return problems.filter(({ severity }) => severity === "warning").map(({ message }) => visible(prefix) + message);
}

/** The manifest is not checked yet: it may have no name. */
function nameOf({ metadata }: TidbClusterManifest): string {
    const { name } = (metadata ?? {}) as { name?: unknown };
    return typeof name === "string" ? name : "without name";
}

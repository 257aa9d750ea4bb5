import { type CheckedManifest, checkManifest } from "../components/checkManifest";
import { parseManifests, singleCluster } from "../components/parseManifest";
import { ManifestError, type SpecProblem, visible } from "../components/problem";
import type { TidbClusterManifest } from "../components/spec";

/** The valid clusters of a text, and all messages. */
export interface CheckedClusters {
    readonly clusters: CheckedManifest[];
    readonly warnings: string[];
    readonly errors: string[];
}

/** Reads and checks the clusters of a text. If there are several, each message names its cluster. */
export function checkedClusters(
    text: string,
    source: string,
    { only, single }: { only: string | undefined; single: boolean },
): CheckedClusters {
    const parsed = checked([], "", () => {
        const { clusters, warnings } = parseManifests(text, source, only, "--only");
        return { result: single ? [singleCluster(clusters, source, (name) => `--only ${name}`)] : clusters, warnings };
    });
    const clusters = parsed.result.map((cluster) =>
        checked(undefined, parsed.result.length === 1 ? "" : `TidbCluster ${nameOf(cluster)}: `, () => {
            const result = checkManifest(cluster);
            return { result, warnings: result.warnings };
        }),
    );
    return {
        clusters: clusters.flatMap(({ result }) => result ?? []),
        warnings: [parsed, ...clusters].flatMap(({ warnings }) => warnings),
        errors: [parsed, ...clusters].flatMap(({ errors }) => errors),
    };
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

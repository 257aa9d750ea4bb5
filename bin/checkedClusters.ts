import { type CheckedManifest, checkManifest } from "../components/checkManifest";
import { checkInitializer, type CheckedInitializer } from "../components/initializer/checkInitializer";
import { documentName } from "../components/manifestObjects";
import { parseManifests, singleCluster } from "../components/parseManifest";
import { ManifestError, type SpecProblem, visible } from "../components/problem";
import type { TidbClusterManifest } from "../components/spec";

interface Parsed {
    readonly clusters: readonly TidbClusterManifest[];
    readonly initializers: readonly Record<string, unknown>[];
}

/** The valid clusters of a text, and all messages. */
export interface CheckedClusters {
    readonly clusters: CheckedManifest[];
    /** The TidbInitializers. Empty if they are not asked for. */
    readonly initializers: CheckedInitializer[];
    readonly warnings: string[];
    readonly errors: string[];
}

/** Reads and checks the clusters of a text, and its TidbInitializers if they are asked for. If there are several, each message names its object. */
export function checkedClusters(
    text: string,
    source: string,
    { only, single, withInitializers }: { only: string | undefined; single: boolean; withInitializers: boolean },
): CheckedClusters {
    const parsed = checked<Parsed>({ clusters: [], initializers: [] }, "", () => {
        const { clusters, initializers, warnings } = parseManifests(text, source, only, "--only", withInitializers);
        const needsOne = single && (clusters.length > 0 || initializers.length === 0);
        const taken = needsOne ? [singleCluster(clusters, source, (name) => `--only ${name}`)] : clusters;
        return { result: { clusters: taken, initializers }, warnings };
    });
    const isAlone = parsed.result.clusters.length + parsed.result.initializers.length === 1;
    const clusters = parsed.result.clusters.map((cluster) =>
        checked(undefined, isAlone ? "" : `TidbCluster ${nameOf(cluster)}: `, () => {
            const result = checkManifest(cluster);
            return { result, warnings: result.warnings };
        }),
    );
    const valid = clusters.flatMap(({ result }) => result ?? []);
    const initializers = parsed.result.initializers.map((object) =>
        checked(undefined, isAlone ? "" : `${documentName(object)}: `, () => {
            const result = checkInitializer(object, valid);
            return { result, warnings: result.warnings };
        }),
    );
    return {
        clusters: valid,
        initializers: initializers.flatMap(({ result }) => result ?? []),
        warnings: [parsed, ...clusters, ...initializers].flatMap(({ warnings }) => warnings),
        errors: [parsed, ...clusters, ...initializers].flatMap(({ errors }) => errors),
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

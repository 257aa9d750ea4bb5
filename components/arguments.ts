import { besideSpec } from "./besideSpec";
import { operationsProblems } from "./operationsRules";
import { isMap } from "./plainMap";
import { specError, type SpecProblem } from "./problem";
import type { TidbClusterArgs, YamlClusterArgs } from "./tidbClusterArgs";
import { shownWithKind } from "./validation/path";
import { unknownFields } from "./validation/unknownField";

/** The arguments of `new TidbCluster`. TypeScript checks their names; plain JavaScript does not. */
export const clusterArguments: readonly string[] = [
    "metadata",
    "spec",
    "pd",
    ...besideSpec.TidbCluster,
] satisfies (keyof TidbClusterArgs)[];
/** The arguments of `TidbCluster.fromYaml`. */
export const yamlArguments: readonly string[] = [
    "only",
    "pd",
    ...besideSpec.TidbCluster,
] satisfies (keyof YamlClusterArgs)[];
const pdFields = ["address"];

/**
 * Returns the errors in the arguments beside `metadata` and `spec`, which the manifest's check does not see.
 *
 * @param known The names of all arguments.
 */
export function argumentProblems(args: object, known: readonly string[]): SpecProblem[] {
    const { pd, operations } = args as Record<string, unknown>;
    return [...unknownFields("", args, known), ...pdProblems(pd), ...operationsProblems(operations)];
}

function pdProblems(pd: unknown): SpecProblem[] {
    if (pd === undefined || pd === null) {
        return [];
    }
    return isMap(pd) ? unknownFields("pd", pd, pdFields) : [specError("pd", shownWithKind(pd), "a map")];
}

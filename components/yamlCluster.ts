import { argumentProblems, yamlArguments } from "./arguments";
import { manifestText } from "./manifestText";
import { parseManifests, singleCluster } from "./parseManifest";
import { isMap } from "./plainMap";
import type { SpecProblem } from "./problem";
import type { TidbClusterArgs, YamlClusterArgs } from "./tidbClusterArgs";

/** A cluster from a file, before it is checked. */
export interface YamlCluster {
    /** The manifest of the cluster. It has a name, unless its metadata are not a map. */
    readonly manifest: object;
    /** The errors in the program's arguments, and the warnings about other objects in the file. */
    readonly problems: readonly SpecProblem[];
}

/** The file that the arguments of a TidbCluster come from, for its constructor: it checks and renders the whole manifest. */
const files = new WeakMap<object, YamlCluster>();

/** @returns what a file gives to the arguments; undefined if a program wrote them. */
export function fileOf(args: object): YamlCluster | undefined {
    return files.get(args);
}

/**
 * Reads the arguments of a cluster from a YAML file. They are checked when the TidbCluster is made of them.
 *
 * @param name Name of the cluster if the manifest has no `metadata.name`.
 * @throws ManifestError if the file cannot be read, is not valid YAML, or has no cluster or several.
 */
export function argsFromYaml(path: string, name: string, { only, ...args }: YamlClusterArgs): TidbClusterArgs {
    const { clusters, warnings } = parseManifests(manifestText(path), path, only);
    const given = singleCluster(clusters, path, (one) => `the argument \`only: "${one}"\``);
    // YAML may lack `metadata`, or have something else there, which the check reports.
    const metadata: unknown = given.metadata ?? {};
    const named = isMap(metadata) ? { ...metadata, name: metadata.name ?? name } : metadata;
    const made = { ...args, metadata: given.metadata, spec: given.spec } as TidbClusterArgs;
    const problems = [...argumentProblems(args, yamlArguments), ...warnings];
    files.set(made, { manifest: { ...given, metadata: named }, problems });
    return made;
}

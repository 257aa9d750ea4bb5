import { readFileSync } from "node:fs";
import { fileProblem } from "../provider/cluster/fileProblem";
import { checkManifest } from "./checkManifest";
import { parseManifests, singleCluster } from "./parseManifest";
import { isMap } from "./plainMap";
import { ManifestError, type SpecProblem, textError } from "./problem";
import type { TidbClusterManifest } from "./spec";

/** A cluster from a file, and the warnings about everything else in the file. */
export interface YamlCluster extends Pick<TidbClusterManifest, "metadata" | "spec"> {
    readonly warnings: SpecProblem[];
}

/**
 * Reads a cluster from a YAML file.
 *
 * @param name Name of the cluster if the manifest has no `metadata.name`.
 * @param only The cluster to read if the file has several, as `TidbCluster/NAME`.
 * @param problems The errors in the program's arguments, which are reported together with the file's.
 * @throws ManifestError that lists every error in the file, or says why it cannot be read.
 */
export function readYamlCluster(
    path: string,
    name: string,
    only?: string,
    problems: readonly SpecProblem[] = [],
): YamlCluster {
    const { clusters, warnings: ofOthers } = parseManifests(textOf(path), path, only);
    const given = singleCluster(clusters, path, (one) => `the argument \`only: "${one}"\``);
    // YAML may lack `metadata`, or have something else there, which the check reports.
    const metadata: unknown = given.metadata ?? {};
    const manifest = { ...given, metadata: isMap(metadata) ? { ...metadata, name: metadata.name ?? name } : metadata };
    const { warnings } = checkManifest(manifest, [...problems, ...ofOthers]);
    const isOfTidbCluster = (field: string) => /^(metadata|spec)([.[]|$)/.test(field);
    return {
        metadata: given.metadata,
        spec: given.spec,
        warnings: warnings.filter((one) => ofOthers.includes(one) || !isOfTidbCluster(one.field)),
    };
}

function textOf(path: string): string {
    try {
        return readFileSync(path, "utf8");
    } catch (error) {
        const problem = textError("", "nothing", "a file", `cannot be read: ${fileProblem(error)}`);
        throw new ManifestError([problem], path);
    }
}

import * as pulumi from "@pulumi/pulumi";
import { documentName } from "../manifestObjects";
import { parseManifests } from "../parseManifest";
import { ManifestError, specError } from "../problem";
import { manifestText } from "../manifestText";
import { givenInitializer } from "./checkInitializer";
import type { TidbInitializerArgs } from "./args";

/**
 * Reads a TidbInitializer from a YAML file. It is checked when the component is made of it.
 *
 * @throws ManifestError if the file cannot be read, is not valid YAML, or has no TidbInitializer or several.
 */
export function initializerOf(
    path: string,
    only: string | undefined,
): { metadata: NonNullable<TidbInitializerArgs["metadata"]>; spec: TidbInitializerArgs["spec"] } {
    const { initializers } = parseManifests(manifestText(path), path, only, "only", true);
    if (initializers.length !== 1) {
        const names = initializers.map(documentName);
        const found = names.length === 0 ? "none" : `${names.length} (${names.join(", ")})`;
        const next = names.length === 0 ? undefined : `choose one with the argument \`only: "${names[0]}"\``;
        throw new ManifestError([specError("", found, "one TidbInitializer", next)], path);
    }
    const { metadata, spec, problems } = givenInitializer(initializers[0]);
    if (problems.some(({ severity }) => severity === "error")) {
        throw new ManifestError(problems, path);
    }
    problems.forEach(({ message }) => void pulumi.log.warn(`${path}: ${message}`));
    return { metadata, spec: spec as unknown as TidbInitializerArgs["spec"] };
}

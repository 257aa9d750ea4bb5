import { withDefaults } from "./defaults";
import { isMap } from "./plainMap";
import { ManifestError, specError, type SpecProblem } from "./problem";
import { type RenderedCluster, renderMembers } from "./render";
import { ruleProblems } from "./rules";
import type { TidbClusterManifest } from "./spec";
import { mountPathProblems } from "./validation/mountPaths";
import { shown } from "./validation/path";
import { plainCopy } from "./validation/plainCopy";
import { checkSchema } from "./validation/schema";

const apiVersion = "pingcap.com/v1alpha1";
const kind = "TidbCluster";

/** A manifest with its defaults and without what is unknown, rendered, and what is doubtful in it. */
export interface CheckedManifest extends RenderedCluster {
    /** As it was given, without what is unknown, and without defaults. */
    given: TidbClusterManifest;
    warnings: SpecProblem[];
}

/**
 * Checks a manifest. What it was given is not changed.
 *
 * @throws ManifestError with everything that is wrong.
 */
export function checkManifest(manifest: unknown): CheckedManifest {
    const shape = kindProblems(manifest);
    if (shape.length > 0 || !isMap(manifest)) {
        throw new ManifestError(shape, nameOf(manifest));
    }
    const plain = plainCopy(manifest);
    const copy = plain.copy as Record<string, unknown>;
    const schema = checkSchema(copy);
    const unplain = new Set(plain.problems.map(({ field }) => field));
    const problems = [
        ...plain.problems,
        // What was left out of the copy is there, only not as it should be.
        ...schema.problems.filter(({ field }) => !unplain.has(field)),
    ];
    const toldOf = withinAny([...schema.wrong, ...unplain]);
    const withEnds = { ...copy, metadata: copy.metadata ?? {}, spec: copy.spec ?? {} };
    const checked = withDefaults(withEnds as unknown as TidbClusterManifest);
    const told = [...problems, ...ruleProblems(checked).filter(({ field }) => !toldOf(field))];
    refuseErrors(told, manifest);
    // Only what has no error can be rendered.
    const rendered = renderMembers(checked);
    const warnings = [...told, ...mountPathProblems(rendered)];
    refuseErrors(warnings, manifest);
    return { ...rendered, given: withEnds as unknown as TidbClusterManifest, warnings };
}

/** Says why something is no TidbCluster at all; nothing where it is one. */
export function kindProblems(manifest: unknown): SpecProblem[] {
    if (!isMap(manifest)) {
        return [specError("", shown(manifest), `a map with apiVersion ${apiVersion}, kind ${kind}, metadata and spec`)];
    }
    return [
        ...(manifest.kind === undefined || manifest.kind === kind
            ? []
            : [specError("kind", shown(manifest.kind), kind, "only a TidbCluster can be deployed")]),
        ...(manifest.apiVersion === undefined || manifest.apiVersion === apiVersion
            ? []
            : [specError("apiVersion", shown(manifest.apiVersion), apiVersion)]),
    ];
}

/** @throws ManifestError where a problem is an error. */
function refuseErrors(problems: SpecProblem[], manifest: unknown): void {
    if (problems.some(({ severity }) => severity === "error")) {
        throw new ManifestError(problems, nameOf(manifest));
    }
}

/** @returns whether a field is one of these, within one of them, or around one of them. */
function withinAny(fields: readonly string[]): (field: string) => boolean {
    const same = new Set(fields);
    const around = new Set(fields.flatMap(outerFields));
    return (field) => same.has(field) || around.has(field) || outerFields(field).some((outer) => same.has(outer));
}

/** The fields around one: of `spec.pd.env[0]`, `spec`, `spec.pd` and `spec.pd.env`. */
function outerFields(field: string): string[] {
    return [...field.matchAll(/[.[]/g)].map(({ index }) => field.slice(0, index));
}

function nameOf(manifest: unknown): string {
    const metadata = isMap(manifest) ? manifest.metadata : undefined;
    return isMap(metadata) && typeof metadata.name === "string" && metadata.name !== ""
        ? `TidbCluster ${metadata.name}`
        : "TidbCluster";
}

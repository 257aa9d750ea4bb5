import { withDefaults } from "./defaults";
import { insteadOf, insteadOfVersion2 } from "./otherKinds";
import { isMap } from "./plainMap";
import type { OperationsArgs } from "./operations";
import { ManifestError, specError, type SpecProblem } from "./problem";
import { type RenderedCluster, renderMembers } from "./render";
import { ruleProblems } from "./rules";
import type { TidbClusterManifest } from "./spec";
import { dataPathProblems } from "./validation/dataPaths";
import { fixedSettingProblems } from "./validation/fixedSettings";
import { mountPathProblems } from "./validation/mountPaths";
import { shown, shownWithKind } from "./validation/path";
import { plainCopy } from "./validation/plainCopy";
import { checkSchema } from "./validation/schema";
import { isStored } from "./validation/unknownField";
import { usedTwiceProblems } from "./validation/usedTwice";

export const apiVersion = "pingcap.com/v1alpha1";
export const kind = "TidbCluster";

/** A valid manifest with its defaults and without unknown fields, its rendered objects, and warnings. */
export interface CheckedManifest extends RenderedCluster {
    /** The manifest without unknown fields and without defaults. */
    given: TidbClusterManifest;
    warnings: SpecProblem[];
}

/**
 * Checks a manifest. The argument is not modified.
 *
 * @param others Problems found elsewhere, such as in a program's other arguments. They are reported together with the manifest's.
 * @param operations The operations of the program: the names of ConfigMaps depend on `rollout.online`.
 * @param isConverted Whether a program is made of the manifest, which leaves unknown fields out. Default: they are errors, unless an API
 * server has returned the manifest.
 * @throws ManifestError that lists every error.
 */
export function checkManifest(
    manifest: unknown,
    others: readonly SpecProblem[] = [],
    operations?: OperationsArgs,
    isConverted = false,
): CheckedManifest {
    const shape = kindProblems(manifest);
    if (shape.length > 0 || !isMap(manifest)) {
        throw new ManifestError([...others, ...shape], nameOf(manifest));
    }
    const plain = plainCopy(manifest);
    const copy = plain.copy as Record<string, unknown>;
    const schema = checkSchema(copy, isConverted || isStored(copy) ? "warning" : "error");
    const notPlain = new Set(plain.problems.map(({ field }) => field));
    const problems = [
        ...others,
        ...plain.problems,
        // The copy lacks these fields, so the schema reports them as missing. They have an error already.
        ...schema.problems.filter(({ field }) => !notPlain.has(field)),
    ];
    const isReported = overlapsAny([...schema.wrong, ...notPlain]);
    const given = { ...copy, metadata: copy.metadata ?? {}, spec: copy.spec ?? {} };
    const checked = withDefaults(given as unknown as TidbClusterManifest);
    const found = [...problems, ...ruleProblems(checked).filter(({ field }) => !isReported(field))];
    refuseErrors(found, manifest);
    // Only a manifest without errors can be rendered.
    const rendered = renderMembers(checked, operations);
    const mounts = mountPathProblems(rendered);
    const warnings = [
        ...found,
        ...mounts,
        ...usedTwiceProblems(rendered),
        // A second mount at the path of a data volume has an error already.
        ...dataPathProblems(rendered).filter(({ field }) => mounts.every((mount) => mount.field !== field)),
        ...fixedSettingProblems(checked),
    ];
    refuseErrors(warnings, manifest);
    const risks = warnings.flatMap(({ risk = [] }) => risk);
    return { ...rendered, given: given as unknown as TidbClusterManifest, warnings, risks };
}

/** @returns why a value is not a TidbCluster; empty if it is one. */
export function kindProblems(manifest: unknown): SpecProblem[] {
    if (!isMap(manifest)) {
        return [
            specError(
                "",
                shownWithKind(manifest),
                `a map with apiVersion ${apiVersion}, kind ${kind}, metadata and spec`,
            ),
        ];
    }
    return [
        // Of an object of TiDB Operator v2 the error about its API says everything.
        ...(manifest.kind === undefined || manifest.kind === kind || insteadOfVersion2(manifest) !== undefined
            ? []
            : [specError("kind", shown(manifest.kind), kind, insteadOf(manifest))]),
        ...(manifest.apiVersion === undefined || manifest.apiVersion === apiVersion
            ? []
            : [specError("apiVersion", shown(manifest.apiVersion), apiVersion, insteadOfVersion2(manifest))]),
    ];
}

/** @throws ManifestError if any problem is an error. */
export function refuseErrors(problems: readonly SpecProblem[], manifest: unknown): void {
    if (problems.some(({ severity }) => severity === "error")) {
        throw new ManifestError(problems, nameOf(manifest));
    }
}

/** @returns a test for whether a field is one of these fields, is inside one of them, or contains one of them. */
function overlapsAny(fields: readonly string[]): (field: string) => boolean {
    const same = new Set(fields);
    const around = new Set(fields.flatMap(outerFields));
    return (field) => same.has(field) || around.has(field) || outerFields(field).some((outer) => same.has(outer));
}

/** The fields that contain a field: for `spec.pd.env[0]` these are `spec`, `spec.pd` and `spec.pd.env`. */
function outerFields(field: string): string[] {
    return [...field.matchAll(/[.[]/g)].map(({ index }) => field.slice(0, index));
}

function nameOf(manifest: unknown): string {
    const metadata = isMap(manifest) ? manifest.metadata : undefined;
    return isMap(metadata) && typeof metadata.name === "string" && metadata.name !== ""
        ? `TidbCluster ${metadata.name}`
        : "TidbCluster";
}

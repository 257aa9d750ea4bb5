import type { ManifestMetadata } from "../manifestMetadata";
import { isMap } from "../plainMap";
import { insteadOfVersion2 } from "../otherKinds";
import { ManifestError, specError, type SpecProblem } from "../problem";
import { shown, shownWithKind } from "../validation/path";
import { plainCopy } from "../validation/plainCopy";
import { refusedFieldProblems, refusedPaths } from "./refusedFields";
import { brRuleProblems } from "./rules";
import { type BrKind, brKinds, type BrManifest } from "./spec";
import { isSqlSpec, type SqlManifest } from "./sql/spec";

/** The API of tidb-operator's kinds. */
export const apiVersion = "pingcap.com/v1alpha1";

/** @returns whether a value has the kind of a Backup, a Restore or a CompactBackup. */
export function isBrManifest(value: unknown): value is Record<string, unknown> & { kind: BrKind } {
    return isMap(value) && (brKinds as readonly unknown[]).includes(value.kind);
}

/**
 * Checks a Backup, a Restore or a CompactBackup by itself, without its cluster. The argument is not modified.
 *
 * @param others Errors found elsewhere, which are reported together.
 * @returns the manifest without null values, and with its namespace.
 * @throws ManifestError that lists every error. A field that is not known is an error: without it, more might be backed up or
 * restored than the user wants.
 */
export function checkBr(
    kind: BrKind,
    manifest: unknown,
    others: readonly SpecProblem[] = [],
): BrManifest | SqlManifest {
    const source = sourceOf(kind, manifest);
    if (!isMap(manifest)) {
        const shape = `a map with apiVersion ${apiVersion}, kind ${kind}, metadata and spec`;
        throw new ManifestError([...others, specError("", shownWithKind(manifest), shape)], source);
    }
    const plain = plainCopy(manifest);
    const copy = plain.copy as Record<string, unknown>;
    const refused = refusedFieldProblems(kind, copy.spec);
    // Loaded lazily: the schema library takes longer to load than the rest.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { checkBrSchema } = require("./brSchema") as typeof import("./brSchema");
    // The schema has the form with BR.
    const { spec } = copy;
    const isSql = kind !== "CompactBackup" && isSqlSpec(spec);
    const schema = checkBrSchema(kind, isSql ? { ...copy, spec: { ...spec, br: { cluster: "" } } } : copy);
    // A field that is refused, or has a value that changes nothing.
    const isReported = fieldsWithin([
        ...refusedPaths(kind, copy.spec),
        ...[...refused, ...plain.problems].map(({ field }) => field),
    ]);
    const shape = [
        ...others,
        ...apiVersionProblems(copy),
        ...plain.problems,
        ...refused,
        ...schema.filter(({ field }) => !isReported(field)),
    ];
    // The rules read fields that the schema found to be there.
    const problems = shape.length > 0 ? shape : brRuleProblems(kind, copy as unknown as BrManifest | SqlManifest);
    if (problems.length > 0) {
        throw new ManifestError(problems, source);
    }
    const checked = copy as unknown as BrManifest;
    return { apiVersion, kind, metadata: checkedMetadata(checked), spec: checked.spec };
}

/** @returns an error if a manifest names another API. */
export function apiVersionProblems(object: Record<string, unknown>): SpecProblem[] {
    const { apiVersion: given } = object;
    return given === undefined || given === apiVersion
        ? []
        : [specError("apiVersion", shown(given), apiVersion, insteadOfVersion2(object))];
}

/** @returns the metadata of a manifest with its namespace, and without what the API server adds. */
export function checkedMetadata({ metadata }: { metadata: ManifestMetadata }): ManifestMetadata {
    const { name, namespace = "default", labels, annotations } = metadata;
    return {
        name,
        namespace,
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
    };
}

/** @returns how messages name a Backup or a Restore: `Backup nightly`. */
export function sourceOf(kind: BrKind | "BackupSchedule", manifest: unknown): string {
    const metadata = isMap(manifest) ? manifest.metadata : undefined;
    return isMap(metadata) && typeof metadata.name === "string" && metadata.name !== ""
        ? `${kind} ${metadata.name}`
        : kind;
}

/** @returns whether a field is one of the given ones, or in one. */
export function fieldsWithin(fields: readonly string[]): (field: string) => boolean {
    return (field) => fields.some((one) => field === one || field.startsWith(`${one}.`) || field.startsWith(`${one}[`));
}

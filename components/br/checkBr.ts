import { isMap } from "../plainMap";
import { ManifestError, specError, type SpecProblem } from "../problem";
import { shown, shownWithKind } from "../validation/path";
import { plainCopy } from "../validation/plainCopy";
import { refusedFieldProblems, refusedPaths } from "./refusedFields";
import { brRuleProblems } from "./rules";
import { type BrKind, brKinds, type BrManifest } from "./spec";

const apiVersion = "pingcap.com/v1alpha1";

/** @returns whether a value has the kind of a Backup or a Restore. */
export function isBrManifest(value: unknown): value is Record<string, unknown> & { kind: BrKind } {
    return isMap(value) && (brKinds as readonly unknown[]).includes(value.kind);
}

/**
 * Checks a Backup or a Restore by itself, without its cluster. The argument is not modified.
 *
 * @param others Errors found elsewhere, which are reported together.
 * @returns the manifest without null values, and with its namespace.
 * @throws ManifestError that lists every error. A field that is not known is an error: without it, more might be backed up or
 * restored than the user wants.
 */
export function checkBr(kind: BrKind, manifest: unknown, others: readonly SpecProblem[] = []): BrManifest {
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
    const schema = checkBrSchema(kind, copy);
    // A field that is refused, or has a value that changes nothing.
    const isReported = fieldsWithin([
        ...refusedPaths(kind),
        ...[...refused, ...plain.problems].map(({ field }) => field),
    ]);
    const shape = [
        ...others,
        ...(copy.apiVersion === undefined || copy.apiVersion === apiVersion
            ? []
            : [specError("apiVersion", shown(copy.apiVersion), apiVersion)]),
        ...plain.problems,
        ...refused,
        ...schema.filter(({ field }) => !isReported(field)),
    ];
    // The rules read fields that the schema found to be there.
    const problems = shape.length > 0 ? shape : brRuleProblems(kind, copy as unknown as BrManifest);
    if (problems.length > 0) {
        throw new ManifestError(problems, source);
    }
    const checked = copy as unknown as BrManifest;
    const { name, namespace = "default", labels, annotations } = checked.metadata;
    return {
        apiVersion,
        kind,
        metadata: {
            name,
            namespace,
            ...(labels === undefined ? {} : { labels }),
            ...(annotations === undefined ? {} : { annotations }),
        },
        spec: checked.spec,
    };
}

/** @returns how messages name a Backup or a Restore: `Backup nightly`. */
export function sourceOf(kind: BrKind, manifest: unknown): string {
    const metadata = isMap(manifest) ? manifest.metadata : undefined;
    return isMap(metadata) && typeof metadata.name === "string" && metadata.name !== ""
        ? `${kind} ${metadata.name}`
        : kind;
}

function fieldsWithin(fields: readonly string[]): (field: string) => boolean {
    return (field) => fields.some((one) => field === one || field.startsWith(`${one}.`) || field.startsWith(`${one}[`));
}

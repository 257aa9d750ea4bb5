import { chosen, documentName, objectsOf } from "../manifestObjects";
import { ManifestError, specError } from "../problem";
import { yamlDocuments } from "../yamlDocuments";
import { checkBr } from "../br/checkBr";
import { isMap } from "../plainMap";
import type { BrKind, BrManifest } from "../br/spec";
import type { SqlManifest } from "../br/sql/spec";

/**
 * Reads the one Backup or Restore of a text, which may have other objects too.
 *
 * @param source Source of the text, for messages: the name of a file.
 * @param only The object to read, as `KIND/NAME`. Default: the only one of the kind.
 * @throws ManifestError if the text is not valid YAML, or has none or several, or if the object is not valid.
 */
export function brOfText(kind: BrKind, text: string, source: string, only?: string): BrManifest | SqlManifest {
    return checkBr(kind, documentOfText(kind, text, source, only));
}

/** @returns the one object of a kind in a text, as it is. @throws ManifestError as `brOfText` does, but for the object itself. */
export function documentOfText(kind: string, text: string, source: string, only?: string): unknown {
    const found = objectsOf(yamlDocuments(text, source));
    const objects = only === undefined ? found : chosen(found, only, source, "only");
    const matching = objects.filter((object) => isMap(object) && object.kind === kind);
    if (matching.length !== 1) {
        const names = matching.map(documentName);
        const seen =
            names.length === 0
                ? `no ${kind} among ${objects.length === 0 ? "no documents" : objects.map(documentName).join(", ")}`
                : `${names.length} of them (${names.join(", ")})`;
        const next = names.length === 0 ? undefined : `choose one with the argument \`only: "${names[0]}"\``;
        throw new ManifestError([specError("", seen, `one ${kind}`, next)], source);
    }
    return matching[0];
}

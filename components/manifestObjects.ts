import { kind } from "./checkManifest";
import { isMap } from "./plainMap";
import { ManifestError, specError } from "./problem";
import { shown } from "./validation/path";

/** The objects in documents: the items of a `List`, as `kubectl get -o yaml` prints it, and all other documents as they are. */
export function objectsOf(documents: readonly unknown[]): unknown[] {
    return documents.flatMap((document) =>
        isMap(document) && document.kind === "List" && Array.isArray(document.items)
            ? (document.items as unknown[])
            : [document],
    );
}

/** The kind and name of an object, as kubectl writes them: `TidbCluster/basic`. */
export function documentName(object: unknown): string {
    if (!isMap(object)) {
        return "a value";
    }
    const ofKind = typeof object.kind === "string" ? object.kind : "an object without kind";
    const name = isMap(object.metadata) ? object.metadata.name : undefined;
    return typeof name === "string" ? `${ofKind}/${name}` : ofKind;
}

/**
 * Returns the objects with a kind and name. Kinds are compared without case, as kubectl does.
 *
 * @param only `KIND/NAME`
 * @param option How the user gives it: `only` or `--only`.
 * @throws ManifestError if there is none, with the names of the file's TidbClusters.
 */
export function chosen(objects: readonly unknown[], only: string, source: string, option: string): unknown[] {
    const wanted = comparable(only);
    const matching = objects.filter((object) => comparable(documentName(object)) === wanted);
    if (matching.length === 0) {
        const clusters = objects.filter((object) => isMap(object) && object.kind === kind);
        const names = [...new Set(clusters.map(documentName))].join(", ");
        const expected =
            names === "" ? "a TidbCluster, of which the file has none" : `one of those in the file: ${names}`;
        const next = /^[^/]+\/[^/]+$/.test(only) ? undefined : "write KIND/NAME, such as TidbCluster/basic";
        throw new ManifestError([specError(option, shown(only), expected, next)], source);
    }
    return matching;
}

function comparable(name: string): string {
    const [kind, ...rest] = name.split("/");
    return [kind.toLowerCase(), ...rest].join("/");
}

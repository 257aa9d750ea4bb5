import type { KubernetesFields } from "../kubernetes/pod";
import { specError, type SpecProblem } from "../problem";
import { shown } from "./path";

/** A list of a pod or a Service, what no two of its items may share, and where the user's items are. */
export interface Unique {
    readonly items: readonly KubernetesFields[];
    /** @returns what an item is known by; undefined if it is not known by that. */
    readonly keyOf: (item: KubernetesFields) => unknown;
    /** The user's lists, by path. The last of their items with the key is reported. */
    readonly given: Readonly<Record<string, readonly KubernetesFields[] | undefined>>;
    /** The field of an item that is reported. */
    readonly field: string;
    /** Fields that are not in a list, by path, with their values. */
    readonly single?: Readonly<Record<string, unknown>>;
    readonly expected: string;
}

/** Refuses what two items of a rendered list share, at the user's item. */
export function repeated({ items, keyOf, given, field, single = {}, expected }: Unique): SpecProblem[] {
    const keys = items.map(keyOf).filter((key) => key !== undefined);
    const twice = new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
    return [...twice].flatMap((key) => {
        const inLists = Object.entries(given).flatMap(([path, list = []]) =>
            list.flatMap((item, index) => (keyOf(item) === key ? [`${path}[${index}].${field}`] : [])),
        );
        const inFields = Object.entries(single).flatMap(([path, value]) => (value === key ? [path] : []));
        const at = inLists.at(-1) ?? inFields.at(-1);
        return at === undefined ? [] : [specError(at, `a second ${shown(key)}`, expected)];
    });
}

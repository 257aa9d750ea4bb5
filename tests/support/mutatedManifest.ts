import fc from "fast-check";
import { anyCharacter } from "./plainValues";

type Container = Record<string | number, unknown>;

/** Values that a field does not expect. */
const strangeText = fc.oneof(
    fc.constantFrom(
        "",
        " ",
        "true",
        "null",
        "0",
        "-1",
        "1Gi",
        "1e9Gi",
        "99999999999999999999Gi",
        "1h1h",
        "v8.5.3",
        "\n",
    ),
    fc.constantFrom(
        "数据库",
        "Ωmega",
        "🐘🐘",
        "‮abc",
        "a\u0000b",
        "\ud800",
        "../..",
        "$(reboot)",
        "`id`",
        "${x}",
        "{{ x }}",
    ),
    fc.constantFrom(
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "toString",
        "[a",
        "a = ",
        "a = 1\na = 2",
        '[a]\nb = """',
    ),
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc.string({ unit: "grapheme", maxLength: 300 }),
);
const strangeNumber = fc.oneof(
    fc.constantFrom(0, -0, -1, 0.5, 1e9, 1e21, 2 ** 31, 2 ** 31 - 1, 2 ** 53, -(2 ** 63), 1e308, 65536),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const strangeValue: fc.Arbitrary<unknown> = fc.oneof(
    strangeText,
    strangeNumber,
    fc.constantFrom<unknown>(true, false, null, [], {}, [null], [[]], [{}], { a: null }, [1, "a", true]),
    fc.anything({ maxDepth: 3, values: [strangeText, strangeNumber, fc.boolean()], key: strangeText }),
    fc.integer({ min: 10, max: 100 }).map((depth) => nested(depth)),
);

/** One change to a manifest. The place is a number from 0 to 1, relative to all possible places. */
interface Mutation {
    readonly where: number;
    readonly what: "replace" | "rename" | "add" | "remove" | "repeat" | "move";
    readonly name: string;
    readonly value: unknown;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
    where: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    what: fc.constantFrom("replace", "replace", "rename", "add", "remove", "repeat", "move"),
    name: strangeText,
    value: strangeValue,
});

/** One of the manifests, changed in one or a few places. */
export function mutatedManifest(manifests: readonly object[]): fc.Arbitrary<object> {
    return fc
        .tuple(fc.constantFrom(...manifests), fc.array(mutation, { minLength: 1, maxLength: 4 }))
        .map(([manifest, mutations]) => {
            const copy = structuredClone(manifest);
            mutations.forEach((one) => mutate(copy, one));
            return copy;
        });
}

function mutate(manifest: object, { where, what, name, ...mutation }: Mutation): void {
    // A copy, because the next mutation may change the value or insert it into itself.
    const value = structuredClone(mutation.value);
    const places = placesIn(manifest);
    const { container, key } = places[Math.floor(where * places.length)] ?? { container: manifest, key: "spec" };
    const inner = container[key];
    if (what === "replace") {
        put(container, key, value);
    } else if (what === "add") {
        put(typeof inner === "object" && inner !== null ? (inner as Container) : container, name, value);
    } else if (what === "repeat") {
        put(
            container,
            key,
            Array.from({ length: 3 }, () => structuredClone(inner)),
        );
    } else if (what === "move") {
        put(places[Math.floor((1 - where) * places.length) - 1]?.container ?? container, key, structuredClone(inner));
    } else {
        delete container[key];
        if (what === "rename") {
            put(container, name, inner);
        }
    }
}

/** Sets a key as JSON does: `__proto__` is an ordinary key. */
function put(container: Container, key: string | number, value: unknown): void {
    Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
}

function placesIn(value: unknown): { container: Container; key: string }[] {
    if (typeof value !== "object" || value === null) {
        return [];
    }
    const container = value as Container;
    return Object.keys(value).flatMap((key) => [{ container, key }, ...placesIn(container[key])]);
}

function nested(depth: number): unknown {
    return depth === 0 ? 1 : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) };
}

/**
 * Yields a manifest with one field at a time removed, or replaced by a value of each other kind.
 *
 * @param known the names of fields already covered, whatever their place in lists; the fields of this manifest are
 * added
 */
export function* oneFieldChanged(manifest: object, known: Set<string>): Generator<{ path: string; changed: object }> {
    for (const path of pathsIn(manifest, [])) {
        const name = path.map((part) => (/^\d+$/.test(part) ? "0" : part)).join(".");
        if (known.has(name)) {
            continue;
        }
        known.add(name);
        for (const value of [undefined, {}, [], [{}], "", "x", 0, -1, true, null]) {
            const changed = structuredClone(manifest);
            const container = path.slice(0, -1).reduce<unknown>((inner, part) => (inner as Container)[part], changed);
            put(container as Container, path[path.length - 1], value);
            yield { path: name, changed };
        }
    }
}

function pathsIn(value: unknown, at: readonly string[]): string[][] {
    return typeof value !== "object" || value === null
        ? []
        : Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...pathsIn(inner, [...at, key])]);
}

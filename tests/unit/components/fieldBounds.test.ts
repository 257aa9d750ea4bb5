import assert from "node:assert/strict";
import { type Bounds, bounds as all } from "../../support/v1alpha1";
import { sampleCluster, sampleOf, withValue } from "../../support/sampleFields";
import { problemsOf } from "./manifests";

/** What is of no such type. */
const wrong: Readonly<Record<string, unknown>> = {
    string: { no: "text" },
    integer: "three",
    boolean: "yes",
    array: { no: "list" },
    object: "no map",
    quantity: ["no quantity"],
};

/** Values that the field's definition in tidb-operator's CRD refuses, each with what is wrong with it. */
function badValues(bounds: Bounds): [why: string, value: unknown][] {
    const bad: [string, unknown][] = [];
    if (bounds.type !== undefined) {
        bad.push([`is no ${bounds.type}`, wrong[bounds.type]]);
    }
    if (bounds.values !== undefined) {
        bad.push([`has a value that is no ${bounds.values}`, { some: wrong[bounds.values] }]);
    }
    if (bounds.type === "integer") {
        bad.push(["is a fraction", 1.5]);
    }
    if (bounds.minimum !== undefined) {
        bad.push([`is below ${bounds.minimum}`, bounds.minimum - 1]);
    }
    if (bounds.maximum !== undefined) {
        bad.push([`is above ${bounds.maximum}`, bounds.maximum + 1]);
    }
    if (bounds.enum !== undefined) {
        bad.push([`is none of ${bounds.enum.join(", ")}`, "something-else"]);
    }
    return bad;
}

function requiredOf(path: string): Readonly<Record<string, unknown>> {
    try {
        return sampleOf(path).required;
    } catch {
        // It holds other fields, and none of them is needed to be wrong.
        return {};
    }
}

describe("what tidb-operator's CRD refuses", () => {
    for (const [path, bounds] of Object.entries(all)) {
        const required = Object.entries(requiredOf(path));
        const base = required.reduce((manifest, [field, value]) => withValue(manifest, field, value), sampleCluster());
        const at = path.replaceAll("[]", "[0]");
        const refused = (field: string, value: unknown, expected: string) => {
            const errors = problemsOf(withValue(base, field, value)).filter(({ severity }) => severity === "error");
            assert.ok(
                errors.some(({ field: one }) => one === expected || one.startsWith(`${expected}.`)),
                `${JSON.stringify(value)}: ${errors.map(({ message }) => message).join("; ") || "no error"}`,
            );
        };
        for (const [why, value] of badValues(bounds)) {
            it(`${path} that ${why}`, () => refused(path, value, at));
        }
        for (const name of bounds.required ?? []) {
            it(`${path} without ${name}`, () => refused(path, {}, `${at}.${name}`));
        }
        for (const name of bounds.itemRequired ?? []) {
            it(`an item of ${path} without ${name}`, () => refused(path, [{}], `${at}[0].${name}`));
        }
    }
});

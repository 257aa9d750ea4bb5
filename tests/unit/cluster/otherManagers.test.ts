import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { readList } from "../../../provider/cluster/listedObjects";
import { withoutOtherManagers } from "../../../provider/cluster/otherManagers";

const key = "managedFields";

/** @returns the value without the lists of managers in it. */
function stripped(value: unknown): unknown {
    if (Array.isArray(value)) {
        return value.map(stripped);
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    const fields = Object.entries(value).filter(([name, field]) => name !== key || !Array.isArray(field));
    return Object.fromEntries(fields.map(([name, field]) => [name, stripped(field)]));
}

const managedBy = (manager: string) => [{ manager, fieldsV1: { "f:spec": {}, 'k:{"name":"]}"}': { ".": {} } } }];

describe("objects without those who wrote their fields", () => {
    it("have everything else, whatever they have and wherever it is", () => {
        const text = fc.oneof(
            fc.constantFrom(',"managedFields":[', "]", '"', '\\"', '\\\\",', '"]}', "pulumi-tidb"),
            fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", "a"), maxLength: 6 }),
        );
        const { value } = fc.letrec((tie) => ({
            value: fc.oneof({ maxDepth: 4 }, text, fc.constant(null), tie("list"), tie("object")),
            list: fc.array(tie("value"), { maxLength: 3 }),
            object: fc.dictionary(fc.oneof(text, fc.constantFrom("a", key)), tie("value"), { maxKeys: 4 }),
        }));
        fc.assert(
            fc.property(value, fc.constantFrom(0, 2), (given, space) => {
                const json = JSON.stringify(given, undefined, space);
                assert.deepEqual(stripped(JSON.parse(withoutOtherManagers(json))), stripped(JSON.parse(json)));
            }),
            { numRuns: 500 },
        );
    });

    it("are shorter by exactly that, where this package is not one of those who wrote", () => {
        const pod = (managers: string) => `{"metadata":{"name":"a"${managers}},"spec":{"containers":[]}}`;
        const by = (manager: string) => `,"managedFields":${JSON.stringify(managedBy(manager))}`;
        const json = `[${pod(by("kubelet"))},${pod(by("pulumi-tidb"))},${pod(by("pulumi-tidb-2"))},${pod("")}]`;
        assert.equal(withoutOtherManagers(json), `[${pod("")},${pod(by("pulumi-tidb"))},${pod("")},${pod("")}]`);
    });

    it("are left as they are where the list does not end: what is cut off does not become whole", () => {
        const whole = JSON.stringify({ items: [1, 2].map((uid) => ({ uid, [key]: managedBy("kubelet") })) });
        const last = whole.lastIndexOf(`,"${key}"`);
        for (let length = last + key.length + 5; length < whole.length; length += 1) {
            const cut = Buffer.from(`${whole.slice(0, length)}]}`);
            if (whole.startsWith(cut.toString("utf8"))) {
                continue;
            }
            assert.throws(() => readList(cut, () => undefined, 1), SyntaxError, cut.toString("utf8").slice(last));
        }
    });
});

import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { readList } from "../../../provider/cluster/listedObjects";

interface Named {
    metadata?: { name?: unknown };
}

const orders = [
    ["kind", "metadata", "items", "more"],
    ["more", "items", "metadata", "kind"],
    ["metadata", "more", "kind", "items"],
] as const;

const read = (text: string, forget: (item: Named) => void = () => undefined) =>
    readList<Named>(Buffer.from(text), forget);

describe("a list that is read one object at a time", () => {
    it("is what JSON.parse reads, whatever its objects have and however it is written", () => {
        const text = fc.string({
            unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", "é", "😀", "a", "\n"),
            maxLength: 6,
        });
        const object = fc.dictionary(text, fc.oneof(text, fc.array(text), fc.dictionary(text, text)), { maxKeys: 4 });
        const list = fc.record({
            kind: fc.constantFrom("PodList", "items", "]}"),
            metadata: fc.record({ resourceVersion: text, continue: text }),
            items: fc.array(object, { maxLength: 4 }),
            // Another list, and another `items`, which is not that of the answer.
            more: fc.array(fc.record({ items: fc.array(text, { maxLength: 2 }) }), { maxLength: 2 }),
        });
        fc.assert(
            fc.property(list, fc.constantFrom(0, 2, "\t"), fc.constantFrom(...orders), (written, space, order) => {
                const ordered = Object.fromEntries(order.map((key) => [key, written[key]]));
                const body = JSON.stringify(ordered, undefined, space);
                const parsed = JSON.parse(body) as typeof written;
                assert.deepEqual(read(body), { metadata: parsed.metadata, items: parsed.items });
            }),
            { numRuns: 60 },
        );
    });

    it("is empty where the API server writes null, as in an empty list of metadata", () => {
        assert.deepEqual(read('{"metadata":{"resourceVersion":"7"},"items":null}'), {
            metadata: { resourceVersion: "7" },
            items: [],
        });
    });

    const broken: [name: string, text: string][] = [
        ["no list", '{"metadata":{}}'],
        ["a list that is not one", '{"items":{"a":1}}'],
        ["a list that ends too early", '{"items":[{"a":1},{"b"'],
        ["a list whose answer ends too early", '{"items":[{"a":1}]'],
        ["a list of something else than objects", '{"items":[{"a":1},2]}'],
        ["a list of texts", '{"items":["a"]}'],
        ["two lists", '{"items":[{"a":1}],"items":[{"b":1}]}'],
        ["an object that is not JSON", '{"items":[{a:1}]}'],
        ["a page of HTML", "<html>"],
        ["nothing", ""],
    ];
    for (const [name, text] of broken) {
        it(`never counts as empty, nor as shorter than it is: ${name}`, () => {
            assert.throws(() => read(text), SyntaxError);
        });
    }

    it("keeps nothing of an object that is to be forgotten", () => {
        const { items } = read('{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}', (item) => {
            delete item.metadata;
        });
        assert.deepEqual(items, [{}, {}]);
    });
});

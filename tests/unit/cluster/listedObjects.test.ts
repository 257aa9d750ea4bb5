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

/** In parts as small as they can be: an object each, unless a text or a list within it looks like its end. */
const read = (text: string, forget: (item: Named) => void = () => undefined) =>
    readList<Named>(Buffer.from(text), forget, 1);

describe("a list that is read in parts", () => {
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
        ["a list with nothing between two commas", `{"items":[{"a":1},,{"a":1}]}`],
        ["a list that ends with a comma", `{"items":[{"a":1},]}`],
        ["an object that is not JSON", '{"items":[{a:1}]}'],
        ["a page of HTML", "<html>"],
        ["nothing", ""],
    ];
    for (const [name, text] of broken) {
        it(`never counts as empty, nor as shorter than it is: ${name}`, () => {
            assert.throws(() => read(text), SyntaxError);
        });
    }

    it("is the same in parts of several objects, and where an object has objects that begin like itself", () => {
        const one = { a: 1, b: [{ a: 1 }, { a: 2 }], c: '},{"a":1' };
        const items = Array.from({ length: 7 }, () => one);
        for (const partBytes of [1, 20, 60, 100, 1_000]) {
            const read = readList(Buffer.from(JSON.stringify({ items })), () => undefined, partBytes);
            assert.deepEqual(read.items, items);
        }
    });

    it("holds no more than a part of it before the rest is forgotten", () => {
        const events: string[] = [];
        const parse = JSON.parse;
        JSON.parse = (text: string) => {
            events.push("read");
            return parse(text) as unknown;
        };
        try {
            read('{"items":[{"a":1},{"a":2}]}', () => events.push("forgotten"));
        } finally {
            JSON.parse = parse;
        }
        assert.deepEqual(events, ["read", "read", "forgotten", "read", "forgotten"]);
    });

    it("keeps nothing of an object that is to be forgotten", () => {
        const { items } = read('{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}', (item) => {
            delete item.metadata;
        });
        assert.deepEqual(items, [{}, {}]);
    });
});

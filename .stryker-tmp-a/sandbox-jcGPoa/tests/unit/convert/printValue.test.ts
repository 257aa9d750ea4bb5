import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { format, type Options, resolveConfig } from "prettier";
import { type PlainValue, printEntry, printValue } from "../../../convert/printValue";

function read(expression: string): unknown {
    return (new Function(`"use strict"; return (${expression});`) as () => unknown)();
}

function statement(value: PlainValue): string {
    const start = "const value = ";
    return `${start}${printValue(value, 0, start.length + 1)};\n`;
}

/** Without wide characters, whose columns Prettier counts twice. */
const narrow = fc.string({ unit: "binary-ascii", maxLength: 60 });
const anyText = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    narrow,
    fc.constantFrom("__proto__", "`${a}\n`b"),
);

function plainValues(text: fc.Arbitrary<string>): fc.Arbitrary<PlainValue> {
    return fc.letrec<{ value: PlainValue }>((tie) => ({
        value: fc.oneof(
            { maxDepth: 5, withCrossShrink: true },
            text,
            fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
            fc.constantFrom(true, false, null),
            fc.array(tie("value"), { maxLength: 5 }),
            fc.array(fc.integer(), { maxLength: 60 }),
            fc
                .array(fc.tuple(text, tie("value")), { maxLength: 5 })
                .map((entries) => Object.fromEntries(entries) as PlainValue),
        ),
    })).value;
}

describe("a value in TypeScript", () => {
    it("is read as the same value", () => {
        fc.assert(
            fc.property(plainValues(anyText), (value) => {
                assert.deepEqual(JSON.stringify(read(printValue(value))), JSON.stringify(value));
            }),
            { numRuns: 400 },
        );
    });

    it("is a key of its own where it is called __proto__", () => {
        const value = JSON.parse('{"__proto__":{"a":1}}') as PlainValue;
        assert.equal(printValue(value), '{ ["__proto__"]: { a: 1 } }');
        assert.deepEqual(Object.keys(read(printValue(value)) as object), ["__proto__"]);
    });

    it("has the form that Prettier gives it", async () => {
        const options: Options = {
            ...(await resolveConfig(join(__dirname, "value.ts"))),
            parser: "typescript",
        };
        await fc.assert(
            fc.asyncProperty(plainValues(narrow), async (value) => {
                const map = { key: value, another: [value], "a-key": { inner: value } } as PlainValue;
                const text = `f("name", {\n    ${printEntry("spec", map, 1)},\n});\n`;
                assert.equal(text, await format(text, options));
            }),
            { numRuns: 300 },
        );
    }).timeout(60_000);

    it("breaks where a line ends", () => {
        const fits = { a: "x".repeat(120 - "const value = { a: '' };".length) };
        assert.equal(statement(fits).split("\n").length, 2);
        assert.equal(statement({ a: `${fits.a}x` }).split("\n").length, 4);
    });

    it("is a template where it has several lines, unless nobody could see what is in it", () => {
        assert.equal(printValue("a\n`${b}` \\ $c\n"), "`a\n\\`\\${b}\\` \\\\ $c\n`");
        assert.equal(printValue("a\r\nb\n"), '"a\\r\\nb\\n"');
        assert.equal(printValue("one line\n"), '"one line\\n"');
    });

    it("is in the quotes that need fewer backslashes", () => {
        assert.equal(printValue('say "hi"'), "'say \"hi\"'");
        assert.equal(printValue('it\'s "hi"'), "'it\\'s \"hi\"'");
        assert.equal(printValue("it's"), '"it\'s"');
    });
});

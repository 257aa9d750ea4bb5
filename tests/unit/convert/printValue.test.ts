import assert from "node:assert/strict";
import fc from "fast-check";
import { type PlainValue, printValue } from "../../../convert/printValue";
import { anyText, plainValues } from "../../support/plainValues";

function read(expression: string): unknown {
    return (new Function(`"use strict"; return (${expression});`) as () => unknown)();
}

function statement(value: PlainValue): string {
    const start = "const value = ";
    return `${start}${printValue(value, 0, start.length + 1)};\n`;
}

describe("a value in TypeScript", () => {
    it("has the same value when it is read", () => {
        fc.assert(
            fc.property(plainValues(anyText), (value) => {
                assert.deepEqual(JSON.stringify(read(printValue(value))), JSON.stringify(value));
            }),
            { numRuns: 400 },
        );
    });

    it("has __proto__ as an own key", () => {
        const value = JSON.parse('{"__proto__":{"a":1}}') as PlainValue;
        assert.equal(printValue(value), '{ ["__proto__"]: { a: 1 } }');
        assert.deepEqual(Object.keys(read(printValue(value)) as object), ["__proto__"]);
    });

    it("is broken at the end of a line", () => {
        const fits = { a: "x".repeat(120 - "const value = { a: '' };".length) };
        assert.equal(statement(fits).split("\n").length, 2);
        assert.equal(statement({ a: `${fits.a}x` }).split("\n").length, 4);
    });

    it("is a template if it has several lines, unless that would hide characters", () => {
        assert.equal(printValue("a\n`${b}` \\ $c\n"), "`a\n\\`\\${b}\\` \\\\ $c\n`");
        assert.equal(printValue("a\r\nb\n"), '"a\\r\\nb\\n"');
        assert.equal(printValue("one line\n"), '"one line\\n"');
    });

    it("has the quotes that need fewer backslashes", () => {
        assert.equal(printValue('say "hi"'), "'say \"hi\"'");
        assert.equal(printValue('it\'s "hi"'), "'it\\'s \"hi\"'");
        assert.equal(printValue("it's"), '"it\'s"');
    });
});

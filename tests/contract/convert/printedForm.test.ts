import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { format, type Options, resolveConfig } from "prettier";
import { type PlainValue, printEntry } from "../../../convert/printValue";
import { narrowText, plainValues } from "../../support/plainValues";

describe("a value in TypeScript", () => {
    it("has the form that Prettier gives it", async () => {
        const options: Options = {
            ...(await resolveConfig(join(__dirname, "value.ts"))),
            parser: "typescript",
        };
        await fc.assert(
            fc.asyncProperty(plainValues(narrowText), async (value) => {
                const map = { key: value, another: [value], "a-key": { inner: value } } as PlainValue;
                const text = `f("name", {\n    ${printEntry("spec", map, 1)},\n});\n`;
                assert.equal(text, await format(text, options));
            }),
            { numRuns: 300 },
        );
    }).timeout(60_000);
});

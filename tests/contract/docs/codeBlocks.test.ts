import * as assert from "node:assert/strict";
import { parse } from "yaml";
import { typeErrors } from "../../support/typeErrors";
import { type CodeBlock, codeBlocks, fileName, pages } from "./pages";

describe("the code in the documentation", () => {
    const blocks = pages().flatMap(codeBlocks);

    it("compiles against the package", function () {
        this.timeout(300_000);
        const programs = blocks
            .filter(({ language }) => language === "ts")
            .map((block) => [fileName(block) ?? nameOf(block), block.code] as const);
        assert.equal(new Map(programs).size, programs.length, "two blocks name the same file");
        assert.ok(programs.length >= 3, "README has three programs: a spec, YAML, and settings");
        assert.equal(typeErrors(new Map(programs)), "");
    });

    it("is valid YAML in blocks marked as YAML", () => {
        for (const { code, language } of blocks) {
            if (language === "yaml") {
                assert.equal(typeof parse(code), "object");
            }
        }
    });
});

function nameOf({ page, line }: CodeBlock): string {
    return `${page.replace(/\W/g, "-")}-line-${line}.ts`;
}

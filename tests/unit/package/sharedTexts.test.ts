import * as assert from "node:assert/strict";
import { SourceMap } from "node:module";
import { runInNewContext } from "node:vm";
import { shareTexts } from "../../../scripts/package/sharedTexts";
import { built } from "./built";

const long = "a text that stands in many places";

function shared(source: string): string {
    return shareTexts(built(source)).code;
}

describe("texts of the package that stand in many places", () => {
    it("stand in it once, and the code does what it did", () => {
        const source = `
            var is = (value) => { switch (value) { case "${long}": return "${long}"; default: return typeof value == "${long}"; } };
            result = [is("${long}"), is("another"), "${long}" in { "${long}": 1 }, ["${long}"].length];`;
        const context = { result: [] as unknown[] };
        const code = shared(source);
        runInNewContext(code, context);
        assert.deepEqual(JSON.stringify(context.result), JSON.stringify([long, false, true, 1]));
        // The other is the key of an object.
        assert.equal(code.split(long).length - 1, 2);
    });

    it("get a name that nothing else has", () => {
        const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_"];
        const source = `var ${letters.map((letter) => `${letter} = "${long}"`).join(", ")}; result = [a, $].join();`;
        const context = { result: "" };
        const code = shared(source);
        runInNewContext(code, context);
        assert.equal(context.result, `${long},${long}`);
        assert.equal(code.split(long).length - 1, 1);
    });

    it("stay where a name would take more room, and as names of modules, keys and directives", () => {
        for (const kept of [
            'one("ab");two("ab")',
            `require("${long}");require("${long}");import("${long}");import("${long}")`,
            `var a={"${long}":1},b={"${long}"(){}};class C{"${long}"=1}`,
            `function one(){"${long}";return 1}function two(){"${long}";return 2}`,
        ]) {
            const { code } = built(kept);
            assert.equal(shareTexts({ code, map: built(kept).map }).code, code);
        }
    });

    it("leave the map as exact as it was", () => {
        const lines = [`one("${long}");`, `two("${long}", "${long}");`, "three();", `four("${long}"); five();`];
        const { code, map } = shareTexts(built(lines.join("\n")));
        const trace = new SourceMap(JSON.parse(map) as ConstructorParameters<typeof SourceMap>[0]);
        for (const [line, name] of ["one(", "two(", "three(", "four("].entries()) {
            const found = trace.findEntry(0, code.indexOf(name)) as { originalLine: number };
            assert.equal(found.originalLine, line, name);
        }
    });

    it("are refused without a directive, after which their names are declared", () => {
        const { map } = built("one();");
        assert.throws(
            () => shareTexts({ code: "one();", map }),
            /found a script that begins with one\(\);, expected "use strict";/,
        );
    });
});

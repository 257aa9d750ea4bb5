import * as assert from "node:assert/strict";
import { SourceMap } from "node:module";
import { runInNewContext } from "node:vm";
import { brotliDecompressSync } from "node:zlib";
import { longTextsFile, withoutLongTexts } from "../../../scripts/package/longTexts";
import { built } from "./built";

const lines = Array.from({ length: 60 }, (_, line) => `echo line ${line}`).join("\n");

/** What the code leaves in `result`, with the file of its long texts beside it. */
function run({ code, texts }: ReturnType<typeof withoutLongTexts>): unknown {
    const modules: Record<string, unknown> = {
        "node:zlib": { brotliDecompressSync },
        "node:fs": {
            readFileSync: (path: string) => {
                assert.equal(path, `/beside/${longTextsFile}`);
                return texts;
            },
        },
    };
    const context = { result: undefined as unknown, require: (name: string) => modules[name], __dirname: "/beside" };
    runInNewContext(code, context);
    return JSON.parse(JSON.stringify(context.result));
}

describe("the package's long texts", () => {
    it("leave the script for a file, and it does what it did", () => {
        const source = `
            const name = "a";
            const whole = \`${lines}\`, quoted = ${JSON.stringify(lines)};
            const parts = \`${lines}\${name}${lines}\${name}${lines}\`;
            const pick = (key) => { switch (key) { case "x":return"short";default:return\`${lines}\` } };
            result = [whole, quoted, parts, pick("x"), pick("y")];`;
        const made = withoutLongTexts(built(source));
        assert.ok(!made.code.includes("echo line 7"), made.code);
        assert.deepEqual(run(made), [lines, lines, `${lines}a${lines}a${lines}`, "short", lines]);
    });

    it("leave the map as exact as it was", () => {
        const source = `const name="a";\nconst text=\`${lines}\${name}${lines}\`;\nresult=name.missing();`;
        const { code, map } = withoutLongTexts(built(source));
        const all = code.split("\n");
        const line = all.findIndex((one) => one.includes("missing"));
        const entry = new SourceMap(JSON.parse(map)).findEntry(line, all[line].indexOf("missing"));
        // The text has 118 line breaks, and the two statements before it one each.
        assert.equal("originalLine" in entry && entry.originalLine, 120);
    });

    it("stay where a name must be, or another function takes the parts of a template", () => {
        const key = "k".repeat(600);
        const source = `
            const raw = (parts) => parts.raw[0].length, shout = (parts, ...values) => parts.join("|") + values.join("").toUpperCase();
            result = [{ "${key}": 1 }["${key}"], raw\`${key}\`, shout\`${key}\${"a"}${key}\${"b"}${key}\`];`;
        const made = withoutLongTexts(built(source));
        assert.equal(made.code.split(key).length - 1, 5);
        assert.deepEqual(run(made), [1, 600, `${key}|${key}|${key}AB`]);
    });

    it("leave a script as it is that has none", () => {
        const script = built(`result = "short";`);
        assert.equal(withoutLongTexts(script), script);
    });

    it("are refused if the script has the name of what reads them", () => {
        assert.throws(() => withoutLongTexts(built(`const $text = 1; result = $text;`)), /found the name \$text/);
    });
});

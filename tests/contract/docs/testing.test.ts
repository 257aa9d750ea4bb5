import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectFiles } from "../../../convert/projectFiles";
import { codeBlocks, fileName, pageAt, root } from "./pages";

/** Packages as an installation has them, from the sources of this repository. */
const installed = { "pulumi-tidb": "index.ts", "pulumi-tidb/testing": "testing/index.ts" };

const pageNamed = (name: string) => pageAt(join("docs", name));

describe("docs/testing.md", () => {
    let folder: string;
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-docs-"));
        for (const [name, source] of Object.entries(installed)) {
            const path = join(folder, "node_modules", name);
            mkdirSync(path, { recursive: true });
            writeFileSync(join(path, "index.js"), `module.exports = require(${JSON.stringify(join(root, source))});`);
        }
        symlinkSync(join(root, "node_modules", "@pulumi"), join(folder, "node_modules", "@pulumi"));
    });
    after(() => rmSync(folder, { recursive: true }));

    it("and the quick start show the tsconfig.json of a converted project, here with the types and files of the tests", () => {
        const { "tsconfig.json": converted, "package.json": manifest } = projectFiles({
            ...{ cluster: "mine", namespace: "tidb", stack: "dev", program: "", dependencies: {}, devDependencies: {} },
        });
        const written = JSON.parse(converted) as { compilerOptions: object };
        const { compilerOptions } = written;
        const shownOn = (page: string): unknown =>
            JSON.parse(codeBlocks(pageNamed(page)).find(({ language }) => language === "json")?.code ?? "null");
        assert.deepEqual(shownOn("quick-start.md"), written);
        assert.deepEqual(shownOn("testing.md"), {
            ...written,
            compilerOptions: { ...compilerOptions, types: ["mocha", "node"] },
            files: ["index.ts", "cluster.ts", "cluster.test.ts"],
        });
        const { main } = JSON.parse(manifest) as { main: string };
        assert.ok(pageNamed("quick-start.md").text.includes(`npm pkg set main=${main} `), "the quick start's main");
    });

    it("has tests that pass with its program", () => {
        const page = pageNamed("testing.md");
        for (const block of codeBlocks(page)) {
            const name = fileName(block);
            if (name) {
                writeFileSync(join(folder, name), block.code);
            }
        }
        const mocha = [require.resolve("mocha/bin/mocha.js"), "--no-config", "--require", require.resolve("tsx/cjs")];
        const { status, stdout, stderr } = spawnSync(process.execPath, [...mocha, "cluster.test.ts"], {
            cwd: folder,
            encoding: "utf8",
        });
        assert.equal(status, 0, stdout + stderr);
        assert.match(stdout, /3 passing/);
    }).timeout(120_000);
});

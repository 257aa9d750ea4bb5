import * as pulumi from "@pulumi/pulumi";
import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";
import ts from "typescript";

const repository = path.resolve(__dirname, "../../..");
const source = path.join(repository, "components/gates.ts");

/** The provider as the published package has it: compiled as the build compiles it, whatever runs the tests. */
function compiledProvider(): pulumi.dynamic.ResourceProvider {
    const read = ts.readConfigFile(path.join(repository, "tsconfig.build.json"), (file) => readFileSync(file, "utf8"));
    const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, repository);
    const compiled = ts.transpileModule(readFileSync(source, "utf8"), {
        compilerOptions: { ...options, sourceMap: false, declarationMap: false, declaration: false },
        fileName: source,
    });
    const exported: { gateProvider?: pulumi.dynamic.ResourceProvider } = {};
    // The closure's serializer finds `require` among the module's own variables, as it does in a module that Node loads.
    const evaluate = new Function("exports", "require", compiled.outputText) as (
        exports: object,
        require: NodeJS.Require,
    ) => void;
    evaluate(exported, createRequire(source));
    assert.ok(exported.gateProvider, "components/gates.ts exports gateProvider");
    return exported.gateProvider;
}

async function serialized(): Promise<string> {
    const provider = compiledProvider();
    // As @pulumi/pulumi's dynamic.Resource does with its provider.
    return (await pulumi.runtime.serializeFunction(() => provider)).text;
}

describe("the gates' provider, as it is kept in every stack's state", () => {
    it("is short, and nothing of the package is inlined", async () => {
        const text = await serialized();
        assert.ok(text.length < 2000, `${text.length} characters:\n${text}`);
        const modules = [...text.matchAll(/require\(("[^"]*")\)/g)].map((match) => match[1]);
        assert.deepEqual([...new Set(modules)], ['"pulumi-tidb/provider/gates"']);
        assert.equal(modules.length, 5);
    });

    it("is, to the character, what earlier stacks have: another text would change what their state runs", async () => {
        const pinned = readFileSync(path.join(repository, "tests/fixtures/gateProvider.txt"), "utf8");
        assert.equal((await serialized()).trim(), pinned.trim());
    });
});

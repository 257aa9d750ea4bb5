import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { readConfig, readProject } from "../../../sandbox/engine/project";

describe("engine: the project and its configuration", () => {
    let folder: string;
    beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), "project-"))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const write = (file: string, ...lines: string[]): void => {
        mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        writeFileSync(path.join(folder, file), lines.join("\n"));
    };
    const config = (overrides: Record<string, string> = {}) => readConfig(readProject(folder), "dev", overrides);

    // The forms of `config` in Pulumi.yaml: https://www.pulumi.com/docs/iac/concepts/projects/project-file/
    it("takes values from Pulumi.yaml, then from the stack's file, then from the command line", () => {
        write(
            "Pulumi.yaml",
            "name: mine",
            "runtime: nodejs",
            "stackConfigDir: stacks",
            "config:",
            "  plain: one",
            "  typed: {type: integer, default: 3}",
            "  kubernetes:context: {value: admin}",
            "  replaced: {type: string, default: a}",
            "  given: {type: string}",
        );
        write("stacks/Pulumi.dev.yaml", "config:", "  mine:replaced: b", "  mine:given: {a: [1]}", "  size: 1");
        assert.deepEqual(config({ size: "2" }), {
            "mine:plain": "one",
            "mine:typed": "3",
            "kubernetes:context": "admin",
            "mine:replaced": "b",
            "mine:given": '{"a":[1]}',
            "mine:size": "2",
        });
    });

    it("refuses a declared value that nobody sets, and an encrypted one", () => {
        write("Pulumi.yaml", "name: mine", "runtime: nodejs", "config: {size: {type: integer}}");
        assert.throws(() => config(), /config mine:size is missing, and Pulumi\.yaml declares it without a default/);
        write("Pulumi.dev.yaml", "config: {size: {secure: abc}}");
        assert.throws(() => config(), /config mine:size is encrypted.*Set it with --config/);
        assert.deepEqual(config({ size: "1" }), { "mine:size": "1" });
    });

    for (const section of ["plugins", "packages"]) {
        it(`refuses ${section} in Pulumi.yaml, which it would have to ignore`, () => {
            write("Pulumi.yaml", "name: mine", "runtime: nodejs", `${section}: {}`);
            assert.throws(() => readProject(folder), new RegExp(`Pulumi.yaml: found \`${section}\`, which`));
        });
    }

    it("refuses other languages and a folder without a project", () => {
        assert.throws(() => readProject(folder), /found no Pulumi\.yaml in .*pass the folder of a Pulumi program/);
        write("Pulumi.yaml", "name: mine", "runtime: python");
        assert.throws(() => readProject(folder), /found runtime "python", expected "nodejs"/);
    });
});

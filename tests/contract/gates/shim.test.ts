import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { gateProvider } from "../../../components/gateProvider";

const repository = path.resolve(__dirname, "../../..");

describe("the gates' provider in every stack's state", () => {
    it("is short, and contains no code of the package", () => {
        assert.ok(gateProvider.length < 700, `${gateProvider.length} characters:\n${gateProvider}`);
        const modules = [...gateProvider.matchAll(/require(?:\.resolve)?\(("[^"]*")/g)].map((match) => match[1]);
        assert.deepEqual(modules, ['"pulumi-tidb/provider/gates"']);
    });

    it("is pinned to the character, because a change alters the state of every stack", () => {
        const pinned = readFileSync(path.join(repository, "tests/fixtures/gateProvider.txt"), "utf8");
        assert.equal(gateProvider, pinned);
    });

    describe("finds the package", () => {
        let project: string;

        beforeEach(() => {
            project = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-shim-"));
        });

        afterEach(() => rmSync(project, { recursive: true }));

        /** Writes a package that says where it is when a gate is deleted. */
        function install(folder: string): void {
            write(path.join(folder, "package.json"), '{ "exports": { "./provider/gates": "./gates.js" } }');
            write(path.join(folder, "gates.js"), "exports.delete_ = () => __dirname;");
        }

        function write(file: string, text: string): void {
            mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
            writeFileSync(path.join(project, file), text);
        }

        function link(from: string, to: string): void {
            mkdirSync(path.dirname(path.join(project, from)), { recursive: true });
            symlinkSync(
                path.relative(path.dirname(path.join(project, from)), path.join(project, to)),
                path.join(project, from),
            );
        }

        /** Deletes a gate as Pulumi does: its program in the SDK evaluates the state's text, in the program's folder. */
        function deleteGate(sdk: string): string {
            const evaluate = JSON.stringify(require.resolve("require-from-string"));
            const text = JSON.stringify(gateProvider);
            write(
                path.join(sdk, "cmd/dynamic-provider/index.js"),
                `console.log(require(${evaluate})(${text}).handler().delete("id", {}));`,
            );
            const main = path.join("node_modules/@pulumi/pulumi", "cmd/dynamic-provider");
            const { stdout, stderr } = spawnSync(process.execPath, [main], { cwd: project, encoding: "utf8" });
            return stderr + path.relative(realpathSync(project), stdout.trim());
        }

        it("that the program depends on", () => {
            install("node_modules/pulumi-tidb");
            assert.equal(deleteGate("node_modules/@pulumi/pulumi"), "node_modules/pulumi-tidb");
        });

        describe("with pnpm, which links only direct dependencies into a program's folder,", () => {
            const store = "node_modules/.pnpm";
            const installed = `${store}/pulumi-tidb@0.1.0/node_modules/pulumi-tidb`;
            const sdk = `${store}/@pulumi+pulumi@3.248.0/node_modules/@pulumi/pulumi`;

            beforeEach(() => {
                install(installed);
                write(`${store}/wrapper@1.0.0/node_modules/wrapper/index.js`, 'require("pulumi-tidb");');
                link(`${store}/wrapper@1.0.0/node_modules/pulumi-tidb`, installed);
                link("node_modules/wrapper", `${store}/wrapper@1.0.0/node_modules/wrapper`);
                link(`${store}/node_modules/pulumi-tidb`, installed);
                link("node_modules/@pulumi/pulumi", sdk);
            });

            it("that only a dependency of the program depends on", () => {
                assert.equal(deleteGate(sdk), installed);
            });

            it("that the program depends on, rather than another version that a dependency needs", () => {
                const own = `${store}/pulumi-tidb@0.2.0/node_modules/pulumi-tidb`;
                install(own);
                link("node_modules/pulumi-tidb", own);
                assert.equal(deleteGate(sdk), own);
            });
        });
    });
});

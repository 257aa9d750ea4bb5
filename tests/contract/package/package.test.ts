import * as assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    realpathSync,
    rmSync,
    symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import * as ts from "typescript";
import { discoveryServerFiles } from "../../../components/discovery/serverFiles";
import { options } from "../../support/typeErrors";
import { root } from "../docs/pages";

interface Manifest {
    readonly name: string;
    readonly version: string;
    readonly homepage: string;
    readonly repository: { readonly url: string };
    readonly bugs: { readonly url: string };
    readonly scripts: Readonly<Record<string, string>>;
    readonly exports: Readonly<Record<string, { readonly types?: string; readonly default?: string } | string>>;
    readonly dependencies: Readonly<Record<string, string>>;
    readonly peerDependencies: Readonly<Record<string, string>>;
}

/** What npm reports of a package that it packed. */
interface Packed {
    readonly filename: string;
    readonly unpackedSize: number;
    readonly files: readonly { readonly path: string }[];
}

const folders = {
    "pulumi-tidb": root,
    "pulumi-tidb-cli": join(root, "cli"),
    "pulumi-tidb-sandbox": join(root, "sandbox"),
};
type Name = keyof typeof folders;
const names = Object.keys(folders) as Name[];

describe("the packages, as npm packs them", function () {
    this.timeout(300_000);
    let project: string;
    let packed: Record<Name, Packed>;

    const installed = (name: Name, ...path: string[]): string => join(project, "node_modules", name, ...path);
    const manifestOf = (name: Name): Manifest =>
        JSON.parse(readFileSync(installed(name, "package.json"), "utf8")) as Manifest;
    /** @returns the compiled files of an installed package, relative to its `dist/`. */
    const codeOf = (name: Name): string[] =>
        readdirSync(installed(name, "dist"), { recursive: true, encoding: "utf8" }).filter((file) =>
            file.endsWith(".js"),
        );
    const run = (...words: string[]) => spawnSync(process.execPath, words, { cwd: project, encoding: "utf8" });

    /** Packs a package and unpacks it into the project, as npm installs it. */
    function install(name: Name): Packed {
        assert.ok(existsSync(join(folders[name], "dist")), "dist/ is missing: run npm run build");
        const text = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", project], {
            cwd: folders[name],
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
        });
        const [found] = JSON.parse(text) as Packed[];
        mkdirSync(installed(name));
        execFileSync("tar", ["-xzf", join(project, found.filename), "-C", installed(name), "--strip-components", "1"]);
        return found;
    }

    before(() => {
        project = realpathSync(mkdtempSync(join(tmpdir(), "pulumi-tidb-package-")));
        mkdirSync(join(project, "node_modules"));
        readdirSync(join(root, "node_modules"))
            .filter((name) => !names.includes(name as Name))
            .forEach((name) => symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name)));
        packed = Object.fromEntries(names.map((name) => [name, install(name)])) as Record<Name, Packed>;
    });
    after(() => rmSync(project, { recursive: true, force: true }));

    for (const name of names) {
        it(`${name}: is under 5 MB unpacked`, () => {
            const { unpackedSize } = packed[name];
            assert.ok(unpackedSize < 5_000_000, `${unpackedSize} bytes`);
        });

        it(`${name}: loads only what it depends on`, () => {
            const { dependencies, peerDependencies } = manifestOf(name);
            const loaded = codeOf(name).flatMap((file) => {
                const code = readFileSync(installed(name, "dist", file), "utf8");
                const calls = code.matchAll(/\b(?:require|import)\("((?:@[^/"]+\/)?[^./"][^/"]*)[^"]*"\)/g);
                return [...calls].map(([, found]) => found);
            });
            const missing = loaded.filter(
                (one) => !(one.startsWith("node:") || one in dependencies || one in peerDependencies),
            );
            assert.ok(loaded.includes("yaml"), "no import was found");
            assert.deepEqual([...new Set(missing)], []);
        });

        it(`${name}: runs nothing when it is installed, and says where it comes from`, () => {
            const { scripts = {}, repository, bugs, homepage } = manifestOf(name);
            const hooks = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
            assert.deepEqual(
                hooks.filter((hook) => hook in scripts),
                [],
            );
            const address = repository.url.replace(/^git\+|\.git$/g, "");
            assert.match(address, /^https:\/\//);
            assert.equal(bugs.url, `${address}/issues`);
            assert.ok(homepage.startsWith(address));
        });
    }

    it("have no sources, no tests and only the README as documentation", () => {
        const others = (name: Name): string[] =>
            packed[name].files
                .map(({ path }) => path)
                .filter((path) => !/^dist\/.*(\.js|\.d\.ts|\.schema\.json)$/.test(path));
        assert.deepEqual(others("pulumi-tidb").sort(), ["LICENSE", "README.md", "package.json"]);
        assert.deepEqual(others("pulumi-tidb-cli").sort(), ["LICENSE", "README.md", "package.json", "pulumi-tidb.js"]);
    });

    it("can be read: each file has the functions of its source, by their names", () => {
        const declared = /^(?:export )?(?:async )?function\*? (\w+)[(<]/gm;
        const files = (["pulumi-tidb", "pulumi-tidb-cli"] as const).flatMap((name) =>
            codeOf(name).map((file) => ({ file, built: readFileSync(installed(name, "dist", file), "utf8") })),
        );
        assert.ok(files.length > 500, `${files.length} files`);
        for (const { file, built } of files) {
            const source = readFileSync(join(root, file.replace(/\.js$/, ".ts")), "utf8");
            const missing = [...source.matchAll(declared)].filter(
                ([, name]) => !new RegExp(`function\\*? ${name}\\(`).test(built),
            );
            assert.deepEqual(missing, [], file);
        }
    });

    it("have types that need no skipLibCheck", () => {
        const entries = Object.values(manifestOf("pulumi-tidb").exports).flatMap((entry) =>
            typeof entry === "string" || entry.types === undefined ? [] : installed("pulumi-tidb", entry.types),
        );
        assert.equal(entries.length, 3);
        const program = ts.createProgram(entries, { ...options, skipLibCheck: false, paths: {}, types: ["node"] });
        const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(installed("pulumi-tidb")));
        const problems = own.flatMap((file) => program.getSemanticDiagnostics(file));
        assert.equal(
            ts.formatDiagnostics(problems, {
                getCurrentDirectory: () => project,
                getCanonicalFileName: (name) => name,
                getNewLine: () => "\n",
            }),
            "",
        );
    });

    it("have the same names for import as for require, in each entry", () => {
        const built = Object.values(manifestOf("pulumi-tidb").exports).flatMap((entry) =>
            typeof entry === "string" ? [] : (entry.default ?? []),
        );
        assert.equal(built.length, 3);
        for (const entry of built) {
            const file = installed("pulumi-tidb", entry);
            const required = Object.keys(createRequire(__filename)(file) as object);
            // The loader of the tests would replace import, so another process imports.
            const program = `import(${JSON.stringify(file)}).then((names) => console.log(JSON.stringify(Object.keys(names))))`;
            const { stdout, stderr } = run("--eval", program);
            const imported = (JSON.parse(stdout || "[]") as string[]).filter(
                (name) => !["default", "__esModule", "module.exports"].includes(name),
            );
            assert.deepEqual(imported.sort(), required.sort(), entry + stderr);
        }
    });

    it("have the same text of the discovery server as the sources, because a ConfigMap holds it", () => {
        const { discoveryServerFiles: built } = createRequire(__filename)(
            installed("pulumi-tidb", "dist/components/discovery/serverFiles.js"),
        ) as { discoveryServerFiles: typeof discoveryServerFiles };
        assert.deepEqual(built(), discoveryServerFiles());
    });

    it("have the gates' provider as it is in every stack's state", () => {
        const { gateProvider } = createRequire(__filename)(
            installed("pulumi-tidb", "dist/components/gateProvider.js"),
        ) as {
            gateProvider: string;
        };
        assert.equal(gateProvider, readFileSync(join(root, "tests/fixtures/gateProvider.txt"), "utf8"));
    });

    it("work together: the command asks for pulumi-tidb of its own version, renders with it, and finds the sandbox", () => {
        const { version, peerDependencies } = manifestOf("pulumi-tidb-cli");
        assert.equal(peerDependencies["pulumi-tidb"], version);
        assert.equal(manifestOf("pulumi-tidb").version, version);
        const command = installed("pulumi-tidb-cli", "pulumi-tidb.js");
        assert.equal(run(command, "--version").stdout, `${version}\n`);
        const { stdout, stderr } = run(command, "render", join(root, "examples/from-yaml/cluster.yaml"));
        assert.equal(stderr, "");
        assert.match(stdout, /"kind": "StatefulSet"/);
        const sandbox = run(command, "sandbox", "start", "--help");
        assert.equal(sandbox.stderr, "");
        assert.match(sandbox.stdout, /--backups/);
    });

    it("lead from an error to a line that a user can read", () => {
        const program =
            'try { require("pulumi-tidb/testing").tidbMocks({ nonsense: 1 }); } catch (error) { console.log(error.stack); }';
        for (const reader of [[], ["--require", "source-map-support/register"], ["--enable-source-maps"]]) {
            const { stdout, stderr } = run(...reader, "--eval", program);
            const [, file, line] = /\(?(\/[^():\n]*):(\d+):\d+\)?$/m.exec(stdout) ?? assert.fail(stdout + stderr);
            assert.equal(relative(installed("pulumi-tidb"), file), "dist/testing/checkedOptions.js");
            const thrown = readFileSync(file, "utf8").split("\n")[Number(line) - 1];
            assert.match(thrown, /^ *throw new Error\(`tidbMocks: .* is not a known field; /, basename(file));
        }
    });
});

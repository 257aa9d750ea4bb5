import * as assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { discoveryServerFiles } from "../../../components/discovery/serverFiles";
import { root } from "../docs/pages";

const load = createRequire(__filename);

interface Packed {
    readonly unpackedSize: number;
    readonly files: { readonly path: string }[];
}

/** @returns what npm would pack of a folder's package. */
function pack(folder: string): Packed {
    assert.ok(existsSync(join(folder, "dist")), "dist/ is missing: run npm run build");
    const text = execFileSync("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
    });
    return (JSON.parse(text) as Packed[])[0];
}

describe("the command's package, as npm packs it", function () {
    this.timeout(120_000);
    const folder = join(root, "cli");

    it("has only the command, which stays small because the rest is in pulumi-tidb", () => {
        const { files, unpackedSize } = pack(folder);
        const names = ["dist/command.js", "dist/command.js.map", "dist/texts.json.br"];
        assert.deepEqual(files.map(({ path }) => path).sort(), [
            "LICENSE",
            "README.md",
            ...names,
            "package.json",
            "pulumi-tidb.js",
        ]);
        assert.ok(unpackedSize < 250_000, `${unpackedSize} bytes`);
    });

    it("asks for pulumi-tidb of its own version", () => {
        const manifest = (path: string) =>
            JSON.parse(readFileSync(join(root, path), "utf8")) as {
                version: string;
                peerDependencies: Record<string, string>;
            };
        const { version, peerDependencies } = manifest("cli/package.json");
        assert.equal(peerDependencies["pulumi-tidb"], version);
        assert.equal(manifest("package.json").version, version);
    });

    it("loads only what it depends on", () => {
        const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
            dependencies: Record<string, string>;
            peerDependencies: Record<string, string>;
        };
        const code = readFileSync(join(folder, "dist/command.js"), "utf8");
        const loaded = [...code.matchAll(/\b(?:require|import)\("((?:@[^/"]+\/)?[^./"][^/"]*)[^"]*"\)/g)].map(
            ([, name]) => name,
        );
        const missing = loaded.filter(
            (name) => !(name.startsWith("node:") || name in dependencies || name in peerDependencies),
        );
        assert.ok(loaded.includes("commander"), "no import was found");
        assert.deepEqual(missing, []);
    });

    it("runs: its own version, and a manifest rendered by the package", () => {
        const run = (...words: string[]) =>
            spawnSync(process.execPath, [join(folder, "pulumi-tidb.js"), ...words], { cwd: root, encoding: "utf8" });
        assert.match(run("--version").stdout, /^\d+\.\d+\.\d+\n$/);
        const { stdout, stderr } = run("render", "examples/from-yaml/cluster.yaml");
        assert.equal(stderr, "");
        assert.match(stdout, /"kind": "StatefulSet"/);
    });
});

describe("the package, as npm packs it", function () {
    this.timeout(120_000);
    let packed: Packed;

    before(() => {
        packed = pack(root);
    });

    it("is under 5 MB unpacked", () => {
        assert.ok(packed.unpackedSize < 5_000_000, `${packed.unpackedSize} bytes`);
    });

    it("has no sources, no tests and only the README as documentation", () => {
        const others = packed.files
            .map(({ path }) => path)
            .filter((path) => !/^dist\/.*(\.js|\.js\.map|\.d\.ts|\.json\.br)$/.test(path));
        assert.deepEqual(others.sort(), ["LICENSE", "README.md", "package.json"]);
    });

    it("runs nothing when it is installed, and says where it comes from", () => {
        const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
            scripts: Record<string, string>;
            homepage: string;
            repository: { url: string };
            bugs: { url: string };
        };
        const names = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
        assert.deepEqual(
            names.filter((name) => name in manifest.scripts),
            [],
        );
        const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "");
        assert.match(repository, /^https:\/\//);
        assert.equal(manifest.bugs.url, `${repository}/issues`);
        assert.equal(manifest.homepage, `${repository}#readme`);
    });

    it("has the same names for import as for require, in each entry", async () => {
        const { exports: entries } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
            exports: Record<string, { default?: string }>;
        };
        const isPublic = ([name]: [string, unknown]) => name !== "./internal";
        const built = Object.entries(entries)
            .filter(isPublic)
            .flatMap(([, entry]) => entry.default ?? []);
        assert.equal(built.length, 3);
        for (const entry of built) {
            const required = Object.keys(load(join(root, entry)) as object);
            // The loader of the tests would replace import, so another process imports.
            const program = `import(${JSON.stringify(join(root, entry))}).then((names) => console.log(JSON.stringify(Object.keys(names))))`;
            const { stdout, stderr } = spawnSync(process.execPath, ["--eval", program], {
                cwd: root,
                encoding: "utf8",
            });
            const imported = (JSON.parse(stdout || "[]") as string[]).filter(
                (name) => !["default", "__esModule", "module.exports"].includes(name),
            );
            assert.deepEqual(imported.sort(), required.sort(), entry + stderr);
        }
    });

    it("has the same text of the discovery server as the sources, because a ConfigMap holds it", () => {
        const { discoveryServerFiles: built } = load(join(root, "dist/components/discovery/serverFiles.js")) as {
            discoveryServerFiles: typeof discoveryServerFiles;
        };
        assert.deepEqual(built(), discoveryServerFiles());
    });

    it("has the gates' provider as it is in every stack's state", () => {
        const texts = JSON.parse(
            String(brotliDecompressSync(readFileSync(join(root, "dist/texts.json.br")))),
        ) as string[];
        assert.ok(texts.includes(readFileSync(join(root, "tests/fixtures/gateProvider.txt"), "utf8")));
    });
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { convert, convertToProject } from "../../../bin/convertCommand";
import { packageSource } from "../../../bin/packageSource";
import { smallCluster } from "../../unit/components/manifests";
import { repeats } from "../../support/repeats";

describe("convert --package", () => {
    let folder: string;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-package-"));
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    /** Writes the folder of a built package. */
    function clone(name: string): string {
        const path = join(folder, "package");
        mkdirSync(join(path, "dist"), { recursive: true });
        writeFileSync(join(path, "package.json"), JSON.stringify({ name, version: "0.1.0" }));
        writeFileSync(join(path, "dist", "index.js"), "");
        return path;
    }

    function tarball(name: string, file = "it.tgz"): string {
        clone(name);
        execFileSync("tar", ["-czf", file, "package"], { cwd: folder });
        return join(folder, file);
    }

    interface Packages {
        readonly dependencies: Record<string, string>;
        readonly devDependencies: Record<string, string>;
    }

    function manifestOf(project: string): Packages {
        return JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as Packages;
    }

    /** @returns the message of a refusal. */
    function refusal(path: string): string {
        const source = packageSource(path, join(folder, "project"));
        assert.ok("problem" in source, JSON.stringify(source));
        return source.problem;
    }

    it("depends on a clone's folder, relative to the project", () => {
        clone("pulumi-tidb");
        assert.deepEqual(packageSource(join(folder, "package"), join(folder, "deep", "project")), {
            dependency: "file:../../package",
        });
    });

    it("depends on a tarball whose path is relative to the current folder", () => {
        const path = relative(process.cwd(), tarball("pulumi-tidb"));
        assert.deepEqual(packageSource(path, join(folder, "project")), { dependency: "file:../it.tgz" });
    });

    it("writes the dependency into the project", () => {
        const project = join(folder, "project");
        const read = () => JSON.stringify(smallCluster());
        const { errors, output } = convertToProject(["a.yaml"], project, read, { package: tarball("pulumi-tidb") });
        assert.match(
            errors,
            /^warning: the project does not have the command pulumi-tidb, and so no sandbox: [^\n]*\n$/,
        );
        assert.ok(
            errors.includes("run npm pack --workspace cli in the clone, then: cd "),
            "what to do in which folder",
        );
        assert.doesNotMatch(output, /npx pulumi-tidb/);
        const { dependencies, devDependencies } = manifestOf(project);
        assert.equal(dependencies["pulumi-tidb"], "file:../it.tgz");
        assert.equal(devDependencies["pulumi-tidb-cli"], undefined);
        assert.equal(resolve(project, "../it.tgz"), join(folder, "it.tgz"));
    });

    it("writes the command's package too, if it is packed beside the package", () => {
        const project = join(folder, "project");
        const read = () => JSON.stringify(smallCluster());
        tarball("pulumi-tidb-cli", "pulumi-tidb-cli-0.1.0.tgz");
        const path = tarball("pulumi-tidb", "pulumi-tidb-0.1.0.tgz");
        assert.equal(convertToProject(["a.yaml"], project, read, { package: path }).errors, "");
        const { dependencies, devDependencies } = manifestOf(project);
        assert.equal(dependencies["pulumi-tidb"], "file:../pulumi-tidb-0.1.0.tgz");
        assert.equal(devDependencies["pulumi-tidb-cli"], "file:../pulumi-tidb-cli-0.1.0.tgz");
    });

    it("depends on the command in a built clone", () => {
        const path = clone("pulumi-tidb");
        mkdirSync(join(path, "cli", "dist", "bin"), { recursive: true });
        writeFileSync(join(path, "cli", "dist", "bin", "start.js"), "");
        const paths = { dependency: "file:../package", command: "file:../package/cli" };
        assert.deepEqual(packageSource(path, join(folder, "project")), paths);
    });

    it("refuses a missing file, and writes nothing", () => {
        const path = join(folder, "none.tgz");
        repeats(refusal(path), `--package ${path}`);
        const read = () => JSON.stringify(smallCluster());
        const { errors, exitCode } = convertToProject(["a.yaml"], join(folder, "project"), read, { package: path });
        repeats(errors, `error: --package ${path}`);
        assert.equal(exitCode, 1);
        assert.throws(() => readFileSync(join(folder, "project", "package.json")), /ENOENT/);
    });

    it("refuses another package, as a folder or as a tarball", () => {
        for (const source of [clone("left-pad"), tarball("left-pad")]) {
            repeats(refusal(source), "found the package left-pad");
        }
    });

    it("refuses a file that is not a package", () => {
        for (const content of ["", "text", "\x1f\x8b not really gzip"]) {
            const path = join(folder, "it.tgz");
            writeFileSync(path, content, "latin1");
            repeats(refusal(path), `--package ${path}`, "npm pack");
        }
    });

    it("refuses a clone that is not built, and says how to build it", () => {
        const path = clone("pulumi-tidb");
        rmSync(join(path, "dist"), { recursive: true });
        repeats(refusal(path), `cd ${path} && npm install && npm run build`);
    });

    it("needs --stack, because only a project has dependencies", () => {
        const { errors, exitCode } = convert(["a.yaml"], () => JSON.stringify(smallCluster()), { package: folder });
        repeats(errors, `error: --package ${folder}`, "--stack");
        assert.equal(exitCode, 1);
    });
});

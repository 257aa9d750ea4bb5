import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { convert, convertToProject } from "../../../bin/convertCommand";
import { commandLine } from "../../../bin/pulumi-tidb";
import { smallCluster } from "../components/manifests";

const named = (name: string) => smallCluster(({ metadata }) => (metadata.name = name));
const good = JSON.stringify(smallCluster());
const names = ["Pulumi.yaml", "README.md", "index.ts", "package.json", "tsconfig.json"];

describe("pulumi-tidb convert", () => {
    let folder: string;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-convert-"));
    });

    afterEach(() => {
        rmSync(folder, { recursive: true });
    });

    it("prints the program to standard output and warnings to standard error", () => {
        const { output, errors, exitCode } = convert(["a.yaml"], () =>
            JSON.stringify(smallCluster(({ spec }) => (spec.versoin = "v1"))),
        );
        assert.match(
            output,
            /^import .*\n\nconst cluster = new TidbCluster\("shop", \{\n {4}metadata: \{ namespace: "stores" \},/,
        );
        assert.match(errors, /^warning: spec\.versoin is not a known field/);
        assert.equal(exitCode, 0);
    });

    it("refuses a bad manifest with every error, and prints nothing", () => {
        const bad = JSON.stringify(smallCluster(({ spec }) => Object.assign(spec, { pd: { replicas: -1 } })));
        const { output, errors, exitCode } = convert(["a.yaml"], () => bad);
        assert.equal(output, "");
        assert.equal(exitCode, 1);
        assert.match(
            errors,
            /^error: TidbCluster shop: 2 errors\n {2}- spec\.pd\.replicas: .*\n {2}- spec\.pd\.requests/,
        );
    });

    it("creates a project in a folder that does not exist yet", () => {
        const project = join(folder, "deep", "project");
        const { output, errors, exitCode } = convertToProject(["a.yaml"], project, () => good);
        // Without --package, npm would look for the package on a registry.
        assert.match(
            errors,
            /^warning: pulumi-tidb is not on a package registry yet, so npm install fails in .*project\. Run instead: cd .*project && npm install PATH, .*\n$/,
        );
        assert.equal(exitCode, 0);
        assert.match(output, /^Created .*project: Pulumi\.yaml, .*\nNext:\n {2}cd .*project\n {2}npm install\n/);
        assert.deepEqual(readdirSync(project).sort(), names);
        const text = (name: string) => readFileSync(join(project, name), "utf8");
        assert.equal(text("index.ts"), convert(["a.yaml"], () => good).output);
        assert.deepEqual(parse(text("Pulumi.yaml")), {
            name: "tidb-shop",
            description: "The TiDB cluster shop",
            runtime: "nodejs",
            // Without it, Pulumi deletes a member's ConfigMap and creates it again whenever the configuration changes.
            config: { "kubernetes:enableConfigMapMutable": true },
        });
        const { dependencies, devDependencies } = JSON.parse(text("package.json")) as Record<string, object>;
        assert.deepEqual(Object.keys(devDependencies), ["pulumi-tidb-cli", "ts-node", "typescript"]);
        assert.deepEqual(Object.keys(dependencies), ["@pulumi/pulumi", "pulumi-tidb"]);
        assert.ok(Object.values(dependencies).every((range) => /^\^\d/.test(range)));
        assert.match(text("README.md"), /namespace stores/);
    });

    it("says of a project with a TidbInitializer what a sandbox cannot run", () => {
        const initializer = {
            apiVersion: "pingcap.com/v1alpha1",
            kind: "TidbInitializer",
            metadata: { name: "passwords", namespace: "stores" },
            spec: { cluster: { name: "shop" }, initSql: "create database app;" },
        };
        const both = [good, JSON.stringify(initializer)].join("\n---\n");
        const { output } = convertToProject(["a.yaml"], join(folder, "project"), () => both);
        assert.match(
            output,
            /\n {2}pulumi up .*\n {2}# a sandbox runs no SQL, so TidbInitializer passwords fails there: /,
        );
    });

    it("overwrites no file, and then writes none of the others", () => {
        writeFileSync(join(folder, "package.json"), "mine");
        const { output, errors, exitCode } = convertToProject(["a.yaml"], folder, () => good);
        assert.equal(output, "");
        assert.equal(exitCode, 1);
        assert.match(errors, /^error: --stack .*: the folder already contains package\.json; nothing was written/);
        assert.deepEqual(readdirSync(folder), ["package.json"]);
        assert.equal(readFileSync(join(folder, "package.json"), "utf8"), "mine");
    });

    it("says why a folder cannot be created, and writes nothing for a bad manifest", () => {
        writeFileSync(join(folder, "file"), "");
        const refused = convertToProject(["a.yaml"], join(folder, "file", "project"), () => good);
        assert.match(
            refused.errors,
            /^error: --stack .*: cannot be written: a part of the path is a file, not a folder; choose another path\n$/,
        );
        assert.equal(refused.exitCode, 1);
        const bad = convertToProject(["a.yaml"], join(folder, "bad"), () => "{}");
        assert.equal(bad.exitCode, 1);
        assert.deepEqual(readdirSync(folder), ["file"]);
    });

    it("converts one cluster, which --only chooses if there are several", () => {
        const both = () => ["shop", "bank"].map((name) => JSON.stringify(named(name))).join("\n---\n");
        const refused = convert(["a.yaml"], both);
        assert.match(
            refused.errors,
            /^error: a\.yaml: 1 error\n {2}- found 2 clusters \(TidbCluster\/shop, TidbCluster\/bank\), .*; choose one with --only TidbCluster\/shop\n$/,
        );
        assert.equal(refused.output, "");
        assert.equal(refused.exitCode, 1);
        const bank = convert(["a.yaml"], () => JSON.stringify(named("bank"))).output;
        assert.equal(convert(["a.yaml"], both, { only: "TidbCluster/bank" }).output, bank);
        const beside = { apiVersion: "pingcap.com/v1alpha1", kind: "Backup", metadata: { name: "nightly" }, spec: {} };
        const withBackup = () => [both(), JSON.stringify(beside), "kind: Secret"].join("\n---\n");
        const alone = convert(["a.yaml"], withBackup, { only: "TidbCluster/bank" });
        assert.deepEqual(
            [alone.output, alone.errors],
            [bank, "warning: Backup/nightly is left out: --only takes one object\n"],
        );
        const project = join(folder, "bank");
        assert.equal(convertToProject(["a.yaml"], project, both).exitCode, 1);
        assert.equal(convertToProject(["a.yaml"], project, both, { only: "TidbCluster/bank" }).exitCode, 0);
        assert.equal(readFileSync(join(project, "index.ts"), "utf8"), bank);
    });

    it("is in the help", () => {
        assert.match(commandLine().helpInformation(), /convert \[options\] <file\.\.\.>/);
    });
});

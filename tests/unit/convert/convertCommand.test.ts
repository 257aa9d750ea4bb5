import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { convert, convertToProject } from "../../../bin/convertCommand";
import { nextCommands } from "../../../convert/nextCommands";
import { pinnedWords } from "../../support/pinned";
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
        assert.ok(
            output.includes('\nconst cluster = new TidbCluster("shop", {\n    metadata: { namespace: "stores" },'),
        );
        assert.ok(errors.startsWith("warning: spec.versoin "), errors);
        assert.equal(exitCode, 0);
    });

    it("refuses a bad manifest with every error, and prints nothing", () => {
        const bad = JSON.stringify(smallCluster(({ spec }) => Object.assign(spec, { pd: { replicas: -1 } })));
        const { output, errors, exitCode } = convert(["a.yaml"], () => bad);
        assert.equal(output, "");
        assert.equal(exitCode, 1);
        assert.deepEqual(
            errors.split("\n").map((line) => line.trim().split(" ")[1]),
            ["TidbCluster", "spec.pd.replicas:", "spec.pd.requests.storage:", undefined],
        );
    });

    it("creates a project in a folder that does not exist yet", () => {
        const project = join(folder, "deep", "project");
        const { output, errors, exitCode } = convertToProject(["a.yaml"], project, () => good);
        // Without --package, npm would look for the package on a registry.
        assert.ok(errors.startsWith("warning: ") && errors.includes("project && npm install PATH"), errors);
        assert.equal(exitCode, 0);
        assert.ok(output.includes(`\n  cd ${project}\n  npm install\n`), output);
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
        assert.ok(text("README.md").includes("namespace stores"));
    });

    it("says of a project with a TidbInitializer what a sandbox cannot run", () => {
        const both = several(smallCluster(), initializer);
        const { output } = convertToProject(["a.yaml"], join(folder, "project"), () => both);
        assert.ok(output.includes("TidbInitializer passwords"), output);
    });

    it("overwrites no file, and then writes none of the others", () => {
        writeFileSync(join(folder, "package.json"), "mine");
        const { output, errors, exitCode } = convertToProject(["a.yaml"], folder, () => good);
        assert.equal(output, "");
        assert.equal(exitCode, 1);
        assert.ok(errors.startsWith("error: --stack ") && errors.includes("package.json"), errors);
        assert.deepEqual(readdirSync(folder), ["package.json"]);
        assert.equal(readFileSync(join(folder, "package.json"), "utf8"), "mine");
    });

    it("says why a folder cannot be created, and writes nothing for a bad manifest", () => {
        writeFileSync(join(folder, "file"), "");
        const refused = convertToProject(["a.yaml"], join(folder, "file", "project"), () => good);
        assert.ok(refused.errors.startsWith("error: --stack "), refused.errors);
        assert.equal(refused.exitCode, 1);
        const bad = convertToProject(["a.yaml"], join(folder, "bad"), () => "{}");
        assert.equal(bad.exitCode, 1);
        assert.deepEqual(readdirSync(folder), ["file"]);
    });

    it("converts one cluster, which --only chooses if there are several", () => {
        const both = () => ["shop", "bank"].map((name) => JSON.stringify(named(name))).join("\n---\n");
        const refused = convert(["a.yaml"], both);
        assert.ok(refused.errors.endsWith("--only TidbCluster/shop\n"), refused.errors);
        assert.equal(refused.output, "");
        assert.equal(refused.exitCode, 1);
        const bank = convert(["a.yaml"], () => JSON.stringify(named("bank"))).output;
        assert.equal(convert(["a.yaml"], both, { only: "TidbCluster/bank" }).output, bank);
        const beside = { apiVersion: "pingcap.com/v1alpha1", kind: "Backup", metadata: { name: "nightly" }, spec: {} };
        const withBackup = () => [both(), JSON.stringify(beside), "kind: Secret"].join("\n---\n");
        const alone = convert(["a.yaml"], withBackup, { only: "TidbCluster/bank" });
        assert.equal(alone.output, bank);
        assert.ok(alone.errors.startsWith("warning: Backup/nightly "));
        const project = join(folder, "bank");
        assert.equal(convertToProject(["a.yaml"], project, both).exitCode, 1);
        assert.equal(convertToProject(["a.yaml"], project, both, { only: "TidbCluster/bank" }).exitCode, 0);
        assert.equal(readFileSync(join(project, "index.ts"), "utf8"), bank);
    });

    const initializer = {
        apiVersion: "pingcap.com/v1alpha1",
        kind: "TidbInitializer",
        metadata: { name: "passwords", namespace: "stores" },
        spec: { cluster: { name: "shop" }, initSql: "create database app;" },
    };
    const several = (...objects: object[]) => objects.map((one) => JSON.stringify(one)).join("\n---\n");
    const words = (text: string, name?: string, options?: Parameters<typeof convert>[2]) => () => {
        const { output, errors } =
            name === undefined
                ? convert(["a.yaml"], () => text, options)
                : convertToProject(["a.yaml"], join(folder, name), () => text);
        // Whether the Pulumi CLI is logged in depends on the machine.
        const isLogin = (line: string) => /pulumi login|PULUMI_CONFIG_PASSPHRASE/.test(line);
        const lines = `${errors}${output}`.replaceAll(folder, "FOLDER").split("\n");
        return lines.filter((line) => !isLogin(line)).join("\n");
    };
    const next = (backend: string | undefined) => () =>
        nextCommands("my-cluster", { backend, hasPassphrase: false }).join("\n");
    pinnedWords("convert", {
        "a field is not known": words(JSON.stringify(smallCluster(({ spec }) => (spec.versoin = "v1")))),
        "the manifest is wrong": words(
            JSON.stringify(smallCluster(({ spec }) => Object.assign(spec, { pd: { replicas: -1 } }))),
        ),
        "a project is created": words(good, "project"),
        "a project with a TidbInitializer is created": words(several(smallCluster(), initializer), "initialized"),
        "the folder has a file already": words(good, "project"),
        "a part of the path is a file": words(good, join("project", "index.ts", "more")),
        "the Pulumi CLI is not logged in": next(undefined),
        "the Pulumi CLI keeps stacks in a folder": next("file://~"),
        "there are two clusters": words(several(named("shop"), named("bank"))),
        "one cluster is chosen, and a Backup is beside it": words(
            several(named("shop"), named("bank"), {
                ...{ apiVersion: "pingcap.com/v1alpha1", kind: "Backup", metadata: { name: "nightly" }, spec: {} },
            }),
            undefined,
            { only: "TidbCluster/bank" },
        ),
    });
});

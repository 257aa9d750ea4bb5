import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { parseAllDocuments } from "yaml";
import { commandLine } from "../../../bin/pulumi-tidb";
import { render } from "../../../bin/renderCommand";
import type { KubernetesObject } from "../../../components/kubernetes/object";
import { smallCluster } from "./manifests";

const good = JSON.stringify(smallCluster());

describe("pulumi-tidb render", () => {
    it("prints one JSON array", () => {
        const { output, errors, exitCode } = render("cluster.yaml", "json", () => good);
        assert.equal((JSON.parse(output) as KubernetesObject[]).length, 18);
        assert.equal(errors, "");
        assert.equal(exitCode, 0);
    });

    it("prints the same objects as YAML", () => {
        const documents = parseAllDocuments(render("-", "yaml", () => good).output, { version: "1.1" });
        const objects = JSON.parse(render("-", "json", () => good).output) as KubernetesObject[];
        assert.deepEqual(
            documents.map((document) => document.toJS() as unknown),
            objects,
        );
    });

    it("refuses a bad manifest by the names of all its fields, and prints nothing", () => {
        const bad = JSON.stringify(
            smallCluster(({ spec }) => Object.assign(spec, { pd: { replicas: -1 }, recoveryMode: 1 })),
        );
        const { output, errors, exitCode } = render("cluster.yaml", "json", () => bad);
        assert.equal(output, "");
        assert.equal(exitCode, 1);
        assert.match(errors, /^error: TidbCluster shop: 3 errors\n/);
        assert.match(
            errors,
            / {2}- spec\.pd\.replicas: .*\n {2}- spec\.recoveryMode: .*\n {2}- spec\.pd\.requests\.storage: /,
        );
    });

    it("shows warnings beside what it prints", () => {
        const doubtful = JSON.stringify(smallCluster(({ spec }) => (spec.versoin = "v1")));
        const { output, errors } = render("cluster.yaml", "json", () => doubtful);
        assert.match(output, /^\[/);
        assert.equal(errors, "warning: spec.versoin is not a known field and is ignored; did you mean version?\n");
    });

    it("names the file that is no YAML, and the place", () => {
        const { errors, exitCode } = render("my.yaml", "json", () => "a: [\n");
        assert.match(errors, /^error: my\.yaml: 1 error\n  - line 2, column 1: invalid YAML: /);
        assert.equal(exitCode, 1);
    });

    it("names the file that cannot be read", () => {
        const read = () => {
            throw new Error("ENOENT: no such file");
        };
        assert.deepEqual(render("none.yaml", "json", read), {
            output: "",
            errors: "none.yaml: cannot be read: ENOENT: no such file\n",
            exitCode: 1,
        });
    });

    it("does not load Pulumi's SDK, which takes longer than everything else", () => {
        const loaded = `const { render } = require("./bin/renderCommand");
            const [good, bad] = ["json", "json"].map((format, index) => render("a", format, () => process.argv[1 + index]));
            const sdk = Object.keys(require.cache).filter((file) => /@pulumi|@grpc/.test(file));
            console.log(JSON.stringify([good.exitCode, bad.exitCode, sdk]));`;
        const { stdout, stderr } = spawnSync(process.execPath, ["--require", "tsx/cjs", "-e", loaded, good, "{}"], {
            encoding: "utf8",
        });
        assert.equal(stdout, "[0,1,[]]\n", stderr);
    });

    it("is told of in the help", () => {
        const help = commandLine().helpInformation();
        assert.match(help, /render \[options\] <file>/);
        assert.match(help, /--version/);
    });
});

import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import { render } from "../../../bin/renderCommand";
import type { KubernetesObject } from "../../../components/kubernetes/object";
import { type OpenManifest, smallCluster } from "./manifests";
import { repeats } from "../../support/repeats";

/** Labels that no constraint uses. Each is a warning. */
const uselessLabels = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`label${index}`, "x"]));

const good = JSON.stringify(smallCluster());

describe("pulumi-tidb render", () => {
    it("prints one JSON array", () => {
        const { output, errors, exitCode } = render(["cluster.yaml"], "json", () => good);
        assert.equal((JSON.parse(output) as KubernetesObject[]).length, 18);
        assert.equal(errors, "");
        assert.equal(exitCode, 0);
    });

    it("prints the same objects as YAML", () => {
        const documents = parseAllDocuments(render(["-"], "yaml", () => good).output, { version: "1.1" });
        const objects = JSON.parse(render(["-"], "json", () => good).output) as KubernetesObject[];
        assert.deepEqual(
            documents.map((document) => document.toJS() as unknown),
            objects,
        );
    });

    it("takes the program's operations from a file: settings that are set online do not rename ConfigMaps", () => {
        const configMapsOf = (level: string, operations?: string) => {
            const cluster = JSON.stringify(
                smallCluster(({ spec }) =>
                    Object.assign(spec.tikv!, { configUpdateStrategy: "RollingUpdate", config: { log: { level } } }),
                ),
            );
            const read = (file: string) => (file === "operations.yaml" ? operations! : cluster);
            const given = operations === undefined ? {} : { operations: "operations.yaml" };
            const { output, errors } = render(["cluster.yaml"], "json", read, given);
            assert.equal(errors, "");
            return (JSON.parse(output) as KubernetesObject[])
                .filter(({ kind }) => kind === "ConfigMap")
                .map(({ metadata }) => metadata.name);
        };
        const online = "rollout: { online: true }";
        assert.notDeepEqual(configMapsOf("info"), configMapsOf("warn"));
        assert.deepEqual(configMapsOf("info", online), configMapsOf("warn", online));
        const { errors, exitCode } = render(
            ["cluster.yaml"],
            "json",
            (file) => (file === "ops" ? "rollOut: {}" : good),
            {
                operations: "ops",
            },
        );
        assert.equal(exitCode, 1);
        repeats(errors, "error: ops: 1 error\n  - operations.rollOut");
    });

    it("refuses a bad manifest with the names of all its wrong fields, and prints nothing", () => {
        const bad = JSON.stringify(
            smallCluster(({ spec }) => Object.assign(spec, { pd: { replicas: -1 }, recoveryMode: 1 })),
        );
        const { output, errors, exitCode } = render(["cluster.yaml"], "json", () => bad);
        assert.equal(output, "");
        assert.equal(exitCode, 1);
        assert.match(errors, /^error: TidbCluster shop: 3 errors\n/);
        assert.match(
            errors,
            / {2}- spec\.pd\.replicas: .*\n {2}- spec\.recoveryMode: .*\n {2}- spec\.pd\.requests\.storage: /,
        );
    });

    it("shows warnings beside what it prints", () => {
        const doubtful = JSON.stringify(smallCluster(({ spec }) => (spec.tikv.replicas = 1)));
        const { output, errors } = render(["cluster.yaml"], "json", () => doubtful);
        assert.equal(output[0], "[");
        assert.match(errors, /^warning: spec\.tikv\.replicas: [^\n]*\n$/);
    });

    it("refuses a field that tidb-operator does not know: what it was to do would not be done", () => {
        const wrong = (more: object) =>
            JSON.stringify({ ...smallCluster(({ spec }) => (spec.tikv.replica = 4)), ...more });
        const { output, errors, exitCode } = render(["cluster.yaml"], "json", () => wrong({}));
        assert.deepEqual([output, exitCode], ["", 1]);
        repeats(errors, "- spec.tikv.replica ", "replicas?");
        const stored = render(["cluster.yaml"], "json", () => wrong({ status: { phase: "Normal" } }));
        assert.equal(stored.exitCode, 0, "an API server has returned it");
        repeats(stored.errors, "warning: spec.tikv.replica ");
    });

    it("names the file that is not YAML, and the place", () => {
        const { errors, exitCode } = render(["my.yaml"], "json", () => "a: [\n");
        repeats(errors, "error: my.yaml: 1 error\n  - line 2, column 1: ");
        assert.equal(exitCode, 1);
    });

    it("names the file that cannot be read", () => {
        const read = () => {
            throw new Error("ENOENT: no such file");
        };
        assert.deepEqual(render(["none.yaml"], "json", read), {
            output: "",
            errors: "error: none.yaml: cannot be read: ENOENT: no such file\n",
            exitCode: 1,
        });
    });

    const documents = (...all: object[]) => all.map((one) => JSON.stringify(one)).join("\n---\n");
    const named = (name: string, change: (spec: OpenManifest["spec"]) => void = () => {}) =>
        smallCluster(({ metadata, spec }) => {
            metadata.name = name;
            change(spec);
        });
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
    const objectsIn = ({ output }: { output: string }) => JSON.parse(output) as KubernetesObject[];

    it("prints the objects of all clusters in order, and warns about other objects", () => {
        const result = render(["a"], "json", () => documents(named("b"), secret, named("a")));
        const single = (name: string) => objectsIn(render(["a"], "json", () => documents(named(name))));
        assert.deepEqual(objectsIn(result), [...single("b"), ...single("a")]);
        assert.match(result.errors, /^warning: Secret\/s is ignored: [^\n]*\n$/);
        assert.equal(result.exitCode, 0);
    });

    it("prints the chosen cluster only", () => {
        const read = () => documents(named("b"), secret, named("a"));
        const { errors, ...result } = render(["a"], "json", read, { only: "TidbCluster/a" });
        assert.equal(errors, "");
        assert.equal(result.output, render(["a"], "json", () => documents(named("a"))).output);
    });

    it("names the cluster in each message if there are several, and prints nothing if one is invalid", () => {
        const bad = named("a", (spec) => (spec.pd.replicas = -1));
        const doubtful = named("b", (spec) => (spec.tikv.replicas = 1));
        const { output, errors, exitCode } = render(["a"], "json", () => documents(doubtful, bad));
        assert.equal(output, "");
        assert.equal(exitCode, 1);
        assert.match(errors, /^warning: TidbCluster b: spec\.tikv\.replicas: [^\n]*\nerror: TidbCluster a: 1 error\n/);
    });

    it("with --strict refuses a manifest with warnings: each is an error, and nothing is printed", () => {
        const read = () => documents(named("a", (spec) => (spec.tikv.replicas = 1)));
        const { output, errors, exitCode } = render(["a"], "json", read, { strict: true });
        assert.equal(output, "");
        assert.equal(exitCode, 1);
        assert.match(errors, /^error: spec\.tikv\.replicas: [^\n]*\n$/);
        assert.deepEqual(
            render(["a"], "json", () => good, { strict: true }),
            render(["a"], "json", () => good),
        );
    });

    it("shows 20 warnings and counts the others", () => {
        const doubtful = (count: number) => () =>
            documents(
                named("a", (spec) => {
                    const matchLabels = uselessLabels(count);
                    spec.topologySpreadConstraints = [{ topologyKey: "zone", matchLabels }];
                }),
            );
        assert.equal(render(["a"], "json", doubtful(20)).errors.split("\n").length, 21);
        const lines = render(["a"], "json", doubtful(21)).errors.split("\n");
        assert.equal(lines[20], "warning: … and 1 more warning; fix these first to see the others");
        assert.equal(lines.length, 22);
        repeats(render(["a"], "json", doubtful(300)).errors, "280 more warnings");
    });
});

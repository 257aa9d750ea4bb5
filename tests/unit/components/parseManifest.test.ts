import assert from "node:assert/strict";
import { parseManifests, singleCluster } from "../../../components/parseManifest";
import { ManifestError, type SpecProblem } from "../../../components/problem";
import type { TidbClusterManifest } from "../../../components/spec";
import { repeats } from "../../support/repeats";

function refused(action: () => unknown): readonly SpecProblem[] {
    try {
        action();
    } catch (error) {
        assert.ok(error instanceof ManifestError, String(error));
        return error.problems;
    }
    throw new Error("it was accepted");
}

/** The only cluster of a text. */
function parseManifest(text: string, source: string): TidbClusterManifest {
    const { clusters } = parseManifests(text, source);
    assert.equal(clusters.length, 1);
    return clusters[0];
}

const head = "apiVersion: pingcap.com/v1alpha1\nkind: TidbCluster\nmetadata: {name: a}\nspec:\n";

describe("the text of a manifest", () => {
    const bad: [title: string, text: string, ...seen: string[]][] = [
        ["an open list", "kind: [1\nmetadata: 2\n", "line 2, column 1"],
        ["a map in a line", `${head}  pd: replicas: 3\n`, "line 5, column 7"],
        ["a key without a space after its colon", `${head}  version:v8\n  pd: {}\n`, "line 5, column 3"],
        ["a map that is not closed", "spec: { pd: {}\nkind: x\n", "line 2, column 1"],
        ["text that is not closed", 'version: "v8\n', "line 2, column 1"],
        ["keys at different columns", "spec:\n  pd: 1\n tikv: 2\n", "line 3, column 1"],
        ["a reserved character", "version: @v8\n", "line 1, column 10"],
        ["text after a value", "a: 'x' y\n", "line 1, column 8"],
        ["a bracket too many", "a: ]\n", "line 1, column 4"],
        ["an unknown alias", `${head}  version: *x\n`, "line 5, column 12"],
        ["a key twice", `${head}  version: a\n  version: b\n`, "line 6, column 3"],
        ["two keys twice", `${head}  a: 1\n  b: 1\n  a: 2\n  b: 2\n`, "line 7, column 3", "line 8, column 3"],
        [
            "indented wrongly once, with what follows from it",
            `${head}  pd:\n    replicas: 3\n   requests:\n    storage: 1Gi\n  tikv:\n    requests: 1\n   requests: 1\n`,
            "line 7, column 1",
            "line 11, column 1",
        ],
        [
            "wrong in two lines that have nothing to do with each other",
            `${head}  version: @v8\n  pd:\n    image: \`pd\n`,
            "line 5, column 12",
            "line 7, column 12",
        ],
        ["wrong in two documents", "kind: a\n b: 1\n---\nkind: a\n b: 1\n", "line 1, column 7", "line 4, column 7"],
        [
            "wrong in more lines than a terminal shows",
            Array.from({ length: 14 }, (_, index) => `a${index}: @\n`).join(""),
            ...Array.from({ length: 10 }, (_, index) => `line ${index + 1}, column 5`),
        ],
        [
            "a map without a cluster",
            '{"name": "x", "version": "1", "scripts": {}, "files": [], "bin": {}}',
            'a map with "name", "version", "scripts", "files" and 1 more',
        ],
        ["an empty map", "{}", "an empty map"],
        ["a cluster, and a map without a kind", `${head}---\nname: b\n`, 'a map with "name"'],
        ["a tab", "kind: TidbCluster\n\tspec: 1\n", "line 2, column 1"],
        ["nothing", "", "no document"],
        ["a comment", "# nothing here\n", "no document"],
        [
            "several documents without a cluster",
            "kind: Secret\n---\nkind: ConfigMap\nmetadata: {name: b}\n",
            "2 documents (Secret, ConfigMap/b)",
        ],
        ["a cluster twice", `${head}---\n${head}`, "a second TidbCluster/a"],
        ["a cluster and a value", `${head}---\nhello\n`, 'the text "hello"'],
        [
            "a cluster, and one of another version",
            `${head}---\n${head.replace("v1alpha1", "v2").replace("name: a", "name: b")}`,
            '"pingcap.com/v2"',
        ],
        ["a list", "- kind: TidbCluster\n", "a list of 1 item"],
        ["text", "hello", 'the text "hello"'],
        ["another kind", "kind: Deployment\napiVersion: apps/v1\n", '"Deployment"', '"apps/v1"'],
        ["a bomb", bomb(), "invalid YAML"],
        ["binary", "\u0000\u0001\u0002", 'the text "\\u0000\\u0001\\u0002"'],
    ];
    for (const [title, text, ...seen] of bad) {
        it(`is refused if it is ${title}`, () => {
            const problems = refused(() => parseManifests(text, "cluster.yaml"));
            const places = problems.map(({ found, message }) => /line \d+, column \d+/.exec(message)?.[0] ?? found);
            assert.deepEqual(places, seen);
        });
    }

    it("is read as kubectl reads it", () => {
        const manifest = parseManifest(`${head}  a: 0644\n  b: yes\n  c: 2024-01-01\n  d: 10:30\n  e: 1e3\n`, "x");
        assert.deepEqual(manifest.spec, { a: 420, b: true, c: "2024-01-01", d: "10:30", e: 1000 });
    });

    it("may be JSON, and end in an empty document", () => {
        const text = '{"kind":"TidbCluster","metadata":{"name":"a"},"spec":{}}';
        assert.equal(parseManifest(text, "x").metadata.name, "a");
        assert.equal(parseManifest(`---\n${text}\n---\n`, "x").metadata.name, "a");
    });

    it("may use anchors and merge keys", () => {
        const manifest = parseManifest(`${head}  pd: &x {replicas: 1}\n  tikv:\n    <<: *x\n    a: 2\n`, "x");
        assert.deepEqual(manifest.spec.tikv, { replicas: 1, a: 2 });
    });
});

describe("a manifest with several objects", () => {
    const object = (kind: string, name: string) => `kind: ${kind}\nmetadata: {name: ${name}}\n---\n`;
    const several = object("Namespace", "ns") + object("TidbCluster", "b") + object("TidbCluster", "a");
    const namesIn = (text: string, only?: string) =>
        parseManifests(text, "x", only).clusters.map(({ metadata }) => metadata.name);

    it("gives all clusters in order, also from kubectl's List", () => {
        assert.deepEqual(namesIn(several), ["b", "a"]);
        const items = [1, 2].map((index) => ({ kind: "TidbCluster", metadata: { name: `c${index}` } }));
        assert.deepEqual(namesIn(JSON.stringify({ kind: "List", apiVersion: "v1", items })), ["c1", "c2"]);
    });

    const others: [kind: string, instead: string][] = [
        ["Secret", "@pulumi/kubernetes"],
        ["TidbInitializer", "TidbInitializer.fromYaml"],
        ["TidbMonitor", "Prometheus"],
        ["Backup", "Backup.fromYaml"],
        ["Restore", "Restore.fromYaml"],
        ["BackupSchedule", "BackupSchedule.fromYaml"],
        ["TidbClusterAutoScaler", "replicas"],
        ["TidbDashboard", "/dashboard"],
        ["TidbNGMonitoring", "Top SQL"],
        ["DMCluster", "TiUP"],
        ["Certificate", "requiredCertificates"],
        ["Banana", "TidbClusters"],
        ["constructor", "TidbClusters"],
    ];
    for (const [kind, instead] of others) {
        it(`says what to use instead of a ${kind}`, () => {
            const { warnings } = parseManifests(object("TidbCluster", "a") + object(kind, "other"), "x");
            const [{ message, severity }, ...more] = warnings;
            assert.deepEqual([severity, more], ["warning", []]);
            repeats(message, `${kind}/other`, instead);
        });
    }

    it("gives only the chosen cluster, without warnings about the others", () => {
        assert.deepEqual(namesIn(several, "TidbCluster/a"), ["a"]);
        assert.deepEqual(namesIn(several, "tidbcluster/b"), ["b"]);
        assert.deepEqual(parseManifests(several, "x", "TidbCluster/a").warnings, []);
    });

    it("is refused if the choice does not exist or is not a cluster", () => {
        const twice = object("TidbMonitor", "mon") + object("TidbCluster", "b") + object("TidbCluster", "b");
        for (const [text, only, field, found, expected] of [
            [several, "TidbCluster/A", "only", '"TidbCluster/A"', "TidbCluster/b, TidbCluster/a"],
            [several, "a", "only", '"a"', "TidbCluster/b, TidbCluster/a"],
            [twice, "TidbCluster/c", "only", '"TidbCluster/c"', "TidbCluster/b"],
            [object("TidbMonitor", "mon"), "TidbCluster/c", "only", '"TidbCluster/c"', "TidbCluster"],
            [several, "Namespace/ns", "kind", '"Namespace"', "TidbCluster"],
        ]) {
            const [problem] = refused(() => parseManifests(text, "x", only));
            assert.deepEqual([problem.field, problem.found], [field, found]);
            repeats(problem.expected, expected);
        }
    });

    it("has no single cluster", () => {
        const { clusters } = parseManifests(several, "x");
        const [{ found, message }] = refused(() => singleCluster(clusters, "x", (name) => `--only ${name}`));
        repeats(found, "TidbCluster/b, TidbCluster/a");
        repeats(message, "--only TidbCluster/b");
        assert.equal(singleCluster(clusters.slice(1), "x", String), clusters[1]);
    });
});

/** A few lines that mean more than a billion items. */
function bomb(): string {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 10; level += 1) {
        lines.push(
            `a${level}: &a${level} [${Array(10)
                .fill(`*a${level - 1}`)
                .join(", ")}]`,
        );
    }
    return `${lines.join("\n")}\n`;
}

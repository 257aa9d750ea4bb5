import assert from "node:assert/strict";
import { parseManifests, singleCluster } from "../../../components/parseManifest";
import { ManifestError } from "../../../components/problem";
import type { TidbClusterManifest } from "../../../components/spec";

function refused(text: string): string {
    try {
        parseManifests(text, "cluster.yaml");
    } catch (error) {
        assert.ok(error instanceof ManifestError, String(error));
        return error.message;
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
    const bad: [title: string, text: string, message: RegExp][] = [
        [
            "an open list",
            "kind: [1\nmetadata: 2\n",
            /^cluster\.yaml: .*\n  - line 2, column 1: invalid YAML: .*\. Check the indentation\.$/,
        ],
        [
            "a map in a line",
            `${head}  pd: replicas: 3\n`,
            /line 5, column 7: invalid YAML: nested mappings are not allowed here\. Check the indentation\.$/,
        ],
        [
            "a key without a space after its colon",
            `${head}  version:v8\n  pd: {}\n`,
            /line 5, column 3: invalid YAML: a key must be on one line, with a colon and a space after it$/,
        ],
        [
            "a map that is not closed",
            "spec: { pd: {}\nkind: x\n",
            /line 2, column 1: invalid YAML: the map has no closing }, or a line of it is not indented\. Check the indentation\.$/,
        ],
        ["text that is not closed", 'version: "v8\n', /invalid YAML: the text has no closing "$/],
        [
            "keys at different columns",
            "spec:\n  pd: 1\n tikv: 2\n",
            /invalid YAML: all keys of a map must start at the same column\. Check the indentation\.$/,
        ],
        [
            "a reserved character",
            "version: @v8\n",
            /invalid YAML: plain value cannot start with reserved character @\. Put the text in quotes\.$/,
        ],
        ["text after a value", "a: 'x' y\n", /invalid YAML: there is more text after the end of the value$/],
        ["a bracket too many", "a: ]\n", /invalid YAML: unexpected "]"$/],
        [
            "an unknown alias",
            `${head}  version: *x\n`,
            /: 1 error\n  - line 5, column 12: invalid YAML: the alias \*x has no anchor &x before it$/,
        ],
        [
            "a key twice",
            `${head}  version: a\n  version: b\n`,
            /: 1 error\n  - line 6, column 3: invalid YAML: the key "version" is in line 5 already\. Keep one of the two$/,
        ],
        [
            "two keys twice",
            `${head}  a: 1\n  b: 1\n  a: 2\n  b: 2\n`,
            /: 2 errors\n.*line 7, column 3: .* "a" is in line 5 already.*\n.*line 8, column 3: .* "b" is in line 6 already/,
        ],
        [
            "indented wrongly once, with what follows from it",
            `${head}  pd:\n    replicas: 3\n   requests:\n    storage: 1Gi\n  tikv:\n    requests: 1\n   requests: 1\n`,
            /: 2 errors\n  - line 7, column 1: invalid YAML: all keys .*\. Check the indentation\.\n  - line 11, column 1: .*\. It may come from the mistake in line 7$/,
        ],
        [
            "wrong in two lines that have nothing to do with each other",
            `${head}  version: @v8\n  pd:\n    image: \`pd\n`,
            /: 2 errors\n  - line 5, column 12: .* character @\. Put the text in quotes\.\n  - line 7, column 12: .* character `\. Put the text in quotes\.$/,
        ],
        [
            "wrong in two documents",
            "kind: a\n b: 1\n---\nkind: a\n b: 1\n",
            /: 2 errors\n  - line 1, column 7: [^\n]*indentation\.\n  - line 4, column 7: [^\n]*indentation\.$/,
        ],
        [
            "wrong in more lines than a terminal shows",
            Array.from({ length: 14 }, (_, index) => `a${index}: @\n`).join(""),
            /: 10 errors\n  - line 1,.*\n(.*\n){8}  - line 10, .* \(4 more errors follow\)$/,
        ],
        [
            "a map without a cluster",
            '{"name": "x", "version": "1", "scripts": {}, "files": [], "bin": {}}',
            /^cluster\.yaml: 1 error\n  - found a map with "name", "version", "scripts", "files" and 1 more, expected a TidbCluster, with apiVersion pingcap\.com\/v1alpha1, kind TidbCluster, metadata and spec$/,
        ],
        ["an empty map", "{}", /: 1 error\n  - found an empty map, expected a TidbCluster, with apiVersion/],
        [
            "a cluster, and a map without a kind",
            `${head}---\nname: b\n`,
            /: 1 error\n  - found a map with "name", expected a TidbCluster/,
        ],
        [
            "a tab",
            "kind: TidbCluster\n\tspec: 1\n",
            /line 2, column 1: invalid YAML: tabs are not allowed as indentation\. Indent with spaces\.$/,
        ],
        ["nothing", "", /no document, expected a TidbCluster/],
        ["a comment", "# nothing here\n", /no document/],
        [
            "several documents without a cluster",
            "kind: Secret\n---\nkind: ConfigMap\nmetadata: {name: b}\n",
            /found 2 documents \(Secret, ConfigMap\/b\), expected a TidbCluster$/,
        ],
        ["a cluster twice", `${head}---\n${head}`, /found a second TidbCluster\/a, expected each cluster once$/],
        ["a cluster and a value", `${head}---\nhello\n`, /found the text "hello", expected a map/],
        [
            "a cluster, and one of another version",
            `${head}---\n${head.replace("v1alpha1", "v2").replace("name: a", "name: b")}`,
            /apiVersion: found "pingcap\.com\/v2"/,
        ],
        ["a list", "- kind: TidbCluster\n", /found a list of 1 item, expected a map/],
        ["text", "hello", /found the text "hello", expected a map/],
        [
            "another kind",
            "kind: Deployment\napiVersion: apps/v1\n",
            /kind: found "Deployment", expected TidbCluster; this package deploys only TidbClusters/,
        ],
        ["a bomb", bomb(), /alias/i],
        ["binary", "\u0000\u0001\u0002", /cluster\.yaml/],
    ];
    for (const [title, text, message] of bad) {
        it(`is refused if it is ${title}`, () => {
            assert.match(refused(text), message);
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
    const problem = (action: () => unknown): string => {
        try {
            action();
        } catch (error) {
            assert.ok(error instanceof ManifestError, String(error));
            return error.message;
        }
        throw new Error("it was accepted");
    };

    it("gives all clusters in order, also from kubectl's List", () => {
        assert.deepEqual(namesIn(several), ["b", "a"]);
        const items = [1, 2].map((index) => ({ kind: "TidbCluster", metadata: { name: `c${index}` } }));
        assert.deepEqual(namesIn(JSON.stringify({ kind: "List", apiVersion: "v1", items })), ["c1", "c2"]);
    });

    const others: [kind: string, instead: RegExp][] = [
        ["Secret", /@pulumi\/kubernetes, or apply it with kubectl$/],
        ["TidbInitializer", /TidbInitializer\.fromYaml/],
        ["TidbMonitor", /Prometheus and Grafana/],
        ["Backup", /create it in your program with Backup, or Backup\.fromYaml$/],
        ["Restore", /Restore\.fromYaml$/],
        ["BackupSchedule", /with BackupSchedule, or BackupSchedule\.fromYaml/],
        ["TidbClusterAutoScaler", /set the members' replicas/],
        ["TidbDashboard", /\/dashboard/],
        ["TidbNGMonitoring", /Top SQL/],
        ["DMCluster", /TiUP/],
        ["Certificate", /requiredCertificates/],
        ["Banana", /deploys only TidbClusters/],
        ["constructor", /deploys only TidbClusters/],
    ];
    for (const [kind, instead] of others) {
        it(`says what to use instead of a ${kind}`, () => {
            const { warnings } = parseManifests(object("TidbCluster", "a") + object(kind, "other"), "x");
            assert.equal(warnings.length, 1);
            assert.ok(warnings[0].message.startsWith(`${kind}/other is ignored: `), warnings[0].message);
            assert.match(warnings[0].message, instead);
            assert.equal(warnings[0].severity, "warning");
        });
    }

    it("gives only the chosen cluster, without warnings about the others", () => {
        assert.deepEqual(namesIn(several, "TidbCluster/a"), ["a"]);
        assert.deepEqual(namesIn(several, "tidbcluster/b"), ["b"]);
        assert.deepEqual(parseManifests(several, "x", "TidbCluster/a").warnings, []);
    });

    it("is refused if the choice does not exist or is not a cluster", () => {
        assert.match(
            problem(() => parseManifests(several, "x", "TidbCluster/A")),
            /only: found "TidbCluster\/A", expected one of those in the file: TidbCluster\/b, TidbCluster\/a$/,
        );
        assert.match(
            problem(() => parseManifests(several, "x", "a")),
            /only: found "a", expected one of those in the file: .*; write KIND\/NAME, such as TidbCluster\/basic$/,
        );
        const twice = object("TidbMonitor", "mon") + object("TidbCluster", "b") + object("TidbCluster", "b");
        assert.match(
            problem(() => parseManifests(twice, "x", "TidbCluster/c")),
            /expected one of those in the file: TidbCluster\/b$/,
        );
        assert.match(
            problem(() => parseManifests(object("TidbMonitor", "mon"), "x", "TidbCluster/c")),
            /expected a TidbCluster, of which the file has none$/,
        );
        assert.match(
            problem(() => parseManifests(several, "x", "Namespace/ns")),
            /kind: found "Namespace", expected TidbCluster/,
        );
    });

    it("has no single cluster", () => {
        const { clusters } = parseManifests(several, "x");
        assert.match(
            problem(() => singleCluster(clusters, "x", (name) => `--only ${name}`)),
            /found 2 clusters \(TidbCluster\/b, TidbCluster\/a\), expected one TidbCluster; choose one with --only TidbCluster\/b$/,
        );
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

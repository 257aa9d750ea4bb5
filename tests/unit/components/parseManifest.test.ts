import assert from "node:assert/strict";
import { parseManifest } from "../../../components/parseManifest";
import { ManifestError } from "../../../components/problem";

function refused(text: string): string {
    try {
        parseManifest(text, "cluster.yaml");
    } catch (error) {
        assert.ok(error instanceof ManifestError, String(error));
        return error.message;
    }
    throw new Error("it was accepted");
}

const head = "apiVersion: pingcap.com/v1alpha1\nkind: TidbCluster\nmetadata: {name: a}\nspec:\n";

describe("a manifest's text", () => {
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
        ["an unknown alias", `${head}  version: *x\n`, /- invalid YAML: unresolved alias .*: x$/],
        [
            "a key twice",
            `${head}  version: a\n  version: b\n`,
            /line 6, column 3: invalid YAML: the key "version" is a duplicate$/,
        ],
        [
            "a tab",
            "kind: TidbCluster\n\tspec: 1\n",
            /line 2, column 1: invalid YAML: tabs are not allowed as indentation\. Indent with spaces\.$/,
        ],
        ["nothing", "", /no document, expected one TidbCluster/],
        ["a comment", "# nothing here\n", /no document/],
        ["several documents", `${head}---\nkind: Secret\n`, /2 documents \(TidbCluster, Secret\), expected one/],
        ["a list", "- kind: TidbCluster\n", /found a list of 1 item, expected a map/],
        ["text", "hello", /found the text "hello", expected a map/],
        ["another kind", "kind: Deployment\napiVersion: apps/v1\n", /kind: found "Deployment", expected TidbCluster/],
        ["a bomb", bomb(), /alias/i],
        ["binary", "\u0000\u0001\u0002", /cluster\.yaml/],
    ];
    for (const [title, text, message] of bad) {
        it(`is refused when it is ${title}`, () => {
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

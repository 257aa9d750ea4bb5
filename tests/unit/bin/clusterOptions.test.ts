import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { optionsKubeConfig } from "../../../bin/clusterOptions";
import { plan } from "../../../bin/planCommand";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";

const manifest = `apiVersion: pingcap.com/v1alpha1
kind: TidbCluster
metadata: { name: basic }
spec:
  version: v8.5.3
  pd: { replicas: 1, requests: { storage: 1Gi } }
  tikv: { replicas: 3, requests: { storage: 1Gi } }
  tidb: { replicas: 1 }
`;

describe("an unusable kubeconfig", () => {
    let folder: string;
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-kubeconfig-"));
        writeFileSync(join(folder, "two"), JSON.stringify(kubeconfig("east", "west")));
        writeFileSync(join(folder, "none"), JSON.stringify(kubeconfig()));
        writeFileSync(join(folder, "broken"), "a: [\n");
        writeFileSync(join(folder, "empty"), "");
        writeFileSync(join(folder, "text"), "hello");
    });
    after(() => rmSync(folder, { recursive: true }));

    function kubeconfig(...names: string[]): object {
        return {
            clusters: names.map((name) => ({ name, cluster: { server: `https://${name}.example` } })),
            users: names.map((name) => ({ name, user: { token: "token" } })),
            contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
            "current-context": "nowhere",
        };
    }

    const rows: [string, string, string | undefined, string, string][] = [
        [
            "does not exist",
            "missing",
            undefined,
            "found no kubeconfig: FOLDER/missing, given as --kubeconfig, does not exist; pass another one (a path)",
            "found no kubeconfig: FOLDER/missing, given as `kubeconfig`, does not exist; pass another one (a path or the content)",
        ],
        ...[
            ["is a folder", ".", "is a folder, not a file; name a file in it"],
            ["is not YAML", "broken", "line 2, column 1: invalid YAML"],
            ["is empty", "empty", "found no clusters, users and contexts in it; check that the file is a kubeconfig"],
        ].map(([why, file, reason]): [string, string, undefined, string, string] => {
            const text = `the kubeconfig (${file === "." ? "FOLDER" : `FOLDER/${file}`}) cannot be read: ${reason}`;
            return [why, file, undefined, text, text];
        }),
        [
            "names no current context",
            "text",
            undefined,
            "the kubeconfig (FOLDER/text) selects no cluster: it has no current context; it has the contexts none",
            "the kubeconfig (FOLDER/text) selects no cluster: it has no current context; it has the contexts none",
        ],
        [
            "lacks the context",
            "two",
            "north",
            'the kubeconfig (FOLDER/two) has no context "north"; it has east, west. Pass one of them as --context',
            'the kubeconfig (FOLDER/two) has no context "north"; it has east, west. Pass one of them as `context`',
        ],
        [
            "selects none of its contexts",
            "two",
            undefined,
            'the kubeconfig (FOLDER/two) selects no cluster: its current context is "nowhere"; it has the contexts east, west. ' +
                "Pass one of them as --context",
            'the kubeconfig (FOLDER/two) selects no cluster: its current context is "nowhere"; it has the contexts east, west. ' +
                "Pass one of them as `context`",
        ],
        [
            "has no context to choose",
            "none",
            undefined,
            'the kubeconfig (FOLDER/none) selects no cluster: its current context is "nowhere"; it has the contexts none',
            'the kubeconfig (FOLDER/none) selects no cluster: its current context is "nowhere"; it has the contexts none',
        ],
    ];
    for (const [why, file, context, ofOptions, ofProgram] of rows) {
        const expected = (text: string) => ({ message: text.replaceAll("FOLDER", folder) });

        it(`that ${why}: a command names its options, a program its arguments`, async () => {
            const access = { kubeconfig: join(folder, file), context };
            await assert.rejects(optionsKubeConfig(access), expected(ofOptions));
            await assert.rejects(loadKubeConfig(access), expected(ofProgram));
        });

        it(`that ${why}: plan prints one error`, async () => {
            const options = { kubeconfig: join(folder, file), context, output: "text" } as const;
            assert.deepEqual(await plan("cluster.yaml", options, () => manifest), {
                output: "",
                errors: `error: ${expected(ofOptions).message}\n`,
                exitCode: 1,
            });
        });
    }

    it("because there is none: the message names where it was searched", async () => {
        const missing = (KUBECONFIG?: string) =>
            loadKubeConfig({}, undefined, { KUBECONFIG }).then(
                () => "found",
                (error: Error) => error.message,
            );
        const next = "or pass `kubeconfig` (a path or the content)";
        const [one, two] = ["a", "b"].map((name) => join(folder, "missing", name));
        assert.equal(
            await missing(one),
            `found no kubeconfig: KUBECONFIG names ${one}, which does not exist; correct it, ${next}`,
        );
        assert.equal(
            await missing(`${one}${delimiter}${two}`),
            `found no kubeconfig: KUBECONFIG names ${one} and ${two}, which do not exist; correct it, ${next}`,
        );
        const before = { ...process.env };
        process.env.HOME = folder;
        try {
            assert.equal(
                await missing(),
                `found no kubeconfig: KUBECONFIG is not set, and ${join(folder, ".kube", "config")} does not exist; ` +
                    `set KUBECONFIG, ${next}`,
            );
        } finally {
            process.env = before;
        }
    });
});

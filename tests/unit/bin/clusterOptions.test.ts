import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { optionsKubeConfig } from "../../../bin/clusterOptions";
import { plan } from "../../../bin/planCommand";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { pinnedWords, refusalOf } from "../../support/pinned";

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

    const rows: Record<string, [file: string, context?: string]> = {
        "does not exist": ["missing"],
        "is a folder": ["."],
        "is not YAML": ["broken"],
        "is empty": ["empty"],
        "names no current context": ["text"],
        "lacks the context": ["two", "north"],
        "selects none of its contexts": ["two"],
        "has no context to choose": ["none"],
    };
    const inFolder = (text: string) => text.replaceAll(folder, "FOLDER");
    const refusals = async (load: typeof loadKubeConfig, [file, context]: [string, string?]) =>
        inFolder(await refusalOf(() => load({ kubeconfig: join(folder, file), context }))());
    for (const [why, given] of Object.entries(rows)) {
        it(`that ${why}: plan prints the one error of a command`, async () => {
            const [file, context] = given;
            const options = { kubeconfig: join(folder, file), context, output: "text" } as const;
            const { output, errors, exitCode } = await plan("cluster.yaml", options, () => manifest);
            const expected = `${await refusals(optionsKubeConfig, given)}\n`;
            assert.deepEqual([output, inFolder(errors), exitCode], ["", expected, 1]);
        });
    }
    pinnedWords(
        "kubeconfig",
        Object.fromEntries(
            Object.entries(rows).flatMap(([why, given]) => [
                [`for a command: it ${why}`, () => refusals(optionsKubeConfig, given)],
                [`for a program: it ${why}`, () => refusals(loadKubeConfig, given)],
            ]),
        ),
    );

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

import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
            "no kubeconfig found; searched FOLDER/missing. Set KUBECONFIG, or pass --kubeconfig (a path)",
            "no kubeconfig found; searched FOLDER/missing. Set KUBECONFIG, or pass `kubeconfig` (a path or the content)",
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
});

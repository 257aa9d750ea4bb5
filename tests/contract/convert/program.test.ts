import assert from "node:assert/strict";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import * as ts from "typescript";
import { convert } from "../../../bin/convertCommand";
import { render } from "../../../bin/renderCommand";
import { checkManifest } from "../../../components/checkManifest";
import { renderCluster } from "../../../components/render";
import { goldenCases, goldenNote, type ManifestCase, ownCases } from "../../support/goldenCases";
import { typeErrors } from "../../support/typeErrors";

const root = join(__dirname, "..", "..", "..");

function converted({ name, manifest }: ManifestCase): string {
    const { output, errors, exitCode } = convert([name], () => JSON.stringify(manifest));
    assert.equal(exitCode, 0, errors);
    return output;
}

/** What a program gives to TidbCluster, when it runs. */
function manifestOf(program: string): { metadata: object; spec: object } {
    const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
    const { outputText } = ts.transpileModule(program, { compilerOptions });
    const made: { metadata: object; spec: object }[] = [];
    class TidbCluster {
        constructor(name: string, args: { metadata?: object; spec: object }) {
            made.push({ metadata: { name, ...args.metadata }, spec: args.spec });
        }
    }
    const run = new Function("require", "exports", outputText) as (require: unknown, exports: object) => void;
    run((path: string) => (assert.equal(path, "pulumi-tidb"), { TidbCluster }), {});
    assert.equal(made.length, 1);
    return made[0];
}

describe(`the programs that convert makes of our own manifests ${goldenNote}`, () => {
    const all = [...ownCases(), ...goldenCases()];
    const good = all.filter(
        ({ name, manifest }) => render([name], "json", () => JSON.stringify(manifest)).exitCode === 0,
    );

    it("exist for each manifest that render accepts; the others are refused with the same text", () => {
        assert.ok(good.length >= 3);
        for (const { name, manifest } of all.filter((one) => !good.includes(one))) {
            const text = JSON.stringify(manifest);
            assert.deepEqual(
                convert([name], () => text),
                render([name], "json", () => text),
            );
        }
    });

    it("compile", () => {
        const programs = good.map((one) => [`${one.name.replace(/\W/g, "-")}.ts`, converted(one)] as const);
        assert.equal(typeErrors(new Map(programs)), "");
    }).timeout(300_000);

    for (const one of good) {
        it(`render the objects of ${one.name}, and have Prettier's form`, async () => {
            const program = converted(one);
            assert.deepEqual(
                renderCluster(checkManifest(manifestOf(program)).manifest),
                renderCluster(checkManifest(one.manifest).manifest),
            );
            const options = await resolveConfig(join(root, "index.ts"));
            assert.equal(program, await format(program, { ...options, parser: "typescript" }));
        });
    }

    it("leave out what is not part of the cluster: status, kubectl's notes, unknown fields, defaults", () => {
        const program = converted({
            name: "live",
            manifest: {
                apiVersion: "pingcap.com/v1alpha1",
                kind: "TidbCluster",
                metadata: {
                    name: "live",
                    uid: "1",
                    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
                },
                spec: {
                    version: "v8.5.3",
                    versoin: "v1",
                    pd: { replicas: 1, requests: { storage: "1Gi" }, config: {} },
                    tikv: { replicas: 1, requests: { storage: "1Gi" }, config: 'log-level = "info"\n[server]\n' },
                },
                status: { clusterID: "1" },
            },
        });
        assert.equal(
            program,
            `import { TidbCluster } from "pulumi-tidb";

const cluster = new TidbCluster("live", {
    spec: {
        version: "v8.5.3",
        pd: { replicas: 1, requests: { storage: "1Gi" }, config: {} },
        tikv: {
            replicas: 1,
            requests: { storage: "1Gi" },
            config: \`log-level = "info"
[server]
\`,
        },
    },
});

export const host = cluster.sqlEndpoint;
export const images = cluster.images;
export const ready = cluster.ready;
`,
        );
    });
});

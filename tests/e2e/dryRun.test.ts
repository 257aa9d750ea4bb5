import * as assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { checkManifest } from "../../components/checkManifest";
import type { KubernetesObject } from "../../components/kubernetes/object";
import { renderCluster } from "../../components/render";
import { type Sandbox, startSandbox } from "pulumi-tidb-sandbox";
import { runProgram } from "../component/mockProgram";
import { type DryRunAnswer, dryRunOf } from "../support/e2e/dryRun";
import { kubernetesSide } from "../support/e2e/kubernetes";
import { goldenCases, goldenNote, ownCases } from "../support/goldenCases";

const examples = join(__dirname, "..", "..", "examples");

/** API groups of objects that an example has beside its cluster, and that a plain API server does not know. */
const foreign = /^(cert-manager\.io)\//;

/** Kinds that are not asked about: namespaces are there by then, and Secrets hold certificates that the mocks cannot make. */
const untold = ["Namespace", "Secret"];

describe(`An API server (dry run) that is asked for the objects of our own manifests ${goldenNote}`, () => {
    let sandbox: Sandbox;
    let ask: (object: KubernetesObject) => Promise<DryRunAnswer>;
    const namespaces = new Set(["default", "kube-system"]);

    before(async () => {
        sandbox = await startSandbox({ nodes: 1 });
        ask = await dryRunOf(sandbox.kubeconfig);
    });

    after(async () => {
        await sandbox?.down();
    });

    /** One answer an object that is not simply accepted. */
    async function objections(objects: readonly KubernetesObject[]): Promise<string[]> {
        const side = await kubernetesSide(sandbox.kubeconfig);
        const told: string[] = [];
        for (const object of objects) {
            const namespace = object.metadata.namespace ?? "default";
            if (!namespaces.has(namespace)) {
                namespaces.add(namespace);
                await side.createNamespace(namespace);
            }
            const inNamespace = { ...object, metadata: { ...object.metadata, namespace } };
            const { status, message, warnings } = await ask(inNamespace);
            if (status !== 201 || warnings.length > 0) {
                told.push(`${object.kind} ${object.metadata.name}: ${status} ${message} ${warnings.join(" ")}`);
            }
        }
        return told;
    }

    it("would say so, if one were not as it should be", async () => {
        const { manifest } = checkManifest(ownCases()[0].manifest);
        const broken = structuredClone(renderCluster(manifest)).filter(({ kind }) => kind === "StatefulSet");
        broken[0].spec.template.spec.containers[0].imagePullPolice = "Always";
        broken[1].spec.template.spec.nodeSelector = { "beta.kubernetes.io/os": "linux" };
        broken[2].metadata.name = "Not_A_Name";
        const [unknown, deprecated, unnamed] = await objections(broken.slice(0, 3));
        assert.match(unknown, /400 .*unknown field "spec\.template\.spec\.containers\[0\]\.imagePullPolice"/);
        assert.match(deprecated, /201 .*beta\.kubernetes\.io\/os.*deprecated/);
        assert.match(unnamed, /422 /);
    });

    for (const { name, manifest, invalid } of [...ownCases(), ...goldenCases()]) {
        if (invalid === undefined) {
            it(`takes all of ${name} without a warning`, async () => {
                assert.deepEqual(await objections(renderCluster(checkManifest(manifest).manifest)), []);
            });
        }
    }

    for (const example of readdirSync(examples)) {
        it(`takes all of examples/${example} without a warning`, async () => {
            const folder = join(examples, example);
            const here = process.cwd();
            process.chdir(folder); // As Pulumi does.
            try {
                // eslint-disable-next-line @typescript-eslint/no-require-imports
                const { resources } = await runProgram(() => require(join(folder, "index.ts")) as unknown, {
                    state: certificateState,
                    // What an example needs to be told.
                    config: {
                        "project:image": "registry.example/pulumi-tidb:0.1.0",
                        "project:bucket": "backups",
                        "project:accessKey": "key",
                        "project:secretKey": "secret",
                        "project:backupTo": "monday",
                        "project:restoreFrom": "sunday",
                    },
                });
                const own = resources
                    .filter(({ type }) => type.startsWith("kubernetes:"))
                    .map(({ inputs }) => inputs as KubernetesObject)
                    .filter(({ apiVersion, kind }) => !foreign.test(apiVersion) && !untold.includes(kind));
                assert.ok(own.length >= 7, `${own.length} objects`);
                assert.deepEqual(await objections(own), []);
            } finally {
                process.chdir(here);
            }
        });
    }
});

/** What the provider of `@pulumi/tls` makes: some text, which is no certificate. */
function certificateState(type: string, inputs: Record<string, unknown>): Record<string, unknown> | undefined {
    return type.startsWith("tls:")
        ? { ...inputs, certPem: "certificate", privateKeyPem: "key", privateKeyPemPkcs8: "key" }
        : undefined;
}

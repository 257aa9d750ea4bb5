import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { confinedSources } from "../../../sandbox/engine/confinement";
import { OtherCluster } from "../../../sandbox/engine/kubernetes/onlyCluster";
import type { Provider } from "../../../sandbox/engine/provider";
import type { ProviderSources } from "../../../sandbox/engine/providers";
import { type PropertyMap, unknownValue } from "../../../sandbox/engine/values";

const sandboxServer = "https://127.0.0.1:40001";

/** A kubeconfig with the contexts `here` and `prod`. The fields change the cluster of `here`. */
function kubeconfigWith(fields: Record<string, string | boolean> = {}): string {
    return JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [
            {
                name: "here",
                cluster: { server: sandboxServer, "certificate-authority-data": "c2FuZGJveA==", ...fields },
            },
            { name: "prod", cluster: { server: "https://prod.example:6443" } },
        ],
        users: [{ name: "admin", user: { token: "token" } }],
        contexts: ["here", "prod"].map((name) => ({ name, context: { cluster: name, user: "admin" } })),
        "current-context": "here",
    });
}

const gate = "pulumi-nodejs:tidb:ReadyGate";
const configMap = "kubernetes:core/v1:ConfigMap";

/** Calls each method of a provider for a resource with these inputs. */
const methods: Record<string, (provider: Provider, type: string, inputs: PropertyMap) => Promise<unknown>> = {
    check: (provider, type, news) => provider.check({ urn: "urn", type, news }),
    diff: (provider, type, news) =>
        provider.diff({ urn: "urn", type, id: "id", oldInputs: {}, oldOutputs: {}, news, ignoreChanges: [] }),
    create: (provider, type, inputs) => provider.create({ urn: "urn", type, inputs, preview: true }),
    update: (provider, type, news) =>
        provider.update({
            ...{ urn: "urn", type, id: "id", oldInputs: {}, oldOutputs: {} },
            ...{ news, ignoreChanges: [], preview: true },
        }),
    delete: (provider, type, inputs) => provider.delete({ urn: "urn", type, id: "id", inputs, outputs: {} }),
    read: (provider, type, inputs) => provider.read({ urn: "urn", type, id: "id", inputs, outputs: {} }),
};

describe("a run that may use only the sandbox", () => {
    const earlier = process.env.KUBECONFIG;
    let folder: string;
    let calls: string[];

    before(() => {
        folder = mkdtempSync(path.join(tmpdir(), "confinement-"));
        process.env.KUBECONFIG = path.join(folder, "kubeconfig");
        writeFileSync(process.env.KUBECONFIG, kubeconfigWith());
    });
    after(() => {
        delete process.env.KUBECONFIG;
        Object.assign(process.env, earlier === undefined ? {} : { KUBECONFIG: earlier });
        rmSync(folder, { recursive: true, force: true });
    });
    beforeEach(() => (calls = []));

    /** Providers that only note that they were called. */
    const confined = (config: Record<string, string> = {}): ProviderSources => {
        const noting = Object.fromEntries(
            Object.keys(methods).map((name) => [name, async () => void calls.push(name)]),
        ) as unknown as Provider;
        const sources: ProviderSources = {
            dynamic: () => noting,
            kubernetes: () => noting,
            plugin: () => noting,
            kubernetesCluster: () => undefined,
            allow: async () => {},
        };
        const only = { title: 'the sandbox "one"', server: sandboxServer, certificateAuthority: "sandbox" };
        return confinedSources(sources, only, { folder, config, environment: process.env });
    };
    const refused = /expected https:\/\/127\.0\.0\.1:40001, the API server of the sandbox "one".*Leave out kubeconfig/;

    for (const [name, call] of Object.entries(methods)) {
        it(`lets ${name} reach the sandbox, with the environment's kubeconfig and with the same one given explicitly`, async () => {
            const own = path.join(folder, "kubeconfig");
            await call(confined().kubernetes({}), configMap, {});
            await call(confined().kubernetes({ kubeconfig: own }), configMap, {});
            await call(confined().dynamic(), gate, { access: { kubeconfig: own, context: "here" } });
            await call(confined().dynamic(), gate, { access: {} });
            assert.deepEqual(calls, [name, name, name, name]);
        });

        it(`refuses ${name} on another cluster, from an explicit provider, from the stack's configuration and from a gate`, async () => {
            const prod = { context: "prod" };
            const attempts = [
                call(confined().kubernetes(prod), configMap, {}),
                call(confined({ "kubernetes:context": "prod" }).kubernetes({}), configMap, {}),
                call(confined().dynamic(), gate, { access: prod }),
            ];
            for (const attempt of attempts) {
                await assert.rejects(attempt, (error) => error instanceof OtherCluster && refused.test(error.message));
            }
            assert.deepEqual(calls, []);
        });
    }

    it("lets a record keep what it has, wherever the environment leads, because it connects to nothing", async () => {
        const here = process.env.KUBECONFIG;
        process.env.KUBECONFIG = path.join(folder, "missing");
        try {
            await methods.create(confined().dynamic(), "pulumi-nodejs:tidb:JobRecord", { job: "init" });
            await assert.rejects(methods.create(confined().dynamic(), gate, {}));
            assert.deepEqual(calls, ["create"]);
        } finally {
            process.env.KUBECONFIG = here;
        }
    });

    const elsewhere: Record<string, Record<string, string | boolean>> = {
        "another address": { server: "https://localhost:40001" },
        "another certificate": { "certificate-authority-data": "b3RoZXI=" },
        "no check of the certificate": { "insecure-skip-tls-verify": true },
        "a proxy": { "proxy-url": "http://127.0.0.1:1" },
    };
    for (const [what, fields] of Object.entries(elsewhere)) {
        it(`refuses a kubeconfig with ${what}`, async () => {
            const kubernetes = confined().kubernetes({ kubeconfig: kubeconfigWith(fields) });
            await assert.rejects(methods.create(kubernetes, configMap, {}), refused);
        });
    }

    it("refuses an explicit provider when it is registered, unless the preview does not know its settings", async () => {
        await assert.rejects(confined().allow({ context: "prod" }), refused);
        await confined().allow({ kubeconfig: unknownValue });
        await confined().allow({});
    });

    it("refuses the exported kubeconfig once a tool made another cluster its current one", async () => {
        const file = path.join(folder, "kubeconfig");
        writeFileSync(file, kubeconfigWith().replace('"current-context":"here"', '"current-context":"prod"'));
        try {
            await assert.rejects(methods.create(confined().kubernetes({}), configMap, {}), refused);
            await assert.rejects(methods.create(confined().dynamic(), gate, { access: {} }), refused);
            await assert.rejects(methods.create(confined().kubernetes({ kubeconfig: file }), configMap, {}), refused);
            assert.deepEqual(calls, []);
        } finally {
            writeFileSync(file, kubeconfigWith());
        }
    });

    it("refuses a kubeconfig that cannot be read", async () => {
        const attempt = methods.check(confined().kubernetes({ kubeconfig: "missing.yaml" }), configMap, {});
        await assert.rejects(attempt, /kubeconfig missing\.yaml.*found no usable cluster \(.*missing\.yaml/);
    });

    it("refuses a gate's own PD address, and leaves other dynamic resources alone", async () => {
        const inputs = { access: {}, pd: { address: "http://pd.prod:2379" } };
        await assert.rejects(
            methods.check(confined().dynamic(), gate, inputs),
            /^Error: pd\.address: found "http:\/\/pd/,
        );
        await methods.check(confined().dynamic(), "pulumi-nodejs:dynamic:Resource", inputs);
        assert.deepEqual(calls, ["check"]);
    });

    it("uses no plugin that could change something elsewhere", async () => {
        assert.throws(() => confined().plugin("aws"), /pulumi-resource-aws.*the sandbox "one".*random, time, tls/);
        assert.notEqual(confined().plugin("tls"), undefined);
    });
});

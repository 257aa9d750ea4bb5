import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import type { Deployment } from "../../../sandbox/engine/deployment";
import { createPlugins } from "../../../sandbox/engine/plugins";
import { createProviders } from "../../../sandbox/engine/providers";

const unasked = (): never => assert.fail("nothing else is asked");

describe("the engine with a package's plugin on PATH", () => {
    let folder: string;
    before(() => (folder = mkdtempSync(path.join(tmpdir(), "plugins-"))));
    after(() => rmSync(folder, { recursive: true, force: true }));

    const providersOf = (config: Record<string, string> = {}) => {
        const lines: string[] = [];
        const plugins = createPlugins({
            program: folder,
            engineAddress: "127.0.0.1:1",
            environment: { PATH: [folder, process.env.PATH].join(path.delimiter) },
            config,
            onOutput: (line) => lines.push(line),
        });
        const sources = { dynamic: unasked, kubernetes: unasked, kubernetesCluster: unasked, allow: unasked };
        const providers = createProviders(() => ({}) as Deployment, { ...sources, plugin: (name) => plugins.of(name) });
        return { plugins, providers, lines };
    };

    it("says which plugin is missing", () => {
        const { providers } = providersOf();
        assert.throws(
            () => providers.of({ type: "absent:index/thing:Thing" }),
            /absent:index\/thing:Thing needs the plugin for "absent", but pulumi-resource-absent is not on PATH/,
        );
    });

    it("refuses an explicit provider of that package", () => {
        const { providers } = providersOf();
        assert.throws(
            () => providers.of({ type: "pulumi:providers:tls" }),
            /pulumi:providers:tls is an explicit provider/,
        );
    });

    it("starts the plugin once, and quotes its output when it dies", async () => {
        const script = '#!/bin/sh\necho "no memory" >&2\nexit 3\n';
        writeFileSync(path.join(folder, "pulumi-resource-broken"), script, { mode: 0o755 });
        const { providers, plugins, lines } = providersOf();
        const type = "broken:index/thing:Thing";
        const provider = providers.of({ type });
        assert.equal(providers.of({ type }), provider);
        await assert.rejects(
            provider.check({ urn: "", type, news: {} }),
            /pulumi-resource-broken ended with code 3: no memory/,
        );
        await plugins.stop();
        assert.deepEqual(lines, ["no memory"]);
    });
});

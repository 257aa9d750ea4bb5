import assert from "node:assert/strict";
import fc from "fast-check";
import { checkManifest } from "../../../components/checkManifest";
import { configDigests } from "../../../components/kubernetes/configValueDigests";
import { inOrder, readConfig, type TomlTable, type TomlValue, writeConfig } from "../../../components/kubernetes/toml";
import type { Component } from "../../../topology/members";
import { smallCluster } from "./manifests";

function digestsOf(member: Component, config: unknown): Readonly<Record<string, string>> {
    const { members } = checkManifest(smallCluster(({ spec }) => Object.assign((spec[member] ??= {}), { config })));
    return members[member]?.facts.config() ?? {};
}

describe("a gate's record of a configuration", () => {
    it("has its keys by their dotted paths, each with a digest", () => {
        const digests = digestsOf("tikv", { raftstore: { "apply-pool-size": 2 }, server: { labels: { zone: "a" } } });
        assert.deepEqual(Object.keys(digests).sort(), ["raftstore.apply-pool-size", "server.labels.zone"]);
        assert.ok(Object.values(digests).every((digest) => /^[0-9a-f]{8}$/.test(digest)));
    });

    it("tells a key with a dot, which no server reads, from the key of a table", () => {
        const keys = Object.keys(digestsOf("tikv", '"log.level" = "warn"\n[log]\nlevel = "info"\n')).sort();
        assert.deepEqual(keys, ['"log.level"', "log.level"]);
        assert.deepEqual(Object.keys(digestsOf("tikv", { storage: { "a.b": 1 } })), ['storage."a.b"']);
        const labels = { server: { labels: { "topology.kubernetes.io/zone": "a" } } };
        assert.deepEqual(Object.keys(digestsOf("tikv", labels)), ["server.labels.topology.kubernetes.io/zone"]);
    });

    it("differs exactly where a value differs", () => {
        const before = digestsOf("tikv", { a: { one: 1, two: "x" }, b: [1, 2] });
        const after = digestsOf("tikv", 'b = [1, 3]\n[a]\ntwo = "x"\none = 1\n');
        assert.deepEqual([after["a.one"], after["a.two"]], [before["a.one"], before["a.two"]]);
        assert.notEqual(after.b, before.b);
        assert.notEqual(digestsOf("tikv", "a = 1").a, digestsOf("tikv", "a = 1.0").a);
    });

    it("contains no values, so a secret in a configuration stays out of the state", () => {
        const text = JSON.stringify(digestsOf("tikv", { security: { password: "open-sesame" } }));
        assert.doesNotMatch(text, /sesame/);
        const two = digestsOf("tikv", { a: "open-sesame", b: "open-sesame" });
        assert.notEqual(two.a, two.b);
    });

    it("distinguishes the two files of TiFlash", () => {
        const { members } = checkManifest(
            smallCluster(({ spec }) => {
                const storageClaims = [{ resources: { requests: { storage: "10Gi" } } }];
                const config = { config: { mark_cache_size: 5 }, proxy: { "log-level": "warn" } };
                spec.tiflash = { replicas: 1, storageClaims, config };
            }),
        );
        const keys = Object.keys(members.tiflash?.facts.config() ?? {});
        assert.ok(keys.includes("mark_cache_size") && keys.includes("proxy.log-level"), keys.join());
    });

    it("is empty without a ConfigMap", () => {
        const { members } = checkManifest(smallCluster(({ spec }) => (spec.ticdc = { replicas: 1 })));
        assert.equal(members.ticdc?.configMap, undefined);
        assert.deepEqual(members.ticdc?.facts.config(), {});
    });

    it("matches the text that pods read, even without reading that text", () => {
        fc.assert(
            fc.property(configurations, (config) => {
                const read = readConfig(writeConfig(config));
                assert.equal(shown(inOrder(config)), shown(read));
                assert.deepEqual(configDigests(config), configDigests(read));
            }),
            { numRuns: 500 },
        );
    });
});

/** Whatever TOML can say, but for dates. */
const { configurations } = fc.letrec<{ configurations: TomlTable; value: TomlValue }>((tie) => ({
    configurations: fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), tie("value"), {
        maxKeys: 5,
        noNullPrototype: true,
    }),
    value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.double({ noNaN: true }),
        fc.boolean(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(tie("configurations"), { maxLength: 3 }),
        tie("configurations"),
    ),
}));

/** With the order of its keys, and whole numbers apart from others. */
function shown(value: TomlTable): string {
    return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? `${inner}n` : inner));
}

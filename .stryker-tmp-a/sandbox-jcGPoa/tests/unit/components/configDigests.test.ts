import assert from "node:assert/strict";
import { configDigests } from "../../../components/configDigests";
import { objectOf } from "./manifests";

function digestsOf(member: string, config: unknown): Readonly<Record<string, string>> {
    return configDigests(objectOf(`ConfigMap/shop-${member}`, ({ spec }) => (spec[member].config = config)));
}

describe("what a gate is told of a configuration", () => {
    it("is its keys, by their dotted paths, each with a digest", () => {
        const digests = digestsOf("tikv", { raftstore: { "apply-pool-size": 2 }, server: { labels: { zone: "a" } } });
        assert.deepEqual(Object.keys(digests).sort(), ["raftstore.apply-pool-size", "server.labels.zone"]);
        assert.ok(Object.values(digests).every((digest) => /^[0-9a-f]{8}$/.test(digest)));
    });

    it("differs where a value does, and only there", () => {
        const before = digestsOf("tikv", { a: { one: 1, two: "x" }, b: [1, 2] });
        const after = digestsOf("tikv", 'b = [1, 3]\n[a]\ntwo = "x"\none = 1\n');
        assert.deepEqual([after["a.one"], after["a.two"]], [before["a.one"], before["a.two"]]);
        assert.notEqual(after.b, before.b);
        assert.notEqual(digestsOf("tikv", "a = 1").a, digestsOf("tikv", "a = 1.0").a);
    });

    it("holds no value: a secret in a configuration stays out of the state", () => {
        const text = JSON.stringify(digestsOf("tikv", { security: { password: "open-sesame" } }));
        assert.doesNotMatch(text, /sesame/);
        const two = digestsOf("tikv", { a: "open-sesame", b: "open-sesame" });
        assert.notEqual(two.a, two.b);
    });

    it("is nothing where there is no ConfigMap", () => {
        assert.deepEqual(configDigests(undefined), {});
    });
});

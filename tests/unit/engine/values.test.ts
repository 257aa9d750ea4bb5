import * as assert from "node:assert/strict";
import {
    containsUnknowns,
    deepEqual,
    makeSecret,
    maskSecrets,
    restoreSecrets,
    secretSignature,
    signatureKey,
    stripSecrets,
    unknownValue,
} from "../../../sandbox/engine/values";

const secret = { [signatureKey]: secretSignature, value: "hunter2" };

describe("engine: property values", () => {
    it("have their secrets opened for a provider, at any depth, even nested ones", () => {
        const value = { a: [secret], b: { c: makeSecret({ d: secret }) } };
        assert.deepEqual(stripSecrets(value), { a: ["hunter2"], b: { c: { d: "hunter2" } } });
    });

    it("never print a secret", () => {
        const shown = maskSecrets({ a: [secret], b: 1 });
        assert.deepEqual(shown, { a: ["[secret]"], b: 1 });
        assert.ok(!JSON.stringify(shown).includes("hunter2"));
    });

    it("are secret again if they came back in clear", () => {
        const before = { password: secret, nested: { token: secret, plain: 1 }, list: [secret], other: 2 };
        const after = { password: "hunter2", nested: { token: "t", plain: 1 }, list: ["a", "b"], other: 2, more: 3 };
        assert.deepEqual(restoreSecrets(after, before), {
            password: secret,
            nested: { token: makeSecret("t"), plain: 1 },
            list: makeSecret(["a", "b"]),
            other: 2,
            more: 3,
        });
    });

    it("are marked as a whole if an object was one secret", () => {
        const result = restoreSecrets({ data: { a: "1" } }, { data: makeSecret({ a: "1" }) });
        assert.deepEqual(result, { data: makeSecret({ a: "1" }) });
    });

    it("may be unknown at any depth", () => {
        assert.equal(containsUnknowns({ a: [{ b: unknownValue }] }), true);
        assert.equal(containsUnknowns({ a: [{ b: "known" }] }), false);
    });

    it("are compared by value, whatever the order of the keys", () => {
        assert.equal(deepEqual({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }), true);
        assert.equal(deepEqual({ a: [1, 2] }, { a: [1] }), false);
        assert.equal(deepEqual({ a: null }, {}), false);
    });
});

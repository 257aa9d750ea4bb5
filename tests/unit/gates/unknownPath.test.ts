import * as assert from "node:assert/strict";
import { unknownValue, unknownPath } from "../../../provider/gates/inputs";

describe("the first value that a preview does not know", () => {
    for (const [name, value, path] of [
        ["the value itself", unknownValue, "value"],
        ["a field", { cluster: "basic", leaseUid: unknownValue }, "leaseUid"],
        ["a field of a field", { access: { context: "a", kubeconfig: unknownValue } }, "access.kubeconfig"],
        ["an element of a list", { components: ["pd", unknownValue] }, "components.1"],
        ["behind a null or missing value", { domain: null, version: undefined, pd: unknownValue }, "pd"],
        ["the first of two", { a: unknownValue, b: unknownValue }, "a"],
        ["none", { cluster: "basic", replicas: 3, paused: false, pd: { tls: true }, gone: null }, undefined],
        ["none, without a value", null, undefined],
    ] as const) {
        it(`is ${name}`, () => assert.equal(unknownPath(value), path));
    }
});

import * as assert from "node:assert/strict";
import { UNKNOWN_VALUE, unknownPath } from "../../../provider/gates/inputs";

describe("the first value that a preview does not know", () => {
    for (const [name, value, path] of [
        ["the value itself", UNKNOWN_VALUE, "value"],
        ["a field", { cluster: "basic", leaseUid: UNKNOWN_VALUE }, "leaseUid"],
        ["a field of a field", { access: { context: "a", kubeconfig: UNKNOWN_VALUE } }, "access.kubeconfig"],
        ["an element of a list", { components: ["pd", UNKNOWN_VALUE] }, "components.1"],
        ["behind what is null or not there", { domain: null, version: undefined, pd: UNKNOWN_VALUE }, "pd"],
        ["the first of two", { a: UNKNOWN_VALUE, b: UNKNOWN_VALUE }, "a"],
        ["none", { cluster: "basic", replicas: 3, paused: false, pd: { tls: true }, gone: null }, undefined],
        ["none of nothing", null, undefined],
    ] as const) {
        it(`is ${name}`, () => assert.equal(unknownPath(value), path));
    }
});

import * as assert from "node:assert/strict";
import { noEffectProblems } from "../../../components/validation/noEffect";

describe("a field that has no effect", () => {
    const rows: [string, unknown, string[]][] = [
        ["with a number", 3, ["spec.tikv.field: 3 has no effect: failover is not part of this version"]],
        ["with a text", "v1", ['spec.tikv.field: "v1" has no effect: failover is not part of this version']],
        ["with a map", { a: 1 }, ["spec.tikv.field has no effect: failover is not part of this version"]],
        ["with a list", ["zone"], ["spec.tikv.field has no effect: failover is not part of this version"]],
        ["that is false", false, []],
        ["that is empty", {}, []],
    ];
    for (const [title, value, expected] of rows) {
        it(`${title} gives ${expected.length === 0 ? "no warning" : "a warning with the value, if it is short"}`, () => {
            const problems = noEffectProblems("spec.tikv", [
                { field: "field", value, why: "failover is not part of this version" },
            ]);
            assert.deepEqual(
                problems.map(({ message }) => message),
                expected,
            );
        });
    }
});

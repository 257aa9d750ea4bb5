import * as assert from "node:assert/strict";
import { diffProperties, renderChanges, summarizeChanges } from "../../../sandbox/engine/diff";
import { makeSecret, unknownValue } from "../../../sandbox/engine/values";

describe("engine: diff of inputs", () => {
    it("names every property that differs by its path", () => {
        const before = { replicas: 3, spec: { ports: [{ port: 1 }], gone: true }, same: "x" };
        const after = { replicas: 5, spec: { ports: [{ port: 2 }, { port: 3 }] }, same: "x", plan: ["evict"] };
        assert.deepEqual(diffProperties(before, after), [
            { path: "replicas", before: 3, after: 5 },
            { path: "spec.ports[0].port", before: 1, after: 2 },
            { path: "spec.ports[1]", after: { port: 3 } },
            { path: "spec.gone", before: true },
            { path: "plan", after: ["evict"] },
        ]);
    });

    it("quotes keys that contain the path's own signs", () => {
        const [change] = diffProperties({ data: { "pd.toml": "a" } }, { data: { "pd.toml": "b" } });
        assert.equal(change?.path, 'data["pd.toml"]');
    });

    it("shows neither secrets nor the code of a dynamic provider", () => {
        const changes = diffProperties(
            { password: makeSecret("old"), __provider: "code 1" },
            { password: makeSecret("new"), __provider: "code 2" },
        );
        assert.deepEqual(changes, [{ path: "password", before: "[secret]", after: "[secret]" }]);
    });

    it("shows changes with the CLI's signs", () => {
        const lines = renderChanges(
            [
                { path: "replicas", before: 3, after: 5 },
                { path: "plan[0]", after: "evict leaders" },
                { path: "old", before: 1 },
                { path: "uid", before: "a", after: unknownValue },
            ],
            "  ",
        );
        assert.deepEqual(lines, [
            "  ~ replicas: 3 => 5",
            '  + plan[0]: "evict leaders"',
            "  - old: 1",
            '  ~ uid: "a" => [unknown]',
        ]);
    });

    it("is summed up by top-level property", () => {
        const changes = diffProperties({ spec: { a: 1, b: 2 }, gone: 1 }, { spec: { a: 2, b: 3 }, added: 1 });
        assert.equal(summarizeChanges(changes), "~spec,+added,-gone");
    });
});

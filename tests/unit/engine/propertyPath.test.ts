import * as assert from "node:assert/strict";
import { applyIgnoreChanges, parsePropertyPath, pathContains } from "../../../sandbox/engine/propertyPath";

describe("engine: property paths", () => {
    it("have names, indices, quoted keys and the star", () => {
        assert.deepEqual(parsePropertyPath('spec.containers[0].env["a.b"][*]'), [
            "spec",
            "containers",
            0,
            "env",
            "a.b",
            "*",
        ]);
    });

    it("find what they cover", () => {
        assert.equal(pathContains("spec.volumeClaimTemplates", "spec.volumeClaimTemplates[0].spec.resources"), true);
        assert.equal(pathContains("spec.containers[*].image", "spec.containers[3].image"), true);
        assert.equal(pathContains("spec.volumes", "spec.volumeClaimTemplates"), false);
        assert.equal(pathContains("spec.replicas.x", "spec.replicas"), false);
    });

    it("reset ignored properties to their old values", () => {
        const news = { spec: { replicas: 5, image: "b", added: 1 } };
        const olds = { spec: { replicas: 3, image: "a", removed: 1 } };
        assert.deepEqual(applyIgnoreChanges(news, olds, ["spec.replicas", "spec.added", "spec.removed"]), {
            spec: { replicas: 3, image: "b", removed: 1 },
        });
        assert.equal(news.spec.replicas, 5);
    });

    it("reset everything with the star alone, including properties that were removed", () => {
        const olds = { metadata: { name: "a" }, data: { removed: "1" } };
        assert.deepEqual(applyIgnoreChanges({ metadata: { name: "b" }, added: 1 }, olds, ["*"]), olds);
    });

    it("cover every element with the star", () => {
        const news = { list: [{ a: 1 }, { a: 2 }] };
        const olds = { list: [{ a: 8 }, { a: 9 }] };
        assert.deepEqual(applyIgnoreChanges(news, olds, ["list[*].a"]), olds);
    });
});

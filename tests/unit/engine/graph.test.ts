import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { deletionWaves, dependantsOf, requirementsOf } from "../../../sandbox/engine/graph";
import type { ResourceState } from "../../../sandbox/engine/state";

function resource(urn: string, needs: Partial<ResourceState> = {}): ResourceState {
    return {
        urn,
        type: "t",
        custom: true,
        inputs: {},
        outputs: {},
        dependencies: [],
        propertyDependencies: {},
        ...needs,
    };
}

describe("engine: order of deletion", () => {
    it("deletes first what needs a resource: by dependency, parent, property or provider", () => {
        const all = [
            resource("stack"),
            resource("provider", { parent: "stack" }),
            resource("set", { parent: "stack", provider: "provider::id" }),
            resource("gate", { propertyDependencies: { replicas: ["set"] } }),
            resource("alone"),
        ];
        const waves = deletionWaves(all).map((wave) => wave.map(({ urn }) => urn));
        assert.deepEqual(waves, [["gate", "alone"], ["set"], ["provider"], ["stack"]]);
    });

    it("names everything that depends on a resource, nearest first", () => {
        const all = [resource("c", { dependencies: ["b"] }), resource("b", { dependencies: ["a"] }), resource("a")];
        assert.deepEqual(
            dependantsOf("a", all).map(({ urn }) => urn),
            ["b", "c"],
        );
    });

    it("deletes each resource once, and after all that need it, in any graph", () => {
        const graphs = fc
            .array(fc.array(fc.nat(), { maxLength: 3 }), { maxLength: 12 })
            .map((needs) =>
                needs.map((list, index) =>
                    resource(`r${index}`, { dependencies: index === 0 ? [] : list.map((n) => `r${n % index}`) }),
                ),
            );
        fc.assert(
            fc.property(graphs, (all) => {
                const gone = new Set<string>();
                for (const wave of deletionWaves(all)) {
                    for (const { urn } of wave) {
                        const needing = all.filter((each) => requirementsOf(each).includes(urn));
                        assert.ok(needing.every((each) => gone.has(each.urn)));
                    }
                    wave.forEach(({ urn }) => gone.add(urn));
                }
                assert.equal(gone.size, all.length);
            }),
        );
    });

    it("ends if a state contains a cycle", () => {
        const waves = deletionWaves([resource("a", { dependencies: ["b"] }), resource("b", { dependencies: ["a"] })]);
        assert.equal(waves.flat().length, 2);
    });
});

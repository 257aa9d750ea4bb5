import * as assert from "node:assert/strict";
import { shapeDifferences, shapeOf } from "../../support/real/shapeOf";

const store = { id: 1, address: "demo-tikv-0.x", state: "Up", ready: true };

describe("the shape of what gates read", () => {
    it("leaves out ids, counts, names and times", () => {
        const other = { id: 7, address: "demo-tikv-3.y", state: "Up", ready: true };
        assert.deepEqual(shapeOf([store, other]), shapeOf([store]));
    });

    it("has states, booleans, fields, and whether a fact is known", () => {
        const shape = shapeOf({ stores: { known: true, value: [store], at: 1 } });
        const changed = [
            { ...store, state: "Offline" },
            { ...store, ready: false },
            { ...store, labels: {} },
        ].map((one) => shapeOf({ stores: { known: true, value: [one], at: 1 } }));
        const unknown = shapeOf({ stores: { known: false, why: "PD does not answer" } });
        for (const one of [...changed, unknown]) {
            assert.equal(shapeDifferences(shape, one).length, 1);
        }
        assert.deepEqual(shapeDifferences({ a: unknown }, {}), ['a: {"stores":"not known"} / absent']);
    });

    it("is the same whatever the names of pods are that answers are kept by", () => {
        assert.deepEqual(shapeOf({ "demo-tikv-0": 1, "demo-tikv-1": 2 }), shapeOf({ "demo-tikv-5": 3 }));
    });
});

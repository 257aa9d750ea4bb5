import * as assert from "node:assert/strict";
import { components, engineOf, inOrderOfLeaving, topology } from "../../../topology/members";
import { headlessServiceName } from "../../../topology/names";

/** Those that tidb-operator has, in the order found. */
function among(known: readonly string[], found: readonly string[]): string[] {
    return found.filter((one) => known.includes(one));
}

describe("the record of the members", () => {
    it("has tidb-operator's order of a rollout", () => {
        const order = ["tso", "scheduling", "pd", "tiproxy", "tiflash", "tikv", "pump", "tidb", "ticdc"];
        assert.deepEqual(among(order, components), order);
    });

    it("removes members before those that they use", () => {
        const order = ["tiproxy", "tidb", "ticdc", "tiflash", "pump", "tikv", "tso", "scheduling", "pd"];
        const leaving = inOrderOfLeaving(components);
        assert.deepEqual(among(order, leaving), order);
        for (const component of components) {
            for (const needed of topology[component].needs) {
                assert.ok(leaving.indexOf(component) < leaving.indexOf(needed), `${component} leaves before ${needed}`);
            }
        }
    });

    it("gives no two members the same place in an order", () => {
        for (const order of ["suspension", "leaving"] as const) {
            const places = components.map((component) => topology[component][order]);
            assert.equal(new Set(places).size, components.length, order);
        }
    });

    it("recognizes a TiFlash store by its label, and takes any other for one of TiKV", () => {
        const labels: Record<string, string>[] = [
            { engine: "tiflash" },
            {},
            { engine: "tikv" },
            { zone: "a" },
            { engine: "another" },
        ];
        assert.deepEqual(labels.map(engineOf), ["tiflash", "tikv", "tikv", "tikv", "tikv"]);
    });

    it("names the headless Service of Pump as Pump itself, as tidb-operator does", () => {
        assert.equal(headlessServiceName("basic", "pump"), "basic-pump");
        assert.equal(headlessServiceName("basic", "tikv"), "basic-tikv-peer");
    });
});

import * as assert from "node:assert/strict";
import { pauseFor } from "../../../provider/gates/pauses";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { unknownPd } from "../../../provider/lifecycle/vocabulary/observation";
import { storeOf } from "../../support/lifecycle/observations";

describe("the pause between two observations", () => {
    const withStores = (count: number) => {
        const stores = Array.from({ length: count }, (_, ordinal) => storeOf(ordinal));
        return { pd: { ...unknownPd(), stores: known(stores, "PD", 0) } };
    };
    const [small, large] = [withStores(3), withStores(1_000)];

    it("is a twentieth of the wait, and never long", () => {
        const pauses = [0, 1000, 10_000, 3_600_000].map((waited) => pauseFor(waited, small, {}));
        assert.deepEqual(pauses, [150, 150, 500, 2000]);
    });
    it("is two seconds from the first on if PD has 1,000 stores: its answers are long", () => {
        assert.deepEqual([pauseFor(0, large, {}), pauseFor(3_600_000, large, {})], [2000, 2000]);
    });
    it("does not depend on stores that are not known", () => {
        assert.equal(pauseFor(0, { pd: unknownPd() }, {}), 150);
    });
    it("is three seconds at least if regions are listed", () => {
        assert.equal(pauseFor(0, small, { regions: "short" }), 3000);
    });
});

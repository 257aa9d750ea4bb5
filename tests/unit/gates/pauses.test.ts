import * as assert from "node:assert/strict";
import { runOperation } from "../../../provider/gates/loop";
import { longestPause, shortestPause } from "../../../provider/gates/pauses";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import { unknownPd } from "../../../provider/lifecycle/vocabulary/observation";
import { record } from "../../support/gates/recordedPorts";
import { now, observed, storeOf } from "../../support/lifecycle/observations";

describe("the pause between two observations", () => {
    const withStores = (count: number) => {
        const stores = Array.from({ length: count }, (_, ordinal) => storeOf(ordinal));
        return { pd: { ...unknownPd(), stores: known(stores, "PD", 0) } };
    };
    const [small, large] = [withStores(3), withStores(1_000)];

    it("is a twentieth of the wait, and never long", () => {
        const pauses = [0, 1000, 10_000, 3_600_000].map((waited) => longestPause(waited, small, {}));
        assert.deepEqual(pauses, [150, 150, 500, 2000]);
    });
    it("is six seconds from the first on if PD has 1,000 stores: its answers are long", () => {
        assert.deepEqual([longestPause(0, large, {}), longestPause(3_600_000, large, {})], [6000, 6000]);
    });
    it("is two seconds if only the name of PD's leader is known: it must be seen again within five seconds", () => {
        const { observation } = observed("tikv", { leadership: { term: "name:basic-pd-0" } });
        const { leadership } = observation.pd;
        const seen = { pd: { ...large.pd, leadership } };
        assert.deepEqual([longestPause(0, seen, {}), shortestPause(seen, {})], [2000, 2000]);
        assert.equal(shortestPause(seen, { regions: "short" }), 3000);
    });
    it("does not depend on stores that are not known", () => {
        assert.equal(longestPause(0, { pd: unknownPd() }, {}), 150);
    });
    it("is three seconds at least if regions are listed", () => {
        assert.equal(longestPause(0, small, { regions: "short" }), 3000);
        assert.equal(longestPause(0, large, { regions: "short" }), 6000);
    });
    it("is ended by a change, but not sooner than the number of stores and a list of regions allow", () => {
        const least = [small, withStores(500), large, withStores(5_000)].map((seen) => shortestPause(seen, {}));
        assert.deepEqual(least, [150, 2000, 4000, 4000]);
        assert.equal(shortestPause(small, { regions: "short" }), 3000);
    });

    it("keeps a PD with 1,000 stores from being asked more often than every four seconds, whatever changes", async () => {
        const ports = record();
        const { observation } = observed("tikv", {
            moreStores: Array.from({ length: 1_000 }, (_, n) => storeOf(100 + n)),
        });
        const wait: Move = {
            kind: "wait",
            step: "store-up",
            target: "basic-tikv-3",
            waitingFor: "store 13",
            since: now,
        };
        const looks: number[] = [];
        ports.look = () => {
            looks.push(ports.time);
            assert.ok(looks.length < 1_000, "the run does not end");
            return Promise.resolve({ ...observation, now: ports.time });
        };
        // Something changes all the time.
        ports.sleep = (milliseconds, leastMilliseconds = milliseconds) => {
            ports.time += leastMilliseconds;
            return Promise.resolve();
        };
        const look = { components: ["tikv"], pd: ["stores"], status: [] } as const;
        const next = (): Move => (ports.time - now >= 60_000 ? { kind: "done" } : wait);
        await runOperation({ description: "roll out basic-tikv", look, next }, ports);
        const between = looks.slice(1).map((at, n) => at - looks[n]);
        assert.deepEqual([...new Set(between)], [4000]);
    });
});

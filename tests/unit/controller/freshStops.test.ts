import * as assert from "node:assert/strict";
import { freshStops } from "../../../controller/freshStops";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { noLook } from "../../../provider/lifecycle/vocabulary/look";

/** A cluster on whose Lease somebody has asked runs to stop. */
function worldAsked(by: { now: string | undefined }): GateWorld {
    return {
        open: () =>
            Promise.resolve({
                lease: () => Promise.resolve({ uid: "lease-1", stopAsked: by.now }),
                look: () => Promise.resolve({ now: 1, stopRequest: by.now }),
            }),
    } as unknown as GateWorld;
}

async function asked(by: { now: string | undefined }, later: string | undefined) {
    const ports = await freshStops(worldAsked(by)).open({} as never, "effect");
    by.now = later;
    return [(await ports.lease())?.stopAsked, (await ports.look(noLook)).stopRequest];
}

describe("a request to stop", () => {
    it("that was made before a run of the controller began does not end it", async () => {
        assert.deepEqual(await asked({ now: "ana 1" }, "ana 1"), [undefined, undefined]);
    });

    it("that is made while the run works ends it", async () => {
        assert.deepEqual(await asked({ now: "ana 1" }, "ben 2"), ["ben 2", "ben 2"]);
        assert.deepEqual(await asked({ now: undefined }, "ana 1"), ["ana 1", "ana 1"]);
    });
});

import * as assert from "node:assert/strict";
import { pdCalls } from "../../../provider/pd/calls";
import { createTransport } from "../../../provider/pd/transport";
import { serve } from "../pd/server";
import { errorOf } from "./clients";
import { repeats } from "../../support/repeats";

describe("PD client: time limits", () => {
    it("let two dead members of five fail, one after the other, in 3 s each", () => {
        assert.equal(pdCalls.health.timeoutMilliseconds, 9000);
    });

    it("are longer for lists of regions", () => {
        assert.equal(pdCalls.regionsInCheck("miss-peer").timeoutMilliseconds, 20_000);
        assert.equal(pdCalls.regionsOfStore(1).timeoutMilliseconds, 20_000);
        assert.ok(!("timeoutMilliseconds" in pdCalls.stores));
    });

    it("come from the call unless the client has its own", async () => {
        await using silent = await serve(() => "hang");
        for (const [options, expected] of [
            [{}, "100 ms"],
            [{ timeoutMilliseconds: 200 }, "200 ms"],
        ] as const) {
            const transport = createTransport({ endpoints: [{ name: "pd-0", url: silent.url }], ...options });
            const call = { ...pdCalls.version, timeoutMilliseconds: 100, retry: "always" as const };
            repeats((await errorOf(() => transport.ask(call, () => undefined))).message, expected);
            transport.close();
        }
    });
});

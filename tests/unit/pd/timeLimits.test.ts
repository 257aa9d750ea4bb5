import * as assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { createPdClient, type PdClient } from "../../../provider/pd";
import { pdCalls } from "../../../provider/pd/calls";
import { serve } from "../../contract/pd/server";
import { json } from "./playedEtcd";

/** A client with the time limits that users have, of a PD that takes its time. */
async function on<T>(milliseconds: number, body: unknown, act: (client: PdClient) => Promise<T>): Promise<T> {
    await using pd = await serve(async () => {
        await pause(milliseconds);
        return json(200, body);
    });
    const client = createPdClient({ endpoints: [{ name: "pd-0", url: pd.url }] });
    try {
        return await act(client);
    } finally {
        client.close();
    }
}

describe("PD client: time limits", () => {
    it("two dead members of five do not make PD silent: it asks them one after the other, 3 s each", async () =>
        assert.deepEqual(await on(6500, [], (client) => client.health()), []));

    it("lists of regions may take their time, and a question may not", () => {
        assert.equal(pdCalls.regionsInCheck("miss-peer").timeoutMilliseconds, 20_000);
        assert.equal(pdCalls.regionsOfStore(1).timeoutMilliseconds, 20_000);
        assert.equal(pdCalls.health.timeoutMilliseconds, 9000);
        assert.ok(!("timeoutMilliseconds" in pdCalls.stores));
    });
});

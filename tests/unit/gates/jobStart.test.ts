import * as assert from "node:assert/strict";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { startAfterLook } from "../../../provider/gates/jobWorld";

describe("the start of a Job", () => {
    let now: number;
    let started: string[];
    /** How long the login of the request takes. */
    let login: number;
    beforeEach(() => ([now, started, login] = [0, [], 0]));
    const ports = () =>
        startAfterLook(
            {
                livePods: () => Promise.resolve([]),
                jobs: () => Promise.resolve([]),
                unsuspend: async (name: string, uid: string, assertAllowed: () => void) => {
                    now += login;
                    assertAllowed();
                    started.push(`${name} ${uid}`);
                    await Promise.resolve();
                },
            } as never,
            "restore",
            () => now,
        );

    it("is sent within seconds of the look at the other Jobs", async () => {
        const { beside, start } = ports();
        await beside();
        login = 4_000;
        await start("u");
        assert.deepEqual(started, ["restore u"]);
    });

    it("is not sent once another restore may have begun since: while the login took long, or without a look", async () => {
        const { beside, start } = ports();
        await assert.rejects(start("u"), StaleDecision);
        await beside();
        login = 5_001;
        await assert.rejects(start("u"), /the observation is 5 s old, expected 5 s at most: nothing was done/);
        assert.deepEqual(started, []);
        login = 0;
        await beside();
        await start("u");
        assert.deepEqual(started, ["restore u"]);
    });
});

import * as assert from "node:assert/strict";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { healthy, now, statusOf } from "./seenCluster";

describe("the versions that a member runs", () => {
    it("are those of pods whose container has started", () => {
        const image = "pingcap/tidb:does-not-exist";
        const waits = { image, ready: false, container: known({ is: "not-started" } as const, "the API server", now) };
        const { members } = statusOf(healthy({ pods: { "basic-tidb-1": waits } }));
        const tidb = members.find(({ component }) => component === "tidb");
        assert.deepEqual(tidb?.running, [{ version: "v8.5.3", pods: 1 }]);
    });
});

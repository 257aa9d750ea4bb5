import * as assert from "node:assert/strict";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { healthy, now, statusOf } from "./seenCluster";

describe("a status", () => {
    it("of a member without a started pod: that it runs no version", () => {
        const image = "pingcap/tidb:v8.5.4";
        const container = known({ is: "not-started" } as const, "the API server", now);
        const waits = { image, ready: false, container };
        const { members } = statusOf(
            healthy({
                statefulSets: { tidb: { image } },
                pods: { "basic-tidb-0": waits, "basic-tidb-1": waits },
            }),
        );
        assert.deepEqual(members.find(({ component }) => component === "tidb")?.tags, []);
    });

    it("of pods that stop after their StatefulSet was deleted with them (`pulumi destroy`): not that it is created again", () => {
        const stops = { terminating: true };
        const { checks } = statusOf(
            healthy({
                statefulSets: { tidb: { leftPods: true } },
                pods: { "basic-tidb-0": stops, "basic-tidb-1": stops },
            }),
        );
        assert.equal(checks.find(({ reason }) => reason === "StatefulSetNotUpToDate")?.result, "passed");
    });
});

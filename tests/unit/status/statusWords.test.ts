import * as assert from "node:assert/strict";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { versionsInWords } from "../../../status/unfinishedUpdate";
import { healthy, now, statusOf } from "./seenCluster";

describe("what status says", () => {
    it("of a pod beyond the wanted ones: not that the last update asked for the replacements of the dead", () => {
        const failures = { "basic-tidb-0": { uid: "u", counts: true, at: 0, why: "" } };
        const records = { ...noRecords(), failovers: { tidb: { uid: "u", failures } } } as never;
        const seen = healthy({
            statefulSets: { tidb: { replicas: 4 } },
            observation: { records },
            lease: { records },
        });
        const { conditions } = statusOf(seen);
        assert.doesNotMatch(conditions[0].message, /the last update asked for 3/, "it asked for 2");
    });

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
        assert.doesNotMatch(versionsInWords(members) ?? "", /members run different versions.*v8\.5\.4 \(TiDB\)/);
    });

    it("of pods that stop after their StatefulSet was deleted with them (`pulumi destroy`): not that it is created again", () => {
        const stops = { terminating: true };
        const { conditions, checks } = statusOf(
            healthy({
                statefulSets: { tidb: { leftPods: true } },
                pods: { "basic-tidb-0": stops, "basic-tidb-1": stops },
            }),
        );
        assert.doesNotMatch(JSON.stringify([conditions, checks]), /pulumi up --refresh/);
    });
});

import * as assert from "node:assert/strict";
import { describeScaling } from "../../../../provider/lifecycle/walks/describeScaling";
import { observed } from "../../../support/lifecycle/observations";

describe("what a StatefulSet's new number of replicas does, in words", () => {
    const { observation, target } = observed("tidb", { live: 3 });
    const live = target.replicas;
    const said = (replicas: number) => describeScaling(observation, { ...target, replicas });

    it("names the pods that start, and those that go", () => {
        assert.equal(live, 3);
        assert.equal(said(4), "next, StatefulSet basic-tidb starts basic-tidb-3 (from 3 to 4 replicas)");
        assert.equal(
            said(1),
            "next, StatefulSet basic-tidb removes basic-tidb-1 and basic-tidb-2 (from 3 to 1 replicas)",
        );
    });

    it("counts many", () => {
        assert.equal(said(9), "next, StatefulSet basic-tidb starts 6 pods (from 3 to 9 replicas)");
    });

    it("says nothing where the number stays, or there is no StatefulSet", () => {
        assert.equal(said(3), undefined);
        const { tidb } = observation.members;
        const without = { ...observation, members: { tidb: tidb && { ...tidb, statefulSet: undefined } } };
        assert.equal(describeScaling(without, { ...target, replicas: 4 }), undefined);
    });
});

import * as assert from "node:assert/strict";
import { known, notAsked } from "../../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import { notePd, wrongPd } from "../../../../provider/lifecycle/stages/pdIdentity";
import { nextReadyMove } from "../../../../provider/lifecycle/walks/ready";
import { inShort, observed } from "../../../support/lifecycle/observations";
import { repeats } from "../../../support/repeats";

describe("the PD that holds a cluster's metadata", () => {
    const seen = (clusterId: string | undefined, noted: string | undefined, row = {}) => {
        const { observation, target } = observed("tikv", row);
        const fact = clusterId === undefined ? notAsked : known(clusterId, "PD", observation.now);
        const pd = { ...observation.pd, clusterId: fact };
        return { target, observation: { ...observation, pd, pdClusterId: noted } };
    };
    const moveOf = ({ observation, target }: ReturnType<typeof seen>) =>
        inShort(nextReadyMove(observation, [target], emptyMemory));

    it("is recorded once the cluster is healthy, and only then", () => {
        assert.equal(moveOf(seen("7", undefined)), "note-pd 7");
        assert.notEqual(moveOf(seen("7", undefined, { stale: [3] })), "note-pd 7");
    });
    it("is recorded once, and not if PD did not report it", () => {
        assert.equal(moveOf(seen("7", "7")), "done");
        assert.equal(moveOf(seen(undefined, undefined)), "done");
    });
    it("must not be a different one: nothing may be done then", () => {
        const problem = wrongPd(seen("8", "7").observation);
        assert.equal(problem?.target, "basic-pd");
        assert.equal(problem.code, "same-pd");
        repeats(problem.seen, "8", "7");
        repeats(problem.next, "pd.address", "pulumi-tidb.io/pd-cluster-id", "basic-pulumi-tidb");
    });
    it("may be any before it is recorded, and while it is unreachable", () => {
        for (const [clusterId, noted] of [
            ["7", "7"],
            ["7", undefined],
            [undefined, "7"],
        ]) {
            assert.equal(wrongPd(seen(clusterId, noted).observation), undefined);
        }
    });

    it("is recorded with a readable description of the action", () => {
        const action = { do: "note-pd", clusterId: "7" };
        const { observation } = seen("7", undefined);
        assert.deepEqual(notePd(observation), { kind: "act", action, step: "same-pd", target: "basic-pd" });
        assert.equal(wrongPd(seen("8", "7").observation)?.step, "same-pd");
    });
});

import * as assert from "node:assert/strict";
import { emptyMemory } from "../../../../../provider/lifecycle/vocabulary/memory";
import { nextSuspendMove } from "../../../../../provider/lifecycle/walks/suspend";
import { waited } from "../../../../support/lifecycle/decisionTable";
import { inWords } from "../../../../support/lifecycle/inWords";
import { observed } from "../../../../support/lifecycle/observations";

describe("a member that is suspended is waited for", () => {
    const { observation, target } = observed("tidb", {});
    const tidb = observation.members.tidb ?? assert.fail();
    const set = tidb.statefulSet && { ...tidb.statefulSet, terminating: true };
    const words = (member: object, memory = emptyMemory) =>
        inWords(nextSuspendMove({ ...observation, members: { tidb: { ...tidb, ...member } } }, target, memory));
    const pods = "basic-tidb-0, basic-tidb-1 not stopped yet";
    it("with its pods", () => {
        assert.equal(words({}), "suspend basic-tidb: delete StatefulSet basic-tidb and its pods");
        assert.equal(words({ statefulSet: set }), `wait suspended basic-tidb: ${pods}`);
        assert.equal(words({ statefulSet: undefined }), `wait suspended basic-tidb: ${pods}`);
    });
    it("and its StatefulSet", () => {
        assert.equal(
            words({ statefulSet: set, pods: [] }),
            "wait suspended basic-tidb: StatefulSet basic-tidb still exists",
        );
        assert.equal(words({ statefulSet: undefined, pods: [] }), "done");
        assert.equal(inWords(nextSuspendMove({ ...observation, members: {} }, target, emptyMemory)), "done");
    });
    it("but not forever", () => {
        const next = "check the pods: an unreachable node or a finalizer can keep one from stopping";
        assert.equal(
            words({ statefulSet: undefined }, waited("suspended", "basic-tidb", 600)),
            `fail suspended basic-tidb: ${pods}, for 600 s. Next: ${next}`,
        );
    });
});

import * as assert from "node:assert/strict";
import { everyAction } from "../../../../support/lifecycle/everyAction";
import { actionKey, describeAction, isBookkeeping } from "../../../../../provider/lifecycle/vocabulary/actions";

describe("an action", () => {
    for (const [action, key, words] of everyAction) {
        it(`is described: ${words}`, () => assert.equal(describeAction(action), words));
        it(`has a key that does not depend on its counts: ${key}`, () => assert.equal(actionKey(action), key));
    }

    it("only updates this package's own records in exactly these cases: they need no lock on PD", () => {
        const tidying = new Set(everyAction.filter(([action]) => isBookkeeping(action)).map(([action]) => action.do));
        assert.deepEqual([...tidying].sort(), [
            "begin-batch",
            "begin-shutdown",
            "count-replacement",
            "forget-batch",
            "forget-eviction",
            "forget-failures",
            "forget-limits",
            "forget-lost-volumes",
            "forget-recovery",
            "forget-removal",
            "forget-settings",
            "forget-shutdown",
            "give-replicas-back",
            "note-eviction-gone",
            "note-password",
            "note-pd",
            "note-recovery-finished",
            "note-version",
        ]);
    });
});

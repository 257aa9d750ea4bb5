import * as assert from "node:assert/strict";
import { everyAction } from "../../support/lifecycle/everyAction";
import { actionKey, describeAction, isBookkeeping } from "../../../provider/lifecycle/vocabulary/actions";

describe("an action", () => {
    for (const [action, key, words] of everyAction) {
        it(`is said in words: ${words}`, () => assert.equal(describeAction(action), words));
        it(`is told from others whatever its counts are: ${key}`, () => assert.equal(actionKey(action), key));
    }

    it("only tidies this package's own records in these cases, and in no other: those need no lock of PD's", () => {
        const tidying = new Set(everyAction.filter(([action]) => isBookkeeping(action)).map(([action]) => action.do));
        assert.deepEqual([...tidying].sort(), [
            "begin-shutdown",
            "forget-eviction",
            "forget-removal",
            "note-eviction-gone",
            "note-password",
            "note-pd",
        ]);
    });
});

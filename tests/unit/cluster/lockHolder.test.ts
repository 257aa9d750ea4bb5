import * as assert from "node:assert/strict";
import { callThisProcess, lockHolder } from "../../../provider/cluster/lockHolder";
import { isUpdate } from "../../../provider/lifecycle/vocabulary/lock";
import { operationId } from "../../../provider/lifecycle/journal/journalText";

describe("the name of a process that holds a lock", () => {
    afterEach(() => callThisProcess());

    it("has its user, its host and its process", () =>
        assert.match(lockHolder(), new RegExp(`^\\S+@\\S+, process ${process.pid} \\([0-9a-f]{6}\\)$`)));

    it("says first that it is the controller's, if it is, and has the same mark in the ids of the journal", () => {
        const person = lockHolder();
        callThisProcess("controller");
        assert.equal(lockHolder(), `controller ${person}`);
        assert.deepEqual([person, lockHolder()].map(isUpdate), [true, false]);
        assert.equal(operationId(0, lockHolder(), 1), operationId(0, person, 1));
    });
});

import * as assert from "node:assert/strict";
import { treeOf } from "../../../sandbox/pulumi/processTree";

describe("driver: process tree", () => {
    it("finds everything that a process started", () => {
        const table = [
            { pid: 4, parent: 3 },
            { pid: 1, parent: 0 },
            { pid: 3, parent: 2 },
            { pid: 2, parent: 1 },
            { pid: 9, parent: 1 },
        ];
        assert.deepEqual(treeOf(2, table), [2, 3, 4]);
    });
});

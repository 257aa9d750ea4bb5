import * as assert from "node:assert/strict";
import { mayBeClaimOf } from "../../../topology/podNames";

describe("a claim may belong to a cluster", () => {
    it("if its name ends in the name of one of the cluster's pods, of any member and any template", () => {
        for (const name of ["tikv-basic-tikv-0", "tikv-raft-basic-tikv-12", "pd-basic-pd-2", "logs-basic-ticdc-1"]) {
            assert.equal(mayBeClaimOf(name, "basic"), true, name);
        }
    });
    it("but not if it is another cluster's, another StatefulSet's, or nobody's", () => {
        const names = [
            "tikv-other-tikv-0",
            "data-basic-mysql-0",
            "basic-tikv-0",
            "tikv-basic-tikv-01",
            "cache",
            undefined,
        ];
        for (const name of names) {
            assert.equal(mayBeClaimOf(name, "basic"), false, name);
        }
    });
});

import * as assert from "node:assert/strict";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { assembleDiagnosis } from "../../../../status/diagnosis/assembleDiagnosis";
import type { ClusterStatus } from "../../../../status/clusterStatus";
import { failed } from "../../../support/lifecycle/deaths";
import { healthy, now, statusOf } from "../seenCluster";

const problemsOf = (status: ClusterStatus) =>
    assembleDiagnosis(status, { pods: [], certificates: [], unread: [] }, false).problems;

describe("a number of replicas that is as wanted, or about to be", () => {
    it("is no problem while a pod still stops after a scale-in", () => {
        const status = statusOf(
            healthy({ statefulSets: { tidb: { replicas: 3 } }, pods: { "basic-tidb-2": { terminating: true } } }),
        );
        const members = status.members.map((one) => (one.component === "tidb" ? { ...one, replicas: 2 } : one));
        assert.deepEqual(problemsOf({ ...status, members }), []);
    });

    it("is no problem while the controller has noted a replacement that it has not added yet", () => {
        const holder = "controller root@basic-controller-7d9f, process 1 (77c0de)";
        const lock = { holder, operation: "replace basic-tikv-1", renewedAt: now };
        const records = { ...noRecords(), failovers: failed("tikv", 1) };
        assert.deepEqual(problemsOf(statusOf(healthy({ lease: { lock }, observation: { records } }))), []);
    });
});

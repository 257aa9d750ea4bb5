import * as assert from "node:assert/strict";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { templateRemarks } from "../../../provider/lifecycle/walks/templateRemarks";

describe("a pod template that somebody else changed", () => {
    const templateWriters = [{ manager: "kubectl-set", at: Date.parse("2026-11-25T22:51:09Z") }];
    const statefulSet = { name: "basic-tikv", templateWriters, updateRevision: "new" };
    const remarks = (kinds: string[], revision = "old", changes = false) =>
        templateRemarks(
            { members: { tikv: { statefulSet, pods: [{ revision: "new" }, { revision }] } } } as unknown as Observation,
            "tikv",
            kinds.map((kind) => ({ kind })),
            changes,
        );

    it("is named with the restarts that roll it out", () => {
        assert.deepEqual(remarks(["raise-limits", "restart"]), [
            "kubectl-set, which is not Pulumi, owns fields of the pod template of StatefulSet basic-tikv and last wrote at 2026-11-25 22:51:09 UTC: restarts may roll them out. `kubectl get statefulset basic-tikv -o yaml --show-managed-fields` shows which",
        ]);
    });

    it("is named if all pods have it and the update changes the StatefulSet: the provider may take it out", () => {
        assert.deepEqual(remarks(["start"], "new", true), [
            "kubectl-set, which is not Pulumi, owns fields of the pod template of StatefulSet basic-tikv and last wrote at 2026-11-25 22:51:09 UTC: this update may take them out, and then restarts all pods, which no step shows. `kubectl get statefulset basic-tikv -o yaml --show-managed-fields` shows which",
        ]);
        assert.deepEqual(remarks(["restart"], "new", true), [], "the steps show the restarts");
        assert.deepEqual(remarks(["start"], "new"), []);
    });

    it("is not named where nothing restarts, or nobody else has changed it", () => {
        assert.deepEqual(remarks(["wait"]), []);
        assert.deepEqual(remarks(["restart"], "new"), [], "all pods have it already");
        assert.deepEqual(templateRemarks({ members: {} }, "tikv", [{ kind: "restart" }], true), []);
    });
});

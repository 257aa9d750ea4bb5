import * as assert from "node:assert/strict";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { templateRemarks } from "../../../provider/lifecycle/walks/templateRemarks";

describe("a pod template that somebody else changed", () => {
    const at = Date.parse("2026-11-25T22:51:09Z");
    const words = (what: string) => [
        `kubectl-set, which is not Pulumi, owns fields of the pod template of StatefulSet basic-tikv and last wrote at 2026-11-25 22:51:09 UTC: ${what}. \`kubectl get statefulset basic-tikv -o yaml --show-managed-fields\` shows which`,
    ];
    const remarks = (kinds: string[], revision = "old", isTakenOut?: true) => {
        const templateWriters = [{ manager: "kubectl-set", at, ...(isTakenOut ? { isTakenOut } : {}) }];
        const statefulSet = { name: "basic-tikv", templateWriters, updateRevision: "new" };
        const members = { tikv: { statefulSet, pods: [{ revision: "new" }, { revision }] } };
        const steps = kinds.map((kind) => ({ kind }));
        return templateRemarks({ members } as unknown as Observation, "tikv", steps);
    };

    it("is named with the restarts that roll it out", () => {
        assert.deepEqual(remarks(["raise-limits", "restart"]), words("restarts may roll them out"));
    });

    it("is named where no restart is planned, if the next change of the StatefulSet takes it out", () => {
        const next = words(
            "an update that changes the StatefulSet takes them out and restarts the pods, which no step shows",
        );
        assert.deepEqual(remarks([], "new", true), next);
        assert.deepEqual(remarks(["start"], "new", true), next);
        assert.deepEqual(remarks(["restart"], "new", true), [], "the steps show restarts");
        assert.deepEqual(remarks(["start"], "new"), [], "it stays");
    });

    it("is not named where nothing restarts, or nobody else has changed it", () => {
        assert.deepEqual(remarks(["wait"]), []);
        assert.deepEqual(remarks(["restart"], "new"), [], "all pods have it already");
        assert.deepEqual(templateRemarks({ members: {} }, "tikv", [{ kind: "restart" }]), []);
    });
});

import * as assert from "node:assert/strict";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { templateRemarks } from "../../../provider/lifecycle/walks/templateRemarks";

describe("a pod template that somebody else changed", () => {
    const at = Date.parse("2026-11-25T22:51:09Z");
    const words = (what: string) => [
        `kubectl-set, which is not Pulumi, owns fields of the pod template of StatefulSet basic-tikv and last wrote at 2026-11-25 22:51:09 UTC: ${what}. \`kubectl get statefulset basic-tikv -o yaml --show-managed-fields\` shows which`,
    ];
    const remarks = (kinds: string[], revision = "old", changes = false, isTakenOut?: true) => {
        const templateWriters = [{ manager: "kubectl-set", at, ...(isTakenOut ? { isTakenOut } : {}) }];
        const statefulSet = { name: "basic-tikv", templateWriters, updateRevision: "new" };
        const members = { tikv: { statefulSet, pods: [{ revision: "new" }, { revision }] } };
        const steps = kinds.map((kind) => ({ kind }));
        return templateRemarks({ members } as unknown as Observation, { component: "tikv", changes }, steps);
    };

    it("is named with the restarts that roll it out", () => {
        assert.deepEqual(remarks(["raise-limits", "restart"]), words("restarts may roll them out"));
    });

    it("is named with the restarts if the update takes it out", () => {
        const out = words("this update takes them out, which restarts the pods");
        assert.deepEqual(remarks(["restart"], "new", true, true), out);
        assert.deepEqual(remarks(["restart"], "old", true, true), out);
        assert.deepEqual(remarks(["restart"], "new", false, true), [], "the update leaves the StatefulSet as it is");
        assert.deepEqual(remarks(["restart"], "new", true), [], "the provider leaves them");
    });

    it("is not named where nothing restarts, or nobody else has changed it", () => {
        assert.deepEqual(remarks(["wait"]), []);
        assert.deepEqual(remarks(["restart"], "new"), [], "all pods have it already");
        assert.deepEqual(
            templateRemarks({ members: {} }, { component: "tikv", changes: true }, [{ kind: "restart" }]),
            [],
        );
    });
});

import * as assert from "node:assert/strict";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { templateRemarks } from "../../../provider/lifecycle/walks/templateRemarks";

describe("a pod template that somebody else changed", () => {
    const templateWriters = [{ manager: "kubectl-set", at: Date.parse("2026-11-25T22:51:09Z") }];
    const seen = { members: { tikv: { statefulSet: { name: "basic-tikv", templateWriters } } } };
    const remarks = (kinds: string[]) =>
        templateRemarks(
            seen as unknown as Observation,
            "tikv",
            kinds.map((kind) => ({ kind })),
        );

    it("is named with the restarts that roll it out", () => {
        assert.deepEqual(remarks(["raise-limits", "restart"]), [
            "kubectl-set, which is not Pulumi, changed the pod template of StatefulSet basic-tikv at 2026-11-25 22:51:09 UTC, and restarts roll that out. `kubectl get statefulset basic-tikv -o yaml --show-managed-fields` shows what; undo it first if nobody meant it",
        ]);
    });

    it("is not named where nothing restarts, or nobody else has changed it", () => {
        assert.deepEqual(remarks(["wait"]), []);
        assert.deepEqual(templateRemarks({ members: {} }, "tikv", [{ kind: "restart" }]), []);
    });
});

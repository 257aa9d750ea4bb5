import * as assert from "node:assert/strict";
import type { Observation } from "../../../../provider/lifecycle/vocabulary/observation";
import { foreignFields } from "../../../../provider/lifecycle/walks/foreignFields";

describe("a pod template that somebody else changed", () => {
    const at = Date.parse("2026-11-25T22:51:09Z");
    const memberRisks = [{ words: "pods of basic-tikv may restart without a step", members: ["tikv"] }];
    const words = (what: string) => [
        `kubectl-set, which is not Pulumi, owns fields of the pod template of StatefulSet basic-tikv and last wrote at 2026-11-25 22:51:09 UTC: ${what}. \`kubectl get statefulset basic-tikv -o yaml --show-managed-fields\` shows which`,
    ];
    const found = (kinds: (string | { kind: string; target: string })[], revision = "old", isTakenOut?: true) => {
        const templateWriters = [{ manager: "kubectl-set", at, ...(isTakenOut ? { isTakenOut } : {}) }];
        const statefulSet = { name: "basic-tikv", templateWriters, updateRevision: "new" };
        const members = {
            tikv: {
                statefulSet,
                pods: [
                    { name: "basic-tikv-0", revision: "new" },
                    { name: "basic-tikv-1", revision },
                ],
            },
        };
        const steps = kinds.map((one) => (typeof one === "string" ? { kind: one, target: "basic-tikv-1" } : one));
        return foreignFields({ members } as unknown as Observation, "tikv", steps);
    };

    const nothing = { warnings: [], memberRisks: [] };

    it("is named with the restarts that roll it out", () => {
        const warnings = words("restarts may roll them out");
        assert.deepEqual(found(["raise-limits", "restart"]), { warnings, memberRisks: [] });
        const taken = words(
            "restarts may roll them out; if this update changes the StatefulSet, it takes them out, and pods that need only them do not restart",
        );
        assert.deepEqual(
            found(["restart"], "old", true),
            { warnings: taken, memberRisks },
            "basic-tikv-0 has them already",
        );
        const both = [0, 1].map((ordinal) => ({ kind: "restart", target: `basic-tikv-${ordinal}` }));
        assert.deepEqual(found(both, "old", true), { warnings: taken, memberRisks: [] });
    });

    it("is named where no restart is planned, if the next change of the StatefulSet takes it out", () => {
        const warnings = words(
            "an update that changes the StatefulSet takes them out, and restarts the pods if the program has other values, which no step shows",
        );
        assert.deepEqual(found([], "new", true), { warnings, memberRisks });
        assert.deepEqual(found(["start"], "new", true), { warnings, memberRisks });
        assert.deepEqual(found(["restart"], "new", true), nothing, "the steps show restarts");
        assert.deepEqual(found(["start"], "new"), nothing, "it stays");
    });

    it("is not named where nothing restarts, or nobody else has changed it", () => {
        assert.deepEqual(found(["wait"]), nothing);
        assert.deepEqual(found(["restart"], "new"), nothing, "all pods have it already");
        assert.deepEqual(
            foreignFields({ members: {} }, "tikv", [{ kind: "restart", target: "basic-tikv-0" }]),
            nothing,
        );
    });
});

import * as assert from "node:assert/strict";
import { memberLifecycles } from "../../../../../provider/lifecycle/members/memberLifecycles";
import { stageTimeout, type Stage } from "../../../../../provider/lifecycle/vocabulary/stage";
import { podView } from "../../../../support/lifecycle/inWords";
import type { Component } from "../../../../../topology/members";

describe("every wait ends", () => {
    const policy = {
        ...{ podReadyTimeoutSeconds: 601, minReadySeconds: 7, evictLeaderTimeoutSeconds: 602 },
        ...{ leadersBackTimeoutSeconds: 603, storeRemovalTimeoutSeconds: 604, gracefulShutdownTimeoutSeconds: 605 },
    };
    /** Stages whose timeout is not `podReadyTimeoutSeconds`, by name. */
    const others: Record<string, object> = {
        "no-backup-runs": { seconds: 3600, then: "fail" },
        "leaders-back": { seconds: 603, then: "go-on" },
        "leaders-may-return": { seconds: 60, then: "go-on" },
        "leaders-can-move": { seconds: 0, then: "fail" },
        "leaders-evicted": { seconds: 601, then: "fail", as: "eviction-begun" },
        "batch-decided": { seconds: 20, then: "go-on" },
        "others-take-regions": { seconds: 0, then: "fail" },
        "store-tombstone": { seconds: 604, then: "fail" },
        "pump-offline": { seconds: 604, then: "fail" },
        "pd-not-needed": { seconds: 0, then: "fail" },
        "limits-raised": { seconds: 6, then: "go-on", as: "limits-backed-off " },
        ...Object.fromEntries(
            [
                "shutdown-begun",
                "capture-answers",
                "owner-elsewhere",
                "capture-drained",
                "next-is-not-owner",
                "owner-well",
            ].map((name) => [name, { seconds: 605, then: "go-on", as: "capture-shut-down" }]),
        ),
    };
    for (const [component, lifecycle] of Object.entries(memberLifecycles)) {
        it(`of ${component}, and fails unless the walk may go on`, () => {
            const view = podView(component as Component, 0, { policy });
            const all: Stage[] = [
                ...(lifecycle.beforeUpgrade ?? []),
                ...lifecycle.beforeRestart,
                ...lifecycle.afterRestart,
                ...lifecycle.beforeRemoval,
                ...lifecycle.afterRemovalTakenBack,
            ];
            for (const stage of all) {
                const expected = others[stage.name] ?? { seconds: 601, then: "fail" };
                assert.deepEqual(stageTimeout(stage, view), expected, stage.name);
            }
        });
    }
});

import * as assert from "node:assert/strict";
import { known } from "../../../../../provider/lifecycle/vocabulary/evidence";
import type { Component } from "../../../../../topology/members";
import { notReady } from "../../../../support/lifecycle/decisionTable";
import { evicting, now, observed } from "../../../../support/lifecycle/observations";
import { plannedRollout } from "../../../../support/lifecycle/planned";
import { repeats } from "../../../../support/repeats";

/** The gate of the cluster compares versions only in the update that brings them: what is left of one that failed shows it by itself. */
describe("the steps that a failed update has left", () => {
    const risks = (component: Component, from: string, to: string, hasRun = true) => {
        const { observation, target } = observed(component, { stale: [0] });
        observation.members[component]!.pods.forEach((pod) => {
            pod.image = `pingcap/${component}:${from}`;
            pod.container = hasRun ? pod.container : known({ is: "not-started" }, "the API server", now);
        });
        return plannedRollout(observation, { ...target, tag: to }).map(({ risk }) => risk);
    };

    it("have the risk of a version that is earlier, or may be", () => {
        repeats(risks("tidb", "v8.5.4", "v8.5.3"), "v8.5.3", "v8.5.4");
        repeats(risks("tidb", "v8.5.4", "does-not-exist"), "does-not-exist", "v8.5.4");
        repeats(risks("tidb", "nightly", "v8.5.4"), "v8.5.4", "nightly");
    });

    it("have none of a later version, of a version that never started, or of a member with releases of its own", () => {
        assert.deepEqual(risks("tidb", "v8.5.3", "v8.5.4"), [undefined]);
        assert.deepEqual(risks("tidb", "does-not-exist", "v8.5.4", false), [undefined]);
        assert.deepEqual(risks("tiproxy", "v1.3.0", "v1.2.0"), [undefined]);
    });

    it("raise PD's limit again for the leaders of a store that return", () => {
        const does = (more: object): string[] => {
            const { observation, target } = observed("tikv", {
                stale: [2, 1],
                pods: { 2: notReady },
                policy: { evictionWindow: {} },
                limits: { "leader-schedule-limit": 4 },
                records: evicting(2, { leadersBefore: 500, ...more }),
            });
            return plannedRollout(observation, target)[0].does;
        };
        const restart = ["delete pod", "end the eviction"];
        assert.deepEqual(does({}), [
            ...restart,
            "raise PD's leader-schedule-limit from 4 to 64",
            "put back PD's leader-schedule-limit from 64 to 4",
        ]);
        assert.deepEqual(does({ leadersBefore: 10 }), restart);
        assert.deepEqual(does({ limitsBack: true }), restart);
    });
});

import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { refusedReplicas } from "../../../provider/lifecycle/walks/keptVolumes";
import type { Component } from "../../../topology/members";
import { claimOf, observed } from "../../support/lifecycle/observations";
import { changePorts, clusterWorld, told as clusterTold } from "./clusterWorld";
import { repeats } from "../../support/repeats";
import { refusedAt } from "../../support/gates/refusedAt";

const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims: [] };

/** `kubectl delete statefulset --cascade=orphan` has left 3 pods, and the program asks for 2. */
async function planOf(component: Component, more: object = {}) {
    const hasVolumes = component === "tikv" || component === "pd";
    const claims = hasVolumes ? [0, 1, 2].map((ordinal) => claimOf(component, ordinal, {})) : [];
    const world = clusterWorld({ live: { [component]: { live: 3, claims } } });
    changePorts(world, ({ look }) => ({
        look: async (...how) => {
            const seen = await look(...how);
            const member = seen.members[component];
            const orphaned = member && { ...member, statefulSet: undefined };
            return orphaned ? { ...seen, members: { ...seen.members, [component]: orphaned } } : seen;
        },
    }));
    const told = clusterTold({ gate: "scale", component, desiredReplicas: 2, policy: defaultPolicy, fixed, ...more });
    const olds = { ...told, desiredReplicas: 3, replicas: 3, plan: [], deferred: "" };
    return createGate(scaleGateDefinition, world).planOf(olds, told);
}

describe("a StatefulSet that is created again, with fewer replicas than it left pods", () => {
    for (const component of ["tidb", "ticdc", "tiproxy", "tikv", "pd"] as const) {
        it(`of ${component} is refused: its controller would delete the pod at once`, async () => {
            const { refused } = await planOf(component);
            assert.deepEqual(refusedAt(refused), [`spec.${component}.replicas`]);
            repeats(refused?.[0].reason, "found 2, expected 3", `basic-${component}-2`);
        });
    }

    it("of tikv is refused, also with volumes that a scale-in has released: it may have been reverted, and the store may be in use", () => {
        const { observation, target } = observed("tikv", { claims: [claimOf("tikv", 3, { released: true })] });
        delete observation.members.tikv?.statefulSet;
        repeats(refusedReplicas(observation, { ...target, replicas: 3 })?.reason, "found 3, expected 4");
    });
});

import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import { suspendGateDefinition } from "../../../provider/gates/suspendGate";
import { findMoves } from "../../../provider/lifecycle/drain/planMoves";
import { emptyMemory } from "../../../provider/lifecycle/vocabulary/memory";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { nextRolloutMove } from "../../../provider/lifecycle/walks/rollout";
import { nextSuspendMove } from "../../../provider/lifecycle/walks/suspend";
import type { Component } from "../../../topology/members";
import { decisionTable, notReady, type Row } from "../../support/lifecycle/decisionTable";
import { onDrained } from "../../support/lifecycle/drains";
import { lostFrom } from "../../support/lifecycle/lostVolumes";
import { claimOf, type Deviation, inShort, observed, storeOf } from "../../support/lifecycle/observations";
import { clusterWorld, told } from "./clusterWorld";

/** `kubectl delete pvc --wait=false`: Kubernetes keeps the claim as long as its pod runs. */
const deleted = (component: Component, ordinal: number, more: object = {}) => [
    claimOf(component, ordinal, { terminating: true, ...more }),
];

const tikv: Row[] = [
    ["its claim is deleted", { stale: [3], claims: deleted("tikv", 3) }, "fail volumes-stay basic-tikv-3"],
    ["that of another pod is", { stale: [3], claims: deleted("tikv", 2) }, "begin-eviction 13"],
    ["a scale-in has released it", { stale: [3], claims: deleted("tikv", 3, { released: true }) }, "begin-eviction 13"],
    [
        "it is given up with a node",
        {
            stale: [3],
            claims: deleted("tikv", 3),
            records: { ...noRecords(), lostVolumes: lostFrom("tikv", 3) },
        },
        "begin-eviction 13",
    ],
    [
        "PD has made its store Tombstone",
        {
            stale: [3],
            claims: deleted("tikv", 3),
            stores: { 3: undefined },
            tombstones: [storeOf(3, { state: "Tombstone" })],
            pods: { 3: notReady },
        },
        "restart basic-tikv-3",
    ],
    [
        "its process does not run: what is on its volume is still needed",
        { stale: [3], claims: deleted("tikv", 3), pods: { 3: notReady } },
        "fail volumes-stay basic-tikv-3",
    ],
    [
        "it is on a node that is being emptied",
        { pods: { 3: onDrained() }, claims: deleted("tikv", 3) },
        "fail volumes-stay basic-tikv-3",
    ],
];

const pd: Row[] = [
    ["its claim is deleted", { stale: [2], claims: deleted("pd", 2) }, "fail volumes-stay basic-pd-2"],
    [
        "PD does not answer, and the pod cannot start",
        {
            stale: [2],
            pods: { 2: { ...notReady, trouble: "ImagePullBackOff" } },
            claims: deleted("pd", 2),
            pdSilent: true,
        },
        "fail volumes-stay basic-pd-2",
    ],
    [
        "a failover has taken the member out of PD",
        { stale: [2], claims: deleted("pd", 2), notMembers: [2], pods: { 2: notReady } },
        "restart basic-pd-2",
    ],
];

const moves = (component: Component) => ({
    rows: component === "tikv" ? tikv : pd,
    next: (...[observation, target, memory]: Parameters<typeof nextRolloutMove>) => {
        const pods = observation.members[component]?.pods ?? [];
        const drained = pods.filter(({ drain }) => drain !== undefined).map(({ name, uid }) => [name, uid]);
        return nextRolloutMove(observation, { ...target, moves: Object.fromEntries(drained) }, memory);
    },
});

for (const component of ["tikv", "pd"] as const) {
    const { rows, next } = moves(component);
    decisionTable(`a pod of ${component} whose volume would go with it`, component, rows, next);
}

describe("a claim that somebody has deleted under a running pod", () => {
    const planOf = (component: Component, more: Deviation) => {
        const world = clusterWorld({ live: { pd: {}, tikv: {}, tidb: {}, [component]: more } });
        const replicas = component === "tikv" ? 4 : 3;
        const inputs = told({
            gate: "rollout",
            component,
            desiredReplicas: replicas,
            templateRevision: "new-template",
            policy: defaultPolicy,
            fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
        });
        return createGate(rolloutGateDefinition, world).planOf({ ...inputs, plan: [], deferred: "" }, inputs);
    };
    const tikvWay =
        "a claim cannot be undeleted: have PD drop the data on the volume while the others have it (`pd-ctl store delete 13`, until `pd-ctl store 13` says Tombstone; with no other store to take its regions, raise the replicas first), then `kubectl delete pod basic-tikv-3`, which starts with an empty one; then run `pulumi up` again";
    const says =
        "claim tikv-basic-tikv-3 is being deleted, and Kubernetes deletes its volume once the pod stops. Next: ";

    it("refuses the restart of the pod in the plan, and says how to let it go without loss", async () => {
        const { failures } = await planOf("tikv", { stale: [3], claims: deleted("tikv", 3) });
        assert.deepEqual(failures, [
            {
                property: "",
                reason: `spec.tikv: found a step that stops basic-tikv-3, expected none: ${says}${tikvWay}`,
            },
        ]);
    });

    it("is warned of, as a risk of the plan, where the pod does not stop", async () => {
        const ofOthers = await planOf("tikv", { stale: [2], claims: deleted("tikv", 3) });
        const withoutSteps = await planOf("tikv", { claims: deleted("tikv", 3) });
        // A plan without steps does not ask PD for the ids of its stores.
        const someId = tikvWay.replaceAll("store delete 13", "store delete ID").replaceAll("store 13", "store ID");
        for (const [found, way] of [
            [ofOthers, tikvWay],
            [withoutSteps, someId],
        ] as const) {
            assert.equal(found.failures, undefined);
            assert.deepEqual(found.warnings, [`basic-tikv-3: ${says}${way}`]);
            assert.deepEqual(found.memberRisks, [
                { words: "basic-tikv-3 loses its volume once it stops", members: ["tikv"] },
            ]);
        }
    });

    it("refuses a suspension, which stops all pods, and not one that is under way", async () => {
        const row = { claims: deleted("tidb", 1) };
        const world = clusterWorld({ live: { tidb: row } });
        const inputs = told({ gate: "suspend", component: "tidb", policy: defaultPolicy });
        const { failures } = await createGate(suspendGateDefinition, world).check({}, inputs);
        assert.match(
            String(failures?.[0].reason),
            /^spec\.tidb: found a step that stops basic-tidb-1, .*copy what is still needed from the volume, and `kubectl delete pod basic-tidb-1`/,
        );
        const { observation, target } = observed("tidb", row);
        assert.equal(inShort(nextSuspendMove(observation, target, emptyMemory)), "fail volumes-stay basic-tidb-1");
        const set = observation.members.tidb?.statefulSet;
        Object.assign(set ?? {}, { terminating: true });
        assert.equal(inShort(nextSuspendMove(observation, target, emptyMemory)), "wait suspended basic-tidb");
    });

    it("keeps the pod on a node that is being emptied, and says why", () => {
        const { observation, target } = observed("tikv", { pods: { 3: onDrained() }, claims: deleted("tikv", 3) });
        const found = findMoves(observation, target);
        assert.deepEqual(found.moves, {});
        assert.match(
            found.remarks.join(),
            /^basic-tikv-3 is on node node-1.* It is not moved: claim tikv-basic-tikv-3 is/,
        );
    });
});

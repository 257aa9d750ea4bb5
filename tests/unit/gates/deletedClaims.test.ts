import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import { suspendGateDefinition } from "../../../provider/gates/suspendGate";
import { findMoves } from "../../../provider/lifecycle/drain/planMoves";
import { emptyMemory } from "../../../provider/lifecycle/vocabulary/memory";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { nextRolloutMove } from "../../../provider/lifecycle/walks/rollout";
import { memberLifecycles } from "../../../provider/lifecycle/members/memberLifecycles";
import { viewOf } from "../../../provider/lifecycle/vocabulary/stage";
import { nextSuspendMove } from "../../../provider/lifecycle/walks/suspend";
import type { Component } from "../../../topology/members";
import { failed } from "../../support/lifecycle/deaths";
import { decisionTable, neverStarted, notReady, type Row } from "../../support/lifecycle/decisionTable";
import { onDrained } from "../../support/lifecycle/drains";
import { lostFrom } from "../../support/lifecycle/lostVolumes";
import {
    claimOf,
    type Deviation,
    evicting,
    inShort,
    longAgo,
    observed,
    storeOf,
} from "../../support/lifecycle/observations";
import { zoned } from "../../support/lifecycle/zones";
import { clusterWorld, told } from "./clusterWorld";
import { repeats } from "../../support/repeats";
import { refusedAt } from "../../support/gates/refusedAt";

/** `kubectl delete pvc --wait=false`: Kubernetes keeps the claim as long as its pod runs. */
const deleted = (component: Component, ordinal: number, more: object = {}) => [
    claimOf(component, ordinal, { terminating: true, ...more }),
];

/** A failover that was noted: its record stays until the program asks for its end, whatever comes back meanwhile. */
const failover = (component: Component, ordinal: number, more: object) => {
    const pod = `basic-${component}-${ordinal}`;
    const claims = [{ name: `${component}-${pod}`, uid: `claim-${ordinal}` }];
    return { ...noRecords(), failovers: failed(component, ordinal, { claims, ...more }) };
};
const bad = { ...notReady, trouble: "ImagePullBackOff" };
const tombstone = (more: object = {}) => ({
    stores: { 3: undefined },
    tombstones: [storeOf(3, { state: "Tombstone", ...more })],
});
const earlier = tombstone({ id: 9, startedAt: longAgo - 86_400_000 });

const otherDomain = storeOf(3, { id: 88, own: false, address: "basic-tikv-3.old:20160" });
/** Without a node it would not keep a claim. */
const onNode = { ...neverStarted, node: "node-1" };

const fails = "fail volumes-stay basic-tikv-3";
const tikv: Row[] = [
    ["its claim is deleted", { stale: [3], claims: deleted("tikv", 3) }, fails],
    ["that of another pod is", { stale: [3], claims: deleted("tikv", 2) }, "begin-eviction 13"],
    [
        "it replaced a dead one, whose node came back: the store is Up",
        { stale: [3], claims: deleted("tikv", 3), records: failover("tikv", 3, { storeId: 13 }) },
        fails,
    ],
    [
        "a loss was noted, and the node came back: the store is Up",
        { stale: [3], claims: deleted("tikv", 3), records: { ...noRecords(), lostVolumes: lostFrom("tikv", 3) } },
        fails,
    ],
    ...(["Up", "Disconnected", "Down", "Offline"] as const).map((state): Row => [
        `a scale-in released it and was reverted: the store is ${state}`,
        { stale: [3], claims: deleted("tikv", 3, { released: true }), stores: { 3: { state } } },
        fails,
    ]),
    [
        "its process does not run: no pod that serves stops before it, and nothing waits for it",
        { stale: [0, 1, 2, 3], claims: deleted("tikv", 3), pods: { 3: bad }, stores: { 3: { state: "Down" } } },
        fails,
    ],
    [
        "an eviction was begun with it, and it does not run: another one that does not is repaired first",
        {
            stale: [2, 3],
            claims: deleted("tikv", 3),
            pods: { 2: bad, 3: bad },
            stores: { 2: { state: "Down" }, 3: { state: "Down" } },
            records: evicting(3),
            evicted: [13],
        },
        "restart basic-tikv-2",
    ],
    ["it would be in a batch with another one", zoned({ claims: deleted("tikv", 2) }), "begin-eviction 15"],
    [
        "PD has made its store Tombstone",
        { stale: [3], claims: deleted("tikv", 3), ...tombstone(), pods: { 3: notReady } },
        "restart basic-tikv-3",
    ],
    [
        "PD has made its store Tombstone, and nothing restarts it: only a person deletes the pod",
        { claims: deleted("tikv", 3), ...tombstone(), pods: { 3: notReady } },
        "fail emptied-pod-deleted basic-tikv-3",
    ],
    [
        "PD has made its store Tombstone, which is not known now",
        { stale: [3], claims: deleted("tikv", 3), ...tombstone(), pods: { 3: notReady }, unknown: ["tombstones"] },
        "wait volumes-stay basic-tikv-3",
    ],
    [
        "PD has made its store Tombstone, and another pod does not run: that one is repaired first",
        {
            stale: [1],
            claims: deleted("tikv", 3),
            stores: { 3: undefined, 1: { state: "Down" } },
            tombstones: [storeOf(3, { state: "Tombstone" })],
            pods: { 3: notReady, 1: bad },
        },
        "restart basic-tikv-1",
    ],
    [
        "a scale-in that was reverted has released it, and PD its store: the gate that scales deletes the pod",
        { claims: deleted("tikv", 3, { released: true }), ...tombstone(), pods: { 3: notReady } },
        "fail emptied-pod-deleted basic-tikv-3",
    ],
    [
        "that pod is being deleted",
        { claims: deleted("tikv", 3), ...tombstone(), pods: { 3: { ...notReady, terminating: true } } },
        "wait pod-stopped basic-tikv-3",
    ],
    [
        "PD has made its store Tombstone, and nobody has deleted a claim",
        { ...tombstone(), pods: { 3: notReady } },
        "wait pod-available basic-tikv-3",
    ],
    [
        "only an earlier pod's store is Tombstone, and PD does not list that of the process",
        { stale: [3], claims: deleted("tikv", 3), ...earlier },
        fails,
    ],
    [
        "only an earlier pod's store is Tombstone, and no process runs that could register another one",
        { stale: [3], claims: deleted("tikv", 3), ...earlier, pods: { 3: notReady } },
        "restart basic-tikv-3",
    ],
    [
        "PD lists a store of the pod under another domain",
        { stale: [3], claims: deleted("tikv", 3), ...earlier, moreStores: [otherDomain], pods: { 3: notReady } },
        fails,
    ],
    [
        "its process does not run: what is on its volume is still needed",
        { stale: [3], claims: deleted("tikv", 3), pods: { 3: notReady } },
        fails,
    ],
    ["it is on a node that is being emptied", { pods: { 3: onDrained() }, claims: deleted("tikv", 3) }, fails],
    [
        "others do not run either: they are repaired first, without which its store never leaves",
        {
            stale: [1, 2, 3],
            pods: { 1: bad, 2: bad, 3: bad },
            stores: { 1: { state: "Down" }, 2: { state: "Down" }, 3: { state: "Down" } },
            claims: deleted("tikv", 3),
        },
        "restart basic-tikv-2",
    ],
];

const pd: Row[] = [
    ["its claim is deleted", { stale: [2], claims: deleted("pd", 2) }, "fail volumes-stay basic-pd-2"],
    [
        "PD does not answer, and only this pod cannot start",
        { stale: [2], pods: { 2: bad }, claims: deleted("pd", 2), pdSilent: true },
        "wait volumes-stay basic-pd-2",
    ],
    [
        "PD does not answer, and no pod can start: the others give the quorum back first",
        { stale: [0, 1, 2], pods: { 0: bad, 1: bad, 2: bad }, claims: deleted("pd", 2), pdSilent: true },
        "restart basic-pd-1",
    ],
    [
        "its pod was made anew, and no node has it yet: nothing keeps the claim",
        { claims: deleted("pd", 2), notMembers: [2], pods: { 2: neverStarted } },
        "wait pod-available basic-pd-2",
    ],
    [
        "a failover has taken the member out of PD",
        {
            stale: [2],
            claims: deleted("pd", 2),
            notMembers: [2],
            pods: { 2: notReady },
            records: failover("pd", 2, { member: { name: "basic-pd-2", id: "102" } }),
        },
        "restart basic-pd-2",
    ],
    [
        "PD does not list it, and nothing shows that it was removed: the volume may have a member's data",
        { stale: [2], claims: deleted("pd", 2), notMembers: [2], pods: { 2: notReady } },
        "fail volumes-stay basic-pd-2",
    ],
    [
        "a failover was noted, and the member is healthy again",
        {
            stale: [2],
            claims: deleted("pd", 2),
            records: failover("pd", 2, { member: { name: "basic-pd-2", id: "102" } }),
        },
        "fail volumes-stay basic-pd-2",
    ],
    [
        "PD lists a member of an unknown pod, which may be this one",
        {
            stale: [2],
            claims: deleted("pd", 2),
            notMembers: [2],
            moreMembers: [{ name: "recovered", memberId: "77", podName: undefined, healthy: true }],
        },
        "fail volumes-stay basic-pd-2",
    ],
];

const pump: Row[] = [
    [
        "a scale-in released it and was reverted: the pump is online",
        { stale: [1], claims: deleted("pump", 1, { released: true }) },
        "fail volumes-stay basic-pump-1",
    ],
];

const others = (component: Component): Row[] => [
    [
        "its process does not run, and the other one serves",
        { live: 2, stale: [0, 1], claims: deleted(component, 1), pods: { 1: bad } },
        `fail volumes-stay basic-${component}-1`,
    ],
];

const moves = (component: Component) => ({
    rows: { tikv, pd, pump, tidb: others("tidb"), tiproxy: others("tiproxy") }[component as "tikv"],
    next: (...[observation, target, memory]: Parameters<typeof nextRolloutMove>) => {
        const pods = observation.members[component]?.pods ?? [];
        const drained = pods.filter(({ drain }) => drain !== undefined).map(({ name, uid }) => [name, uid]);
        return nextRolloutMove(observation, { ...target, moves: Object.fromEntries(drained) }, memory);
    },
});

for (const component of ["tikv", "pd", "pump", "tidb", "tiproxy"] as const) {
    const { rows, next } = moves(component);
    decisionTable(`a pod of ${component} whose volume would go with it`, component, rows, next);
}

describe("a claim that somebody has deleted under a running pod", () => {
    const planOf = (component: Component, more: Deviation, desiredReplicas = component === "tikv" ? 4 : 3) => {
        const world = clusterWorld({ live: { pd: {}, tikv: {}, tidb: {}, [component]: more } });
        const inputs = told({
            gate: "rollout",
            component,
            desiredReplicas,
            templateRevision: "new-template",
            policy: defaultPolicy,
            fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
        });
        return createGate(rolloutGateDefinition, world).planOf({ ...inputs, plan: [], deferred: "" }, inputs);
    };
    it("refuses the restart of the pod in the plan, and says how to let it go without loss", async () => {
        const { refused } = await planOf("tikv", { stale: [3], claims: deleted("tikv", 3) });
        assert.deepEqual(refusedAt(refused), ["spec.tikv"]);
        const commands = ["`pd-ctl store delete 13`", "`kubectl delete pod basic-tikv-3`"];
        repeats(refused?.[0].reason, "basic-tikv-3", "claim tikv-basic-tikv-3", ...commands);
    });

    it("is warned of, as a risk of the plan, where the pod does not stop", async () => {
        const ofOthers = await planOf("tikv", { stale: [2], claims: deleted("tikv", 3) });
        const withoutSteps = await planOf("tikv", { claims: deleted("tikv", 3) });
        for (const found of [ofOthers, withoutSteps]) {
            assert.deepEqual([found.refused, found.warnings.length], [undefined, 1]);
            repeats(found.warnings[0], "basic-tikv-3: claim tikv-basic-tikv-3", "`kubectl delete pod basic-tikv-3`");
            assert.deepEqual(found.memberRisks, [
                { words: "basic-tikv-3 loses its volume once it stops", members: ["tikv"] },
            ]);
        }
    });

    it("lets the replicas be raised first, as the refusal says, and fails before it stops that pod", async () => {
        const live = { live: 3, stale: [2], claims: deleted("tikv", 2), stores: { 3: undefined } };
        const { refused, warnings } = await planOf("tikv", live, 4);
        assert.equal(refused, undefined);
        repeats(warnings, "basic-tikv-2: ");
    });

    it("lets other pods be repaired, and fails before it stops that pod", async () => {
        const live = { stale: [2, 3], claims: deleted("tikv", 3), pods: { 2: bad } };
        assert.equal((await planOf("tikv", live)).refused, undefined);
    });

    it("says what is left to do once PD has dropped the data, without a risk", async () => {
        const found = await planOf("tikv", { claims: deleted("tikv", 3), ...tombstone(), pods: { 3: notReady } });
        repeats(found.warnings, "`kubectl delete pod basic-tikv-3`");
        assert.deepEqual(found.memberRisks, []);
    });

    it("names nothing to delete where the update does it", async () => {
        const claims = deleted("tikv", 3, { released: true });
        const { warnings } = await planOf("tikv", { stale: [0], claims, ...tombstone(), pods: { 3: notReady } });
        assert.equal(warnings.length, 1);
        assert.ok(!warnings[0].message.includes("kubectl delete pod"), warnings[0].message);
    });

    it("says nothing that deletes the pod while PD does not answer, and warns of it in the deferred plan", async () => {
        const found = await planOf("pd", { live: 1, stale: [0], claims: deleted("pd", 0), pdSilent: true }, 1);
        assert.equal(found.warnings.length, 1);
        repeats(found.warnings[0], "basic-pd-0: claim pd-basic-pd-0", "persistentVolumeReclaimPolicy: Retain");
        assert.ok(!found.warnings[0].message.includes("kubectl delete pod"), found.warnings[0].message);
    });

    it("says nothing of a pod that stops already, as that of a dead PD member whose claims the failover deletes first", async () => {
        const stopping = { claims: deleted("pd", 2), notMembers: [2], pods: { 2: { ...notReady, terminating: true } } };
        const found = await planOf("pd", stopping);
        assert.deepEqual([found.warnings, found.memberRisks], [[], []]);
    });

    it("says nothing of a pod that the update removes", async () => {
        const found = await planOf("tikv", { live: 4, claims: deleted("tikv", 3) }, 3);
        assert.deepEqual([found.warnings, found.memberRisks], [[], []]);
    });

    for (const [title, component, more, way, ...says] of [
        [
            "the only PD member",
            "pd",
            { live: 1, claims: deleted("pd", 0), stale: [0] },
            "only-copy",
            "persistentVolumeReclaimPolicy: Retain",
        ],
        [
            "a member that has never started",
            "pd",
            {
                stale: [2],
                notMembers: [2],
                moreMembers: [{ name: "", memberId: "77", podName: "basic-pd-2", healthy: false }],
                claims: deleted("pd", 2),
            },
            "by-commands",
            "`pd-ctl member delete id 77`",
        ],
        [
            "a pod whose member PD may list under another name",
            "pd",
            {
                stale: [2],
                notMembers: [2],
                moreMembers: [{ name: "recovered", memberId: "77", podName: undefined, healthy: true }],
                claims: deleted("pd", 2),
            },
            "not-known, may stop",
            "recovered",
        ],
        [
            "a process whose store PD does not list",
            "tikv",
            { stale: [3], stores: { 3: undefined }, claims: deleted("tikv", 3) },
            "not-known, may stop",
            "Tombstone",
        ],
        [
            "two stores under its address",
            "tikv",
            { stale: [3], moreStores: [storeOf(3, { id: 99 })], claims: deleted("tikv", 3) },
            "not-known",
            "13 and 99",
        ],
        [
            "a process that runs beside an earlier Tombstone store",
            "tikv",
            { stale: [3], claims: deleted("tikv", 3), ...earlier },
            "not-known, may stop",
            "Tombstone",
        ],
        [
            "a store that PD has never had",
            "tikv",
            { stale: [3], stores: { 3: undefined }, pods: { 3: onNode }, claims: deleted("tikv", 3) },
            "none",
            "`kubectl delete pod basic-tikv-3`",
        ],
        [
            "a pod that has not run yet, and whose store PD lists under another domain",
            "tikv",
            {
                stale: [3],
                stores: { 3: undefined },
                moreStores: [otherDomain],
                pods: { 3: onNode },
                claims: deleted("tikv", 3),
            },
            "not-known",
            "88",
            "basic-tikv-3.old:20160",
        ],
        [
            "such a store beside an earlier Tombstone one",
            "tikv",
            {
                ...earlier,
                stale: [3],
                stores: { 3: undefined },
                moreStores: [otherDomain],
                pods: { 3: notReady },
                claims: deleted("tikv", 3),
            },
            "not-known",
            "88",
        ],
        [
            "a pod whose Tombstone stores are not known",
            "tikv",
            {
                stale: [3],
                stores: { 3: undefined },
                unknown: ["tombstones"],
                pods: { 3: onNode },
                claims: deleted("tikv", 3),
            },
            "not-known",
            "persistentVolumeReclaimPolicy: Retain",
        ],
        [
            "a PD that lists no members",
            "pd",
            { stale: [2], notMembers: [0, 1, 2], claims: deleted("pd", 2) },
            "not-known",
            "persistentVolumeReclaimPolicy: Retain",
        ],
        [
            "the only PD member with data",
            "pd",
            {
                live: 2,
                stale: [0],
                notMembers: [1],
                moreMembers: [{ name: "", memberId: "77", podName: "basic-pd-1", healthy: false }],
                claims: deleted("pd", 0),
            },
            "only-copy",
            "persistentVolumeReclaimPolicy: Retain",
        ],
        [
            "the only PD member, listed twice",
            "pd",
            {
                live: 1,
                stale: [0],
                moreMembers: [{ name: "", memberId: "77", podName: "basic-pd-0", healthy: false }],
                claims: deleted("pd", 0),
            },
            "only-copy",
            "persistentVolumeReclaimPolicy: Retain",
        ],
        [
            "a pod with another volume",
            "tikv",
            {
                stale: [3],
                claims: [...deleted("tikv", 3), claimOf("tikv", 3, { name: "raft-basic-tikv-3", uid: "r" })],
            },
            "by-commands",
            "`kubectl delete pvc --wait=false raft-basic-tikv-3`",
        ],
    ] as [string, Component, Deviation & { stale: number[] }, string, ...string[]][]) {
        it(`has its own way out for ${title}`, async () => {
            const { observation, target } = observed(component, more);
            const dropped = memberLifecycles[component].droppedByHand?.(viewOf(observation, target, more.stale[0]));
            const mayStop = dropped?.is === "not-known" && dropped.mayStop ? ", may stop" : "";
            assert.equal(`${dropped?.is ?? "none"}${mayStop}`, way);
            const { refused } = await planOf(component, more, more.live);
            assert.deepEqual(refusedAt(refused), [`spec.${component}`]);
            repeats(refused?.[0].reason, ...says);
        });
    }

    it("lets a member be suspended whose data PD has dropped", async () => {
        const row = { claims: deleted("tikv", 3), ...tombstone(), pods: { 3: notReady } };
        const world = clusterWorld({ live: { pd: {}, tikv: row } });
        const inputs = told({ gate: "suspend", component: "tikv", policy: defaultPolicy });
        assert.equal((await createGate(suspendGateDefinition, world).check({}, inputs)).failures, undefined);
    });

    it("refuses to suspend a member with a volume in use that a scale-in once released", async () => {
        const world = clusterWorld({ live: { pd: {}, tikv: { claims: deleted("tikv", 3, { released: true }) } } });
        const inputs = told({ gate: "suspend", component: "tikv", policy: defaultPolicy });
        const { refused } = await createGate(suspendGateDefinition, world).planOf({}, inputs);
        assert.deepEqual(refusedAt(refused), ["spec.tikv"]);
        repeats(refused?.[0].reason, "basic-tikv-3");
    });

    it("refuses a suspension, which stops all pods, and not one that is under way", async () => {
        const row = { claims: deleted("tidb", 1) };
        const world = clusterWorld({ live: { tidb: row } });
        const inputs = told({ gate: "suspend", component: "tidb", policy: defaultPolicy });
        const { refused } = await createGate(suspendGateDefinition, world).planOf({}, inputs);
        assert.deepEqual(refusedAt(refused), ["spec.tidb"]);
        repeats(refused?.[0].reason, "`kubectl delete pod basic-tidb-1`");
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
        repeats(found.remarks, "basic-tikv-3", "node-1", "claim tikv-basic-tikv-3");
    });
});

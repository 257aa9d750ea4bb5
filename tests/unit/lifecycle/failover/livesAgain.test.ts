import type { V1Node, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { observeDeath } from "../../../../provider/cluster/observeDeath";
import { observePod } from "../../../../provider/cluster/observeObjects";
import { createGate } from "../../../../provider/gates/gate";
import { rolloutGateDefinition } from "../../../../provider/gates/rolloutGate";
import { givingWay } from "../../../../provider/lifecycle/failover/givingWay";
import { isReplaced, lacksNode, withReplacements } from "../../../../provider/lifecycle/failover/records";
import { known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import type { Move } from "../../../../provider/lifecycle/vocabulary/move";
import { noRecords, type ObservedPod } from "../../../../provider/lifecycle/vocabulary/observation";
import { viewOf } from "../../../../provider/lifecycle/vocabulary/stage";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import type { Component } from "../../../../topology/members";
import {
    crashed,
    downFor,
    failed,
    goneNode,
    lostNode,
    minutes,
    policy,
    unreadNode,
} from "../../../support/lifecycle/deaths";
import { type Deviation, now, observed } from "../../../support/lifecycle/observations";
import { changePorts, clusterWorld, type ClusterWorld, leaseOf, told as clusterTold } from "../../gates/clusterWorld";
import { failsWith } from "../../../support/failsWith";

/** A pod that was created a moment ago, after the one that failed. */
const starting = (more: Partial<ObservedPod> = {}): Partial<ObservedPod> => ({
    uid: "later",
    ready: false,
    readySince: undefined,
    container: known({ is: "running", startedAt: now }, "the API server", now),
    ...more,
});
const unreported = notKnown("node node-1 has not reported the state of container tikv");

describe("a roll-out with a store on record that is back: nobody has asked for the way back", () => {
    const failovers = failed("tikv", 1, { replacedBy: "basic-tikv-4", storeId: 11 });

    /** A pod that is deleted comes back after two minutes, until then its store is Disconnected; unless it is to stay away. */
    function world(stale: number[], staysAway = false): ClusterWorld {
        const of = clusterWorld({
            live: { tikv: { live: 5, stale } },
            lease: leaseOf({ records: { ...noRecords(), failovers } }),
        });
        let back = Infinity;
        of.changes = (action) => {
            const row = of.live.tikv!;
            if (action.do === "begin-eviction") {
                const at = action.storeId - 10;
                const stores = { [at]: { leaderCount: { reported: 0 } } };
                of.live.tikv = { ...row, evicted: [action.storeId], ownLeaders: { [at]: 0 }, stores };
            } else if (action.do === "end-eviction") {
                of.live.tikv = { ...row, evicted: [] };
            } else if (action.do === "delete-pod") {
                const at = Number(action.pod.split("-").at(-1));
                back = staysAway ? Infinity : of.time + 2 * minutes;
                of.live.tikv = {
                    ...row,
                    stale: row.stale?.filter((one) => one !== at),
                    pods: { [at]: starting() },
                    stores: { [at]: { state: "Disconnected", leaderCount: { reported: 0 } } },
                };
            }
        };
        changePorts(of, ({ sleep }) => ({
            sleep: async (...how) => {
                await sleep(...how);
                if (of.time >= back) {
                    back = Infinity;
                    of.live.tikv = { ...of.live.tikv, pods: {}, stores: {} };
                }
            },
        }));
        return of;
    }

    async function roll(of: ClusterWorld): Promise<void> {
        const gate = createGate(rolloutGateDefinition, of);
        const { inputs } = await gate.check(
            {},
            clusterTold({
                gate: "rollout",
                component: "tikv",
                desiredReplicas: 4,
                policy: { ...defaultPolicy, evictionWindow: false },
                failover: policy,
                fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
            }),
        );
        await gate.update("", {}, inputs);
    }
    const did = ({ done }: ClusterWorld) => done.filter((one) => /-(pod|eviction)$/.test(one));

    for (const [title, stale, restarts] of [
        ["goes on with the next one only once that store is Up again", [0, 1], 2],
        ["ends only once that store, which restarts last, is Up again, and its eviction is over", [1], 1],
    ] as const) {
        it(title, async () => {
            const of = world([...stale]);
            const began = of.time;
            await roll(of);
            assert.equal(did(of).filter((one) => one === "delete-pod").length, restarts);
            assert.deepEqual([of.live.tikv!.evicted, of.lease!.records.evictions], [[], {}]);
            assert.ok(of.time - began >= restarts * 2 * minutes);
            assert.deepEqual(Object.keys(of.lease!.records.failovers!.tikv!.failures), ["basic-tikv-1"]);
        });
    }

    it("does not call it dead while it is Disconnected, and tells nobody to remove it from PD for good", async () => {
        const of = world([0, 1], true);
        await failsWith(roll(of), "pod-available", { target: "basic-tikv-1" });
        assert.equal(did(of).filter((one) => one === "delete-pod").length, 1);
    });
});

describe("a pod on record that is not Ready", () => {
    const replaced = (component: Component, pod: Partial<ObservedPod> | undefined, row: Deviation = {}) => {
        const records = { ...noRecords(), failovers: failed(component, 1) };
        const { observation, target } = observed(component, { live: 4, pods: { 1: pod }, records, ...row });
        return isReplaced(viewOf(observation, target, 1));
    };
    const ofStore: [string, Deviation["stores"], boolean][] = [
        ["PD calls its store Down", { 1: downFor(minutes) }, true],
        ["PD calls its store Up: it was deleted a moment ago", {}, false],
        ["PD has heard of its store within max-store-down-time", { 1: { state: "Disconnected" } }, false],
        ["PD lists no store for it", { 1: undefined }, true],
        ["its store is being removed", { 1: { state: "Offline" } }, true],
    ];
    for (const [title, stores, is] of ofStore) {
        it(`is ${is ? "not " : ""}waited for if ${title}`, () => {
            assert.equal(replaced("tikv", starting(), { stores }), is);
            assert.equal(replaced("tikv", undefined, { stores }), is);
        });
    }

    it("is not waited for if PD does not list stores, which every roll-out of stores asks for", () => {
        assert.equal(replaced("tikv", starting(), { notAsked: ["stores"] }), true);
    });

    const stopped = known({ is: "stopped" as const }, "the API server", now);
    const ofServer: [string, Partial<ObservedPod> | undefined, boolean][] = [
        ["its node is silent", lostNode(), true],
        ["its deletion on a silent node never ends", { ...lostNode(), terminating: true }, true],
        ["it came later, and its node is silent by now", { ...lostNode(), uid: "later" }, true],
        ["its node is gone", goneNode(), true],
        ["nobody may read its node, which has reported it as running", unreadNode, false],
        ["no node takes it", starting({ trouble: "Unschedulable: 0/3 nodes are available" }), true],
        ["its process ends again and again", crashed(), true],
        ["there is none: it was deleted a moment ago", undefined, false],
        ["its process ends because it was deleted", { ready: false, terminating: true, container: stopped }, false],
        ["its node has not reported the new one yet", starting({ container: unreported }), false],
        ["it starts", starting(), false],
        ["its process runs again, in the pod that failed", starting({ uid: "uid-1" }), false],
    ];
    for (const [title, pod, is] of ofServer) {
        it(`is ${is ? "not " : ""}waited for if it is a server and ${title}`, () => {
            for (const component of ["tidb", "pd"] as const) {
                assert.equal(replaced(component, pod), is);
            }
        });
    }
});

/** A server's pod that a silent node had, as the API server shows it: its conditions changed, and the last report of its container stayed. */
function podOnSilentNode(component: "tidb" | "pd") {
    const at = new Date(now - 10 * minutes);
    const startedAt = new Date(now - 60 * minutes);
    const pod = {
        metadata: {
            name: `basic-${component}-1`,
            uid: "uid-1",
            resourceVersion: "1",
            creationTimestamp: startedAt,
            labels: { "controller-revision-hash": "new" },
            ...(component === "pd" ? { deletionTimestamp: at } : {}),
        },
        spec: { nodeName: "node-1", containers: [{ name: component, image: "x" }] },
        status: {
            phase: "Running",
            conditions: [
                { type: "PodScheduled", status: "True" },
                { type: "Ready", status: "False", lastTransitionTime: at },
            ],
            containerStatuses: [
                {
                    name: component,
                    ready: true,
                    restartCount: 0,
                    image: "x",
                    imageID: "",
                    state: { running: { startedAt } },
                },
            ],
        },
    } as unknown as V1Pod;
    const node: V1Node = {
        status: {
            conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: at }],
        },
    };
    return {
        ...observePod(pod, { cluster: "basic", component }, node, now)!,
        death: observeDeath(pod, node, now, now),
    };
}

describe("a roll-out of servers of which one is on record", () => {
    for (const component of ["tidb", "pd"] as const) {
        it(`does not wait for ${component}'s pod whose node is silent, though its last report says running`, async () => {
            const record = failed(component, 1, {
                replacedBy: `basic-${component}-3`,
                ...(component === "pd" ? { member: { name: "basic-pd-1", id: "101" } } : {}),
            });
            const row = component === "pd" ? { notMembers: [1] } : { tidb: { 1: "is not Ready" } };
            const of = clusterWorld({
                live: { [component]: { live: 4, replicas: 3, pods: { 1: podOnSilentNode(component) }, ...row } },
                lease: leaseOf({ records: { ...noRecords(), failovers: record } }),
            });
            const inputs = {
                ...clusterTold({
                    gate: "rollout",
                    component,
                    desiredReplicas: 3,
                    policy: defaultPolicy,
                    failover: policy,
                    fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
                }),
                plan: [],
                deferred: "",
            };
            const checked = await createGate(rolloutGateDefinition, of).check(inputs, inputs);
            assert.deepEqual(checked.inputs.plan, []);
            await createGate(rolloutGateDefinition, of).update("", inputs, inputs);
        });
    }
});

describe("a roll-out that a store on record holds up", () => {
    const move: Move = {
        kind: "wait",
        step: "other-stores-up",
        target: "basic-tikv-2",
        waitingFor: "store 11",
        since: now,
    };
    const rows: [string, string][] = [
        ["Down", "fail"],
        ["Offline", "wait"],
        ["Disconnected", "wait"],
    ];
    for (const [state, kind] of rows) {
        it(`${kind === "fail" ? "ends at once" : "waits"} while PD calls it ${state}`, () => {
            const records = { ...noRecords(), failovers: failed("tikv", 1) };
            const row = { live: 4, pods: { 1: lostNode() }, stores: { 1: { state } }, records };
            const { observation, target } = observed("tikv", row);
            assert.equal(givingWay(move, observation, target, policy).kind, kind);
        });
    }
});

describe("a replacement that no node takes", () => {
    const lacking = (ordinal: number, replicas: number) => {
        const records = { ...noRecords(), failovers: failed("tikv", 1, { replacedBy: "basic-tikv-3" }) };
        const pods = { [ordinal]: starting({ trouble: "Unschedulable: 0/3 nodes are available", node: undefined }) };
        const { observation, target } = observed("tikv", { live: 5, pods, records });
        return lacksNode(viewOf(observation, withReplacements(observation, { ...target, replicas }), ordinal));
    };

    it("is not waited for", () => assert.equal(lacking(3, 3), true));
    it("is the last pod, also after the program has got more replicas", () => assert.equal(lacking(4, 4), true));
    it("is not the pod that its record names, which the program asks for by now", () =>
        assert.equal(lacking(3, 4), false));
});

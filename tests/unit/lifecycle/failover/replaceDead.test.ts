import * as assert from "node:assert/strict";
import type { GatePorts } from "../../../../provider/cluster/gatePorts";
import { createGate } from "../../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../../provider/gates/scaleGate";
import { replaceDead } from "../../../../provider/gates/replaceDead";
import type { UnattendedWork } from "../../../../provider/gates/unattended";
import { nextReplicasMove } from "../../../../provider/lifecycle/failover/replicasMove";
import { unknownValue } from "../../../../provider/gates/inputs";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import type { Action } from "../../../../provider/lifecycle/vocabulary/actions";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { deadStores, downFor, failed, lostNode, minutes, policy, unreadNode } from "../../../support/lifecycle/deaths";
import { claimOf, type Deviation, inShort, observed } from "../../../support/lifecycle/observations";
import {
    changePorts,
    clusterWorld,
    type ClusterWorld,
    leaseOf,
    scaledByHand,
    told as clusterTold,
} from "../../gates/clusterWorld";
import { failsWith } from "../../../support/failsWith";
import { codesOf, repeats } from "../../../support/repeats";
import { stepsIn } from "../../../support/gates/stepsIn";

const noteOf = (failover = policy) => ({ replicas: 4, unattended: { failover, policy: defaultPolicy } });

/** A cluster whose StatefulSet follows what is set. */
function world(tikv: Deviation, more: Parameters<typeof leaseOf>[0] = {}): ClusterWorld {
    const of = clusterWorld({ live: { tikv }, lease: leaseOf({ members: { tikv: noteOf() }, ...more }) });
    of.changes = (action: Action) => {
        if (action.do === "set-replicas") {
            of.live.tikv = { ...of.live.tikv, live: action.replicas };
        }
    };
    return of;
}

async function replace(
    of: ClusterWorld,
    isInterrupted = () => false,
    failover = policy,
): Promise<UnattendedWork & { ports: GatePorts }> {
    const ports = await of.open({} as never, "effect");
    const member = { component: "tikv", note: noteOf(failover) } as const;
    return { ...(await replaceDead(member, ports, isInterrupted)), ports };
}

/** The number of replicas belongs to the gates until one gives it back. */
function ownedReplicas(of: ClusterWorld, component: "tikv" | "tidb"): void {
    let isOwn = true;
    const { changes } = of;
    of.changes = (action) => {
        isOwn &&= action.do !== "give-replicas-back";
        changes(action);
    };
    changePorts(of, ({ look }) => ({
        look: async (...how) => {
            const seen = await look(...how);
            const member = seen.members[component]!;
            const statefulSet = { ...member.statefulSet!, ...(isOwn ? { gatesOwnReplicas: true as const } : {}) };
            return { ...seen, members: { ...seen.members, [component]: { ...member, statefulSet } } };
        },
    }));
}

/** What an update tells the gate that asked for the same number before. */
function toldScale(component: "tikv" | "tidb", replicas: number) {
    const told = clusterTold({
        gate: "scale",
        component,
        desiredReplicas: replicas,
        policy: defaultPolicy,
        failover: policy,
        fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
    });
    return { told, olds: { ...told, replicas, plan: [], deferred: "" } };
}

const did = ({ done }: ClusterWorld): string[] => done.filter((one) => /^[a-z-]+$/.test(one));

const replacing = [
    "record that basic-tikv-1 is dead and that basic-tikv-4 replaces it",
    "scale StatefulSet basic-tikv from 4 to 5",
];

describe("failover without pulumi up", () => {
    it("puts the dead store on record and gives the StatefulSet one more replica, under the lock", async () => {
        const of = world(deadStores(1));
        const { done } = await replace(of);
        assert.deepEqual(did(of), ["lock", "records", "note-failure", "set-replicas", "release"]);
        assert.deepEqual(done, replacing);
    });

    it("tells why it replaces the dead store, and then each action once", async () => {
        const of = world(deadStores(1));
        await replace(of);
        assert.deepEqual(
            of.done.filter((one) => one.includes(" ")),
            [
                "store 11 (basic-tikv-1) is dead: PD says Down, and node node-1 is not Ready (NodeStatusUnknown)",
                ...replacing,
            ],
        );
    });

    it("deletes the volume that an earlier scale-in released before the pod of that name comes", async () => {
        const claims = [claimOf("tikv", 4, { released: true })];
        const of = world({ ...deadStores(1), claims });
        const follow = of.changes;
        of.changes = (action) => {
            follow(action);
            of.live.tikv = action.do === "delete-claims" ? { ...of.live.tikv, claims: [] } : of.live.tikv;
        };
        await replace(of);
        assert.deepEqual(did(of), ["lock", "records", "note-failure", "delete-claims", "set-replicas", "release"]);
    });

    it("does nothing the second time", async () => {
        const of = world(deadStores(1));
        await replace(of);
        of.done.length = 0;
        const { done } = await replace(of);
        assert.deepEqual([done, did(of)], [[], []]);
        assert.deepEqual(Object.keys(of.lease!.records.failovers!.tikv!.failures), ["basic-tikv-1"]);
    });

    it("goes on after a kill between the record and the StatefulSet", async () => {
        const of = world(deadStores(1), { records: { ...noRecords(), failovers: failed("tikv", 1) } });
        await replace(of);
        assert.deepEqual(did(of), ["lock", "set-replicas", "release"]);
        assert.equal(of.live.tikv?.live, 5);
    });

    it("adds no replica for a death on record that nobody can confirm, on the evidence of another one", async () => {
        const failures = {
            ...failed("tikv", 1, { replacedBy: "basic-tikv-4" }).tikv!.failures,
            ...failed("tikv", 2, { replacedBy: "basic-tikv-5" }).tikv!.failures,
        };
        const records = { ...noRecords(), failovers: { tikv: { uid: "f00d", failures } } };
        const silent = { 1: downFor(6 * minutes), 2: downFor(6 * minutes) };
        for (const [ofSecond, live] of [
            [unreadNode, 5],
            [lostNode(60 * minutes), 6],
        ] as const) {
            const of = world(
                { live: 5, pods: { 1: lostNode(60 * minutes), 2: ofSecond }, stores: silent },
                { records },
            );
            await replace(of);
            assert.equal(of.live.tikv!.live, live);
        }
    });

    it("gives the lock up after seconds, and says so, if something takes the new number of replicas back", async () => {
        const of = world(deadStores(1));
        of.changes = () => (of.live.tikv = { ...of.live.tikv, live: 4 });
        const began = of.time;
        const { remarks } = await replace(of);
        assert.deepEqual(codesOf(remarks), ["failover-open"]);
        assert.equal(of.done.at(-1), "release");
        assert.ok(of.time - began < 20_000, `${of.time - began} ms`);
    });

    it("removes no PD member that PD calls unhealthy for a moment, and one that it calls so for a minute", async () => {
        const pd: Deviation = { claims: [claimOf("pd", 1)], unhealthy: [1], pods: { 1: lostNode(10 * minutes) } };
        const note = { replicas: 3, unattended: { failover: policy, policy: defaultPolicy } };
        for (const [heals, expected] of [
            [true, ["note-failure", "forget-failures"]],
            [
                false,
                ["note-failure", "remove-member", "delete-pod", "delete-claims", "count-replacement", "set-replicas"],
            ],
        ] as const) {
            const of = clusterWorld({ live: { pd }, lease: leaseOf({ members: { pd: note } }) });
            const began = of.time;
            of.changes = (action: Action) => {
                const { live } = of;
                if (action.do === "remove-member") {
                    assert.ok(of.time - began >= 60_000, `${of.time - began} ms`);
                    live.pd = { ...live.pd, notMembers: [1], unhealthy: [] };
                } else if (action.do === "delete-pod") {
                    live.pd = { ...live.pd, pods: { 1: { ...lostNode(), terminating: true } } };
                } else if (action.do === "delete-claims") {
                    live.pd = { ...live.pd, claims: [claimOf("pd", 1, { terminating: true })] };
                } else if (action.do === "set-replicas") {
                    live.pd = { ...live.pd, live: action.replicas };
                }
            };
            const ports = await of.open({} as never, "effect");
            const look: GatePorts["look"] = (options) => {
                if (heals && of.time - began > 50_000) {
                    of.live.pd = { ...pd, unhealthy: [] };
                }
                return ports.look(options);
            };
            await replaceDead({ component: "pd", note }, { ...ports, look }, () => false);
            assert.deepEqual(
                did(of).filter((one) => !["lock", "records", "release"].includes(one)),
                expected,
            );
        }
    });

    it("does not wait with the lock for a volume that its pod still uses", async () => {
        const claims = [claimOf("tikv", 4, { released: true, terminating: true })];
        const of = world({ ...deadStores(1), claims });
        const began = of.time;
        const { remarks } = await replace(of);
        repeats(remarks, "basic-tikv");
        assert.equal(of.done.at(-1), "release");
        assert.ok(of.time - began < 20_000, `${of.time - began} ms`);
        assert.equal(of.live.tikv?.live, undefined);
    });

    const changed: Record<string, Partial<Parameters<typeof leaseOf>[0]>> = {
        "switches failover off": { members: { tikv: noteOf({ ...policy, budget: 0 }) } },
        "asks for consent to each step": { members: { tikv: { replicas: 4 } } },
        "asks for another number of replicas": { members: { tikv: { ...noteOf(), replicas: 3 } } },
        "suspends the member": { members: { tikv: { ...noteOf(), suspended: true } } },
    };
    for (const [what, lease] of Object.entries(changed)) {
        it(`does nothing if an update ${what} before it has the lock`, async () => {
            const of = world(deadStores(1));
            changePorts(of, ({ tryLock }) => ({
                tryLock: (...how) => {
                    of.lease = { ...of.lease!, ...lease };
                    return tryLock(...how);
                },
            }));
            await replace(of);
            assert.deepEqual(did(of), ["lock", "release"]);
        });
    }

    it("puts nothing on record if somebody scales the StatefulSet before it has the lock", async () => {
        const of = world(deadStores(1));
        changePorts(of, ({ tryLock }) => ({
            tryLock: (...how) => {
                of.live.tikv = { ...of.live.tikv, live: 6 };
                return tryLock(...how);
            },
        }));
        await replace(of);
        assert.deepEqual(did(of), ["lock", "release"]);
    });

    it("does not take back a removal that an update has begun: only `pulumi up` knows whether it is wanted", async () => {
        const removals = { 13: { pod: "basic-tikv-3", begunAt: 0 } };
        const of = world(deadStores(1), { records: { ...noRecords(), removals } });
        const { done, remarks } = await replace(of);
        assert.deepEqual([done, did(of), remarks.length], [[], [], 1]);
    });

    it("adds no replica for a dead one that is back, nor while PD does not answer", async () => {
        const back = world({}, { records: { ...noRecords(), failovers: failed("tikv", 1) } });
        await replace(back);
        assert.equal(back.live.tikv?.live, undefined);
        const silent = world(
            { ...deadStores(1), pdSilent: true },
            { records: { ...noRecords(), failovers: failed("tikv", 1) } },
        );
        await replace(silent);
        assert.equal(silent.live.tikv?.live, undefined);
    });

    it("does nothing while all pods are Ready, and asks PD nothing", async () => {
        const of = world({});
        assert.deepEqual((await replace(of)).done, []);
        assert.ok(of.looks.every(({ pd }) => pd.length === 0));
    });

    const kept: Record<string, [ClusterWorld, names: string]> = {
        "a store that has not been Down for the whole period": [
            world({ pods: { 1: lostNode() }, stores: { 1: downFor(2 * minutes) } }),
            "store 11 (basic-tikv-1)",
        ],
        "a store whose node may not be read": [
            world({ pods: { 1: unreadNode }, stores: { 1: downFor(60 * minutes) } }),
            "grant `get` on `nodes` by a ClusterRole",
        ],
        "anything while an update has not ended: the StatefulSet has another number of replicas than it asked for": [
            world({ live: 6, ...deadStores(1) }),
            "6 replicas, expected 4",
        ],
        "anything while a scale-out has not begun: the last update asks for more than there is": [
            world({ live: 3, ...deadStores(1) }),
            "3 replicas, expected 4",
        ],
    };
    for (const [what, [of, names]] of Object.entries(kept)) {
        it(`does not replace ${what}, and says so`, async () => {
            const { done, remarks } = await replace(of);
            assert.deepEqual([done, did(of)], [[], []]);
            repeats(remarks, names);
        });
    }

    it("replaces nothing beyond the budget", async () => {
        const of = world(deadStores(1), { records: { ...noRecords(), failovers: failed("tikv", 2) } });
        of.live.tikv = { ...of.live.tikv, live: 5 };
        assert.deepEqual((await replace(of, undefined, { ...policy, budget: 1 })).done, []);
        assert.equal(of.live.tikv.live, 5);
    });

    it("gives way to a run that works on the cluster", async () => {
        const of = world(deadStores(1));
        of.heldUntil = of.time + 60 * minutes;
        await failsWith(replace(of), "cluster-busy", {
            ...{ step: "failover", target: "basic-tikv" },
            names: "ben@build",
        });
        assert.equal(of.lease!.records.failovers, undefined);
    });

    it("begins nothing more once it is interrupted, and releases the lock", async () => {
        const of = world(deadStores(1));
        const isInterrupted = () => of.done.includes("note-failure");
        await failsWith(replace(of, isInterrupted), "interrupted", { step: "failover" });
        assert.deepEqual(did(of), ["lock", "records", "note-failure", "release"]);
    });

    it("stops in the middle if an update pauses the cluster", async () => {
        const of = world(deadStores(1));
        changePorts(of, ({ look }) => ({
            look: async (...how) => ({
                ...(await look(...how)),
                ...(of.done.includes("note-failure") ? { isPaused: true as const } : {}),
            }),
        }));
        await replace(of);
        assert.deepEqual(did(of), ["lock", "records", "note-failure", "release"]);
        assert.equal(of.live.tikv?.live, undefined);
    });
});

describe("the number of replicas after a failover", () => {
    const target = { component: "tikv", replicas: 4, policy: defaultPolicy } as const;
    const seenWith = (live: number, own: boolean, failovers = failed("tikv", 1)) => {
        const { observation } = observed("tikv", { live, ...deadStores(1) });
        const member = observation.members.tikv!;
        const statefulSet = { ...member.statefulSet!, ...(own ? { gatesOwnReplicas: true as const } : {}) };
        const members = { tikv: { ...member, statefulSet } };
        return { ...observation, members, records: { ...noRecords(), failovers } };
    };
    const move = (...how: Parameters<typeof seenWith>) => {
        const found = nextReplicasMove(seenWith(...how), target, policy, emptyMemory);
        return found && inShort(found);
    };

    it("is one more for each replacement", () => {
        assert.equal(move(4, false), "set-replicas basic-tikv 5");
        assert.equal(move(5, false), undefined);
    });

    it("stays with the gates' field manager until an update that knows of the replacement takes it over", async () => {
        assert.equal(move(5, true), undefined);
        const of = clusterWorld({
            live: { tikv: { live: 5, ...deadStores(1) } },
            lease: leaseOf({ records: { ...noRecords(), failovers: failed("tikv", 1) } }),
        });
        ownedReplicas(of, "tikv");
        const { told, olds } = toldScale("tikv", 4);
        const gate = createGate(scaleGateDefinition, of);
        const { inputs } = await gate.check(olds, told);
        assert.deepEqual(inputs.plan, ["take over the replicas of basic-tikv: 5 set by pulumi-tidb for a replacement"]);
        assert.equal(
            (await gate.check(olds, told, true)).inputs.replicas,
            5,
            "known: Kubernetes takes the same number",
        );
        const { outs } = await gate.update("", olds, inputs);
        assert.equal(outs.replicas, 5);
        assert.deepEqual(did(of), ["lock", "give-replicas-back", "release"]);
        assert.deepEqual((await gate.check(outs, told)).inputs.plan, []);
    });

    describe("that somebody has changed by hand", () => {
        /** A run on 2 TiDB of which `kubectl scale` has made others. */
        async function scaled(live: number, more: { state?: number; approval?: "step"; by?: string | null } = {}) {
            const of = clusterWorld({ live: { tidb: { live } } });
            scaledByHand(of, "tidb", more.by);
            const { told, olds } = toldScale("tidb", 2);
            const news = { ...told, ...(more.approval ? { approval: more.approval } : {}) };
            const before = { ...olds, ...news, replicas: more.state ?? 2 };
            const gate = createGate(scaleGateDefinition, of);
            const { inputs } = await gate.check(before, news);
            const plan = inputs.plan as string[];
            const isSet = async () => {
                await gate.update("", before, inputs);
                return did(of).includes("set-replicas") && of.live.tidb?.live === 2;
            };
            return { plan, isSet, did: () => did(of) };
        }

        it("is raised again, as in the plan", async () => {
            const { plan, isSet } = await scaled(1);
            assert.deepEqual(plan, [
                "scale StatefulSet basic-tidb from 1 to 2: kubectl has changed it, which Pulumi does not see",
            ]);
            assert.ok(await isSet());
        });

        it("is lowered again, as in the plan, with the steps of a scale-in", async () => {
            const { plan, isSet } = await scaled(3);
            repeats(plan, "remove basic-tidb-2 ", "StatefulSet basic-tidb from 3 to 2: kubectl");
            assert.ok(await isSet());
        });

        it("is left to Pulumi where Pulumi's field manager alone has the number", async () => {
            const { plan, isSet } = await scaled(1, { by: null });
            assert.deepEqual([plan, await isSet()], [[], false]);
        });

        it("is taken over where Pulumi applies another one, or applied the same: a later one would end in a conflict", async () => {
            for (const [live, state] of [
                [1, 1],
                [2, 2],
                [2, 1],
            ]) {
                const { plan, isSet, did } = await scaled(live, { state });
                const words = `take over the replicas of basic-tidb: ${live} set by kubectl${live === 2 ? "" : "; this update sets 2"}`;
                assert.deepEqual(
                    [plan, await isSet(), did()],
                    [[words], false, ["lock", "give-replicas-back", "release"]],
                );
            }
        });

        it("is not known in a preview, whose dry run would end in a conflict; the update has it", async () => {
            const preview = async (live: number, { by, told = {} }: { by?: string | null; told?: object } = {}) => {
                const of = clusterWorld({ live: { tidb: { live } } });
                scaledByHand(of, "tidb", by);
                const { told: asked, olds } = toldScale("tidb", 2);
                const gate = createGate(scaleGateDefinition, of);
                const numbers = [true, false].map(
                    async (isPreview) => (await gate.check(olds, { ...asked, ...told }, isPreview)).inputs.replicas,
                );
                assert.deepEqual(did(of), [], "a preview changes nothing");
                return Promise.all(numbers);
            };
            for (const by of ["kubectl", "kubectl-edit", "kube-controller-manager", "tidb-controller-manager"]) {
                assert.deepEqual(await preview(1, { by }), [unknownValue, 2], `${by} has lowered it`);
                assert.deepEqual(await preview(3, { by }), [unknownValue, 2], `${by} has raised it`);
                assert.deepEqual(await preview(3, { by, told: { desiredReplicas: 4 } }), [unknownValue, 4], "a third");
                assert.deepEqual(await preview(2, { by }), [2, 2], `${by} has set the program's`);
            }
            assert.deepEqual(await preview(1, { by: null }), [2, 2], "Pulumi's alone");
        });

        it("is not known in a preview either while PD does not answer", async () => {
            const of = clusterWorld({ live: { tikv: { live: 5, pdSilent: true } } });
            scaledByHand(of, "tikv");
            const { told, olds } = toldScale("tikv", 4);
            const { inputs } = await createGate(scaleGateDefinition, of).check(olds, told, true);
            assert.deepEqual([inputs.deferred, inputs.replicas], ["deferred: PD answers 500", unknownValue]);
        });

        it("is raised with approval too, and the consent that a lowered one needs is that of its scale-in", async () => {
            const raised = await scaled(1, { approval: "step" });
            repeats(raised.plan, "StatefulSet basic-tidb from 1 to 2");
            assert.ok(await raised.isSet());
            const { plan } = await scaled(3, { approval: "step" });
            repeats(plan[1], "StatefulSet basic-tidb from 3 to 2");
            repeats(plan[2], "lets through: remove basic-tidb-2");
        });
    });

    it("falls with the way back, also if no update came between: the stack's state has the old number, so Pulumi applies nothing", async () => {
        const of = clusterWorld({
            live: { tidb: { live: 3 } },
            lease: leaseOf({
                records: { ...noRecords(), failovers: failed("tidb", 1, { replacedBy: "basic-tidb-2" }) },
            }),
        });
        of.changes = (action: Action) => {
            if (action.do === "set-replicas") {
                of.live.tidb = { live: action.replicas };
            }
        };
        ownedReplicas(of, "tidb");
        const { told, olds } = toldScale("tidb", 2);
        const gate = createGate(scaleGateDefinition, of);
        const { inputs, plan } = await gate.planOf(olds, told);
        assert.deepEqual(stepsIn(plan), ["remove basic-tidb-2"]);
        repeats((inputs.plan as string[])[1], "basic-tidb: 3 set by pulumi-tidb");
        const upgrade = { ...told, wantedSpread: undefined };
        assert.equal((await gate.check(olds, upgrade, true)).inputs.replicas, unknownValue, "no dry run with 2");
        const { outs } = await gate.update("", olds, inputs);
        assert.equal(outs.replicas, 2);
        const order = ["forget-failures", "set-replicas", "give-replicas-back"];
        assert.deepEqual(
            did(of).filter((one) => order.includes(one)),
            order,
        );
        assert.equal(of.live.tidb?.live, 2);
        assert.deepEqual((await gate.check(outs, told)).inputs.plan, []);
    });

    it("is never lowered, and not touched while an update changes it", () => {
        assert.equal(move(6, false), "fail set-replicas basic-tikv [replicas-unexplained]");
        assert.equal(move(3, false), "fail set-replicas basic-tikv [replicas-unexplained]");
        assert.equal(move(5, false, {}), undefined);
        assert.equal(move(4, false, {}), undefined);
    });
});

import * as assert from "node:assert/strict";
import { createGate } from "../../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../../provider/gates/scaleGate";
import { planFailover } from "../../../../provider/lifecycle/failover/planFailover";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import {
    brokenNode,
    crashed,
    crashLoop,
    deadStores,
    failed,
    lostNode,
    policy,
    readyBetweenCrashes,
    unreadNode,
} from "../../../support/lifecycle/deaths";
import { claimOf, type Deviation, observed, storeOf } from "../../../support/lifecycle/observations";
import { changePorts, clusterWorld, type ClusterWorld, leaseOf, told as clusterTold } from "../../gates/clusterWorld";
import { stepsIn } from "../../../support/gates/stepsIn";
import { repeats } from "../../../support/repeats";

/** The way back of a failover, whose removals take hours, during which each pod and store has its moments. */

function told(component: "tikv" | "pd", replicas: number) {
    const news = clusterTold({
        gate: "scale",
        component,
        desiredReplicas: replicas,
        policy: defaultPolicy,
        failover: { ...policy, recovers: true },
        fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: [] },
    });
    return { news, olds: { ...news, replicas: replicas + 1, plan: [] as string[], deferred: "" } };
}

/** The claims of these pods, which are released when an action says so. */
function claimsOf(of: ClusterWorld, component: "tikv" | "pd", pods: number): () => NonNullable<Deviation["claims"]> {
    let claims = Array.from({ length: pods }, (_, ordinal) => claimOf(component, ordinal));
    const { changes } = of;
    of.changes = (action) => {
        changes(action);
        if (action.do === "release-claims") {
            const released = action.claims.map(({ uid }) => uid);
            const mark = { released: true, releasedId: action.storeOrMember };
            claims = claims.map((one) => (released.includes(one.uid) ? { ...one, ...mark } : one));
        }
    };
    return () => claims;
}

/**
 * Each look sees what is true by then: `at` is the number of looks since the removal began, or undefined before. Nodes are read
 * if that is asked for.
 */
function played(of: ClusterWorld, component: "tikv" | "pd", seen: (at: number | undefined) => Deviation): void {
    let at: number | undefined;
    let replicas: number | undefined;
    const { changes } = of;
    of.changes = (action) => {
        changes(action);
        replicas = action.do === "set-replicas" ? action.replicas : replicas;
        at ??= action.do === "remove-store" || action.do === "remove-member" ? 0 : undefined;
    };
    changePorts(of, ({ look }) => ({
        look: (options, lag) => {
            const row = seen(at);
            const pods = Object.entries(row.pods ?? {}).map(([ordinal, pod]) => [
                ordinal,
                options.deaths ? pod : { ...pod, death: undefined },
            ]);
            const live = replicas ?? row.live;
            of.live[component] = { ...row, live, pods: Object.fromEntries(pods) as Deviation["pods"] };
            at = at === undefined ? undefined : at + 1;
            return look(options, lag);
        },
    }));
}

describe("the way back of TiKV, once its removal has begun", () => {
    const recorded = () =>
        clusterWorld({
            live: { tikv: { live: 5 } },
            lease: leaseOf({ records: { ...noRecords(), failovers: failed("tikv", 1, { storeId: 11 }) } }),
        });
    const leaves = { 4: { state: "Offline" } };
    const gone: Deviation = {
        live: 5,
        stores: { 4: undefined },
        tombstones: [storeOf(4, { state: "Tombstone", regionCount: 0, startedAt: Infinity })],
    };
    const { news, olds } = told("tikv", 4);
    const scale = (of: ClusterWorld) => createGate(scaleGateDefinition, of);

    for (const looks of [1, 3, 30]) {
        for (const [title, moment] of [
            ["a store is only Disconnected", { stores: { ...leaves, 2: { state: "Disconnected" } } }],
            ["the store on record is only Disconnected", { stores: { ...leaves, 1: { state: "Disconnected" } } }],
            ["a pod is not Ready", { stores: leaves, pods: { 2: { ready: false } } }],
        ] as [string, Deviation][]) {
            it(`goes on though ${title} for ${looks} ${looks === 1 ? "look" : "looks"}`, async () => {
                const of = recorded();
                played(of, "tikv", (at) => {
                    if (at === undefined) {
                        return { live: 5 };
                    }
                    return at > 60 ? gone : { live: 5, ...(at < looks ? moment : { stores: leaves }) };
                });
                const { inputs } = await scale(of).check(olds, news);
                assert.equal(inputs.replicas, 4);
                const { outs } = await scale(of).update("", olds, inputs);
                assert.deepEqual([of.done.includes("bring-store-back"), outs.replicas], [false, 4]);
                assert.equal(of.lease!.records.failovers, undefined);
            });
        }
    }

    it("is over though another store is Disconnected when it ends", async () => {
        const of = recorded();
        const claims = claimsOf(of, "tikv", 5);
        played(of, "tikv", (at) => ({
            ...(at === undefined ? { live: 5 } : { ...gone, stores: { ...gone.stores, 2: { state: "Disconnected" } } }),
            claims: claims(),
        }));
        const { inputs } = await scale(of).check(olds, news);
        const { outs } = await scale(of).update("", olds, inputs);
        assert.deepEqual([outs.replicas, of.lease!.records.failovers], [4, undefined]);
    });

    it("does not begin while the store on record is Ready for seconds between two crashes, though PD calls it Up", async () => {
        const of = recorded();
        played(of, "tikv", () => ({ live: 5, pods: { 1: readyBetweenCrashes() } }));
        const { inputs } = await scale(of).check(olds, news);
        assert.equal(inputs.replicas, 5);
    });

    it("is taken back if the store on record crashes again and again, which kubelet shows for less than the period at a time", async () => {
        const of = recorded();
        let isBack = false;
        of.changes = (action) => (isBack ||= action.do === "bring-store-back");
        played(of, "tikv", (at) =>
            at === undefined
                ? { live: 5 }
                : {
                      live: 5,
                      pods: { 1: at % 2 === 0 ? crashLoop(5000, 160_000, 5) : readyBetweenCrashes(5) },
                      stores: { 1: { state: "Disconnected" }, ...(isBack ? {} : leaves) },
                  },
        );
        const { inputs } = await scale(of).check(olds, news);
        const { outs } = await scale(of).update("", olds, inputs);
        assert.deepEqual([isBack, outs.replicas], [true, 5]);
    });

    it("is taken back if the store on record is dead again: its replacement is needed", async () => {
        const of = recorded();
        let isBack = false;
        of.changes = (action) => (isBack ||= action.do === "bring-store-back");
        played(of, "tikv", (at) => {
            const dead = deadStores(1);
            return at === undefined
                ? { live: 5 }
                : { live: 5, ...dead, stores: { ...dead.stores, ...(isBack ? {} : leaves) } };
        });
        const { inputs } = await scale(of).check(olds, news);
        const { outs } = await scale(of).update("", olds, inputs);
        assert.deepEqual([isBack, outs.replicas], [true, 5]);
        assert.deepEqual(Object.keys(of.lease!.records.failovers!.tikv!.failures), ["basic-tikv-1"]);
    });

    const begun = (row: Deviation) =>
        clusterWorld({
            live: { tikv: { live: 5, ...row } },
            lease: leaseOf({
                records: {
                    ...noRecords(),
                    removals: { 14: { pod: "basic-tikv-4", begunAt: 0 } },
                    failovers: failed("tikv", 1, { storeId: 11 }),
                },
            }),
        });

    it("goes on in the next update, which begins in such a moment, and says why", async () => {
        const of = begun({ stores: { ...leaves, 2: { state: "Disconnected" } } });
        const { plan, remarks } = await scale(of).planOf(olds, news);
        assert.deepEqual(stepsIn(plan), ["remove basic-tikv-4"]);
        repeats(remarks, "basic-tikv-1");
    });

    it("is none if the program asks for one store less: the replacement of a store of which nothing is known stays", async () => {
        const of = begun({ pods: { 1: unreadNode }, stores: { ...leaves, ...deadStores(1).stores } });
        const { inputs } = await scale(of).check(olds, { ...news, desiredReplicas: 3 });
        assert.equal(inputs.replicas, 4);
    });

    it("is taken back by the next update if the program does not ask for it any more", async () => {
        const of = begun({ stores: leaves });
        const { inputs, plan } = await scale(of).planOf(olds, { ...news, failover: policy });
        assert.equal(inputs.replicas, 5);
        assert.deepEqual(stepsIn(plan), ["take back the removal of basic-tikv-4"]);
    });
});

describe("the way back of PD, once its removal has begun", () => {
    const { news, olds } = told("pd", 3);

    it("goes on though a pod is not Ready for some looks: the replacement is not started anew", async () => {
        const of = clusterWorld({
            live: { pd: { live: 4 } },
            lease: leaseOf({ records: { ...noRecords(), failovers: failed("pd", 1) } }),
        });
        const claims = claimsOf(of, "pd", 4);
        played(of, "pd", (at) => ({
            live: 4,
            claims: claims(),
            ...(at === undefined ? {} : { notMembers: [3] }),
            ...(at !== undefined && at < 6 ? { pods: { 0: { ready: false } } } : {}),
        }));
        const gate = createGate(scaleGateDefinition, of);
        const { inputs } = await gate.check(olds, news);
        const { outs } = await gate.update("", olds, inputs);
        assert.deepEqual([of.done.filter((one) => /^delete-/.test(one)), outs.replicas], [[], 3]);
    });

    it("does not end a failover whose replacement is yet to come, where an earlier scale-in released its volume", async () => {
        const records = { ...noRecords(), failovers: failed("pd", 1, { replacedBy: "basic-pd-3" }) };
        const of = clusterWorld({
            live: {
                pd: {
                    live: 3,
                    pods: { 1: { ...lostNode(), uid: "later" } },
                    notMembers: [1],
                    claims: [claimOf("pd", 3, { released: true })],
                },
            },
            lease: leaseOf({ records }),
        });
        const { inputs } = await createGate(scaleGateDefinition, of).check({ ...olds, replicas: 3 }, news);
        assert.equal(inputs.replicas, 4);
    });
});

describe("a removal of a replacement that has begun, while the one on record is down again and Kubernetes does not call it dead", () => {
    const minute = 60_000;
    const begun = (component: "pd" | "tikv", id: string, pod: string, failure: Parameters<typeof failed>[2]) =>
        leaseOf({
            records: {
                ...noRecords(),
                removals: { [id]: { pod, begunAt: 0 } },
                failovers: failed(component, 1, failure),
            },
        });
    for (const [why, pod] of [
        ["its node says so itself", brokenNode(180 * minute)],
        ["its process has ended", crashed(180 * minute)],
        ["its node may not be read", unreadNode],
    ] as const) {
        it(`is taken back for PD: ${why}`, async () => {
            const { news, olds } = told("pd", 3);
            const of = clusterWorld({
                live: { pd: { live: 4, pods: { 1: pod }, unhealthy: [1] } },
                lease: begun("pd", "103", "basic-pd-3", { replacedBy: "basic-pd-3" }),
            });
            const { inputs } = await createGate(scaleGateDefinition, of).check(olds, news);
            assert.equal(inputs.replicas, 4);
            await createGate(scaleGateDefinition, of).update("", olds, inputs);
            assert.ok(!of.done.includes("remove-member"), of.done.join());
        });
    }

    it("is taken back for TiKV: its node may not be read", async () => {
        const { news, olds } = told("tikv", 4);
        const of = clusterWorld({
            live: {
                tikv: {
                    live: 5,
                    pods: { 1: unreadNode },
                    stores: { ...deadStores(1).stores, 4: { state: "Offline" } },
                },
            },
            lease: begun("tikv", "14", "basic-tikv-4", { storeId: 11, replacedBy: "basic-tikv-4" }),
        });
        const { inputs } = await createGate(scaleGateDefinition, of).check(olds, news);
        assert.equal(inputs.replicas, 5);
    });
});

describe("replacements whose regions no other store takes", () => {
    const gib = 1024 ** 3;
    const disk = (free: number) => ({
        capacityBytes: 200 * gib,
        availableBytes: free * gib,
        usedBytes: (200 - free) * gib,
    });
    const disks = (free: number) => Object.fromEntries([0, 1, 2, 3, 4].map((one) => [one, disk(free)]));
    const records = { ...noRecords(), failovers: failed("tikv", 1, { storeId: 11, replacedBy: "basic-tikv-4" }) };
    const check = (free: number) => {
        const stores = disks(free);
        const of = clusterWorld({
            live: { tikv: { live: 5, lowSpaceRatio: 0.8, stores } },
            lease: leaseOf({ records }),
        });
        const { olds, news } = told("tikv", 4);
        return createGate(scaleGateDefinition, of).check(olds, news);
    };

    it("stay, and the plan says why: the program asks for no fewer stores, so no update of anything else is refused", async () => {
        const { failures, inputs } = await check(38);
        assert.equal(failures, undefined, JSON.stringify(failures));
        assert.equal(inputs.replicas, 5);
        const remarksWith = (free: number) => {
            const live = { live: 5, lowSpaceRatio: 0.8, stores: disks(free), records };
            const { observation, target } = observed("tikv", live);
            return planFailover(observation, { ...target, replicas: 4 }, { ...policy, recovers: true }).remarks;
        };
        assert.notDeepEqual(remarksWith(38), remarksWith(100));
    });

    it("go once the others have space", async () => assert.equal((await check(100)).inputs.replicas, 4));
});

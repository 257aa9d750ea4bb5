import * as assert from "node:assert/strict";
import { ClusterAccessError } from "../../../provider/cluster/access";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { beforeClusterIsDeleted } from "../../../provider/gates/destroy";
import { delete_ } from "../../../provider/gates/gates";
import { nextDestroyMove } from "../../../provider/lifecycle/walks/destroy";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory } from "../../../provider/lifecycle/vocabulary/memory";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { claimOf, evicting, observed } from "../../support/lifecycle/observations";
import { changePorts, type ClusterWorld, clusterWorld, deployed, leaseOf, owner, other } from "./clusterWorld";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";

const destroy = (world: ClusterWorld) => beforeClusterIsDeleted("", deployed({ gate: "ready", members: [] }), world);
const removal = { removals: { 12: { pod: "basic-tikv-2", begunAt: 0 } } };
const inShort = ({ done }: ClusterWorld) => done.filter((one) => /^(lock|release|records|[a-z]+-[a-z-]+)$/.test(one));

/** A world in which an eviction of store 11 is on record, and PD has it until it is ended. */
function evictingWorld(row: object = {}, records = evicting(1)): ClusterWorld {
    const world = clusterWorld({
        live: { tikv: { evicted: [11], ...row } },
        lease: leaseOf({ records, members: { tikv: { replicas: 4 } } }),
    });
    world.changes = (action) => {
        if (action.do === "end-eviction") {
            world.live.tikv = { ...world.live.tikv, evicted: [], persisted: [] };
        }
    };
    return world;
}

describe("destroying a cluster", () => {
    it("ends our evictions first and leaves no record of them", async () => {
        const world = evictingWorld({}, { ...evicting(1), ...removal });
        await destroy(world);
        const taken = inShort(world).filter((one) => one !== "records" && one !== "lock" && one !== "release");
        assert.deepEqual(taken, ["end-eviction", "forget-eviction", "forget-removal"]);
        assert.deepEqual(world.lease?.records, noRecords());
    });

    it("says that the volumes stay, and how to list and to delete them", async () => {
        const world = clusterWorld({ live: { tikv: { claims: [claimOf("tikv", 0), claimOf("tikv", 1)] } } });
        await destroy(world);
        const of = "pvc --namespace tidb --selector app.kubernetes.io/instance=basic";
        assert.ok(
            world.done.includes(
                `2 volume claims and the data on them stay, unless namespace tidb is deleted too, as where the program made it. List them: \`kubectl get ${of}\`. Once the pods are gone, delete them and the data: \`kubectl delete ${of}\``,
            ),
            world.done.join("\n"),
        );
        const earlier = clusterWorld({
            live: { tikv: { claims: [claimOf("tikv", 0)] }, tiflash: { live: 0, claims: [claimOf("tiflash", 0)] } },
            lease: leaseOf({ members: { tikv: { replicas: 4 } } }),
        });
        await destroy(earlier);
        repeats(earlier.done, "2 volume claims");
        const none = clusterWorld({ live: { tikv: {} } });
        await destroy(none);
        assert.ok(!none.done.join("\n").includes("volume claim"));
    });

    it("locks PD for it, because another cluster may share PD", async () => {
        const world = evictingWorld();
        const needs: boolean[] = [];
        world.confirmed = (step) => needs.push(step.usesPd);
        await destroy(world);
        assert.equal(needs[0], true);
    });

    it("waits for a run that holds the lock", async () => {
        const world = clusterWorld();
        world.heldUntil = world.time + 30_000;
        await destroy(world);
        repeats(world.warnings, "ben@build");
        assert.ok(world.time >= world.heldUntil);
        assert.deepEqual(inShort(world), ["lock", "release"]);
    });

    it("takes the lock before it reads the records", async () => {
        const world = evictingWorld();
        await destroy(world);
        assert.equal(world.done[0], "lock");
    });

    it("continues where a killed run stopped", async () => {
        for (const ended of [
            { endedAt: 1, endedUnder: "6" },
            { endedAt: 1, endedUnder: "7" },
        ]) {
            const world = evictingWorld({}, evicting(1, ended));
            await destroy(world);
            assert.deepEqual(world.lease?.records, noRecords(), JSON.stringify(ended));
        }
        const done = evictingWorld({ evicted: [], persisted: [] }, evicting(1, { endedAt: 1, endedUnder: "7" }));
        await destroy(done);
        assert.deepEqual(inShort(done).includes("end-eviction"), false);
        assert.deepEqual(done.lease?.records, noRecords());
    });

    it("ends an eviction that PD keeps for its next leader too", async () => {
        const world = evictingWorld({ evicted: [], persisted: [11] }, evicting(1, { endedAt: 1, endedUnder: "6" }));
        await destroy(world);
        assert.ok(inShort(world).indexOf("end-eviction") < inShort(world).indexOf("forget-eviction"));
    });

    for (const [why, row] of [
        ["PD answers 500", { pdSilent: true }],
        ["a web server answers", { pdIsNone: true }],
        ["PD has not loaded", { leadership: { hasSchedulers: false } }],
        ["PD did not answer", { unknown: ["evictedStores"] }],
        ["PD did not answer", { unknown: ["stores"] }],
    ] as const) {
        it(`fails if an eviction cannot be ended (${JSON.stringify(row)}), and says which one and what to do`, async () => {
            const world = evictingWorld(row);
            const records = structuredClone(world.lease?.records.evictions[11].pod);
            await failsWith(destroy(world), "eviction-ended", { target: "basic-tikv-1", names: why });
            assert.equal(world.lease?.records.evictions[11].pod, records);
            assert.ok(!world.done.includes("forget-eviction"));
        });
    }

    it("ends no eviction while PD has not loaded its schedulers, because it would come back", () => {
        const { observation } = observed("tikv", {
            evicted: [11],
            records: evicting(1),
            leadership: { hasSchedulers: false },
        });
        const pd = { ...observation.pd, evictedStores: known([11], "PD", observation.now) };
        assert.equal(nextDestroyMove({ ...observation, pd }, emptyMemory).kind, "wait");
    });

    it("records the versions of the running pods first, and of members that left no record of the Lease: the claims stay", async () => {
        const pods = { 0: { image: "pingcap/tikv:v8.5.3" } };
        for (const members of [undefined, { tikv: { replicas: 4 } }]) {
            const world = evictingWorld({ pods, claims: [claimOf("tikv", 0, { version: "v8.1.2" })] });
            world.lease = { ...world.lease!, members };
            const noted: Action[] = [];
            const { changes } = world;
            world.changes = (action) => {
                changes(action);
                if (action.do === "note-version") {
                    noted.push(action);
                    world.live.tikv = { ...world.live.tikv, claims: [claimOf("tikv", 0, { version: action.version })] };
                }
            };
            if (members === undefined) {
                world.lease.records = noRecords();
            }
            await destroy(world);
            const claims = [{ name: "tikv-basic-tikv-0", uid: "claim-0" }];
            assert.deepEqual(noted, [{ do: "note-version", version: "v8.5.3", claims }]);
        }
    });

    it("goes on if the record is refused, or if the user may not read the pods, and says what that means", async () => {
        const refusal = new KubernetesApiError("the API server answered 403", 403);
        const pods = { 0: { image: "pingcap/tikv:v8.5.3" } };
        for (const [change, said] of [
            [
                () => ({ perform: () => Promise.reject(refusal) }),
                ["v8.5.3", "tikv-basic-tikv-0", "resources: [persistentvolumeclaims], verbs: [list, patch]"],
            ],
            [
                ({ look }: GatePorts): Partial<GatePorts> => ({
                    look: (how) => (how.components.length > 0 ? Promise.reject(refusal) : look(how)),
                }),
                [],
            ],
        ] as [(ports: GatePorts) => Partial<GatePorts>, string[]][]) {
            const world = clusterWorld({ live: { tikv: { pods, claims: [claimOf("tikv", 0)] } } });
            changePorts(world, change);
            await destroy(world);
            assert.equal(world.warnings.length, 1);
            repeats(world.warnings[0], refusal.message, ...said);
        }
    });

    it("does not need PD if no eviction is on record", async () => {
        const world = clusterWorld({
            live: { tikv: { pdSilent: true } },
            lease: leaseOf({ records: { evictions: {}, ...removal } }),
        });
        await destroy(world);
        assert.deepEqual(world.lease?.records, noRecords());
        assert.ok(world.looks.every(({ pd }) => pd.length === 0));
    });

    it("has nothing to do if the Lease went with its namespace", async () => {
        const world = clusterWorld({ lease: undefined });
        await destroy(world);
        assert.deepEqual(world.done, []);
    });

    it("is refused if another stack owns the cluster by now", async () => {
        const world = evictingWorld();
        world.lease = { ...world.lease!, owner: other };
        await failsWith(destroy(world), "owned-elsewhere", { step: "destroy", names: "acme/shop/copy" });
        assert.deepEqual(world.done, []);
    });

    it("is refused in another Kubernetes cluster that has a Lease of the same name", async () => {
        const world = clusterWorld({ lease: leaseOf({ uid: "another", owner: undefined }) });
        await assert.rejects(destroy(world), /these are two clusters/);
    });

    it("says how to continue if the Kubernetes cluster is gone", async () => {
        for (const failure of [new KubernetesApiError("no answer", undefined), new ClusterAccessError("no file")]) {
            const names = `pulumi state delete --target-dependents '${owner.urn}'`;
            await failsWith(destroy(clusterWorld({ failure })), "api-call-failed", { names });
        }
    });

    it("does nothing in the gates of single members", async () => {
        for (const gate of ["recovery", "rollout", "suspend", "password"]) {
            await delete_("", deployed({ gate }));
        }
    });

    it("is done if the Lease disappears while it waits for another run", async () => {
        const world = clusterWorld();
        changePorts(world, ({ lease, tryLock }) => {
            let isGone = false;
            return {
                lease: () => (isGone ? Promise.resolve(undefined) : lease()),
                tryLock: (...how) => ((isGone = true), tryLock(...how)),
            };
        });
        await destroy(world);
        assert.deepEqual(inShort(world), ["lock", "release"]);
        assert.deepEqual(world.looks, []);
    });
});

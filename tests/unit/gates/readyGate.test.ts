import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { unknownValue } from "../../../provider/gates/inputs";
import { readyGateDefinition } from "../../../provider/gates/readyGate";
import { lookForReady, lookForReadyPlan } from "../../../provider/gates/looks";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { changePorts, clusterWorld, type ClusterWorld, told as clusterTold, watchLocks } from "./clusterWorld";
import { claimOf } from "../../support/lifecycle/observations";
import { codesOf, repeats } from "../../support/repeats";

const policy = { ...defaultPolicy, podReadyTimeoutSeconds: 60, evictionWindow: false } as const;
const members = (
    [
        ["pd", 3],
        ["tikv", 4],
        ["tidb", 2],
    ] as const
).map(([component, replicas]) => ({ component, replicas, policy }));
const told = (more: object = {}) => clusterTold({ gate: "ready", members, ...more });
const outsOf = (inputs: Record<string, unknown>) => ({ ...inputs, replicas: 9, plan: [], deferred: "" });
const ready = (world: ClusterWorld) => createGate(readyGateDefinition, world);

describe("the plan of the ReadyGate", () => {
    for (const [what, unknown] of Object.entries({
        "the members": unknownValue,
        "the replicas of one": [...members.slice(1), { ...members[0], replicas: unknownValue }],
    })) {
        it(`is deferred while a preview does not know ${what}, and so is the summary`, async () => {
            const world = clusterWorld();
            const { inputs } = await ready(world).check({}, told({ members: unknown }));
            assert.deepEqual([inputs.plan, inputs.replicas], [[], unknownValue]);
            repeats(inputs.deferred, "members");
            assert.deepEqual(world.looks, []);
        });
    }

    it("is empty if the cluster is as requested, and counts all replicas so that a new number runs the gate", async () => {
        const world = clusterWorld();
        const { inputs } = await ready(world).check({}, told());
        assert.deepEqual([inputs.plan, inputs.replicas, inputs.deferred], [[], 9, ""]);
        assert.deepEqual(world.looks, [lookForReadyPlan(["pd", "tikv", "tidb"])]);
    });

    it("has a line for each thing that any member lacks", async () => {
        const live = {
            pd: { unhealthy: [1] },
            tikv: { pods: { 3: { ready: false, trouble: "cannot pull its image" } } },
            tidb: { stale: [1], pods: { 0: undefined } },
        };
        const { inputs } = await ready(clusterWorld({ live })).check({}, told());
        assert.deepEqual(inputs.plan, [
            "wait for PD member basic-pd-1: it is unhealthy",
            "wait for basic-tikv-3 to be Ready: cannot pull its image",
            "wait for basic-tidb-0: it does not exist",
            "wait for basic-tidb-1 to run the newest template",
        ]);
    });

    it("has a step for each store whose labels in PD are not those of its node", async () => {
        const { inputs, remarks } = await ready(clusterWorld({ live: moved })).planOf({}, told());
        assert.deepEqual(inputs.plan, [
            "label store 13 (basic-tikv-3) (on node n3): zone from c to a; until PD lists them (~1 s)",
        ]);
        assert.deepEqual(remarks, []);
    });

    it("says that labels stay as they are where nodes cannot be read, and has no step", async () => {
        const tikv = { pods: { 3: { node: "n3", nodeLabels: notKnown("403") } } };
        const { inputs, remarks } = await ready(clusterWorld({ live: { ...moved, tikv } })).planOf({}, told());
        assert.deepEqual(inputs.plan, []);
        assert.deepEqual(codesOf(remarks), ["labels-stay"]);
        repeats(remarks, "basic-tikv", "403");
    });

    it("adds the labels that the program asks for, and leaves out those that stores give themselves", async () => {
        const labels = { more: ["disk"], own: ["zone"] };
        const named = members.map((member) => (member.component === "tikv" ? { ...member, labels } : member));
        const { inputs } = await ready(clusterWorld({ live: moved })).planOf({}, told({ members: named }));
        assert.deepEqual(inputs.plan, [
            "label store 13 (basic-tikv-3) (on node n3): disk from none to ssd; until PD lists them (~1 s)",
        ]);
    });

    it("has a line for each member whose volumes have another reclaim policy than the program says, and reads no other", async () => {
        const world = clusterWorld({
            live: { pd: claimed("Retain", "pd"), tikv: claimed("Delete"), tidb: claimed("Delete", "tidb") },
        });
        const { inputs, remarks } = await ready(world).planOf({}, told({ members: retained }));
        assert.deepEqual(inputs.plan, ["set reclaim policy Retain on 1 volume of basic-tikv (now Delete)"]);
        assert.deepEqual(remarks, []);
        world.live.tikv = claimed("Retain");
        assert.deepEqual((await ready(world).planOf({}, told({ members: retained }))).inputs.plan, []);
    });

    it("says which rule to grant if the volumes cannot be read", async () => {
        const tikv = { claims: [claimOf("tikv", 0, { volume: notKnown("403") })] };
        const world = clusterWorld({ live: { pd: claimed("Retain", "pd"), tikv, tidb: {} } });
        const { inputs, remarks } = await ready(world).planOf({}, told({ members: retained }));
        assert.deepEqual(inputs.plan, []);
        assert.deepEqual(codesOf(remarks), ["reclaim-policy-stays"]);
        repeats(remarks, "1 of 2 volumes of basic", "403", "[persistentvolumes], verbs: [get, patch]");
    });

    it("is unknown while PD is silent", async () => {
        const world = clusterWorld({ live: { pd: { pdSilent: true }, tikv: {}, tidb: {} } });
        const { inputs } = await ready(world).check({}, told());
        assert.deepEqual([inputs.plan, inputs.deferred], [[], "deferred: PD answers 500"]);
        const unchanged = await ready(world).check(outsOf(told()), told());
        assert.deepEqual([unchanged.inputs.plan, unchanged.inputs.deferred], [[], ""]);
        assert.deepEqual(codesOf(world.warnings), ["pd-answers"]);
    });
});

describe("the ReadyGate at work", () => {
    it("ends at once if everything is healthy, after as detailed an observation as a rollout's", async () => {
        const world = clusterWorld();
        const { outs } = await ready(world).update("", outsOf(told()), outsOf(told()));
        assert.deepEqual(world.done, []);
        assert.deepEqual(world.looks, [lookForReady(["pd", "tikv", "tidb"])]);
        assert.deepEqual(outs, outsOf(told()));
    });

    it("tells PD where a store is whose pod moved, after everything else, under the lock", async () => {
        const world = clusterWorld({ live: moved });
        const labels = { zone: "a" };
        world.changes = ({ do: done }) => {
            world.live.pd = done === "set-store-labels" ? { ...moved.pd, stores: { 3: { labels } } } : world.live.pd;
        };
        await ready(world).update("", outsOf(told()), outsOf(told()));
        assert.deepEqual(world.done, [
            "lock",
            "set labels in PD: zone = a of store 13 (basic-tikv-3)",
            "set-store-labels",
            "release",
        ]);
        assert.deepEqual(world.warnings, []);
    });

    it("tells TiDB's servers where they are, after the stores", async () => {
        const server = (labels: object) =>
            known([{ podName: "basic-tidb-1", version: "8.0.11-TiDB-v8.5.3", labels: { ...labels } }], "", 0);
        const nodeLabels = known({ "topology.kubernetes.io/zone": "a" }, "node n", 0);
        const on = (node: string) => ({ pods: { 1: { node, nodeLabels } } });
        const tidb = { ...on("n1"), tidbServers: server({}) };
        const world = clusterWorld({ live: { pd: { locationLabels: ["zone"] }, tikv: {}, tidb } });
        world.changes = ({ do: done }) => {
            world.live.tidb =
                done === "set-server-labels" ? { ...tidb, tidbServers: server({ zone: "a" }) } : world.live.tidb;
        };
        const { inputs } = await ready(world).planOf({}, told());
        assert.deepEqual(inputs.plan, [
            "label basic-tidb-1 (on node n1): zone from none to a; until TiDB lists them (~1 s)",
        ]);
        await ready(world).update("", outsOf(told()), outsOf(told()));
        assert.deepEqual(world.done, [
            "lock",
            "set labels of TiDB: zone = a of basic-tidb-1",
            "set-server-labels",
            "release",
        ]);
    });

    it("gives the volumes their reclaim policy once every pod is there: those of a scale-out too", async () => {
        const world = clusterWorld({ live: { pd: claimed("Delete", "pd"), tikv: claimed("Delete"), tidb: {} } });
        world.changes = ({ do: done }) => {
            const isFirst = done === "set-reclaim-policy" && world.live.pd === before;
            Object.assign(world.live, isFirst ? { pd: claimed("Retain", "pd") } : { tikv: claimed("Retain") });
        };
        const before = world.live.pd;
        await ready(world).update("", outsOf(told()), outsOf(told({ members: retained })));
        assert.deepEqual(world.done, [
            "lock",
            "set reclaim policy Retain on 1 volume (pd-basic-pd-0)",
            "set-reclaim-policy",
            "set reclaim policy Retain on 1 volume (tikv-basic-tikv-0)",
            "set-reclaim-policy",
            "release",
        ]);
        assert.deepEqual(world.warnings, []);
    });

    it("ends with a warning if it cannot read where a store is", async () => {
        const tikv = { pods: { 3: { node: "n3", nodeLabels: notKnown("403") } } };
        const world = clusterWorld({ live: { ...moved, tikv } });
        await ready(world).update("", outsOf(told()), outsOf(told()));
        assert.deepEqual(world.done, []);
        assert.deepEqual(codesOf(world.warnings), ["labels-stay"]);
    });

    it("waits for every member in turn", async () => {
        for (const component of ["pd", "tikv", "tidb"] as const) {
            const world = clusterWorld();
            world.live[component] = { pods: { 1: { ready: false } } };
            const began = world.time;
            changePorts(world, ({ sleep }) => ({
                sleep: async (milliseconds) => {
                    await sleep(milliseconds);
                    world.live[component] = world.time - began > 20_000 ? {} : world.live[component];
                },
            }));
            await ready(world).create(outsOf(told()));
            assert.ok(world.time - began > 20_000, component);
        }
    });

    it("fails after the member's own timeout, and names the pod", async () => {
        const world = clusterWorld({ live: { pd: {}, tikv: {}, tidb: { pods: { 1: { ready: false } } } } });
        await assert.rejects(
            ready(world).create(outsOf(told())),
            /^GateError: [a-z-]+: basic-tidb-1: .*6\d s\. Next: /,
        );
    });

    it("tells whoever waits for its lock what it waits for", async () => {
        const world = clusterWorld({ live: { pd: {}, tikv: { evicted: [11], persisted: [11] }, tidb: {} } });
        world.lease = { ...world.lease!, records: { evictions: { 11: eviction }, removals: {} } };
        const said = watchLocks(world);
        world.changes = ({ do: done }) => {
            world.live.tikv = done === "end-eviction" ? {} : world.live.tikv;
        };
        await ready(world).create(outsOf(told()));
        assert.deepEqual(said, ["wait for basic"]);
        assert.deepEqual(world.lease.records.evictions, {});
    });
});

/** Only the members that have a policy; of TiDB's claims no volume is read. */
const retained = members.map((member) =>
    member.component === "tidb" ? member : { ...member, reclaimPolicy: "Retain" as const },
);

/** A member with one claim, whose volume has the policy. */
const claimed = (reclaimPolicy: string, component: "pd" | "tikv" | "tidb" = "tikv") => ({
    claims: [
        claimOf(component, 0, {
            uid: `claim of ${component}`,
            volume: known({ name: "pv-1", uid: "v", resourceVersion: "1", reclaimPolicy }, "the API server", 0),
        }),
    ],
});

/** PD's lists are those of PD's row. The last of four stores runs on a node of zone a, and PD has it in zone c. */
const moved = {
    pd: { locationLabels: ["zone"], stores: { 3: { labels: { zone: "c" } } } },
    tikv: {
        pods: {
            3: {
                node: "n3",
                nodeLabels: known({ "topology.kubernetes.io/zone": "a", disk: "ssd" }, "node n3", 0),
            },
        },
    },
    tidb: {},
};

const eviction = { pod: "basic-tikv-1", begunAt: 0, leadersBefore: 500 };

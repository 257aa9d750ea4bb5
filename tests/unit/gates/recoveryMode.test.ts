import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import { suspendGateDefinition } from "../../../provider/gates/suspendGate";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { claimOf } from "../../support/lifecycle/observations";
import {
    changePorts,
    checked,
    clusterWorld,
    type ClusterWorld,
    deployed,
    leaseOf,
    told as clusterTold,
} from "./clusterWorld";
import { failsWith } from "../../support/failsWith";
import { refusedAt } from "../../support/gates/refusedAt";

const policy = { ...defaultPolicy, podReadyTimeoutSeconds: 60 };
const claims = [{ name: "tikv", storage: "1Gi", storageClass: "" }];
const fixed = { podManagementPolicy: "Parallel", serviceName: "", claims };
const told = (more: object = {}) =>
    clusterTold({ gate: "scale", component: "tikv", desiredReplicas: 2, policy, fixed, ...more });
/** The StatefulSets of these tests have no claims. */
const live = (more: object = {}) => told({ fixed: { ...fixed, claims: [] }, ...more });
const outsOf = (inputs: Record<string, unknown>) => ({ ...inputs, replicas: 2, plan: [], deferred: "" });
const scale = (world: ClusterWorld) => createGate(scaleGateDefinition, world);
const suspend = (world: ClusterWorld) => createGate(suspendGateDefinition, world);
const on = { recoveryMode: true };
const bound = (ordinal: number) => claimOf("tikv", ordinal, { state: { phase: "Bound", hasSource: false } });
const noStores = { 0: undefined, 1: undefined, 2: undefined, 3: undefined };
const empty = (more: object = {}) =>
    clusterWorld({ live: { tikv: { suspended: true, stores: noStores, mark: true, ...more } } });
/** TiKV's StatefulSet is one that was deployed in recovery mode. */
const recovering = (more: object) => {
    const world = clusterWorld({ live: { tikv: { live: 2, ...more } } });
    changePorts(world, ({ look }) => ({
        look: async (options) => {
            const { members, ...seen } = await look(options);
            const tikv = members.tikv!;
            return {
                ...seen,
                members: { tikv: { ...tikv, statefulSet: { ...tikv.statefulSet!, recovers: true as const } } },
            };
        },
    }));
    return world;
};

describe("recovery mode before TiKV starts", () => {
    it("has the missing claims in the plan, and reads whether the others are Bound", async () => {
        const world = empty({ claims: [bound(0)] });
        const { inputs, failures } = await scale(world).check({}, told(on));
        assert.deepEqual(
            [inputs.plan, failures],
            [["wait: not there yet: claim tikv-basic-tikv-1 (missing)"], undefined],
        );
        assert.ok(world.looks.every(({ claimStates }) => claimStates === true));
    });

    it("defers the plan while PD does not answer", async () => {
        const { inputs } = await scale(empty({ claims: [bound(0), bound(1)], pdSilent: true })).check({}, told(on));
        assert.deepEqual([inputs.plan, inputs.deferred], [[], "deferred: PD answers 500"]);
    });

    it("has an empty plan once all is there", async () => {
        const { inputs } = await scale(empty({ claims: [bound(0), bound(1)] })).check({}, told(on));
        assert.deepEqual(inputs.plan, []);
    });

    it("lets TiKV start as soon as the last claim is there, without a lock", async () => {
        const world = empty({ claims: [bound(0)] });
        const began = world.time;
        changePorts(world, ({ sleep }) => ({
            sleep: async (milliseconds) => {
                await sleep(milliseconds);
                world.live.tikv = { ...world.live.tikv, claims: [bound(0), bound(1)] };
            },
        }));
        await scale(world).create(outsOf(told(on)));
        assert.ok(world.time > began);
        assert.deepEqual(world.done, []);
    });

    it("refuses a cluster that was deployed without it", async () => {
        const { refused } = await scale(clusterWorld({ live: { tikv: { live: 2 } } })).planOf({}, live(on));
        assert.deepEqual(refusedAt(refused), ["spec.recoveryMode"]);
    });
});

describe("recovery mode of a cluster that is there", () => {
    const member = { version: "v8.5.2", versionField: "spec.version", templateRevision: "one", runs: true };
    const asked = (more: object = {}) => ({
        ...{ members: { pd: member, tikv: member, tidb: member }, objects: "one", namespaceMaker: "nobody" },
        ...{ mayGrant: false, sharesUser: true, traits: [], allowDowngrade: false, ...more },
    });
    const wanted = asked({ recoveryMode: true, objects: "two" });
    const used = [claimOf("tikv", 0, { version: "v8.5.2" })];
    const suspended = (more: object = {}) => ({ suspended: true, claims: used, ...more });
    const down = (tikv: object) => ({ pd: { suspended: true }, tidb: { suspended: true }, tikv });
    const refusedFor = async (
        live: ClusterWorld["live"],
        {
            before = asked(),
            pdClusterId,
            state,
        }: { before?: object; pdClusterId?: string; state?: Record<string, unknown> } = {},
    ) => {
        const world = clusterWorld({ live, lease: leaseOf({ pdClusterId }) });
        const olds = state ?? deployed({ prerequisites: before });
        const { refused, why } = await checked(world, { prerequisites: wanted }, olds);
        assert.deepEqual(refused ?? ["spec.recoveryMode"], ["spec.recoveryMode"]);
        return ["basic-tikv", "basic-tidb"].filter((name) => why.includes(name));
    };

    it("is refused with every reason at once", async () => {
        assert.deepEqual(await refusedFor({ pd: {}, tikv: {}, tidb: {} }), ["basic-tikv", "basic-tidb"]);
    });

    it("is refused while TiKV is suspended that was deployed without it: BR would delete what its volumes have", async () => {
        assert.deepEqual(await refusedFor(down(suspended())), ["basic-tikv"]);
        assert.deepEqual(await refusedFor(down(suspended({ claims: [] })), { pdClusterId: "7" }), ["basic-tikv"]);
        const withoutState = { ...deployed(), prerequisites: undefined };
        assert.deepEqual(await refusedFor(down(suspended()), { state: withoutState }), ["basic-tikv"]);
    });

    it("is accepted while TiKV is suspended in it, and where no TiKV has run", async () => {
        assert.deepEqual(await refusedFor(down(suspended()), { before: asked({ recoveryMode: true }) }), []);
        assert.deepEqual(await refusedFor(down(suspended({ claims: [claimOf("tikv", 0)] }))), []);
        assert.deepEqual(await refusedFor(down(suspended()), { state: {} }), []);
    });
});

describe("the end of recovery mode", () => {
    it("says what it does", async () => {
        const { inputs, failures } = await scale(recovering({ mark: false })).check(outsOf(live(on)), live());
        assert.equal(failures, undefined);
        assert.deepEqual(inputs.plan, ["recovery mode ends: TiKV restarts, then TiDB is deployed"]);
    });

    it("has the unknown mark in the plan, and the update fails if it stays unknown", async () => {
        const unknown = { mark: false, unknown: ["snapshotRecovering"] };
        const { inputs } = await scale(recovering(unknown)).check(outsOf(live(on)), live());
        assert.equal(
            (inputs.plan as string[]).at(-1),
            "wait: PD's mark snapshot-recovering, or its stores, not known: PD did not answer",
        );
        await failsWith(scale(recovering(unknown)).update("", {}, outsOf(live())), "recovery-mode", {
            target: "basic-tikv",
            names: "not known",
        });
    });
});

describe("TiDB of a cluster that is restored", () => {
    const held = () => clusterTold({ gate: "suspend", component: "tidb", policy, ...on });

    it("is not deployed, and nothing is to be done for that", async () => {
        const world = clusterWorld({ live: { tidb: { suspended: true } } });
        const { inputs, failures } = await suspend(world).check({}, held());
        assert.deepEqual([inputs.plan, failures], [[], undefined]);
        await suspend(world).create(outsOf(held()));
        assert.deepEqual(world.done, []);
    });

    it("is never taken down by it: the preview refuses", async () => {
        const { refused } = await suspend(clusterWorld()).planOf({}, held());
        assert.deepEqual(refusedAt(refused), ["spec.recoveryMode"]);
    });

    it("is not taken down by an update either if it comes up after the check", async () => {
        const world = clusterWorld({
            changes: ({ do: what }) => {
                throw new Error(`the gate did this: ${what}`);
            },
        });
        await failsWith(suspend(world).create(outsOf(held())), "recovery-mode", { target: "basic-tidb" });
        assert.deepEqual(world.done, []);
    });
});

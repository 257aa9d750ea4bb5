import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createGate } from "../../../provider/gates/gate";
import { suspendGateDefinition } from "../../../provider/gates/suspendGate";
import { untilMemberHasStopped } from "../../../provider/gates/untilStopped";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../topology/members";
import { goneNode, lostNode } from "../../support/lifecycle/deaths";
import { changePorts, type ClusterWorld, clusterWorld, deployed, leaseOf } from "./clusterWorld";
import { codesOf, repeats } from "../../support/repeats";

type Pods = Record<number, Partial<ObservedPod>>;

/** The pods of a member as they are seen after so many seconds; one that is not named is gone. */
type Seen = (seconds: number) => Pods;

/** A world in which Pulumi has deleted a StatefulSet. */
function stopping(
    component: Component,
    seen: Seen,
    { isDeleted = true, leaders = 0 }: { isDeleted?: boolean; leaders?: number } = {},
): ClusterWorld {
    const world = clusterWorld();
    const began = world.time;
    const stores = { 0: leaders, 1: leaders, 2: leaders, 3: leaders };
    world.live[component] = {
        stores: Object.fromEntries(
            Object.entries(stores).map(([ordinal, reported]) => [ordinal, { leaderCount: { reported } }]),
        ),
    };
    changePorts(world, ({ look }) => ({
        look: async (options) => {
            const { members, ...rest } = await look(options);
            const member = members[component]!;
            const left = seen((world.time - began) / 1000);
            const pods = member.pods.flatMap((pod) =>
                pod.ordinal in left ? [{ ...pod, terminating: isDeleted, ...left[pod.ordinal] }] : [],
            );
            return { ...rest, members: { [component]: { ...member, statefulSet: undefined, pods } } };
        },
    }));
    return world;
}

const stop = (component: Component, world: ClusterWorld) =>
    untilMemberHasStopped("", deployed({ gate: "scale", component }), world);
const secondsOf = (world: ClusterWorld) => (world.time - clusterWorld().time) / 1000;
const until =
    (end: number, pods: Pods): Seen =>
    (seconds) =>
        seconds < end ? pods : {};
const grace = { graceSeconds: 30 };

describe("a member whose StatefulSet Pulumi has deleted", () => {
    it("has stopped before what it needs is deleted: TiKV does not end by itself without PD", async () => {
        for (const component of ["tikv", "tidb", "tiflash", "pump", "ticdc"] as const) {
            const world = stopping(component, until(21, { 0: grace }));
            await stop(component, world);
            assert.ok(secondsOf(world) >= 21, `${component}: ${secondsOf(world)}`);
            assert.deepEqual(world.warnings, []);
            assert.ok(!world.done.includes("lock"), "a wait changes nothing");
        }
    });

    it("is not waited for if it needs nothing: PD's pods, and TiProxy's", async () => {
        for (const component of ["pd", "tiproxy"] as const) {
            const world = stopping(component, () => ({ 0: grace }));
            await stop(component, world);
            assert.deepEqual([world.looks, secondsOf(world)], [[], 0]);
        }
    });

    it("is not waited for if nothing deletes its pods, or if another cluster has its name now", async () => {
        const orphans = stopping("tikv", () => ({ 0: {} }), { isDeleted: false });
        await stop("tikv", orphans);
        assert.equal(secondsOf(orphans), 0);
        const other = stopping("tikv", () => ({ 0: grace }));
        other.lease = leaseOf({ uid: "lease-of-another" });
        await stop("tikv", other);
        assert.deepEqual(other.looks, []);
    });

    it("does not keep the cluster from being destroyed where a pod never ends, as on a node that is gone", async () => {
        const world = stopping("tikv", () => ({ 1: grace, 2: { graceSeconds: 100 } }));
        await stop("tikv", world);
        assert.ok(secondsOf(world) >= 160 && secondsOf(world) < 200, String(secondsOf(world)));
        repeats(world.warnings, "basic-tikv-1, basic-tikv-2", "160 s");
    });

    it("does not wait out the grace period of a pod whose node is gone or silent, and reads the nodes only for a long wait", async () => {
        for (const lost of [goneNode(), lostNode()]) {
            const world = stopping("tikv", () => ({ 1: { ...lost, graceSeconds: 3_600 } }));
            changePorts(world, ({ look }) => ({
                look: async (options) => {
                    const observation = await look(options);
                    const pods = observation.members.tikv!.pods.map(({ death, ...pod }) =>
                        options.deaths ? { ...pod, death } : pod,
                    );
                    return { ...observation, members: { tikv: { ...observation.members.tikv!, pods } } };
                },
            }));
            await stop("tikv", world);
            assert.ok(secondsOf(world) < 120, String(secondsOf(world)));
            repeats(world.warnings, "basic-tikv-1", "60 s");
            assert.ok(world.looks.some(({ deaths }) => deaths === true));
            assert.notEqual(world.looks[0].deaths, true);
        }
    });

    it("does not keep a person from it who may not read pods, and says that it was not seen", async () => {
        const world = stopping("tikv", () => ({ 0: grace }));
        changePorts(world, () => ({
            look: () => Promise.reject(new KubernetesApiError("pods is forbidden", 403)),
        }));
        await stop("tikv", world);
        repeats(world.warnings, "basic-tikv", "pods is forbidden");
    });
});

describe("a store that is killed while it stops", () => {
    const named = ({ warnings }: ClusterWorld, leaders: string) => {
        assert.deepEqual(codesOf(warnings), ["store-killed"]);
        repeats(warnings, "basic-tikv-1", "30 s", `${leaders} left`);
    };
    const killed: Seen = (seconds): Pods => {
        if (seconds < 20) {
            return { 0: grace, 1: grace };
        }
        return until(37, { 1: seconds > 30 ? { ...grace, exitCode: 137 } : grace })(seconds);
    };

    it("is named with the leaders that it still had", async () => {
        const world = stopping("tikv", killed, { leaders: 86 });
        await stop("tikv", world);
        named(world, "86 leaders");
    });

    it("is named in a suspension too", async () => {
        const world = stopping("tikv", killed, { leaders: 1 });
        const inputs = { ...deployed({ gate: "suspend", component: "tikv" }) };
        await createGate(suspendGateDefinition, world).update("", inputs, inputs);
        named(world, "1 leader");
    });

    it("is named where its node did not report how it ended, and it was there for all of its time", async () => {
        const world = stopping("tikv", until(34, { 1: grace }), { leaders: 86 });
        await stop("tikv", world);
        named(world, "86 leaders");
    });

    const well: [what: string, component: Component, seen: Seen, leaders: number][] = [
        ["it had none left", "tikv", killed, 0],
        ["it ended by itself at its timeout", "tikv", until(22, { 1: grace }), 86],
        ["it ended by itself, and its volumes took longer", "tikv", until(50, { 1: { ...grace, exitCode: 0 } }), 86],
        ["it is a TiFlash, which leads nothing", "tiflash", until(50, { 0: { ...grace, exitCode: 137 } }), 0],
    ];
    for (const [what, component, seen, leaders] of well) {
        it(`is not named if ${what}`, async () => {
            const world = stopping(component, seen, { leaders });
            await stop(component, world);
            assert.deepEqual(world.warnings, []);
        });
    }
});

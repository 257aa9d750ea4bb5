import * as assert from "node:assert/strict";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import type { ClusterProgramInputs } from "../../../provider/gates/inputs";
import { planLeavingMembers } from "../../../provider/gates/leavingMembers";
import { describePlan } from "../../../provider/lifecycle/walks/describePlan";
import { lookForScale } from "../../../provider/gates/looks";
import { claimOf } from "../../support/lifecycle/observations";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { clusterWorld, type ClusterWorld, deployed, leaseOf, told, watchLocks } from "./clusterWorld";
import type { Component } from "../../../topology/members";

const inputs = () => told() as unknown as ClusterProgramInputs;
const planned = async (world: ClusterWorld, ...leaving: Component[]) =>
    planLeavingMembers(leaving, inputs(), await world.open(inputs(), "check"));
const noting = (component: Component) => leaseOf({ members: { ...leaseOf().members, [component]: { replicas: 2 } } });

describe("the observation before a member leaves the program", () => {
    it("covers what scaling the member is decided from, and who may use the member", async () => {
        const world = clusterWorld({ live: { tidb: {}, pump: {}, tiproxy: {} } });
        await planned(world, "pump", "tiproxy");
        const pump = lookForScale("pump");
        assert.deepEqual(world.looks, [{ ...pump, components: ["pump", "tidb"] }, lookForScale("tiproxy")]);
    });
});

describe("the plan for members that left the program", () => {
    it("is empty for a member that may not go, beside the steps of one that may", async () => {
        const world = clusterWorld({ live: { tidb: {}, pump: {}, tiproxy: { live: 1 } } });
        const { steps, refused, trouble } = await planned(world, "pump", "tiproxy");
        assert.deepEqual(
            describePlan(steps).map((line) => line.split(":")[0]),
            ["remove basic-tiproxy-0 (tiproxy left the program)"],
        );
        assert.deepEqual(
            refused.map(({ property }) => property),
            ["spec.pump"],
        );
        assert.equal(trouble, undefined);
    });

    it("says of pods without volumes that they end together, when Pulumi deletes the StatefulSet", async () => {
        const { steps } = await planned(clusterWorld({ live: { tiproxy: { live: 2 } } }), "tiproxy");
        assert.deepEqual(
            describePlan(steps).map((line) => line.split("; until ")[1].split(" (")[0]),
            Array(2).fill("Pulumi deletes its StatefulSet later in the update, and all its pods at once"),
        );
    });

    it("has the sure steps while PD is silent, without those that PD must decide", async () => {
        const claims = [claimOf("tiflash", 0, { released: true }), claimOf("tiflash", 1)];
        const world = clusterWorld({ live: { tiflash: { live: 2, claims, pdSilent: true } } });
        const { steps, trouble } = await planned(world, "tiflash");
        assert.deepEqual(describePlan(steps), [
            "remove basic-tiflash-1 (tiflash left the program): once PD answers",
            "remove basic-tiflash-0 (tiflash left the program): once PD answers",
        ]);
        assert.equal(trouble, "PD answers 500");
    });
});

describe("the ClusterGate at work", () => {
    it("takes the lock with a purpose that names what it does", async () => {
        const world = clusterWorld({ live: { tidb: {}, tiproxy: {} }, lease: noting("tiproxy") });
        const said = watchLocks(world);
        world.changes = () => delete world.live.tiproxy;
        world.live.tiproxy = { live: 1, claims: [claimOf("tiproxy", 0)] };
        await createClusterGate(world).update("", deployed(), told());
        assert.deepEqual(said, [
            "bring the members of basic in line with the program",
            "remove basic-tiproxy, which left the program, from basic",
        ]);
    });

    it("leaves the claims of an earlier cluster alone: the PD of the new one knows nothing of them, and does not run yet", async () => {
        const lease = leaseOf({ owner: undefined, members: undefined });
        const live = { tiflash: { live: 0, claims: [claimOf("tiflash", 0)] } };
        const needs: object[] = [];
        const world = clusterWorld({ lease, live, confirmed: (step) => needs.push(step) });
        const said = watchLocks(world);
        const withoutStatefulSet: GateWorld = {
            ...world,
            open: async (inputs, purpose) => {
                const ports = await world.open(inputs, purpose);
                const look: typeof ports.look = async (options, lag) => {
                    const { members, ...seen } = await ports.look(options, lag);
                    const { tiflash, ...others } = members;
                    return {
                        ...seen,
                        members: tiflash ? { ...others, tiflash: { ...tiflash, statefulSet: undefined } } : members,
                    };
                };
                return { ...ports, look };
            },
        };
        await createClusterGate(withoutStatefulSet).create(told());
        assert.deepEqual(said, ["bring the members of basic in line with the program"]);
        assert.deepEqual(needs, [{ usesPd: false, isAlone: false }]);
    });

    it("needs only the Lease for its notes, so a cluster can be deployed before its PD", async () => {
        const needs: object[] = [];
        const lease = leaseOf({ owner: undefined, members: undefined });
        const world = clusterWorld({ lease, live: {}, confirmed: (step) => needs.push(step) });
        await createClusterGate(world).create(told());
        assert.deepEqual(needs, [{ usesPd: false, isAlone: false }]);
    });
});

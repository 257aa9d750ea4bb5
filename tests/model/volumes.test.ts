import * as assert from "node:assert/strict";
import { assertNoViolation, deployed, shortTimeouts } from "../support/simulation/clusters";
import { endedAtEachChange, NextRuns } from "../support/simulation/endings";
import { foreseenBy, type Goal, up } from "../support/simulation/operate";
import { courseOf, difference, foreseenCourse } from "../support/simulation/foreseenStop";
import { stopPod } from "../support/simulation/kubernetes";
import type { Simulation } from "../support/simulation/simulation";
import type { Action } from "../../provider/lifecycle/vocabulary/actions";
import { actionsOf } from "../../provider/lifecycle/dryRun/dryRun";

const start: Goal = { pd: 3, tikv: 3, tidb: 1, revision: "r1", size: "10Gi", policy: shortTimeouts };
const larger: Goal = { ...start, size: "20Gi" };

/** How the driver enlarges: at once, in a while, or only the file system of a new pod. */
const drivers = {
    "at once": { takes: 0, needsNewPods: false },
    "in half a minute": { takes: 30_000, needsNewPods: false },
    "with new pods": { takes: 1_000, needsNewPods: true },
};

async function clusterWith(driver: keyof typeof drivers) {
    const cluster = await deployed(start);
    cluster.simulation.world.driver = drivers[driver];
    return cluster;
}

const sizesIn = ({ world }: Simulation) => {
    const { claims, statefulSets } = world.clusters.ours;
    return {
        claims: [
            ...new Set(claims.flatMap(({ size, capacity, released }) => (released ? [] : [`${size} ${capacity}`]))),
        ],
        sets: [...new Set(Object.values(statefulSets).map(({ size }) => size))],
    };
};
const grown = { claims: ["20Gi 20Gi"], sets: ["20Gi"] };
/** What is done with which pod. A pod that has changed meanwhile is deleted at the second try. */
const turnsOf = (actions: readonly Action[]) =>
    actions
        .map((action) => `${action.do} ${"pod" in action ? action.pod : ""}`)
        .filter((turn, index, all) => turn !== all[index - 1]);
const podsIn = ({ world }: Simulation) => world.clusters.ours.pods.map(({ uid }) => uid);

describe("volumes that the program wants larger", function () {
    this.timeout(240_000);

    for (const driver of Object.keys(drivers) as (keyof typeof drivers)[]) {
        it(`grow ${driver}, one pod's at a time`, async () => {
            const { simulation, stack } = await clusterWith(driver);
            const before = podsIn(simulation);
            const { ending, error } = await up(simulation, stack, larger);
            assert.equal(ending, "done", error?.message);
            assertNoViolation(simulation.world);
            assert.deepEqual(sizesIn(simulation), grown);
            const isSame = podsIn(simulation).every((uid) => before.includes(uid));
            assert.equal(isSame, !drivers[driver].needsNewPods);
        });

        it(`grow ${driver}, also where the run is killed at any of its changes`, async () => {
            const nextRuns = new NextRuns();
            const every = driver === "at once" ? 1 : 3;
            for await (const left of endedAtEachChange(
                await clusterWith(driver),
                larger,
                { when: "after", how: "kill" },
                12,
                every,
            )) {
                assertNoViolation(left.simulation.world);
                await nextRuns.reach(left, larger);
                assert.deepEqual(sizesIn(left.simulation), grown, `killed after change ${left.change}`);
            }
        });
    }

    it("give a store of the same update the size from the start", async () => {
        const { simulation, stack } = await clusterWith("at once");
        const { ending, error } = await up(simulation, stack, { ...larger, tikv: 4, revision: "r2" });
        assert.equal(ending, "done", error?.message);
        assertNoViolation(simulation.world);
        assert.deepEqual(sizesIn(simulation), grown);
        assert.equal(simulation.world.clusters.ours.claims.filter(({ component }) => component === "tikv").length, 4);
    });

    it("are foreseen: what the preview shows is what the update does", async () => {
        const { simulation, stack } = await clusterWith("at once");
        const foreseen = (await foreseenBy(simulation, stack, larger))
            .flatMap(({ runs }) => runs.flatMap(actionsOf))
            .map((action) => action.do);
        const both = ["grow-claims", "grow-claims", "grow-claims", "remake-stateful-set"];
        assert.deepEqual(foreseen, [...both, ...both, "grow-claims", "remake-stateful-set"]);
    });
});

describe("volumes that the program wants smaller", function () {
    this.timeout(240_000);
    const smaller: Goal = { ...start, size: "5Gi" };
    const back = { claims: ["10Gi 10Gi"], sets: ["10Gi"] };
    const shrunk = { claims: ["5Gi 5Gi"], sets: ["5Gi"] };

    it("are replaced pod by pod, with a spare store and PD member meanwhile", async () => {
        const { simulation, stack } = await clusterWith("at once");
        const { ending, error } = await up(simulation, stack, smaller);
        assert.equal(ending, "done", error?.message);
        assertNoViolation(simulation.world);
        assert.deepEqual(sizesIn(simulation), shrunk);
        const { statefulSets } = simulation.world.clusters.ours;
        assert.deepEqual(
            ["pd", "tikv", "tidb"].map((one) => statefulSets[one as "pd"]?.replicas),
            [3, 3, 1],
        );
    });

    it("are replaced also where the run is killed at any of its changes", async () => {
        const nextRuns = new NextRuns();
        const killed = { when: "after", how: "kill" } as const;
        for await (const left of endedAtEachChange(await clusterWith("at once"), smaller, killed, 60, 5)) {
            assertNoViolation(left.simulation.world);
            await nextRuns.reach(left, smaller);
            assertNoViolation(left.simulation.world);
            assert.deepEqual(sizesIn(left.simulation), shrunk, `killed after change ${left.change}`);
        }
    });

    it("stay where the program takes that back after a kill, but for those that are begun with", async () => {
        const nextRuns = new NextRuns();
        const killed = { when: "after", how: "kill" } as const;
        for await (const left of endedAtEachChange(await clusterWith("at once"), smaller, killed, 60, 7)) {
            await nextRuns.reach(left, start);
            assertNoViolation(left.simulation.world);
            assert.deepEqual(sizesIn(left.simulation), back, `killed after change ${left.change}`);
        }
    });

    it("are foreseen: what the preview shows is what the update does", async () => {
        const { simulation, stack } = await clusterWith("at once");
        const foreseen = await foreseenBy(simulation, stack, smaller);
        const since = simulation.world.log.length;
        console.log(
            JSON.stringify(foreseenCourse(foreseen)).slice(-1500),
            JSON.stringify(foreseen.flatMap(({ runs }) => runs.map(({ end }) => (end.is === "held" ? end.at : end)))),
        );
        const result = await up(simulation, stack, smaller);
        assert.equal(result.ending, "done");
        const update = courseOf(result, simulation.world, since);
        assert.deepEqual(turnsOf(update.actions), turnsOf(foreseenCourse(foreseen).actions));
    });
});

describe("volumes that the program adds, renames and takes out", function () {
    this.timeout(240_000);
    const more: Goal = { ...start, volumes: ["log"], revision: "r2" };
    const renamed: Goal = { ...start, volumes: ["trace"], revision: "r3" };
    const killed = { when: "after", how: "kill" } as const;
    const volumesIn = ({ world }: Simulation) => {
        const { pods, statefulSets } = world.clusters.ours;
        const of = (all: readonly (readonly string[] | undefined)[]) => [...new Set(all.map((one) => one?.join()))];
        return {
            pods: of(pods.filter(({ component }) => component === "tikv").map(({ volumes }) => volumes)),
            sets: of([statefulSets.tikv?.volumes]),
        };
    };
    const only = (name: string) => ({ pods: [name], sets: [name] });
    async function clusterLike(goal: Goal) {
        const cluster = await deployed(start);
        if (goal !== start) {
            assert.equal((await up(cluster.simulation, cluster.stack, goal)).ending, "done");
        }
        return cluster;
    }

    const changes: [name: string, from: Goal, to: Goal, volumes: string][] = [
        ["are added", start, more, "tikv-log"],
        ["are renamed", more, renamed, "tikv-trace"],
        ["are taken out", more, { ...start, revision: "r3" }, ""],
    ];
    for (const [name, from, to, volumes] of changes) {
        it(`${name}, one pod after the other`, async () => {
            const { simulation, stack } = await clusterLike(from);
            const { ending, error } = await up(simulation, stack, to);
            assert.equal(ending, "done", error?.message);
            assertNoViolation(simulation.world);
            assert.deepEqual(volumesIn(simulation), only(volumes));
        });

        it(`${name}, also where the run is killed at any of its changes`, async () => {
            const nextRuns = new NextRuns();
            for await (const left of endedAtEachChange(await clusterLike(from), to, killed, 12, 3)) {
                await nextRuns.reach(left, to);
                assertNoViolation(left.simulation.world);
                assert.deepEqual(volumesIn(left.simulation), only(volumes), `killed after change ${left.change}`);
            }
        });

        it(`${name} as the preview shows it`, async () => {
            const { simulation, stack } = await clusterLike(from);
            const foreseen = await foreseenBy(simulation, stack, to);
            const since = simulation.world.log.length;
            const result = await up(simulation, stack, to);
            assert.equal(result.ending, "done");
            const update = courseOf(result, simulation.world, since);
            assert.equal(difference(foreseenCourse(foreseen), update, false), undefined);
        });
    }

    it("stay away where the program takes that back after a kill", async () => {
        const nextRuns = new NextRuns();
        for await (const left of endedAtEachChange(await clusterLike(start), more, killed, 12, 4)) {
            await nextRuns.reach(left, { ...start, revision: "r1" });
            assertNoViolation(left.simulation.world);
            assert.deepEqual(volumesIn(left.simulation), only(""), `killed after change ${left.change}`);
        }
    });

    it("keep a pod away that is lost while one below lacks its volume, until the program takes that back", async () => {
        const nextRuns = new NextRuns();
        let lost = 0;
        for await (const left of endedAtEachChange(await clusterLike(start), more, killed, 30, 1)) {
            const { world } = left.simulation;
            const { pods, statefulSets } = world.clusters.ours;
            const isHalfWay = statefulSets.tikv?.volumes?.length === 1 && statefulSets.tikv.isHeld === undefined;
            const lacks = pods.some(({ name, volumes }) => name === "basic-tikv-0" && volumes.length === 0);
            if (!isHalfWay || !lacks || lost === 3) {
                continue;
            }
            lost += 1;
            stopPod(world, world.clusters.ours, "basic-tikv-2");
            const held = await up(left.simulation, left.stack, more);
            assert.match(held.error?.message ?? "", /Kubernetes makes it once basic-tikv-0 has volume tikv-log/);
            await nextRuns.reach(left, { ...start, revision: "r1" });
            assertNoViolation(world);
            assert.deepEqual(volumesIn(left.simulation), only(""), `killed after change ${left.change}`);
        }
        assert.ok(lost > 0);
    });
});

import * as assert from "node:assert/strict";
import { ClusterWorker, type WorkerPorts } from "../../../controller/clusterWorker";
import { controllerLog, progressInLog } from "../../../controller/controllerLog";
import { ControllerMetrics } from "../../../controller/controllerMetrics";
import { failoverAction } from "../../../controller/failoverAction";
import type { DeployedCluster } from "../../../provider/cluster/deployedCluster";
import type { ClusterAccess } from "../../../provider/cluster/access";
import type { LeaseView } from "../../../provider/cluster/leaseView";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import type { ClusterStatus } from "../../../status/clusterStatus";
import type { StatusSources } from "../../../status/statusSources";
import { pinnedWords } from "../../support/pinned";
import { deadStores, downFor, lostNode, minutes, policy } from "../../support/lifecycle/deaths";
import type { Deviation } from "../../support/lifecycle/observations";
import { changePorts, clusterWorld, type ClusterWorld, leaseOf } from "../gates/clusterWorld";
import { healthy, statusOf } from "../status/seenCluster";

const noted = { replicas: 4, unattended: { failover: policy, policy: defaultPolicy } };
const seen = (more: Partial<ClusterStatus> = {}): ClusterStatus => ({
    ...statusOf(healthy({ pods: { "basic-tikv-1": { ready: false } } })),
    ...more,
});

function controllerOf(
    tikv: Deviation,
    lease: Partial<LeaseView> = { members: { tikv: noted } },
    deployed: Partial<DeployedCluster> = {},
) {
    const world: ClusterWorld = clusterWorld({ live: { tikv }, lease: leaseOf(lease) });
    world.changes = (action) => {
        if (action.do === "set-replicas") {
            world.live.tikv = { ...world.live.tikv, live: action.replicas };
        }
    };
    const warned: string[] = [];
    const lines: string[] = [];
    const due: number[] = [];
    let time = 0;
    const sources = {
        world,
        deployed: () =>
            Promise.resolve({
                id: { namespace: "tidb", cluster: "basic", instance: "basic" },
                tls: false,
                ...deployed,
            }),
    } as unknown as StatusSources;
    const log = controllerLog(
        "json",
        (line) => lines.push(line),
        () => time,
    );
    const progressOf = progressInLog({ ...log, warn: (line) => warned.push(line) });
    const action = failoverAction({} as ClusterAccess, sources, { progressOf, now: () => time });
    const ports: WorkerPorts = {
        read: () => Promise.resolve(seen()),
        actions: [action],
        log,
        metrics: new ControllerMetrics(false),
        pace: { every: 10_000, longest: 300_000 },
        now: () => time,
        machineTime: () => time,
        random: () => 0.5,
    };
    return {
        world,
        /** Looks and acts as the controller does. @returns the lines of its log that are of what it did. */
        round: async () => {
            await new ClusterWorker({ namespace: "tidb", cluster: "basic" }, ports).round(() => false);
            const told = lines.map((line) => JSON.parse(line) as Record<string, string>);
            return told.filter(({ kind }) => kind !== undefined);
        },
        warned,
        due,
        later: (milliseconds: number) => (time += milliseconds),
        act: (status = seen()) =>
            action.act(
                { namespace: "tidb", cluster: "basic" },
                status,
                () => false,
                (seconds) => due.push(seconds),
            ),
    };
}

const lacksDomain = "whether spec.clusterDomain is set is not known";
const seemsDead: Deviation = { pods: { 1: lostNode() }, stores: { 1: downFor(2 * minutes) } };

describe("a failover by the controller", () => {
    it("says that it does nothing where the cluster's domain is not known: its stores would look like another cluster's", async () => {
        const { act, warned } = controllerOf(deadStores(1), { members: { tikv: noted } }, { lacksDomain });
        assert.deepEqual(await act(), []);
        assert.deepEqual(
            warned.map((line) => line.endsWith(lacksDomain)),
            [true],
        );
    });

    it("replaces a dead store, as the last update noted on the Lease", async () => {
        const { act, world } = controllerOf(deadStores(1));
        const done = await act();
        assert.equal(done.length, 2);
        assert.equal(world.live.tikv?.live, 5);
    });

    it("has one line in the controller's log for each action, with its cluster and kind, after the reason", async () => {
        const told = await controllerOf(deadStores(1)).round();
        assert.equal(told.length, 3);
        for (const { namespace, cluster, kind } of told) {
            assert.deepEqual([namespace, cluster, kind], ["tidb", "basic", "failover"]);
        }
    });

    pinnedWords("controller-failover", {
        "a store is dead": async () =>
            (await controllerOf(deadStores(1)).round()).map(({ message }) => message).join("\n"),
        "a store seems dead": async () => {
            const { act, warned } = controllerOf(seemsDead);
            await act();
            return warned.join("\n");
        },
        "the cluster's domain is not known": async () => {
            const { act, warned } = controllerOf(deadStores(1), { members: { tikv: noted } }, { lacksDomain });
            await act();
            return warned.join("\n");
        },
    });

    const idle: Record<string, [Partial<LeaseView>, Partial<ClusterStatus>?]> = {
        "in a cluster that an earlier version deployed": [{ members: { tikv: { replicas: 4 } } }],
        "in a cluster without notes": [{ members: undefined }],
        "in a paused cluster": [{ members: { tikv: noted }, isPaused: true }],
        "of a suspended member": [{ members: { tikv: { ...noted, suspended: true } } }],
        "where failover is switched off": [
            {
                members: {
                    tikv: { replicas: 4, unattended: { failover: { ...policy, budget: 0 }, policy: defaultPolicy } },
                },
            },
        ],
        "while a run works on the cluster": [
            { members: { tikv: noted } },
            { operation: { isOverdue: false } as ClusterStatus["operation"] },
        ],
        "while the cluster is Ready": [{ members: { tikv: noted } }, statusOf(healthy())],
    };
    for (const [when, [lease, status]] of Object.entries(idle)) {
        it(`does nothing ${when}`, async () => {
            const { act, world } = controllerOf(deadStores(1), lease);
            assert.deepEqual(await act(seen(status)), []);
            assert.deepEqual(world.done, []);
        });
    }

    it("looks at a cluster whose pods are all Ready, and which is not: a failover that was begun goes on", async () => {
        const { act } = controllerOf(deadStores(1));
        const { members, conditions } = statusOf(healthy());
        const notReady = conditions.map((one) => ({ ...one, status: "False" as const }));
        assert.notDeepEqual(await act(seen({ members, conditions: notReady })), []);
    });

    it("acts after a run that is dead: its lock is overdue", async () => {
        const { act } = controllerOf(deadStores(1));
        const operation = { isOverdue: true } as ClusterStatus["operation"];
        assert.notDeepEqual(await act(seen({ operation })), []);
    });

    it("looks again when what seems dead may be replaced, and not before what both PD and Kubernetes wait for", async () => {
        const dying = { pods: { 1: lostNode(3 * minutes) }, stores: { 1: downFor(2 * minutes) } };
        const { act, due, world } = controllerOf(dying);
        await act();
        assert.deepEqual(due, [180]);
        assert.deepEqual(world.done, []);
        const dead = controllerOf(deadStores(1));
        await dead.act();
        assert.deepEqual(dead.due, []);
    });

    it("says once a minute what seems dead and is not replaced yet", async () => {
        const { act, warned, later } = controllerOf(seemsDead);
        await act();
        later(10_000);
        await act();
        assert.equal(warned.length, 1);
        assert.ok(warned[0].includes("store 11 (basic-tikv-1)"));
        later(60_000);
        await act();
        assert.equal(warned.length, 2);
    });

    it("looks at the other members if one fails, and tells the failure", async () => {
        const { act, world, warned } = controllerOf(deadStores(1), {
            members: { pd: { ...noted, replicas: 3 }, tikv: noted },
        });
        const { look } = await world.open({} as never, "effect");
        changePorts(world, () => ({
            look: (options, lag) =>
                options.components.includes("pd") ? Promise.reject(new Error("403 for PD")) : look(options, lag),
        }));
        await assert.rejects(act(), /403 for PD/);
        assert.equal(world.live.tikv?.live, 5);
        assert.deepEqual(warned, []);
    });

    it("has nothing to do if a run turns out to work on the cluster", async () => {
        const { act, world } = controllerOf(deadStores(1));
        world.heldUntil = world.time + 60 * minutes;
        assert.deepEqual(await act(), []);
        assert.deepEqual(world.done, []);
    });
});

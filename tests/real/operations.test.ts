import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { createConnection, type Connection } from "mysql2/promise";
import type { PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import { assertOk, assertUnchanged, until } from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";
import { type Figures, showFigures } from "../support/real/figures";
import { isReady, openRealCluster, type RealCluster, whyNoRealCluster } from "../support/real/realCluster";
import { type LeadersAtStop, leadersByRaft } from "../support/real/truth";
import {
    assertNothingLost,
    prepareAccounts,
    startWorkload,
    statementMilliseconds,
    type WorkloadReport,
} from "../support/real/workload";

const why = whyNoRealCluster();
const namespace = "real";
const ports = { pd: 2379, status: 20180, sql: 4000 };

describe(`operations on real processes${why === undefined ? "" : ` (${why})`}`, function () {
    this.timeout(1_200_000);
    let real: RealCluster;
    let stack: ClusterStack;
    let hasSql = false;
    let segment = 0;
    const figures: Figures[] = [];
    const stops: LeadersAtStop[] = [];
    const version = process.env.PULUMI_TIDB_VERSION ?? "v8.5.8";
    /** A program that serves every version serves this tag too. */
    const next = process.env.PULUMI_TIDB_NEXT_VERSION ?? `${version}-next`;

    const base = (change: ClusterChange = {}): ClusterChange => ({
        version,
        ...change,
        pd: { replicas: 3, config: { replication: { "max-replicas": 3 } }, ...change.pd },
        tikv: {
            replicas: 4,
            requests: { storage: "4Gi" },
            limits: { storage: "4Gi" },
            configUpdateStrategy: "RollingUpdate",
            config: tikvConfig(),
            ...change.tikv,
        },
        tidb: { replicas: 2, ...change.tidb },
        operations: { timeouts: { podReadySeconds: 300 }, ...change.operations },
    });

    before(async function () {
        if (why !== undefined) {
            this.skip();
        }
        real = await openRealCluster();
        stack = await clusterStack(real, namespace);
        real.own?.processes?.beforeStop(look);
    });
    after(async () => {
        if (figures.length > 0) {
            showFigures(figures, { version, at: new Date().toISOString() });
        }
        await real?.close();
    });

    it("a first deployment", async () => {
        const began = Date.now();
        assertOk(await stack.up(base()));
        hasSql = real.own === undefined || (await real.reach(namespace, "demo-tidb-0", ports.sql)) !== undefined;
        figures.push({ operation: "first deployment", seconds: since(began), clients: undefined, stops: [] });
        if (hasSql) {
            await prepareAccounts(() => until("TiDB serves SQL", connectOrNot, 60_000));
        }
        assertUnchanged(await stack.up(base()));
    });

    operation("a restart of every TiKV, by its configuration", 4, () =>
        stack.up(base({ tikv: { config: tikvConfig({ log: { level: "error" } }) } })),
    );

    const later = { tikv: { config: tikvConfig({ log: { level: "error" } }) } };
    operation("an upgrade of every member to another tag", 4, () => stack.up(base({ ...later, version: next })));

    const upgraded = { ...later, version: next };
    operation("scale-out of TiKV 4 → 5", 0, () =>
        stack.up(base({ ...upgraded, tikv: { ...later.tikv, replicas: 5 } })),
    );
    operation("scale-in of TiKV 5 → 4", 1, () => stack.up(base({ ...upgraded, tikv: { ...later.tikv, replicas: 4 } })));

    operation("growth of TiKV's disks", 4, () =>
        stack.up(
            base({ ...upgraded, tikv: { ...later.tikv, requests: { storage: "5Gi" }, limits: { storage: "5Gi" } } }),
        ),
    );
    const grown = {
        ...upgraded,
        tikv: { ...later.tikv, requests: { storage: "5Gi" }, limits: { storage: "5Gi" } },
    };

    const restarted = (mark: string) => ({ tikv: { ...grown.tikv, annotations: { "example.com/restart": mark } } });
    operation("a restart of every TiKV while PD's leader is killed during an eviction", 4, async () => {
        const running = stack.startUp(base({ ...grown, ...restarted("first") }));
        await until("a store is being emptied", isEvicting, 300_000);
        const leader = await pdLeader();
        if (real.own === undefined) {
            await real.kubernetes.deletePod(namespace, leader);
        } else {
            real.own.processes?.signal(namespace, leader, "SIGKILL");
        }
        return running.done;
    });

    operation("a restart of every TiKV that is killed and run again", 4, async () => {
        const second = base({ ...grown, ...restarted("second") });
        const running = stack.startUp(second);
        await until("a store is being emptied", isEvicting, 300_000);
        running.kill();
        await running.done;
        return stack.up(second);
    });

    it("nothing is left to do, and no data was lost on the way", async () => {
        assertUnchanged(await stack.up(base({ ...grown, ...restarted("second") })));
    });

    /** Runs an operation while clients work, and compares what they saw. @param stopped how many TiKVs it stops, at least. */
    function operation(name: string, stopped: number, run: () => Promise<PulumiRun>): void {
        it(name, async () => {
            const workload = hasSql ? startWorkload(connect, (segment += 10_000_000)) : undefined;
            const began = Date.now();
            const before = stops.length;
            let clients: WorkloadReport | undefined;
            try {
                assertOk(await run());
            } finally {
                const seconds = since(began);
                clients = await workload?.stop();
                figures.push({
                    operation: name,
                    seconds,
                    clients,
                    // On another cluster, TiKV has stopped before it can be asked.
                    stops: real.own === undefined ? undefined : stops.slice(before),
                });
            }
            if (clients !== undefined) {
                assertNothingLost(clients);
            }
            if (real.own !== undefined) {
                assert.ok(stops.length - before >= stopped, `looked at ${stops.length - before} TiKVs, not ${stopped}`);
            }
            assert.deepEqual(
                stops.slice(before).filter(({ leaders }) => leaders > 0),
                [],
                "no TiKV led a region when it was stopped",
            );
        });
    }

    async function look(pod: k8s.V1Pod, address: string): Promise<void> {
        const { name = "", labels = {} } = pod.metadata ?? {};
        if (labels["app.kubernetes.io/component"] === "tikv") {
            stops.push(await leadersByRaft(name, await anyPd(), `http://${address}:${ports.status}`));
        }
    }

    async function anyPd(): Promise<string> {
        const { host, port } = await until("a PD is Ready", async () => {
            const pods = (await real.kubernetes.pods(namespace)).filter(isReady);
            const pd = pods.find(({ metadata }) => metadata?.labels?.["app.kubernetes.io/component"] === "pd");
            return pd && real.reach(namespace, pd.metadata?.name ?? "", ports.pd);
        });
        return `http://${host}:${port}`;
    }

    async function isEvicting(): Promise<true | undefined> {
        const answer = await fetch(`${await anyPd()}/pd/api/v1/scheduler-config/evict-leader-scheduler/list`);
        const list = answer.ok ? ((await answer.json()) as { "store-id-ranges"?: object }) : {};
        return Object.keys(list["store-id-ranges"] ?? {}).length > 0 ? true : undefined;
    }

    async function pdLeader(): Promise<string> {
        return ((await (await fetch(`${await anyPd()}/pd/api/v1/leader`)).json()) as { name: string }).name;
    }

    async function connectOrNot(): Promise<Connection | undefined> {
        try {
            return await connect();
        } catch {
            return undefined; // It is asked again.
        }
    }

    /** Connects to a TiDB that is Ready, as a Service does. */
    async function connect(): Promise<Connection> {
        const pods = (await real.kubernetes.pods(namespace)).filter(isReady);
        const names = pods
            .filter(({ metadata }) => metadata?.labels?.["app.kubernetes.io/component"] === "tidb")
            .map(({ metadata }) => metadata?.name ?? "");
        const name = names[Math.floor(Math.random() * names.length)] ?? "";
        const at = await real.reach(namespace, name, ports.sql);
        if (at === undefined) {
            throw new Error("no TiDB is Ready");
        }
        const connection = await createConnection({ ...at, user: "root", connectTimeout: statementMilliseconds });
        connection.on("error", () => undefined); // The statement that it interrupts reports it.
        return connection;
    }
});

function tikvConfig(more: object = {}): object {
    return {
        log: { level: "warn" },
        storage: { "reserve-space": "0MB", "block-cache": { capacity: "256MB" } },
        // Machines limit open files, and TiKV does not start without twice these numbers.
        rocksdb: { "max-open-files": 4096 },
        raftdb: { "max-open-files": 2048 },
        ...more,
    };
}

function since(began: number): number {
    return (Date.now() - began) / 1000;
}

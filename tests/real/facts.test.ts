import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Sandbox, startSandbox } from "pulumi-tidb-sandbox";
import { findPulumi } from "pulumi-tidb-sandbox/pulumi";
import { noLook, type LookOptions, type PdPart } from "../../provider/lifecycle/vocabulary/look";
import type { Observation } from "../../provider/lifecycle/vocabulary/observation";
import { openDeployed } from "../../status/readStatus";
import { liveSources } from "../../status/statusSources";
import { assertOk, until } from "../support/e2e/expect";
import { kubernetesSide } from "../support/e2e/kubernetes";
import { clusterStack } from "../support/e2e/stack";
import { realSpec } from "../support/real/clusterSpec";
import { podForwards } from "../support/real/realCluster";
import { shapeDifferences, shapeOf } from "../support/real/shapeOf";

const processes = process.env.PULUMI_TIDB_PROCESSES;
const why = processes === undefined ? " (NOT RUN: PULUMI_TIDB_PROCESSES is not set)" : "";
const namespace = "facts";

/** All that gates ask of PD, TiKV and TiDB. */
const parts: PdPart[] = [
    "health",
    "leader",
    "leadership",
    "ready-members",
    "stores",
    "tombstones",
    "placement",
    "location-labels",
    "store-down-time",
    "evicted-stores",
    "persisted-evictions",
    "leader-limits",
    "region-status",
    "unsafe-recovery",
    "snapshot-recovering",
    "locks",
    "log-backups",
    "cluster-id",
];
const look: LookOptions = {
    ...noLook,
    components: ["pd", "tikv", "tidb"],
    pd: parts,
    status: ["pd", "tikv", "tidb"],
    asks: ["upgrade-state", "server-labels"],
    ownLeadersOf: ["demo-tikv-0", "demo-tikv-1", "demo-tikv-2"],
    regions: "short",
    deaths: true,
    settings: {
        component: "tikv",
        keys: ["raftstore.sync-log", "server.grpc-concurrency", "log.level"],
        files: [{ key: "config-file", path: "" }],
    },
};

/** What differs, simulated and real. No decision depends on it. */
const differing = [
    // A real TiKV always reports how slow it is: 1 is well.
    'pd.stores.value.each.slow: absent / {"isBusy":false,"score":"number"}',
    // The simulated TiKV has only some items of the real one's configuration.
    'settings.live.each name.each.value.server.grpc-concurrency: absent / "number"',
];

interface Subject {
    sandbox: Sandbox;
    observe(): Promise<Observation>;
    /** Has PD change something. */
    pd(method: string, path: string, body?: object): Promise<void>;
    close(): Promise<void>;
}

describe(`what gates read, of simulated and of real processes${why}`, function () {
    this.timeout(900_000);
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-facts-"));
    let subjects: [Subject, Subject];

    before(async function () {
        if (processes === undefined) {
            this.skip();
        }
        // One after the other: each has the machine's pods to itself while it starts.
        subjects = [await open("simulated"), await open("real", processes)];
    });
    after(async () => {
        await Promise.all((subjects ?? []).map((subject) => subject.close()));
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    it("is the same at rest", async () => assert.deepEqual(await differences(), differing));

    it("is the same while a store is emptied of leaders", async () => {
        await inBoth(async ({ pd, observe }) => {
            const id = await storeOf("demo-tikv-1", observe);
            await pd("POST", "/schedulers", { name: "evict-leader-scheduler", store_id: id });
            await until(
                "it has no leaders",
                async () => ((await leadersOf(id, observe)) === 0 ? true : undefined),
                120_000,
            );
        });
        assert.deepEqual(await differences(), differing);
        await inBoth(async ({ pd, observe }) => {
            const id = await storeOf("demo-tikv-1", observe);
            await pd("DELETE", `/schedulers/evict-leader-scheduler-${id}`);
        });
    });

    it("is the same after a member of PD has gone and come back with its pod", async () => {
        await inBoth(async ({ sandbox, observe }) => {
            const { pods } = (await observe()).members.pd!;
            await (await kubernetesSide(sandbox.kubeconfig)).deletePod(namespace, "demo-pd-2");
            const uid = pods.find(({ name }) => name === "demo-pd-2")?.uid;
            await until(
                "another pod is Ready",
                async () => {
                    const pod = (await observe()).members.pd?.pods.find(({ name }) => name === "demo-pd-2");
                    return pod?.ready && pod.uid !== uid ? true : undefined;
                },
                120_000,
            );
        });
        assert.deepEqual(await differences(), differing);
    });

    async function open(name: string, programs?: string): Promise<Subject> {
        const sandbox = await startSandbox({ processes: programs });
        const driver = await findPulumi();
        const kubernetes = await kubernetesSide(sandbox.kubeconfig);
        const stack = await clusterStack({ driver, folder: path.join(folder, name), sandbox, kubernetes }, namespace);
        assertOk(await stack.up(realSpec({ tikv: { replicas: 3 } })));
        const client = await import("@kubernetes/client-node");
        const config = new client.KubeConfig();
        config.loadFromFile(sandbox.kubeconfig);
        const request = { namespace, cluster: "demo", access: { kubeconfig: config.exportConfig() } };
        const { ports } = await openDeployed(request, liveSources(config));
        const forwards = await podForwards(sandbox.kubeconfig);
        return {
            sandbox,
            observe: () => ports.look(look),
            pd: async (method, at, body) => {
                const to = await forwards.open(namespace, "demo-pd-0", 2379);
                assert.ok(to, "demo-pd-0 runs");
                const url = `http://${to.host}:${to.port}/pd/api/v1${at}`;
                const answer = await fetch(url, { method, body: body && JSON.stringify(body) });
                assert.ok(answer.ok, `${method} ${at}: ${answer.status} ${await answer.text()}`);
            },
            close: async () => {
                forwards.close();
                await sandbox.down();
            },
        };
    }

    /** Waits until both answer alike, as what they say settles after a change. */
    async function differences(): Promise<string[]> {
        let last: string[] = [];
        for (const deadline = Date.now() + 90_000; Date.now() < deadline;) {
            const [simulated, real] = await Promise.all(subjects.map(async ({ observe }) => shapeOf(await observe())));
            last = shapeDifferences(simulated, real);
            if (isDeepStrictEqual(last, differing)) {
                break;
            }
        }
        return last;
    }

    async function inBoth(work: (subject: Subject) => Promise<void>): Promise<void> {
        await Promise.all(subjects.map(work));
    }
});

async function storeOf(pod: string, observe: Subject["observe"]): Promise<number> {
    const { stores } = (await observe()).pd;
    const found = stores.known ? stores.value.find(({ address }) => address.startsWith(`${pod}.`)) : undefined;
    assert.ok(found, `PD has the store of ${pod}`);
    return found.id;
}

async function leadersOf(id: number, observe: Subject["observe"]): Promise<number | undefined> {
    const { stores } = (await observe()).pd;
    const count = stores.known ? stores.value.find((store) => store.id === id)?.leaderCount : undefined;
    return count?.reported;
}

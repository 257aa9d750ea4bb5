import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DataPlaneEvent, type SimulatedCluster, startSandbox, systemClock } from "pulumi-tidb-sandbox";
import { findPulumi } from "pulumi-tidb-sandbox/pulumi";
import type { Figure } from "./figure";
import { type LeaderSample, physicalTime, type StoreRestart, storeRestarts } from "./storeRestarts";
import { median, sum } from "./statistics";

const example = path.resolve(__dirname, "..", "examples", "basic");

/** The maximum time of a store's restart, as a multiple of its physical time. */
const upgradeTarget = 1.1;

const sampleEveryMilliseconds = 10;
const dataLoadTimeoutMilliseconds = 60_000;

/** The times of tidb-operator v1.6 on such a sandbox, for comparison. */
const operator = { create: "13.6 to 36 s", upgrade: "53.8 s", store: "7.2 s" };

/** An `up`: when it began, by the data plane's clock, and how long it took. */
interface Update {
    began: number;
    milliseconds: number;
}

/**
 * Deploys 3 PD, 6 TiKV and 2 TiDB in a sandbox, upgrades their version, and compares the time of each store's restart with its physical
 * part: the simulator's time to move leaders, to restart a pod and to report its store Up. The rates are the sandbox's own, but stores
 * count their leaders all the time: how old a TiKV's count is depends on when its process started, not on the gate.
 */
export async function upgradeTime(log: (line: string) => void): Promise<Figure[]> {
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-bench-"));
    const sandbox = await startSandbox({ timings: { regionGaugeMilliseconds: 250 } });
    try {
        const driver = await findPulumi();
        log(driver.why);
        const up = async (version: string): Promise<Update> => {
            const began = systemClock();
            const run = await driver.start("up", {
                program: example,
                stack: "bench",
                stateFolder: path.join(folder, "state"),
                environment: { KUBECONFIG: sandbox.kubeconfig, PULUMI_CONFIG_PASSPHRASE: "" },
                config: { version, tikvReplicas: "6" },
                skipPreview: true,
            }).done;
            if (!run.ok) {
                throw new Error(`up of ${example} failed:\n${run.output}`);
            }
            log(`up to ${version}: ${seconds(run.milliseconds)}`);
            return { began, milliseconds: run.milliseconds };
        };
        const created = await up("v8.5.3");
        const cluster = sandbox.dataPlane.cluster("tidb", "basic");
        if (cluster === undefined) {
            throw new Error("the data plane does not know the cluster tidb/basic that was deployed");
        }
        await untilLoaded(cluster);

        const eventsBefore = cluster.events.length;
        const samples: LeaderSample[] = [];
        const sampler = setInterval(() => {
            const at = systemClock();
            samples.push(...cluster.stores().map(({ pod, leaders }) => ({ at, pod, leaders })));
        }, sampleEveryMilliseconds);
        const upgraded = await up("v8.5.4").finally(() => clearInterval(sampler));
        const restarts = storeRestarts(cluster.events.slice(eventsBefore), samples);
        restarts.forEach((restart) => log(describe(restart)));
        const work = ({ began }: Update, events: readonly DataPlaneEvent[]): string =>
            `${seconds(events[0].at - began)} of it before the first event of PD or a store`;
        return [
            restartFigure(restarts),
            {
                name: "create 3 PD, 6 TiKV, 2 TiDB",
                measured: created.milliseconds / 1000,
                unit: "s",
                detail: `one \`up\` by the ${driver.kind}, ${work(created, cluster.events)}; tidb-operator: ${operator.create}`,
            },
            {
                name: "upgrade them",
                measured: upgraded.milliseconds / 1000,
                unit: "s",
                detail: `one \`up\` by the ${driver.kind}, ${work(upgraded, cluster.events.slice(eventsBefore))}; tidb-operator: ${operator.upgrade}`,
            },
        ];
    } finally {
        await sandbox.down();
        rmSync(folder, { recursive: true, force: true });
    }
}

function restartFigure(restarts: StoreRestart[]): Figure {
    const whole = restarts.filter((restart) => restart.wall !== undefined);
    const walls = whole.map(({ wall }) => wall ?? Number.NaN);
    const worst = Math.max(...whole.map((restart) => (restart.wall ?? Number.NaN) / physicalTime(restart)));
    const gaps = (field: "noticedGone" | "noticedUp" | "noticedBack"): string =>
        median(whole.map((restart) => restart[field] ?? Number.NaN)).toFixed(0);
    return {
        name: "upgrade, time of a TiKV restart / its physical time",
        measured: sum(walls) / sum(whole.map(physicalTime)),
        unit: "ratio",
        target: upgradeTarget,
        detail: `${seconds(median(walls))} per TiKV (tidb-operator: ${operator.store}), worst ${worst.toFixed(2)}×; ms to notice: leaders gone ${gaps("noticedGone")}, Up ${gaps("noticedUp")}, leaders back ${gaps("noticedBack")}`,
    };
}

/**
 * Waits until the sandbox's data is loaded and its leaders are spread over the stores, so an upgrade has to move them.
 */
async function untilLoaded(cluster: SimulatedCluster): Promise<void> {
    const deadline = Date.now() + dataLoadTimeoutMilliseconds;
    const isLoaded = (): boolean => {
        const leaders = cluster.stores().map((store) => store.leaders);
        return leaders.length > 0 && Math.min(...leaders) > 0.9 * Math.max(...leaders) && Math.max(...leaders) > 200;
    };
    while (!isLoaded()) {
        if (Date.now() > deadline) {
            throw new Error(
                `the sandbox's data was not loaded and spread within ${seconds(dataLoadTimeoutMilliseconds)}`,
            );
        }
        await sleep(100);
    }
}

function describe(restart: StoreRestart): string {
    const parts = Object.entries(restart).map(([name, value]) =>
        typeof value === "number" ? `${name} ${value.toFixed(0)}` : String(value),
    );
    return parts.join(", ");
}

function seconds(milliseconds: number): string {
    return `${(milliseconds / 1000).toFixed(1)} s`;
}

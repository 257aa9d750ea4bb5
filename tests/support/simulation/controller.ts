import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { WorkerPorts } from "../../../controller/clusterWorker";
import { controllerLog, progressInLog } from "../../../controller/controllerLog";
import { ControllerMetrics } from "../../../controller/controllerMetrics";
import { failoverAction } from "../../../controller/failoverAction";
import { freshStops } from "../../../controller/freshStops";
import { Leadership, type LeadershipCalls } from "../../../controller/leadership";
import { Controller } from "../../../controller/runController";
import { sleepAwareClock } from "../../../provider/cluster/clock";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { readStatus } from "../../../status/readStatus";
import type { StatusSources } from "../../../status/statusSources";
import type { Running, RunOptions, RunResult } from "./operate";
import { SimulatedProcess } from "./process";
import { createModelSession } from "./session";
import type { Simulation } from "./simulation";
import type { Kubernetes } from "./world";

/** The Lease by which controllers agree on who leads. Those with different ones all lead. */
export class ControllerLease {
    private lease: V1Lease | undefined;
    private version = 0;

    /** @returns the calls of one process for it */
    callsOf(process: SimulatedProcess, cluster: Kubernetes): LeadershipCalls {
        const write = (spec: object) => {
            this.version += 1;
            this.lease = {
                metadata: { resourceVersion: String(this.version) },
                spec: { ...this.lease?.spec, ...spec },
            };
        };
        return {
            readLease: () => process.send(cluster, () => structuredClone(this.lease)),
            createLease: () => process.send(cluster, () => (this.lease === undefined ? write({}) : undefined)),
            writeLease: (resourceVersion, spec) =>
                process.send(cluster, () => {
                    const isLast = resourceVersion === this.lease?.metadata?.resourceVersion;
                    if (isLast) {
                        write(spec);
                    }
                    return isLast;
                }),
        };
    }
}

/** A controller that was started. */
export interface RunningController extends Running {
    readonly lines: readonly string[];
    /** Asks it to end. It is over a little later. */
    stop(): void;
}

let controllers = 0;

/** Starts the real controller of our cluster, which may replace the dead, on the model. It proceeds while the timeline is played. */
export function beginController(
    { world, timeline }: Simulation,
    lease: ControllerLease,
    { interruptions = [], clocks = { skew: 0 } }: Pick<RunOptions, "interruptions" | "clocks"> = {},
): RunningController {
    const holder = `controller ${(controllers += 1)}`;
    const cluster = world.clusters.ours;
    const { namespace, name } = cluster;
    const process = new SimulatedProcess(timeline, "ours", holder, clocks, interruptions);
    const result: RunResult = { ending: "done", changes: 0, actions: 0, messages: [], holder };
    const lines: string[] = [];
    const open = createModelSession(world, cluster, process, result);
    const gates: GateWorld = {
        plans: new Map(),
        progress: () => open().progress,
        tryAccess: () => Promise.resolve(),
        open: () => Promise.resolve(open()),
    };
    const id = { namespace, cluster: name, instance: name };
    const sources: StatusSources = {
        world: gates,
        kubernetes: { context: "", server: "the model" },
        deployed: () =>
            process.send(cluster, () => ({
                id,
                pd: { ...id, tls: false },
                tls: false,
                components: ["pd", "tikv"],
                discovery: undefined,
            })),
        schedules: () => Promise.resolve({ known: true, value: [] }),
        jobs: () => Promise.reject(new Error("no Jobs are read")),
        jobPods: () => Promise.reject(new Error("a controller does not diagnose")),
    };
    const log = controllerLog("text", (line) => lines.push(line), process.now);
    let isStopped = false;
    const ports: WorkerPorts = {
        read: (one) => readStatus({ ...one, access: {}, zones: false }, sources),
        actions: [
            failoverAction(
                {},
                { ...sources, world: freshStops(gates) },
                { progressOf: progressInLog(log), now: process.now },
            ),
        ],
        log,
        metrics: new ControllerMetrics(false),
        pace: { every: 10_000, longest: 300_000 },
        now: process.now,
        machineTime: process.wall,
        random: () => 0.5,
    };
    const controller = new Controller({
        ...ports,
        leadership: new Leadership(
            lease.callsOf(process, cluster),
            holder,
            sleepAwareClock(process.now, process.wall, process.up),
        ),
        namespaces: [namespace],
        findClusters: () => process.send(cluster, () => [{ namespace, cluster: name }]),
        sleep: (milliseconds) => process.sleep(milliseconds),
        isStopped: () => isStopped,
    });
    let isOver = false;
    const end = () => {
        isOver = true;
        process.isDead = true;
        result.changes = process.changes;
    };
    controller.run().then(end, (error: Error) => {
        result.ending = "failed";
        result.error = error;
        end();
    });
    void process.death.then(() => {
        result.ending = "killed";
        end();
    });
    return { result, isOver: () => isOver, lines, stop: () => (isStopped = true) };
}

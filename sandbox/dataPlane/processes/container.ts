import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as sleep } from "node:timers/promises";
import type { ContainerProcess } from "../containers/containerProcess";
import type { ContainerState, EndedProcess } from "../containers/podStatus";
import { type BackOff, nextBackOff } from "./backOff";
import { askProbe, type ContainerExec, countAnswer, type ProbeVerdict } from "./probes";

/** A container's process, with the end of its output. */
export interface StartedProcess extends ContainerProcess {
    tail(): string;
    /** Runs a command where the process runs. */
    exec: ContainerExec;
}

/** What runs a container. */
export interface ContainerWorld {
    /** Starts the container's process. Undefined if the pod was stopped meanwhile. */
    start(): Promise<StartedProcess | undefined>;
    /** Where the container listens. */
    address: string;
    /** How often the container was started again before. */
    restarts: number;
    /** The pod's grace period, which a container that fails its probe has too. */
    graceMilliseconds: number;
    report(state: ContainerState): Promise<void>;
    log(line: string): void;
}

/** A container that is started again whenever it ends. */
export interface RunningContainer {
    /** Resolves once its process has ended after `stop` or `kill`. */
    over: Promise<void>;
    /** Runs its `preStop` hook, sends SIGTERM, and at the deadline SIGKILL, as kubelet does. */
    stop(deadline: number): Promise<void>;
    /** Ends its process, and does not start it again. Nothing is reported. */
    abandon(): void;
    /** Sends a signal to its process. It is started again if it ends. */
    signal(name: NodeJS.Signals): void;
}

const killedCode = 137;

/** Runs a container of a pod that restarts its containers. */
export function runContainer(container: k8s.V1Container, world: ContainerWorld): RunningContainer {
    let restarts = world.restarts;
    let last: EndedProcess | undefined;
    let running: StartedProcess | undefined;
    let isStopping = false;
    let isAbandoned = false;
    const wake = new AbortController();
    const report = async (state: ContainerState): Promise<void> => {
        if (!isAbandoned) {
            await world.report({ ...state, restarts, ...(last === undefined ? {} : { last }) });
        }
    };
    const runOnce = async (): Promise<EndedProcess | undefined> => {
        const started = await world.start();
        if (started === undefined) {
            return undefined;
        }
        running = started;
        const startedAt = new Date().toISOString();
        const probes = watchProbes(container, world, started, (ready, isStarted) =>
            running === started ? report({ is: "running", startedAt, ready, started: isStarted }) : Promise.resolve(),
        );
        await probes.begin();
        const exitCode = await started.ended;
        running = undefined;
        probes.end();
        const finishedAt = new Date().toISOString();
        const reason = exitCode === 0 ? "Completed" : exitCode === killedCode ? "Killed" : "Error";
        const message = exitCode === 0 ? {} : { message: started.tail() };
        return { startedAt, finishedAt, exitCode, reason, ...message };
    };
    const loop = async (): Promise<void> => {
        for (let pause: BackOff | undefined; !isStopping;) {
            const ended = await runOnce();
            if (ended === undefined) {
                return;
            }
            if (isStopping) {
                await report({ is: "ended", ...ended });
                return;
            }
            last = ended;
            pause = nextBackOff(pause, Date.parse(ended.finishedAt) - Date.parse(ended.startedAt));
            if (pause.milliseconds > 0) {
                const message = `back-off ${pause.milliseconds / 1000}s restarting failed container ${container.name}`;
                await report({ is: "waiting", reason: "CrashLoopBackOff", message });
                await sleep(pause.milliseconds, undefined, { signal: wake.signal }).catch(ignoreAbort);
            }
            restarts++;
        }
    };
    return {
        over: loop().catch((error: unknown) => {
            const message = String(error);
            world.log(`container ${container.name} cannot run: ${message}`);
            return report({ is: "waiting", reason: "RunContainerError", message });
        }),
        stop: async (deadline) => {
            isStopping = true;
            wake.abort();
            const process = running;
            if (process !== undefined) {
                await runPreStop(container, process, deadline, world.log);
                process.signal("SIGTERM");
                const timer = setTimeout(() => process.signal("SIGKILL"), Math.max(0, deadline - Date.now()));
                await process.ended;
                clearTimeout(timer);
            }
        },
        abandon: () => {
            isStopping = true;
            isAbandoned = true;
            wake.abort();
            running?.signal("SIGKILL");
        },
        signal: (name) => running?.signal(name),
    };
}

function ignoreAbort(error: unknown): void {
    if ((error as Error).name !== "AbortError") {
        throw error;
    }
}

async function runPreStop(
    { name, lifecycle }: k8s.V1Container,
    process: StartedProcess,
    deadline: number,
    log: (line: string) => void,
): Promise<void> {
    const { exec, sleep: pause, httpGet, tcpSocket } = lifecycle?.preStop ?? {};
    const left = Math.max(0, deadline - Date.now());
    if (exec && !(await process.exec(exec.command ?? [], left))) {
        log(`the preStop hook of container ${name} failed`);
    }
    if (pause) {
        await Promise.race([process.ended, sleep(Math.min(left, (pause.seconds ?? 0) * 1000))]);
    }
    if (httpGet ?? tcpSocket) {
        log(`the preStop hook of container ${name} is not run: processes have hooks of exec and sleep only`);
    }
}

/** Asks the probes of a container while its process runs. */
function watchProbes(
    container: k8s.V1Container,
    { address, graceMilliseconds, log }: ContainerWorld,
    process: StartedProcess,
    report: (ready: boolean, started: boolean) => Promise<void>,
): { begin(): Promise<void>; end(): void } {
    const { startupProbe, readinessProbe, livenessProbe } = container;
    let isOver = false;
    let ready = readinessProbe === undefined && startupProbe === undefined;
    const ask = async (probe: k8s.V1Probe, on: (verdict: ProbeVerdict) => Promise<boolean>): Promise<void> => {
        await sleep((probe.initialDelaySeconds ?? 0) * 1000);
        for (let counts = { successes: 0, failures: 0 }; !isOver;) {
            const isOk = await askProbe(probe, container, address, process.exec);
            const counted = countAnswer(probe, counts, isOk);
            counts = counted.counts;
            if (isOver || (await on(counted.verdict))) {
                return;
            }
            await sleep((probe.periodSeconds ?? 10) * 1000);
        }
    };
    const restart = (kind: string): void => {
        log(`container ${container.name} failed its ${kind} probe and is started again`);
        process.signal("SIGTERM");
        setTimeout(() => isOver || process.signal("SIGKILL"), graceMilliseconds).unref();
    };
    const afterStart = async (): Promise<void> => {
        if (readinessProbe === undefined) {
            ready = true;
        }
        await report(ready, true);
        await Promise.all([
            readinessProbe &&
                ask(readinessProbe, async (verdict) => {
                    if (verdict !== "undecided" && ready !== (verdict === "succeeds")) {
                        ready = verdict === "succeeds";
                        await report(ready, true);
                    }
                    return false;
                }),
            livenessProbe &&
                ask(livenessProbe, (verdict) => {
                    if (verdict === "fails") {
                        restart("liveness");
                    }
                    return Promise.resolve(verdict === "fails");
                }),
        ]);
    };
    const all = async (): Promise<void> => {
        if (startupProbe === undefined) {
            return afterStart();
        }
        let hasStarted = false;
        await ask(startupProbe, (verdict) => {
            if (verdict === "fails") {
                restart("startup");
            }
            hasStarted = verdict === "succeeds";
            return Promise.resolve(verdict !== "undecided");
        });
        if (hasStarted && !isOver) {
            await afterStart();
        }
    };
    return {
        begin: async () => {
            await report(ready, startupProbe === undefined);
            all().catch((error: unknown) => log(`the probes of container ${container.name} failed: ${String(error)}`));
        },
        end: () => void (isOver = true),
    };
}

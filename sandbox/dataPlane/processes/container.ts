import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { ContainerProcess } from "../containers/containerProcess";
import type { ContainerState, EndedProcess } from "../containers/podStatus";
import { type BackOff, nextBackOff, pause } from "./backOff";
import { type EndProcess, endOf, type HookProcess, runHook } from "./hooks";
import { watchProbes } from "./watchProbes";

/** A container's process, with the end of its output. */
export interface StartedProcess extends ContainerProcess, HookProcess {
    tail(): string;
}

/** What runs a container. */
export interface ContainerWorld {
    /**
     * Starts the container's process. Undefined if the pod was stopped meanwhile.
     * @param waits reports why it cannot be started yet.
     */
    start(waits: (state: ContainerState) => Promise<void>): Promise<StartedProcess | undefined>;
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
    /** Resolves once its process has ended after `stop` or `abandon`. */
    over: Promise<void>;
    /** Resolves when it has started by its startup probe, or is over. */
    hasStarted: Promise<void>;
    /** Runs its `preStop` hook, sends SIGTERM, and after the grace period SIGKILL, as kubelet does. A second call can only shorten that. */
    stop(graceMilliseconds: number): Promise<void>;
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
    let running: { process: StartedProcess; end: EndProcess } | undefined;
    let stopGrace: number | undefined;
    let isAbandoned = false;
    let setStarted = (): void => undefined;
    const started = new Promise<void>((resolve) => (setStarted = resolve));
    const wake = new AbortController();
    const isStopping = (): boolean => stopGrace !== undefined || isAbandoned;
    const report = async (state: ContainerState): Promise<void> => {
        if (state.is === "running" && state.started) {
            setStarted();
        }
        if (!isAbandoned) {
            await world.report({ ...state, restarts, ...(last === undefined ? {} : { last }) });
        }
    };
    const start = async (): Promise<StartedProcess | Error | undefined> => {
        try {
            return await world.start(report);
        } catch (error) {
            return error as Error;
        }
    };
    /** Runs a process until it has ended. */
    const runThrough = async (process: StartedProcess): Promise<EndedProcess> => {
        const startedAt = new Date().toISOString();
        const end = endOf(container, process, world.address, world.log);
        const current = { process, end };
        running = current;
        if (isAbandoned) {
            process.signal("SIGKILL");
        } else if (stopGrace !== undefined) {
            void end(stopGrace);
        }
        const probes = watchProbes(container, world, process, {
            report: (ready, isStarted) =>
                running === current
                    ? report({ is: "running", startedAt, ready, started: isStarted })
                    : Promise.resolve(),
            fail: (kind, { terminationGracePeriodSeconds: seconds }) => {
                world.log(`container ${container.name} failed its ${kind} probe and is started again`);
                void end(seconds === undefined ? world.graceMilliseconds : seconds * 1000);
            },
        });
        const hook = runHook(container, "postStart", { process, ...world });
        const hasBegun = await Promise.race([hook, process.ended.then(() => false)]);
        await (hasBegun ? probes.begin() : end(world.graceMilliseconds));
        const exitCode = await process.ended;
        running = undefined;
        probes.end();
        const reason = exitCode === 0 ? "Completed" : exitCode === killedCode ? "Killed" : "Error";
        const message = exitCode === 0 ? {} : { message: process.tail() };
        return { startedAt, finishedAt: new Date().toISOString(), exitCode, reason, ...message };
    };
    const rest = async ({ milliseconds }: BackOff, reason: string, message?: string): Promise<void> => {
        await report({ is: "waiting", reason, message });
        await pause(milliseconds, wake.signal);
    };
    const loop = async (): Promise<void> => {
        for (let backOff: BackOff | undefined; !isStopping();) {
            const process = await start();
            if (process === undefined) {
                return;
            }
            if (process instanceof Error) {
                world.log(`container ${container.name} cannot be started: ${process.message}`);
                backOff = nextBackOff(backOff ?? { milliseconds: 0 }, 0);
                await rest(backOff, "RunContainerError", process.message);
                continue;
            }
            const ended = await runThrough(process);
            if (isStopping()) {
                await report({ is: "ended", ...ended });
                return;
            }
            last = ended;
            backOff = nextBackOff(backOff, Date.parse(ended.finishedAt) - Date.parse(ended.startedAt));
            const seconds = backOff.milliseconds / 1000;
            const message = `back-off ${seconds}s restarting failed container ${container.name}`;
            await (seconds === 0 ? rest(backOff, "ContainerCreating") : rest(backOff, "CrashLoopBackOff", message));
            restarts++;
        }
    };
    const over = loop()
        .catch((error: unknown) => world.log(`container ${container.name} is not run any more: ${String(error)}`))
        .finally(() => setStarted());
    return {
        over,
        hasStarted: started,
        stop: async (graceMilliseconds) => {
            stopGrace = Math.min(stopGrace ?? Infinity, graceMilliseconds);
            wake.abort();
            await running?.end(stopGrace);
        },
        abandon: () => {
            isAbandoned = true;
            wake.abort();
            running?.process.signal("SIGKILL");
        },
        signal: (name) => running?.process.signal(name),
    };
}

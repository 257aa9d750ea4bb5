import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as fs from "node:fs";
import { variablesOf, volumesOf } from "../containers/podNeeds";
import type { PodObjects } from "../containers/podObjects";
import { type ContainerState, type ContainerStates, isSidecar } from "../containers/podStatus";
import { pause } from "./backOff";
import { makeVolumes } from "../containers/volumes";
import { type RunningContainer, runContainer, type StartedProcess } from "./container";
import { type ContainerSurroundings, logFile, startContainer, whyNotRun } from "./startContainer";

/** What a pod's processes run in. */
export interface ProcessPodWorld extends ContainerSurroundings {
    objects: PodObjects;
    /** How often a container was started again before. */
    restartsOf(container: string): number;
    /** Makes the logs of the containers readable through the API server: the file of each, by name. */
    serveLogs(files: Readonly<Record<string, string>>): Promise<void>;
    report(states: ContainerStates): Promise<void>;
}

/** A pod whose containers run as processes of this machine. */
export interface ProcessPod {
    /** Ends its containers as kubelet does, the sidecars last. Resolves when all have ended. A second call can only shorten the grace period. */
    stop(graceMilliseconds: number): Promise<void>;
    /** Ends its processes, as if the machine had lost power. Nothing is reported any more. */
    abandon(): Promise<void>;
    /** Reads the Secrets and ConfigMaps of its volumes again. */
    refresh(): Promise<void>;
    /** Sends a signal to the process of a container, which is started again if it ends. */
    signal(container: string, name: NodeJS.Signals): void;
}

const defaultGraceSeconds = 30;

/** Runs the containers of a pod: the init containers one after the other, then the others at once. */
export function runProcessPod(pod: k8s.V1Pod, world: ProcessPodWorld): ProcessPod {
    const states: Record<string, ContainerState> = {};
    const containers = new Map<string, RunningContainer>();
    let initializing: StartedProcess | undefined;
    let isStopped = false;
    let isAbandoned = false;
    const wake = new AbortController();
    const set = async (name: string, state: ContainerState): Promise<void> => {
        states[name] = state;
        if (!isAbandoned) {
            await world.report(states);
        }
    };
    const start = async (
        container: k8s.V1Container,
        volumes: ReadonlyMap<string, string>,
        waits: (state: ContainerState) => Promise<void>,
    ): Promise<StartedProcess | undefined> => {
        const variables = await variablesOf(container, pod, world.objects, async (message) => {
            await waits({ is: "waiting", reason: "CreateContainerConfigError", message });
            return !isStopped;
        });
        return variables === undefined || isStopped
            ? undefined
            : startContainer(pod, container, volumes, variables, world);
    };
    const graceMilliseconds = (pod.spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds) * 1000;
    const run = (container: k8s.V1Container, volumes: ReadonlyMap<string, string>): RunningContainer =>
        runContainer(container, {
            start: (waits) => start(container, volumes, waits),
            address: world.address,
            restarts: world.restartsOf(container.name),
            graceMilliseconds,
            report: (state) => set(container.name, state),
            log: world.log,
        });
    const isRun = (container: k8s.V1Container): boolean => {
        const reason = whyNotRun(container);
        if (reason !== undefined) {
            world.log(`pod ${pod.metadata?.name}: container ${container.name} is not run: ${reason}`);
        }
        return reason === undefined;
    };
    const initialize = async (container: k8s.V1Container, volumes: ReadonlyMap<string, string>): Promise<void> => {
        const { name } = container;
        const startedAt = new Date().toISOString();
        for (let exitCode = isRun(container) ? undefined : 0; !isStopped;) {
            if (exitCode === 0) {
                const finishedAt = new Date().toISOString();
                return set(name, { is: "ended", startedAt, finishedAt, exitCode, reason: "Completed" });
            }
            try {
                initializing = await start(container, volumes, (state) => set(name, state));
                exitCode = await initializing?.ended;
                if (exitCode !== 0) {
                    await set(name, { is: "waiting", reason: "CrashLoopBackOff", message: initializing?.tail() });
                }
            } catch (error) {
                await set(name, { is: "waiting", reason: "RunContainerError", message: String(error) });
            }
            initializing = undefined;
            if (exitCode !== 0) {
                await pause(initPauseMilliseconds, wake.signal);
            }
        }
    };
    const runMain = async (container: k8s.V1Container, volumes: ReadonlyMap<string, string>): Promise<void> => {
        if (isRun(container)) {
            containers.set(container.name, run(container, volumes));
        } else {
            await set(container.name, { is: "running", startedAt: new Date().toISOString() });
        }
    };
    /** The folders of the volumes. Undefined if the pod was stopped meanwhile. */
    const prepare = async (): Promise<ReadonlyMap<string, string> | undefined> => {
        const { initContainers = [], containers: mains = [] } = pod.spec ?? {};
        const names = [...initContainers, ...mains].map(({ name }) => name);
        const restarts = world.restartsOf(mains[0].name);
        while (!isStopped) {
            try {
                fs.mkdirSync(world.folder, { recursive: true });
                await world.serveLogs(Object.fromEntries(names.map((name) => [name, logFile(world, name)])));
                return await volumesOf(pod, world.folder, world.objects, world.log, async () => {
                    await set(mains[0].name, { is: "waiting", reason: "ContainerCreating", restarts });
                    return !isStopped;
                });
            } catch (error) {
                world.log(`cannot prepare pod ${pod.metadata?.name}, retrying: ${String(error)}`);
                await pause(retryMilliseconds, wake.signal);
            }
        }
        return undefined;
    };
    const runAll = async (): Promise<void> => {
        const volumes = await prepare();
        if (volumes === undefined) {
            return;
        }
        for (const container of pod.spec?.initContainers ?? []) {
            if (isSidecar(container)) {
                await runMain(container, volumes);
                await containers.get(container.name)?.hasStarted;
            } else {
                await initialize(container, volumes);
            }
            if (isStopped) {
                return;
            }
        }
        for (const container of pod.spec?.containers ?? []) {
            await runMain(container, volumes);
        }
    };
    const begun = runAll().catch((error: unknown) =>
        world.log(`cannot run pod ${pod.metadata?.name} as processes: ${String(error)}`),
    );
    const beginToEnd = (): void => {
        isStopped = true;
        wake.abort();
        initializing?.signal("SIGKILL");
    };
    const stopNamed = async (isNamed: (name: string) => boolean, graceMilliseconds: number): Promise<void> => {
        const named = [...containers].filter(([name]) => isNamed(name)).map(([, container]) => container);
        await Promise.all(named.map((one) => one.stop(graceMilliseconds).then(() => one.over)));
    };
    return {
        stop: async (graceMilliseconds) => {
            const deadline = Date.now() + graceMilliseconds;
            const sidecars = new Set(pod.spec?.initContainers?.filter(isSidecar).map(({ name }) => name));
            beginToEnd();
            await stopNamed((name) => !sidecars.has(name), graceMilliseconds);
            await stopNamed((name) => sidecars.has(name), deadline - Date.now());
            await begun;
            await stopNamed(() => true, deadline - Date.now());
        },
        abandon: async () => {
            isAbandoned = true;
            beginToEnd();
            const abandonAll = (): void => containers.forEach((container) => container.abandon());
            abandonAll();
            await begun;
            abandonAll(); // Those that began meanwhile.
            await Promise.all(Array.from(containers.values(), (container) => container.over));
        },
        refresh: async () => {
            try {
                await makeVolumes(pod, world.folder, world.objects);
            } catch (error) {
                world.log(`cannot refresh the volumes of pod ${pod.metadata?.name}, they stay: ${String(error)}`);
            }
        },
        signal: (container, name) => containers.get(container)?.signal(name),
    };
}

const initPauseMilliseconds = 5_000;
const retryMilliseconds = 1_000;

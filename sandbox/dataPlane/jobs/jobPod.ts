import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as fs from "node:fs";
import * as path from "node:path";
import { commandLineOf, NotSimulated, type Programs, withHosts } from "./commandLine";
import { containerLog } from "../containers/containerLog";
import { type ContainerProcess, startErrorCode, startProcess } from "../containers/containerProcess";
import { variablesOf, volumesOf } from "../containers/podNeeds";
import type { PodObjects } from "../containers/podObjects";
import { replaceMountedPaths } from "../containers/mountedPaths";
import type { ContainerState, ContainerStates } from "../containers/podStatus";
import { addressesVariable, type ServiceAddresses } from "../serviceAddresses";
import { mountsOf } from "../containers/volumes";

/** What a pod of a Job runs in. */
export interface JobPodWorld {
    programs: Programs;
    /** Folders in which the programs find other programs. */
    path: string;
    objects: PodObjects;
    /** The addresses that Services have on this machine. */
    addresses: () => ServiceAddresses;
    /** The file with the names of pods that run as processes. Undefined where none does. */
    hosts: () => string | undefined;
    /** A folder for this pod only. */
    folder: string;
    /** The folder of the files with process ids. */
    processIds: string;
    /** Makes the logs of the containers readable through the API server: the file of each, by name. */
    serveLogs(files: Readonly<Record<string, string>>): Promise<void>;
    /** Resolves once the log of a container can be read there. */
    untilLogged(container: string): Promise<void>;
    /** Writes the pod's status. */
    report(states: ContainerStates): Promise<void>;
    /** Called when a container's command is about to run. */
    ran(container: string, command: readonly string[]): void;
    log(line: string): void;
}

/** A pod of a Job whose commands run as processes. */
export interface JobPod {
    /** Resolves when all of its containers have ended, or it was stopped. */
    over: Promise<void>;
    /** Sends a signal to its processes. */
    signal(name: NodeJS.Signals): void;
    /** Ends its processes. Its status is not written any more. */
    stop(): void;
}

const killAfterMilliseconds = 500;

/** Runs the containers of a pod: the init containers one after the other, then the others at once. */
export function runJobPod(pod: k8s.V1Pod, world: JobPodWorld): JobPod {
    const states: Record<string, ContainerState> = {};
    const processes = new Set<ContainerProcess>();
    let isStopped = false;
    const set = async (name: string, state: ContainerState): Promise<void> => {
        states[name] = state;
        if (!isStopped) {
            await world.report(states);
        }
    };
    const run = async (container: k8s.V1Container, volumes: ReadonlyMap<string, string>): Promise<boolean> => {
        const { name } = container;
        const variables = await variablesOf(container, pod, world.objects, async (message) => {
            await set(name, { is: "waiting", reason: "CreateContainerConfigError", message });
            return !isStopped;
        });
        if (variables === undefined) {
            return false;
        }
        const mounts = mountsOf(container, volumes, variables);
        const startedAt = now();
        const file = logFile(world, name);
        const log = containerLog(file, world.log);
        try {
            refuseUnlike(pod, container);
            const line = commandLineOf(container, variables, mounts, world.programs);
            const replaced = Object.fromEntries(
                Object.entries(variables).map(([key, value]) => [key, replaceMountedPaths(value, mounts)]),
            );
            const record = path.join(world.processIds, `job-${pod.metadata?.uid}-${name}`);
            world.ran(name, [...(container.command ?? []), ...(container.args ?? [])]);
            const hosts = world.hosts();
            const running = startProcess(
                hosts === undefined ? line : withHosts(line, hosts, process.getuid?.() === 0),
                {
                    environment: { ...replaced, [addressesVariable]: JSON.stringify(world.addresses()) },
                    folder: world.folder,
                    path: world.path,
                    log,
                    record,
                },
            );
            processes.add(running);
            await set(name, { is: "running", startedAt });
            const exitCode = await running.ended;
            processes.delete(running);
            await world.untilLogged(name);
            const tail = exitCode !== 0 && container.terminationMessagePolicy === "FallbackToLogsOnError";
            await set(name, {
                is: "ended",
                startedAt,
                finishedAt: now(),
                exitCode,
                reason: exitCode === 0 ? "Completed" : "Error",
                ...(tail ? { message: log.tail() } : {}),
            });
            return exitCode === 0;
        } catch (error) {
            if (!(error instanceof NotSimulated)) {
                throw error;
            }
            world.log(error.message);
            await set(name, {
                is: "ended",
                startedAt,
                finishedAt: now(),
                exitCode: startErrorCode,
                reason: "StartError",
                message: error.message,
            });
            return false;
        }
    };
    const runAll = async (): Promise<void> => {
        const { initContainers = [], containers = [] } = pod.spec ?? {};
        fs.mkdirSync(world.folder, { recursive: true });
        const names = [...initContainers, ...containers].map(({ name }) => name);
        await world.serveLogs(Object.fromEntries(names.map((name) => [name, logFile(world, name)])));
        const volumes = await volumesOf(pod, world.folder, world.objects, world.log, async () => {
            await set(names[0], { is: "waiting", reason: "ContainerCreating" });
            return !isStopped;
        });
        for (const container of initContainers) {
            if (volumes === undefined || !(await run(container, volumes)) || isStopped) {
                return;
            }
        }
        if (volumes !== undefined) {
            await Promise.all(containers.map((container) => run(container, volumes)));
        }
    };
    const signal = (name: NodeJS.Signals): void => processes.forEach((one) => one.signal(name));
    return {
        over: runAll(),
        signal,
        stop: () => {
            if (!isStopped) {
                isStopped = true;
                signal("SIGTERM");
                setTimeout(() => signal("SIGKILL"), killAfterMilliseconds).unref();
            }
        },
    };
}

function refuseUnlike({ spec }: k8s.V1Pod, { name, restartPolicy }: k8s.V1Container): void {
    if (spec?.restartPolicy !== "Never" || restartPolicy !== undefined) {
        throw new NotSimulated(
            `the sandbox runs only Jobs whose pods have the restartPolicy Never; that of container ${name} is ${restartPolicy ?? spec?.restartPolicy}`,
        );
    }
}

function logFile({ folder }: JobPodWorld, container: string): string {
    return path.join(folder, `${container}.log`);
}

function now(): string {
    return new Date().toISOString();
}

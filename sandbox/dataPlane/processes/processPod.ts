import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { containerLog } from "../containers/containerLog";
import { startProcess } from "../containers/containerProcess";
import { expand } from "../containers/environment";
import { variablesOf, volumesOf } from "../containers/podNeeds";
import type { PodObjects } from "../containers/podObjects";
import type { ContainerState, ContainerStates } from "../containers/podStatus";
import { mountsOf } from "../containers/volumes";
import { previousLogFile } from "../kubernetes/containerLogs";
import type { Binary } from "./binaries";
import type { Namespaces } from "./checkMachine";
import { type RunningContainer, runContainer, type StartedProcess } from "./container";
import { type Mount, nodeListensFile, rootScript } from "./containerRoot";

/** What a pod's processes run in. */
export interface ProcessPodWorld {
    /** The program of the pod's member. Undefined for discovery, which runs in Node.js. */
    binary: Binary | undefined;
    /** The loopback address of the pod. */
    address: string;
    namespaces: Namespaces;
    /** The file that becomes `/etc/hosts`. */
    hosts: string;
    /** A folder for this pod only. */
    folder: string;
    /** The folder of the files with process ids. */
    processIds: string;
    objects: PodObjects;
    /** Variables that every container has. */
    variables: Readonly<Record<string, string>>;
    /** How often a container was started again before. */
    restartsOf(container: string): number;
    /** Makes the logs of the containers readable through the API server: the file of each, by name. */
    serveLogs(files: Readonly<Record<string, string>>): Promise<void>;
    report(states: ContainerStates): Promise<void>;
    log(line: string): void;
}

/** A pod whose containers run as processes of this machine. */
export interface ProcessPod {
    /** Ends its containers as kubelet does. Resolves when all have ended. */
    stop(deadline: number): Promise<void>;
    /** Ends its processes, as if the machine had lost power. Nothing is reported any more. */
    abandon(): Promise<void>;
    /** Sends a signal to the process of a container, which is started again if it ends. */
    signal(container: string, name: NodeJS.Signals): void;
}

const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** The programs of this machine that take the place of an image's own. */
const runners = new Set(["sh", "bash", "node"]);
const defaultGraceSeconds = 30;

/** Runs the containers of a pod: the init containers one after the other, then the others at once. */
export function runProcessPod(pod: k8s.V1Pod, world: ProcessPodWorld): ProcessPod {
    const states: Record<string, ContainerState> = {};
    const containers = new Map<string, RunningContainer>();
    let initializing: StartedProcess | undefined;
    let isStopped = false;
    let isAbandoned = false;
    const set = async (name: string, state: ContainerState): Promise<void> => {
        states[name] = state;
        if (!isAbandoned) {
            await world.report(states);
        }
    };
    const start = async (
        container: k8s.V1Container,
        volumes: ReadonlyMap<string, string>,
    ): Promise<StartedProcess | undefined> => {
        const variables = await variablesOf(container, pod, world.objects, async (message) => {
            await set(container.name, { is: "waiting", reason: "CreateContainerConfigError", message });
            return !isStopped;
        });
        return variables === undefined || isStopped
            ? undefined
            : startContainer(pod, container, volumes, variables, world);
    };
    const graceMilliseconds = (pod.spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds) * 1000;
    const run = (container: k8s.V1Container, volumes: ReadonlyMap<string, string>): RunningContainer =>
        runContainer(container, {
            start: () => start(container, volumes),
            address: world.address,
            restarts: world.restartsOf(container.name),
            graceMilliseconds,
            report: (state) => set(container.name, state),
            log: world.log,
        });
    const initialize = async (container: k8s.V1Container, volumes: ReadonlyMap<string, string>): Promise<void> => {
        const startedAt = new Date().toISOString();
        const reason = whyNotRun(container);
        if (reason !== undefined) {
            world.log(`pod ${pod.metadata?.name}: init container ${container.name} is not run: ${reason}`);
        }
        for (let exitCode = reason === undefined ? -1 : 0; ;) {
            const process = exitCode === 0 ? undefined : await start(container, volumes);
            initializing = process;
            exitCode = process === undefined ? exitCode : await process.ended;
            initializing = undefined;
            const finishedAt = new Date().toISOString();
            if (exitCode === 0 || isStopped) {
                return set(container.name, { is: "ended", startedAt, finishedAt, exitCode, reason: "Completed" });
            }
            const message = process?.tail();
            await set(container.name, { is: "waiting", reason: "CrashLoopBackOff", message });
            await new Promise((resolve) => setTimeout(resolve, initPauseMilliseconds));
        }
    };
    const runAll = async (): Promise<void> => {
        const { initContainers = [], containers: mains = [] } = pod.spec ?? {};
        fs.mkdirSync(world.folder, { recursive: true });
        const names = [...initContainers, ...mains].map(({ name }) => name);
        await world.serveLogs(Object.fromEntries(names.map((name) => [name, logFile(world, name)])));
        const volumes = await volumesOf(pod, world.folder, world.objects, world.log, async () => {
            await set(mains[0].name, { is: "waiting", reason: "ContainerCreating" });
            return !isStopped;
        });
        for (const container of initContainers) {
            if (volumes === undefined || isStopped) {
                return;
            }
            await initialize(container, volumes);
        }
        for (const container of volumes === undefined || isStopped ? [] : mains) {
            const reason = whyNotRun(container);
            if (reason === undefined) {
                containers.set(container.name, run(container, volumes!));
            } else {
                world.log(`pod ${pod.metadata?.name}: container ${container.name} is not run: ${reason}`);
                await set(container.name, { is: "running", startedAt: new Date().toISOString() });
            }
        }
    };
    const begun = runAll().catch((error: unknown) =>
        world.log(`cannot run pod ${pod.metadata?.name} as processes: ${String(error)}`),
    );
    const over = async (): Promise<void> => {
        await begun;
        await Promise.all([...containers.values()].map((container) => container.over));
    };
    return {
        stop: async (deadline) => {
            isStopped = true;
            initializing?.signal("SIGKILL");
            await begun;
            await Promise.all([...containers.values()].map((container) => container.stop(deadline)));
            await over();
        },
        abandon: async () => {
            isStopped = true;
            isAbandoned = true;
            initializing?.signal("SIGKILL");
            await begun;
            containers.forEach((container) => container.abandon());
            await over();
        },
        signal: (container, name) => containers.get(container)?.signal(name),
    };
}

const initPauseMilliseconds = 5_000;

/** Why a container is only said to run; undefined if it does. */
function whyNotRun({ command = [], securityContext }: k8s.V1Container): string | undefined {
    if (securityContext?.privileged) {
        return "it is privileged, and would change this machine";
    }
    const program = path.basename(command[0] ?? "");
    return runners.has(program) ? undefined : `there is no image with ${command[0] ?? "its program"}`;
}

function startContainer(
    pod: k8s.V1Pod,
    container: k8s.V1Container,
    volumes: ReadonlyMap<string, string>,
    variables: Readonly<Record<string, string>>,
    { folder, hosts, address, binary, namespaces, processIds, variables: common }: ProcessPodWorld,
): StartedProcess {
    const { name, command = [], args = [] } = container;
    const { name: podName = "", uid } = pod.metadata ?? {};
    const root = path.join(folder, `root-${name}`);
    fs.mkdirSync(root, { recursive: true });
    const script = rootScript({
        folder: root,
        hosts,
        hostname: podName,
        mounts: readOnlyMounts(pod, container, volumes),
        address,
        ...(binary && { program: { ...binary, listens: binary.listens(address) } }),
        node: process.execPath,
        workingFolder: container.workingDir,
    });
    const scriptFile = path.join(folder, `${name}.sh`);
    fs.writeFileSync(scriptFile, script);
    const file = logFile({ folder }, name);
    if (fs.existsSync(file)) {
        fs.renameSync(file, previousLogFile(file));
    }
    const log = containerLog(file);
    const environment = {
        PATH: standardPath,
        HOSTNAME: podName,
        HOME: "/root",
        NODE_OPTIONS: `--require=${nodeListensFile}`,
        ...common,
        ...variables,
    };
    const words = [...command, ...args].map((word) => expand(word, variables));
    const started = startProcess(
        { file: "unshare", args: [...namespaces, "/bin/sh", scriptFile, ...words] },
        { environment, folder, path: standardPath, log, record: path.join(processIds, `pod-${uid}-${name}`) },
    );
    return {
        ...started,
        tail: () => log.tail(),
        exec: (command, milliseconds) => execInside(started.processId, namespaces, command, environment, milliseconds),
    };
}

/** Kubernetes mounts ConfigMaps, Secrets and the like read-only. */
function readOnlyMounts(
    { spec }: k8s.V1Pod,
    container: k8s.V1Container,
    volumes: ReadonlyMap<string, string>,
): Mount[] {
    const { volumeMounts = [] } = container;
    return mountsOf(container, volumes).map(({ file, mountPath }, index) => {
        const { name, readOnly = false } = volumeMounts[index];
        const volume = spec?.volumes?.find((one) => one.name === name);
        const isWritable = (volume?.persistentVolumeClaim ?? volume?.emptyDir) !== undefined;
        if (isWritable) {
            fs.mkdirSync(file, { recursive: true }); // The folder of a subPath.
        }
        return { file, mountPath, readOnly: readOnly || !isWritable };
    });
}

function execInside(
    parent: number | undefined,
    namespaces: Namespaces,
    command: readonly string[],
    environment: Readonly<Record<string, string>>,
    milliseconds: number,
): Promise<boolean> {
    const inside = firstProcess(parent);
    if (inside === undefined) {
        return Promise.resolve(false);
    }
    const user = namespaces.includes("--user") ? ["--user", "--preserve-credentials"] : [];
    const args = ["--target", inside, ...user, "--mount", "--pid", "--root", "--wd=/", "--", ...command];
    return new Promise((resolve) => {
        const child = spawn("nsenter", args, {
            stdio: "ignore",
            env: environment,
            timeout: milliseconds,
            killSignal: "SIGKILL",
        });
        child.once("error", () => resolve(false));
        child.once("exit", (code) => resolve(code === 0));
    });
}

/** Returns the id of the first process of a container: unshare(1) has one child. Undefined once it has ended. */
function firstProcess(parent: number | undefined): string | undefined {
    try {
        return fs.readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim() || undefined;
    } catch (error) {
        if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) {
            return undefined;
        }
        throw error;
    }
}

function logFile({ folder }: Pick<ProcessPodWorld, "folder">, container: string): string {
    return path.join(folder, `${container}.log`);
}

import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { containerLog } from "../containers/containerLog";
import { startProcess } from "../containers/containerProcess";
import { expand } from "../containers/environment";
import { mountsOf } from "../containers/volumes";
import { previousLogFile } from "../kubernetes/containerLogs";
import type { Binary } from "./binaries";
import type { Namespaces } from "./checkMachine";
import type { StartedProcess } from "./container";
import { enterScript, type Mount, nodeListensFile, rootScript } from "./containerRoot";

/** What a container's process is started in. */
export interface ContainerSurroundings {
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
    /** Variables that every container has. */
    variables: Readonly<Record<string, string>>;
    log(line: string): void;
}

const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** The programs of this machine that take the place of an image's own. */
const runners = new Set(["sh", "bash", "node"]);

/** Why a container is only said to run; undefined if it does. */
export function whyNotRun({ command = [], securityContext }: k8s.V1Container): string | undefined {
    const { privileged = false, capabilities } = securityContext ?? {};
    if (privileged || (capabilities?.add ?? []).length > 0) {
        return "it is privileged, and would change this machine";
    }
    const program = path.basename(command[0] ?? "");
    return runners.has(program) ? undefined : `there is no image with ${command[0] ?? "its program"}`;
}

/** The file with the log of a container. */
export function logFile({ folder }: Pick<ContainerSurroundings, "folder">, container: string): string {
    return path.join(folder, `${container}.log`);
}

/** Starts the process of a container of a pod, with files of its own. */
export function startContainer(
    pod: k8s.V1Pod,
    container: k8s.V1Container,
    volumes: ReadonlyMap<string, string>,
    variables: Readonly<Record<string, string>>,
    surroundings: ContainerSurroundings,
): StartedProcess {
    const { folder, hosts, address, binary, namespaces, processIds, variables: common } = surroundings;
    const { name, command = [], args = [] } = container;
    const { name: podName = "", uid } = pod.metadata ?? {};
    const root = path.join(folder, `root-${name}`);
    fs.mkdirSync(root, { recursive: true });
    const script = rootScript({
        folder: root,
        hosts,
        hostname: podName,
        mounts: readOnlyMounts(pod, container, volumes, variables),
        address,
        ...(binary && { program: { ...binary, listens: binary.listens(address) } }),
        node: process.execPath,
        workingFolder: container.workingDir,
    });
    const scriptFile = path.join(folder, `${name}.sh`);
    fs.writeFileSync(scriptFile, script);
    const file = logFile(surroundings, name);
    if (fs.existsSync(file)) {
        fs.renameSync(file, previousLogFile(file));
    }
    const log = containerLog(file, surroundings.log);
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
    const exec = execInside(started.processId, started.ended, { namespaces, root, environment });
    return { ...started, exec, tail: () => log.tail(), signal: (name) => signalFirst(started, name) };
}

/** Kubernetes mounts ConfigMaps, Secrets and the like read-only. */
function readOnlyMounts(
    { spec }: k8s.V1Pod,
    container: k8s.V1Container,
    volumes: ReadonlyMap<string, string>,
    variables: Readonly<Record<string, string>>,
): Mount[] {
    const { volumeMounts = [] } = container;
    return mountsOf(container, volumes, variables).map(({ file, mountPath }, index) => {
        const { name, readOnly = false } = volumeMounts[index];
        const volume = spec?.volumes?.find((one) => one.name === name);
        const isWritable = (volume?.persistentVolumeClaim ?? volume?.emptyDir) !== undefined;
        if (isWritable) {
            fs.mkdirSync(file, { recursive: true }); // The folder of a subPath.
        }
        return { file, mountPath, readOnly: readOnly || !isWritable };
    });
}

/** Sends a signal to the first process of a container, as container runtimes do; SIGKILL to all of them. */
function signalFirst(started: Pick<StartedProcess, "processId" | "signal">, name: NodeJS.Signals): void {
    const first = firstProcess(started.processId);
    if (name === "SIGKILL" || first === undefined) {
        started.signal("SIGKILL"); // A container without a first process has not begun.
        return;
    }
    try {
        process.kill(Number(first), name);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
            throw error;
        }
    }
}

const pauseMilliseconds = 50;

/** Returns what runs a command in a container, once its files stand: never with this machine's. */
function execInside(
    parent: number | undefined,
    ended: Promise<number>,
    { namespaces, root, environment }: { namespaces: Namespaces; root: string; environment: NodeJS.ProcessEnv },
): StartedProcess["exec"] {
    const user = namespaces.includes("--user") ? ["--user", "--preserve-credentials"] : [];
    let hasEnded = false;
    void ended.then(() => (hasEnded = true));
    return async (command, milliseconds) => {
        const until = Date.now() + milliseconds;
        let inside = firstProcess(parent);
        for (; inside === undefined && !hasEnded && Date.now() < until; inside = firstProcess(parent)) {
            await sleep(pauseMilliseconds);
        }
        if (inside === undefined || hasEnded) {
            return false;
        }
        const enter = ["--target", inside, ...user, "--mount", "--pid", "--wd=/", "--"];
        return succeeds("nsenter", [...enter, "/bin/sh", "-c", enterScript, root, ...command], environment, until);
    };
}

/** Whether a command succeeds in time. All of its processes end with it. */
function succeeds(file: string, args: string[], env: NodeJS.ProcessEnv, until: number): Promise<boolean> {
    return new Promise((resolve) => {
        const child = spawn(file, args, { stdio: "ignore", env, detached: true });
        const timer = setTimeout(
            () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"),
            until - Date.now(),
        );
        const end = (isOk: boolean): void => {
            clearTimeout(timer);
            resolve(isOk);
        };
        child.once("error", () => end(false));
        child.once("exit", (code) => end(code === 0));
    });
}

/** Returns the id of the first process of a container: unshare(1) has one child. Undefined before it began, and once it has ended. */
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

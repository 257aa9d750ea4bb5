import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as sleep } from "node:timers/promises";
import type { ContainerProcess } from "../containers/containerProcess";
import { type ContainerExec, getOk } from "./probes";

/** A container's process, in which hooks run. */
export interface HookProcess extends Pick<ContainerProcess, "ended" | "signal"> {
    /** Runs a command where the process runs. */
    exec: ContainerExec;
}

/** Ends a process. A second call with a shorter grace period shortens the first one's. */
export type EndProcess = (graceMilliseconds: number) => Promise<void>;

/** Kubelet gives a container this time even if its grace period is over. */
const shortestGrace = 2_000;
const longestHook = 600_000;

/**
 * Returns what ends a container's process as kubelet does: its `preStop` hook, then SIGTERM, and SIGKILL when the grace period, which begins with
 * the hook, is over.
 */
export function endOf(
    container: k8s.V1Container,
    process: HookProcess,
    address: string,
    log: (line: string) => void,
): EndProcess {
    let killAt = Infinity;
    let timer: NodeJS.Timeout | undefined;
    let ending: Promise<void> | undefined;
    const end = async (): Promise<void> => {
        await Promise.race([runHook(container, "preStop", { process, address, log }), process.ended]);
        process.signal("SIGTERM");
        await process.ended;
        clearTimeout(timer);
    };
    return (graceMilliseconds) => {
        const at = Date.now() + Math.max(graceMilliseconds, shortestGrace);
        if (at < killAt) {
            killAt = at;
            clearTimeout(timer);
            timer = setTimeout(() => process.signal("SIGKILL"), at - Date.now());
        }
        return (ending ??= end());
    };
}

/** Runs a hook, and returns whether it succeeded. Without a hook, it has. It has no time limit but the end of its container. */
export async function runHook(
    container: k8s.V1Container,
    kind: "postStart" | "preStop",
    { process, address, log }: { process: HookProcess; address: string; log: (line: string) => void },
): Promise<boolean> {
    const { exec, sleep: pause, httpGet } = container.lifecycle?.[kind] ?? {};
    let isOk = true;
    let detail = "";
    try {
        if (exec) {
            isOk = await process.exec(exec.command ?? [], longestHook);
        } else if (httpGet) {
            isOk = await getOk(httpGet, container, address, longestHook);
        } else if (pause) {
            await Promise.race([process.ended, sleep(pause.seconds * 1000)]);
        }
    } catch (error) {
        isOk = false;
        detail = `: ${(error as Error).message}`;
    }
    if (!isOk) {
        log(`the ${kind} hook of container ${container.name} failed${detail}`);
    }
    return isOk;
}

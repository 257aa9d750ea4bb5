import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as sleep } from "node:timers/promises";
import { podStatus } from "../containers/podStatus";
import type { Binary } from "./binaries";
import type { PodAddress } from "./podNetwork";
import type { PodReports } from "./podReports";
import { type ProcessPod, type ProcessPodWorld, runProcessPod } from "./processPod";

/** The program of a pod's member, undefined if it needs none; or why a container has none, in the words of a failed pull. */
export type PodProgram = { found: Binary | undefined } | { container: string; missing: string };

/** What a pod's worker works with. */
export interface PodWorkerWorld {
    address: PodAddress;
    reports: PodReports;
    /** Whether the pod's node runs. */
    hasNode(pod: k8s.V1Pod): boolean;
    program(pod: k8s.V1Pod): PodProgram;
    /** Prepares the way of traffic and names to the pod. */
    expose(pod: k8s.V1Pod): Promise<void>;
    /** Looks at a pod before its containers are stopped. */
    look(pod: k8s.V1Pod): Promise<void>;
    /** Called when the pod becomes Ready or stops to be. */
    changed(): void;
    run: Pick<
        ProcessPodWorld,
        "namespaces" | "hosts" | "folder" | "processIds" | "objects" | "variables" | "serveLogs" | "log"
    >;
}

/** A pod that runs as processes, from when it is seen until it is gone. */
export interface PodWorker {
    readonly address: PodAddress;
    readonly pod: k8s.V1Pod;
    readonly isReady: boolean;
    readonly isEnding: boolean;
    /** Has it look at its pod, or at its node, again. */
    see(pod?: k8s.V1Pod): void;
    /** Has its files follow the Secrets and ConfigMaps that they are made of. */
    refresh(): void;
    signal(container: string, name: NodeJS.Signals): void;
    /** Ends its processes, as if the machine had lost power. Resolves when they have ended. */
    leave(): Promise<void>;
}

const imageMilliseconds = 5_000;
const retryMilliseconds = 1_000;
const defaultGraceSeconds = 30;

/**
 * Works on one pod: it alone starts and ends the pod's processes, one after the other, so that no two of them ever have its folders.
 */
export function podWorker(first: k8s.V1Pod, world: PodWorkerWorld): PodWorker {
    const { address, reports } = world;
    let pod = first;
    let running: ProcessPod | undefined;
    let isReady = false;
    let hasLeft = false;
    let isChanged = false;
    let isStopping = false;
    let wake = (): void => undefined;
    const wanted = (): "processes" | "nothing" | "its end" =>
        hasLeft || !world.hasNode(pod)
            ? "nothing"
            : pod.metadata?.deletionTimestamp === undefined
              ? "processes"
              : "its end";
    const untilChange = async (milliseconds?: number): Promise<void> => {
        if (!isChanged) {
            const change = new Promise<void>((resolve) => (wake = resolve));
            await (milliseconds === undefined ? change : Promise.race([change, sleep(milliseconds)]));
        }
    };
    const setReady = (is: boolean): void => {
        isReady = is;
        world.changed();
    };
    const begin = async (): Promise<void> => {
        const program = world.program(pod);
        if ("missing" in program) {
            const reason = "ImagePullBackOff";
            const states = { [program.container]: { is: "waiting" as const, reason, message: program.missing } };
            await reports.write(pod, address.podIp, podStatus(pod, states, new Date().toISOString()));
            return untilChange(imageMilliseconds);
        }
        await world.expose(pod);
        if (wanted() === "processes") {
            running = run(program.found);
        }
    };
    const run = (binary: Binary | undefined): ProcessPod => {
        const begun = pod;
        const startTime = (begun.status?.startTime ? new Date(begun.status.startTime) : new Date()).toISOString();
        const { initContainerStatuses = [], containerStatuses = [] } = begun.status ?? {};
        const before = new Map([...initContainerStatuses, ...containerStatuses].map((one) => [one.name, one]));
        return runProcessPod(
            { ...begun, status: { ...begun.status, podIP: address.loopback } },
            {
                ...world.run,
                binary,
                address: address.loopback,
                restartsOf: (container) => {
                    const status = before.get(container);
                    return status === undefined ? 0 : status.restartCount + (status.state?.running ? 1 : 0);
                },
                report: async (states) => {
                    const status = podStatus(begun, states, startTime);
                    setReady(status.conditions.some(({ type, status: is }) => type === "Ready" && is === "True"));
                    await reports.write(begun, address.podIp, status);
                },
            },
        );
    };
    const grace = (): number => (pod.metadata?.deletionGracePeriodSeconds ?? defaultGraceSeconds) * 1000;
    const end = async (): Promise<void> => {
        if (running !== undefined) {
            await world
                .look(pod)
                .catch((error: unknown) => world.run.log(`cannot look before it is stopped: ${String(error)}`));
            isStopping = true;
            await running.stop(grace());
            isStopping = false;
        }
        if (wanted() === "its end") {
            running = undefined;
            await reports.remove(pod);
            hasLeft = true;
        }
    };
    const leaveNode = async (): Promise<void> => {
        setReady(false);
        await running?.abandon();
        running = undefined;
    };
    const step = async (): Promise<void> => {
        switch (wanted()) {
            case "processes":
                return running === undefined ? begin() : untilChange();
            case "nothing":
                await leaveNode();
                return hasLeft ? undefined : untilChange();
            case "its end":
                return end();
        }
    };
    const work = async (): Promise<void> => {
        while (!hasLeft) {
            isChanged = false;
            try {
                await step();
            } catch (error) {
                world.run.log(`failed, retrying: ${String(error)}`);
                await sleep(retryMilliseconds);
            }
        }
        await leaveNode();
    };
    const over = work();
    const notify = (): void => {
        isChanged = true;
        wake();
        if (wanted() === "nothing") {
            void running?.abandon();
        } else if (isStopping) {
            void running?.stop(grace());
        }
    };
    return {
        address,
        get pod() {
            return pod;
        },
        get isReady() {
            return isReady;
        },
        get isEnding() {
            return pod.metadata?.deletionTimestamp !== undefined;
        },
        see: (seen = pod) => {
            pod = seen;
            notify();
        },
        refresh: () => void running?.refresh(),
        signal: (container, signal) => running?.signal(container, signal),
        leave: async () => {
            hasLeft = true;
            notify();
            await over;
        },
    };
}

import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** What a container of a Job's pod is doing. */
export type ContainerState =
    | { is: "waiting"; reason: string; message?: string }
    | { is: "running"; startedAt: string }
    | { is: "ended"; startedAt: string; finishedAt: string; exitCode: number; reason: string; message?: string };

/** The states of a pod's containers, by name. A container that is not there has not begun. */
export type ContainerStates = Readonly<Record<string, ContainerState>>;

/** Returns the status of a pod, as kubelet writes it from what its processes did. */
export function jobPodStatus({ spec }: k8s.V1Pod, states: ContainerStates, startTime: string): object {
    const inits = spec?.initContainers ?? [];
    const mains = spec?.containers ?? [];
    const stateOf = ({ name }: k8s.V1Container): ContainerState | undefined => states[name];
    const failed = (one: k8s.V1Container): boolean => {
        const state = stateOf(one);
        return state?.is === "ended" && state.exitCode !== 0;
    };
    const isOver = (one: k8s.V1Container): boolean => stateOf(one)?.is === "ended";
    const isInitialized = inits.every((one) => isOver(one) && !failed(one));
    const phase =
        inits.some(failed) || (mains.every(isOver) && mains.some(failed))
            ? "Failed"
            : mains.every(isOver)
              ? "Succeeded"
              : isInitialized && mains.some((one) => stateOf(one)?.is === "running" || isOver(one))
                ? "Running"
                : "Pending";
    const isReady = phase === "Running" && mains.every((one) => stateOf(one)?.is === "running");
    const condition = (type: string, is: boolean): object => ({ type, status: is ? "True" : "False" });
    return {
        phase,
        startTime,
        conditions: [
            condition("Initialized", isInitialized),
            condition("Ready", isReady),
            condition("ContainersReady", isReady),
        ],
        ...(inits.length === 0
            ? {}
            : { initContainerStatuses: inits.map((one) => containerStatus(one, stateOf(one))) }),
        containerStatuses: mains.map((one) => containerStatus(one, stateOf(one))),
    };
}

function containerStatus({ name, image = "" }: k8s.V1Container, state: ContainerState | undefined): object {
    const isRunning = state?.is === "running";
    return {
        name,
        image,
        imageID: state === undefined || state.is === "waiting" ? "" : image,
        restartCount: 0,
        started: isRunning,
        ready: isRunning,
        state: stateObject(state ?? { is: "waiting", reason: "PodInitializing" }),
    };
}

function stateObject(state: ContainerState): object {
    const { is, ...fields } = state;
    return { [is === "ended" ? "terminated" : is]: fields };
}

import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };

/** How a container's last process ended. */
export interface EndedProcess {
    startedAt: string;
    finishedAt: string;
    exitCode: number;
    reason: string;
    message?: string;
}

/** What is known of a container that is started again when it ends. */
interface Restarts {
    /** How often it was started again. Default: 0. */
    restarts?: number;
    last?: EndedProcess;
}

/** What a container is doing. */
export type ContainerState =
    | ({ is: "waiting"; reason: string; message?: string } & Restarts)
    /** `ready` is what its probes say. Default: true. */
    | ({ is: "running"; startedAt: string; ready?: boolean; started?: boolean } & Restarts)
    | ({ is: "ended" } & EndedProcess & Restarts);

/** The states of a pod's containers, by name. A container that is not there has not begun. */
export type ContainerStates = Readonly<Record<string, ContainerState>>;

/** Returns the status of a pod, as kubelet writes it from what its processes did. */
export function podStatus({ spec }: k8s.V1Pod, states: ContainerStates, startTime: string): PodStatus {
    const inits = spec?.initContainers ?? [];
    const mains = spec?.containers ?? [];
    const stateOf = ({ name }: k8s.V1Container): ContainerState | undefined => states[name];
    const isOver = (one: k8s.V1Container): boolean => stateOf(one)?.is === "ended";
    const failed = (one: k8s.V1Container): boolean => {
        const state = stateOf(one);
        return state?.is === "ended" && state.exitCode !== 0;
    };
    const hasBegun = (one: k8s.V1Container): boolean => {
        const state = stateOf(one);
        return state !== undefined && (state.is !== "waiting" || state.last !== undefined || (state.restarts ?? 0) > 0);
    };
    const sidecars = inits.filter(isSidecar);
    const isStarted = (one: k8s.V1Container): boolean => {
        const state = stateOf(one);
        return state?.is === "running" && state.started !== false;
    };
    const isInitialized = inits.every((one) => (isSidecar(one) ? isStarted(one) : isOver(one) && !failed(one)));
    const phase =
        inits.some((one) => !isSidecar(one) && failed(one)) || (mains.every(isOver) && mains.some(failed))
            ? "Failed"
            : mains.every(isOver)
              ? "Succeeded"
              : isInitialized && mains.some(hasBegun)
                ? "Running"
                : "Pending";
    const unready = [...sidecars, ...mains].filter((one) => !isReadyState(stateOf(one))).map(({ name }) => name);
    const isReady = phase === "Running" && unready.length === 0;
    const detail = isReady
        ? {}
        : { reason: "ContainersNotReady", message: `containers with unready status: [${unready.join(" ")}]` };
    const condition = (type: string, is: boolean): PodCondition => ({ type, status: is ? "True" : "False" });
    return {
        phase,
        startTime,
        conditions: [
            condition("Initialized", isInitialized),
            { ...condition("Ready", isReady), ...detail },
            { ...condition("ContainersReady", isReady), ...detail },
        ],
        ...(inits.length === 0
            ? {}
            : { initContainerStatuses: inits.map((one) => containerStatus(one, stateOf(one))) }),
        containerStatuses: mains.map((one) => containerStatus(one, stateOf(one))),
    };
}

/** Whether an init container runs as long as its pod. */
export function isSidecar({ restartPolicy }: k8s.V1Container): boolean {
    return restartPolicy === "Always";
}

/** A condition of a pod, in its status. */
interface PodCondition {
    type: string;
    status: "True" | "False";
    reason?: string;
    message?: string;
    lastTransitionTime?: string;
}

/** The part of a pod's status that its processes decide. */
export interface PodStatus {
    phase: "Pending" | "Running" | "Succeeded" | "Failed";
    startTime: string;
    conditions: PodCondition[];
    initContainerStatuses?: object[];
    containerStatuses: object[];
}

/** Returns the status with the times of its conditions: that of the change, or of the status before if nothing changed. */
export function withTransitions(status: PodStatus, before: PodStatus | undefined, now: string): PodStatus {
    const conditions = status.conditions.map((condition) => {
        const last = before?.conditions.find(({ type }) => type === condition.type);
        const isSame = last?.status === condition.status;
        return { ...condition, lastTransitionTime: (isSame ? last.lastTransitionTime : undefined) ?? now };
    });
    return { ...status, conditions };
}

function isReadyState(state: ContainerState | undefined): boolean {
    return state?.is === "running" && state.ready !== false;
}

function containerStatus({ name, image = "" }: k8s.V1Container, state: ContainerState | undefined): object {
    return {
        name,
        image,
        imageID: state === undefined || state.is === "waiting" ? "" : image,
        restartCount: state?.restarts ?? 0,
        started: state?.is === "running" && state.started !== false,
        ready: isReadyState(state),
        state: stateObject(state ?? { is: "waiting", reason: "PodInitializing" }),
        ...(state?.last === undefined ? {} : { lastState: { terminated: state.last } }),
    };
}

function stateObject(state: ContainerState): object {
    switch (state.is) {
        case "waiting":
            return { waiting: { reason: state.reason, message: state.message } };
        case "running":
            return { running: { startedAt: state.startedAt } };
        case "ended": {
            const { startedAt, finishedAt, exitCode, reason, message } = state;
            return { terminated: { startedAt, finishedAt, exitCode, reason, message } };
        }
    }
}

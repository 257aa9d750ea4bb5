import type { PodView } from "../vocabulary/stage";

/** So long a process may take, after its pod was made, until PD knows that it serves. */
const startMilliseconds = 60_000;

/** @returns whether the pod was made a moment ago, and has no trouble: what PD does not know of it yet says nothing. */
export function hasJustStarted({ member, observation: { now } }: PodView, name: string | undefined): boolean {
    const pod = member.pods.find((one) => one.name === name);
    return (
        pod !== undefined &&
        now - pod.createdAt < startMilliseconds &&
        pod.trouble === undefined &&
        pod.container.known &&
        !pod.terminating
    );
}

/** The same of the pod that is waited for. */
export const itselfHasJustStarted = (view: PodView): boolean => hasJustStarted(view, view.podName);

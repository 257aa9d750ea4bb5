import type { Problem } from "../vocabulary/move";
import { failedContainer, newestFirst } from "./jobContainers";
import { adviceFor, causeLines } from "./jobErrors";
import { type JobCondition, jobName, type JobObservation, type JobTarget, type ObservedJobPod } from "./observedJob";

/** How many of the last lines of a log a message shows, and how much of each. */
const shownLines = 8;
const shownCharacters = 400;

/** @returns the failure of a Job with its container's own last words, and what to do next. */
export function failedJob(target: JobTarget, observation: JobObservation, condition: JobCondition): Problem {
    const seen = failedWords(observation, condition, target.namespace);
    return {
        code: "job-failed",
        step: target.does,
        target: jobName(target),
        seen,
        next: `${adviceFor(seen)}, then ${again(target)}`,
    };
}

/** @returns that a Job has failed, with its container's own last words. */
export function failedWords(
    observation: JobObservation,
    { reason = "", message = "" }: Partial<Pick<JobCondition, "reason" | "message">>,
    namespace: string,
): string {
    const why = reasonAnd(reason, message);
    return `it failed${why === "" ? "" : ` (${why})`}: ${lastWords(observation, namespace)}`;
}

/** @returns why a Job that has never run is not started. */
export function outdatedJob(target: JobTarget): Problem {
    return {
        code: "job-outdated",
        step: target.does,
        target: jobName(target),
        seen: "it was created from an earlier version of the program and has never run; a Job cannot be changed",
        next: again(target),
    };
}

/** @returns how the user has the work done again: a Job is never run twice. */
export function again({
    attempt,
    attemptField,
    again: own,
}: Pick<JobTarget, "attempt" | "attemptField" | "again">): string {
    return own ?? `raise \`${attemptField}\` from ${attempt} to ${attempt + 1}, which does it again in a new Job`;
}

/** @returns how the user has the work done once more, after it has succeeded. */
export function onceMore(target: JobTarget): string {
    return target.onceMore ?? again(target);
}

function lastWords(observation: JobObservation, namespace: string): string {
    const { pods, lastLines } = observation;
    if (!pods.known) {
        return `its pods are not known: ${pods.why}`;
    }
    const failed = failedContainer(pods.value);
    if (!failed) {
        const pod = newestFirst(pods.value).find(({ phase }) => phase === "Failed");
        return pod
            ? `pod ${pod.name} failed${pod.reason === "" ? "" : ` (${pod.reason})`}, and no container of it says an exit code`
            : "it has no failed pod any more, so its last words are not known";
    }
    const { pod, container } = failed;
    const { state } = container;
    const ended = state.is === "ended" ? state : undefined;
    const exit = `container ${container.name} of pod ${pod.name} ended with exit code ${ended?.exitCode}${ended?.reason ? ` (${ended.reason})` : ""}`;
    if (lastLines.known && lastLines.value.length > 0) {
        const causes = causeLines(lastLines.value);
        return causes.length === 0
            ? `${exit}; its last lines: ${quoted(lastLines.value)}`
            : `${exit}: ${quoted(causes)}; all of it: \`kubectl logs ${pod.name} -c ${container.name} -n ${namespace}\``;
    }
    if (ended?.message) {
        return `${exit}; its message: ${quoted(ended.message.split("\n"))}`;
    }
    return `${exit}; ${lastLines.known ? "its log is empty" : `its log could not be read: ${lastLines.why}`}`;
}

/** @returns the last lines as one text: `"first" / "second"`. */
function quoted(lines: readonly string[]): string {
    return lines
        .filter((line) => line.trim() !== "")
        .slice(-shownLines)
        .map((line) => `"${shortened(line.trim())}"`)
        .join(" / ");
}

function shortened(line: string): string {
    return line.length > shownCharacters ? `${line.slice(0, shownCharacters)}…` : line;
}

/** @returns what a Job that has not ended waits for, or does. */
export function jobLacks(observation: JobObservation): string {
    const { pods, lastLines } = observation;
    if (!pods.known) {
        return `its pods are not known: ${pods.why}`;
    }
    const newest: ObservedJobPod | undefined = newestFirst(pods.value)[0];
    if (newest === undefined) {
        return "it has no pod";
    }
    const running = newest.containers.find(({ state }) => state.is === "running");
    const waits = newest.containers.find(({ state }) => state.is === "waiting" && state.reason !== "PodInitializing");
    const said = lastLines.known ? quoted(lastLines.value.slice(-1)) : "";
    if (running) {
        return `container ${running.name} of pod ${newest.name} runs${said === "" ? "" : `, and said last: ${said}`}`;
    }
    if (waits?.state.is === "waiting" && waits.state.reason !== "") {
        const why = reasonAnd(waits.state.reason, waits.state.message);
        return `container ${waits.name} of pod ${newest.name} has not begun (${why})`;
    }
    return newest.unscheduled === ""
        ? `pod ${newest.name} is ${newest.phase}`
        : `pod ${newest.name} has no node (${newest.unscheduled})`;
}

/** Reasons for which a container does not begin, and which nobody but a person ends (Kubernetes: pkg/kubelet/container, pkg/kubelet/images). */
const notByItself = [
    "CreateContainerConfigError",
    "InvalidImageName",
    "ErrImageNeverPull",
    "ErrImagePull",
    "ImagePullBackOff",
];

/** @returns whether the newest pod of a Job waits for something that does not come by itself: a Secret, an image. */
export function isStuck({ pods }: JobObservation): boolean {
    const [newest] = pods.known ? newestFirst(pods.value) : [];
    return (
        newest?.containers.some(({ state }) => state.is === "waiting" && notByItself.includes(state.reason)) ?? false
    );
}

/** @returns a reason of Kubernetes with its message, where it has one. */
function reasonAnd(reason: string, message: string): string {
    return [reason, message].filter((part) => part !== "").join(": ");
}

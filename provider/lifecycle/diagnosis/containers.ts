import type { ContainerStatus, Pod } from "./objects";
import type { Cause } from "./cause";
import { configError } from "./configError";
import { latest } from "./events";
import { type PodFacts, titleOf } from "./facts";

/** Reasons for waiting that are normal while a container starts. */
const normalWhileStarting = ["ContainerCreating", "PodInitializing"];
const imageReasons = [
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "RegistryUnavailable",
    "ImageInspectError",
];
/** Two attempts of a node to pull an image come within this time. */
const pulledAgainSeconds = 30;

/** What runtimes say of an image that a registry does not have. */
const saysMissing =
    /manifest unknown|name unknown|failed to resolve (reference|image)\b.*not found|manifest for .*not found/is;
/** What they say of an image whose parts a node has lost, or cannot unpack. The next attempt may well succeed. */
const ofNode = /content digest|content store|snapshot|extract layer|(?<!failed to pull and )unpack/i;

/** @returns the containers that keep a pod from being Ready, its own first. */
export function startingContainers({ status }: Pod, component: string | undefined): ContainerStatus[] {
    const own = (one: ContainerStatus) => Number(one.name === component);
    const main = [...(status?.containerStatuses ?? [])].sort((one, other) => own(other) - own(one));
    // A sidecar init container holds up the others only until they run.
    const init = main.some(({ state }) => state?.running) ? [] : (status?.initContainerStatuses ?? []);
    return [...init, ...main].filter(({ ready }) => !ready);
}

/** @returns whether a container has ended, so that its log says why. An init container that is done has not failed. */
export function hasEnded({ state, lastState }: ContainerStatus): boolean {
    return endOf({ state, lastState }) !== undefined;
}

/** @returns why a container of the pod does not run; `undefined` if nothing shows that. */
export function whyContainerFails(facts: PodFacts, pod: Pod, status: ContainerStatus): Cause | undefined {
    const { reason = "", message } = status.state?.waiting ?? {};
    if (reason === "InvalidImageName" || imageReasons.includes(reason)) {
        return whyImageIsMissing(facts, status, reason, message);
    }
    if (endOf(status) !== undefined) {
        return whyItEnds(facts, pod, status);
    }
    if (reason === "" || normalWhileStarting.includes(reason)) {
        return undefined;
    }
    const { name } = facts;
    const lacks = /(secret|configmap) "([^"]+)" not found/.exec(message ?? "");
    return {
        of: name,
        reason: "ContainerNotCreated",
        what: lacks
            ? `container ${status.name} needs ${lacks[1] === "secret" ? "Secret" : "ConfigMap"} ${lacks[2]}, which does not exist`
            : `container ${status.name} cannot be created: ${reason}`,
        ...(message === undefined ? {} : { evidence: message }),
        fix: lacks
            ? `create it, or name another one in ${titleOf(facts)}'s part of the program`
            : `correct what the message names in ${titleOf(facts)}'s part of the program`,
    };
}

function whyImageIsMissing(facts: PodFacts, { name, image }: ContainerStatus, reason: string, message = ""): Cause {
    const { name: of, events } = facts;
    const title = titleOf(facts);
    const pulled = events.known
        ? latest(events.value, ["Failed", "InspectFailed"], (text) => text.includes(image))
        : undefined;
    // While it waits before the next attempt, the status of older nodes does not say what failed.
    const evidence =
        [message, pulled?.message ?? ""].find((text) =>
            /[a-z]+ = |not found|denied|unauthorized|dial|invalid|no match|unknown/i.test(text),
        ) ??
        (message || pulled?.message);
    const said = evidence ?? "";
    const common = { of, ...(evidence ? { evidence } : {}) };
    const correct = `correct the image or the version of ${title} in the program`;
    if (reason === "InvalidImageName") {
        return {
            ...common,
            reason: "ImageNotFound",
            what: `${image} of container ${name} is not the name of an image`,
            fix: correct,
            final: { afterSeconds: 0 },
        };
    }
    if (reason === "ErrImageNeverPull") {
        const what = `the node does not have image ${image} of container ${name}, and imagePullPolicy is Never`;
        return {
            ...common,
            reason: "ImageNotFound",
            what,
            fix: "set imagePullPolicy to IfNotPresent, or load the image onto the node",
        };
    }
    if (/no match(ing manifest)? for (platform|\w+\/\w+)/i.test(said)) {
        const what = `image ${image} of container ${name} does not exist for the processor of its node`;
        return {
            ...common,
            reason: "ImageNotFound",
            what,
            fix: `use an image for that processor, or a nodeSelector for ${title}`,
            final: { afterSeconds: pulledAgainSeconds },
        };
    }
    const isDenied = /denied|unauthorized|authentication|authorization|forbidden|\b40[13]\b/i.test(said);
    const isMissing = saysMissing.test(said) && !isDenied && !/no such host|lookup /.test(said) && !ofNode.test(said);
    if (isMissing) {
        return {
            ...common,
            reason: "ImageNotFound",
            what: `the registry does not have image ${image} of container ${name}`,
            fix: correct,
            final: { afterSeconds: pulledAgainSeconds },
        };
    }
    return {
        ...common,
        reason: "ImageNotPulled",
        what: isDenied
            ? `the registry does not give image ${image} of container ${name} to this node, or does not have it`
            : `image ${image} of container ${name} cannot be pulled`,
        fix: isDenied
            ? `check imagePullSecrets of ${title}, and the name of the image`
            : "check that the nodes reach the registry",
    };
}

/** The same end is seen again and again, and is counted once. A container that runs may run with another configuration. */
function finalOf({ state }: ContainerStatus, { containerID, finishedAt }: End): Pick<Cause, "final"> {
    const occurrence = containerID ?? (finishedAt && new Date(finishedAt).toISOString());
    return occurrence ? { final: { afterSeconds: state?.running ? Infinity : 0, occurrence } } : {};
}

type End = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

/** How the container ended last; undefined if it has not, or has done what it was to do. */
function endOf({ state, lastState }: Pick<ContainerStatus, "state" | "lastState">): End | undefined {
    return [state?.terminated, lastState?.terminated].find((end) => end !== undefined && end.exitCode !== 0);
}

function whyItEnds(facts: PodFacts, { metadata, spec }: Pod, status: ContainerStatus): Cause | undefined {
    const { name: of, logs } = facts;
    const end = endOf(status);
    if (end === undefined) {
        return undefined;
    }
    const { name, restartCount, state } = status;
    const title = titleOf(facts);
    const times =
        restartCount === 0 ? "" : `, and was restarted ${restartCount === 1 ? "once" : `${restartCount} times`}`;
    if (end.reason === "OOMKilled") {
        const limit = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find((one) => one.name === name)
            ?.resources?.limits?.memory;
        const what = `container ${name} was killed because it used more memory than its limit${limit === undefined ? "" : ` of ${limit}`}${times}`;
        return {
            of,
            reason: "OutOfMemory",
            what,
            fix: `raise limits.memory of ${title}, or lower its caches in its configuration`,
        };
    }
    const log = logs[name];
    const lines = log?.known ? log.value : [];
    const error = configError(lines);
    if (error !== undefined && end.exitCode !== 137 && end.exitCode !== 143) {
        const what = `container ${name} refuses its configuration${times}`;
        return {
            of,
            reason: "ConfigurationRefused",
            what,
            evidence: error,
            fix: `correct the configuration of ${title} in the program`,
            ...finalOf(status, end),
        };
    }
    const last = lines.filter((line) => line.trim() !== "").at(-1) ?? end.message;
    const unread = log?.known === false ? `, and its log is not known: ${log.why}` : "";
    return {
        of,
        reason: "ContainerCrashes",
        what: `container ${name} ended with exit code ${end.exitCode}${end.reason && end.reason !== "Error" ? ` (${end.reason})` : ""}${times}${unread}`,
        ...(last === undefined ? {} : { evidence: last }),
        fix: `see its log: kubectl logs ${of} -n ${metadata?.namespace} -c ${name}${state?.terminated ? "" : " --previous"}`,
    };
}

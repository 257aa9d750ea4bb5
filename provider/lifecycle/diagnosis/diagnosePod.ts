import type { Pod } from "./objects";
import { type Fact, notAsked } from "../vocabulary/evidence";
import type { Cause } from "./cause";
import { whyClaimsWait } from "./claims";
import { startingContainers, whyContainerFails } from "./containers";
import { whyNotCreated } from "./creation";
import { latest } from "./events";
import { type PodFacts, titleOf } from "./facts";
import { whyNodeFails, whyVolumeNodeFails } from "./ownNode";
import { whyUnschedulable } from "./scheduling";

/** @returns what keeps a pod from being Ready, the most telling cause first. Empty if nothing shows a cause. */
export function diagnosePod(facts: PodFacts): Cause[] {
    const causes = causesOf(facts);
    const changes = titleOf(facts);
    return facts.job === undefined
        ? causes
        : causes.map((cause) => ({
              ...cause,
              fix: cause.fix.includes(changes) ? `${cause.fix}; ${onlyNext}` : cause.fix,
          }));
}

const onlyNext =
    "a Job cannot be changed: the next one has the change (raise `attempt`, or wait for the next run of a schedule)";

function causesOf(facts: PodFacts): Cause[] {
    const { pod } = facts;
    if (pod === undefined) {
        return [whyNotCreated(facts)].filter((cause) => cause !== undefined);
    }
    // What a kubelet that does not answer reported last explains nothing.
    const lost = whyNodeFails(facts, pod);
    if (lost !== undefined || !isWrong(pod)) {
        return lost === undefined ? [] : [lost];
    }
    const refusal = refusedByScheduler(pod);
    if (refusal !== undefined) {
        const claims = whyClaimsWait(facts);
        const ofNode = whyVolumeNodeFails(facts);
        return [...(ofNode ? [ofNode] : []), ...claims, ...whyUnschedulable(facts, pod, refusal, claims.length > 0)];
    }
    const containers = startingContainers(pod, facts.component)
        .map((status) => whyContainerFails(facts, pod, status))
        .filter((cause) => cause !== undefined);
    return containers.length > 0
        ? containers
        : [whyNotMounted(facts) ?? whyNotReady(facts, pod)].filter((cause) => cause !== undefined);
}

/** @returns whether a pod that exists should be Ready and is not. */
export function isWrong({ metadata, status }: Pod): boolean {
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    return metadata?.deletionTimestamp === undefined && ready?.status !== "True";
}

/** @returns why the scheduler has not found a node, in its words; `undefined` if it has, or has not tried. */
export function refusedByScheduler({ status }: Pod): string | undefined {
    const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
    return scheduled?.status === "False" ? (scheduled.message ?? scheduled.reason ?? "no reason given") : undefined;
}

/** Something that a diagnosis needs and that could not be read. */
export interface Unknown {
    readonly what: string;
    readonly why: string;
}

type Read = [what: string, answer: Fact<unknown>];

/** @returns what could not be read of the pods although it was needed, each thing once. */
export function unknownOf(pods: readonly PodFacts[]): Unknown[] {
    const all = pods.flatMap(
        ({
            name,
            pod,
            ownNode = notAsked,
            stopsInTime,
            volumeNode,
            events,
            claims,
            nodes,
            classes,
            volumes,
            logs,
        }): Read[] => [
            [`events of ${name}`, events],
            [`node ${pod?.spec?.nodeName}`, stopsInTime ? notAsked : ownNode],
            [`node ${volumeNode?.name}`, volumeNode?.node ?? notAsked],
            ...claims.flatMap((one): Read[] => [
                [`claim ${one.name}`, one.claim],
                [`events of claim ${one.name}`, one.events],
            ]),
            ["nodes", nodes],
            ...(nodes.known ? nodes.value : []).map(({ requested }): Read => [
                "what the pods on the nodes request",
                requested,
            ]),
            ["StorageClasses", classes],
            ["volumes", volumes],
            ...Object.entries(logs).map(([one, log]): Read => [`log of container ${one} of ${name}`, log]),
        ],
    );
    const unknown = new Map<string, Unknown>();
    for (const [what, fact] of all) {
        if (!fact.known && fact !== notAsked) {
            unknown.set(what, { what, why: fact.why });
        }
    }
    return [...unknown.values()];
}

function whyNotMounted({ name: of, events }: PodFacts): Cause | undefined {
    const event = events.known
        ? latest(events.value, ["FailedMount", "FailedAttachVolume", "FailedMapVolume"])
        : undefined;
    if (event === undefined) {
        return undefined;
    }
    const evidence = event.message ?? "";
    const lacks = /(secret|configmap) "([^"]+)" not found/.exec(evidence);
    if (lacks) {
        const kind = lacks[1] === "secret" ? "Secret" : "ConfigMap";
        return {
            of,
            reason: "VolumeNotMounted",
            what: `it mounts ${kind} ${lacks[2]}, which does not exist`,
            evidence,
            fix: `create ${kind} ${lacks[2]}`,
        };
    }
    return /Multi-Attach/.test(evidence)
        ? {
              of,
              reason: "VolumeNotMounted",
              what: "its volume is still attached to another node",
              evidence,
              fix: "wait until the other node has given it up; if that node is lost for good, delete its Node object once the machine is surely off",
          }
        : {
              of,
              reason: "VolumeNotMounted",
              what: "its volume cannot be mounted",
              evidence,
              fix: "correct what the message names: the storage driver, or the volume",
          };
}

function whyNotReady({ name: of, events }: PodFacts, { status, metadata }: Pod): Cause | undefined {
    if (status?.phase === "Failed") {
        const evidence = status.message === undefined ? {} : { evidence: status.message };
        return {
            of,
            reason: "PodFailed",
            what: `it has failed: ${status.reason ?? "no reason given"}`,
            ...evidence,
            fix: `see \`kubectl describe pod ${of} -n ${metadata?.namespace}\``,
        };
    }
    const probe = events.known ? latest(events.value, ["Unhealthy"]) : undefined;
    return probe === undefined
        ? undefined
        : {
              of,
              reason: "NotReady",
              what: "it runs, but its probe fails",
              evidence: probe.message ?? "",
              fix: `see its log: kubectl logs ${of} -n ${metadata?.namespace}`,
          };
}

import { letsInWords, stopCommand } from "../../provider/lifecycle/vocabulary/approvals";
import { counted } from "../../provider/lifecycle/vocabulary/counted";
import { isUpdate } from "../../provider/lifecycle/vocabulary/lock";
import { memberName } from "../../topology/names";
import { podOrdinal } from "../../topology/podNames";
import type { ApprovalStatus, ClusterStatus, MemberStatus, UnfinishedStatus } from "../clusterStatus";
import { lastInWords } from "../lastOperation";
import {
    podsBeyond,
    previewFirst,
    stalePods,
    unfinishedOrChanged,
    unpaused,
    versionsInWords,
} from "../unfinishedUpdate";
import type { Problem } from "./clusterDiagnosis";

/** What is on record of the update that is to create pods, or to restart them. */
interface Held {
    readonly reason: "UpdateWaits" | "UpdateEnded";
    readonly cause: string;
    readonly fix: string;
}

/**
 * Returns why pods do not exist that no StatefulSet asks for yet, and why pods are on an older revision: what the update waits for
 * that is to create or restart them, or how it ended.
 * @param explained pods of which Kubernetes shows more.
 */
export function heldPods(status: ClusterStatus, explained: readonly string[]): Problem[] {
    const groups = new Map<string, Problem>();
    const add = ({ cause, ...held }: Held, pods: readonly string[]): void => {
        const others = pods.filter((pod) => !explained.includes(pod));
        if (others.length > 0) {
            const all = [...(groups.get(cause)?.pods ?? []), ...others];
            groups.set(cause, { ...held, cause, pods: all, of: all, evidence: null, needsChange: false });
        }
    };
    for (const member of status.members.filter(({ isSuspended }) => !isSuspended)) {
        const held = heldBy(status, memberName(status.name, member.component));
        if (member.replicas === null && held?.reason !== "UpdateWaits") {
            add(noStatefulSet(status, member, held), unasked(status.name, member));
        } else if (held !== undefined) {
            add(held, unasked(status.name, member));
        } else if (member.replicas !== null && member.replicas !== member.wanted && !isAtWork(status)) {
            add(otherNumber(status, member, member.replicas), [...unasked(status.name, member), ...podsBeyond(member)]);
        }
        const { cause, ...rest } = held ?? leftAlone(status);
        add({ ...rest, cause: `${onOlderRevision}; ${cause}` }, stalePods(member));
    }
    return [...groups.values()];
}

/** How the cause begins of pods that the update has not restarted. */
export const onOlderRevision = "on an older revision";

type Pausable = Pick<ClusterStatus, "isPaused">;

const asksFirst = "If the operation asks for something, do that first";

function goOn({ isPaused }: Pausable, command = "pulumi up"): string {
    return isPaused ? `${unpaused}, then run \`${command}\`: it goes on` : `run \`${command}\` again: it goes on`;
}

/** No record says which update has left a pod on its older revision. */
function leftAlone({ isPaused }: Pausable): Held {
    return {
        reason: "UpdateEnded",
        cause: `${unfinishedOrChanged}, and no update is known to be at work`,
        fix: `${isPaused ? unpaused : "if no `pulumi up` runs"}, ${previewFirst}`,
    };
}

/**
 * Pulumi creates a StatefulSet that its state has and somebody has deleted only after a refresh. Nothing in the cluster tells that from an
 * update that has not come to it.
 */
function noStatefulSet(status: ClusterStatus, { component }: MemberStatus, held: Held | undefined): Held {
    const { name, isPaused } = status;
    const refresh = "pulumi up --refresh";
    return held === undefined
        ? {
              reason: "UpdateEnded",
              cause: `StatefulSet ${memberName(name, component)} does not exist, and no update is known to be at work`,
              fix: `${isPaused ? `${unpaused}, then` : "if no `pulumi up` runs,"} run \`${refresh}\`: it creates the StatefulSet, also one that somebody has deleted`,
          }
        : {
              ...held,
              cause: `the StatefulSet does not exist: the update has not come that far, or somebody has deleted it; ${held.cause}`,
              fix: `${goOn(status, refresh)}, and creates what somebody has deleted. ${asksFirst}`,
          };
}

/** No record says why a StatefulSet has another number of replicas than the last update asked for. */
function otherNumber({ name, isPaused }: ClusterStatus, { component, wanted }: MemberStatus, replicas: number): Held {
    const more = replicas > wanted ? "removes" : "starts";
    return {
        reason: "UpdateEnded",
        cause: `StatefulSet ${memberName(name, component)} asks for ${counted(replicas, "pod")}, since the last update ${wanted} are wanted, and no update is known to be at work`,
        fix: `${isPaused ? unpaused : "if no `pulumi up` runs"}, look at \`pulumi preview\`, then run \`pulumi up\`: it ${more} what the preview shows`,
    };
}

/**
 * Returns what else keeps an update from its end: consents that runs wait for, and members with different versions.
 * @param held the problems that say so of pods.
 */
export function heldUpdates(status: ClusterStatus, held: readonly Problem[]): Problem[] {
    const versions = status.unfinished && versionsInWords(status.members);
    const all = [
        ...status.approvals.map((approval) => heldByApproval(status, approval)),
        ...(status.unfinished && versions ? [endedBy(status, status.unfinished, `${versions}; `)] : []),
    ];
    return all
        .filter(
            ({ fix, reason }) =>
                !held.some((one) => (reason === "UpdateEnded" ? one.reason === reason : one.fix === fix)),
        )
        .map((one) => ({ ...one, pods: [], of: [], evidence: null, needsChange: false }));
}

/** Whoever holds the lock changes the number: the controller may have noted a replacement that it has not added yet. */
function isAtWork({ operation }: Pick<ClusterStatus, "operation">): boolean {
    return operation !== null && !operation.isOverdue;
}

function unasked(cluster: string, { component, pods, replicas }: MemberStatus): string[] {
    const isBeyond = (pod: string) => (podOrdinal(pod, cluster, component) ?? -1) >= (replicas ?? 0);
    return pods.filter(({ name, phase }) => phase === "missing" && isBeyond(name)).map(({ name }) => name);
}

/** The run that is about the member counts, otherwise the one before it: the gates of an update follow each other. */
function heldBy(status: ClusterStatus, member: string): Held | undefined {
    const { waiting, approvals, operation, unfinished, name, namespace } = status;
    const ofMember = <T extends { readonly of: string }>(all: readonly T[]): T | undefined =>
        all.find(({ of }) => of.split(" ").includes(member)) ?? all[0];
    const stop = toEnd(namespace, name);
    const wait = ofMember(waiting.filter(({ by }) => isUpdate(by)));
    if (wait !== undefined) {
        const cause = `${wait.of} waits for ${wait.for} (run by ${wait.by})`;
        return { reason: "UpdateWaits", cause, fix: `do what it waits for; ${stop}` };
    }
    const approval = ofMember(approvals);
    if (approval !== undefined) {
        return heldByApproval(status, approval);
    }
    if (operation !== null && !operation.isOverdue && isUpdate(operation.holder)) {
        const cause = `the update has not come that far: ${operation.step} (run by ${operation.holder})`;
        return { reason: "UpdateWaits", cause, fix: `wait for the run; ${stop}` };
    }
    return unfinished === null ? undefined : endedBy(status, unfinished);
}

function heldByApproval(
    { namespace, name }: Pick<ClusterStatus, "namespace" | "name">,
    approval: ApprovalStatus,
): Held {
    const { of, digest, by, command } = approval;
    const cause = `${of} waits for approval of ${digest}: ${letsInWords(approval)} (run by ${by})`;
    return { reason: "UpdateWaits", cause, fix: `run \`${command}\`; ${toEnd(namespace, name)}` };
}

function endedBy(status: Pausable, unfinished: UnfinishedStatus, before = ""): Held {
    return {
        reason: "UpdateEnded",
        cause: `${before}${lastInWords(unfinished)}`,
        fix: `${goOn(status)}. ${asksFirst}`,
    };
}

function toEnd(namespace: string, name: string): string {
    return `to end the run instead: ${stopCommand(namespace, name)}`;
}

import { letsInWords, stopCommand } from "../../provider/lifecycle/vocabulary/approvals";
import { memberName } from "../../topology/names";
import { podOrdinal } from "../../topology/podNames";
import type { ClusterStatus, MemberStatus } from "../clusterStatus";
import type { Problem } from "./clusterDiagnosis";

/** What is on record of the update that is to create pods. */
interface Held {
    readonly reason: "UpdateWaits" | "UpdateEnded";
    readonly cause: string;
    readonly fix: string;
}

/**
 * Returns why pods do not exist that no StatefulSet asks for yet: what the update waits for that is to create them, or how it ended.
 * @param explained pods of which Kubernetes shows more.
 */
export function heldPods(status: ClusterStatus, explained: readonly string[]): Problem[] {
    const groups = new Map<string, Problem>();
    for (const member of status.members.filter(({ isSuspended }) => !isSuspended)) {
        const held = heldBy(status, memberName(status.name, member.component));
        const pods = unasked(status.name, member).filter((pod) => !explained.includes(pod));
        if (held !== undefined && pods.length > 0) {
            const { pods: before = [] } = groups.get(held.cause) ?? {};
            const all = [...before, ...pods];
            groups.set(held.cause, { ...held, pods: all, of: all, evidence: null, needsChange: false });
        }
    }
    return [...groups.values()];
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
    const stop = `to end the run instead: ${stopCommand(namespace, name)}`;
    const wait = ofMember(waiting);
    if (wait !== undefined) {
        const cause = `${wait.of} waits for ${wait.for} (run by ${wait.by})`;
        return { reason: "UpdateWaits", cause, fix: `do what it waits for; ${stop}` };
    }
    const approval = ofMember(approvals);
    if (approval !== undefined) {
        const cause = `${approval.of} waits for approval of ${approval.digest}: ${letsInWords(approval)} (run by ${approval.by})`;
        return { reason: "UpdateWaits", cause, fix: `run \`${approval.command}\`; ${stop}` };
    }
    if (operation !== null && !operation.isOverdue) {
        const cause = `the update has not come to it: ${operation.step} (run by ${operation.holder})`;
        return { reason: "UpdateWaits", cause, fix: `wait for the run; ${stop}` };
    }
    return unfinished === null
        ? undefined
        : {
              reason: "UpdateEnded",
              cause: `the last operation, ${unfinished.of}, ${unfinished.end}`,
              fix: "do what it asks for, then run `pulumi up` again: it goes on",
          };
}

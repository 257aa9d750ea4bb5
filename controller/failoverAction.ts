import type { ClusterAccess } from "../provider/cluster/access";
import type { ClusterName } from "../provider/cluster/controllerCalls";
import type { Progress } from "../provider/cluster/gatePorts";
import { throwJoined } from "../provider/cluster/joinedFailures";
import { ClusterIsOperated } from "../provider/gates/removeLeftovers";
import { replaceDead, type UnattendedMember } from "../provider/gates/replaceDead";
import { onItsPd } from "../provider/gates/sameCluster";
import type { MemberNotes } from "../provider/lifecycle/vocabulary/ownership";
import type { Component } from "../topology/members";
import type { ClusterStatus } from "../status/clusterStatus";
import { openDeployed } from "../status/readStatus";
import type { StatusSources } from "../status/statusSources";
import type { ControllerAction } from "./clusterWorker";

/** A remark says how long something lasts yet, so it changes all the time. It is told again after this time. */
const remarkEveryMilliseconds = 60_000;

/** What the action uses besides the cluster. */
export interface FailoverTelling {
    progressOf(name: ClusterName): Progress;
    now(): number;
}

/**
 * Replaces dead members, as `pulumi up` would: what the last update noted on the Lease says which, how many and after how long. It
 * takes no replacement away again.
 */
export function failoverAction(
    access: ClusterAccess,
    sources: StatusSources,
    { progressOf, now }: FailoverTelling,
): ControllerAction {
    const told = new Map<string, number>();
    const tell = (name: ClusterName, { component }: UnattendedMember, remarks: readonly string[]): void => {
        const key = `${name.namespace}/${name.cluster} ${component}`;
        if (remarks.length === 0) {
            told.delete(key);
        } else if (now() - (told.get(key) ?? -Infinity) >= remarkEveryMilliseconds) {
            told.set(key, now());
            remarks.forEach((remark) => progressOf(name).warn(remark));
        }
    };
    return {
        kind: "failover",
        act: async (name, seen, isInterrupted) => {
            if (!mayHaveDead(seen)) {
                return [];
            }
            const { ports: opened } = await openDeployed({ ...name, access }, sources);
            const ports = { ...onItsPd(opened), progress: progressOf(name) };
            const lease = await ports.lease();
            const done: string[] = [];
            const failures: Error[] = [];
            // One member that fails must not keep the others from being looked at.
            for (const member of lease?.isPaused ? [] : unattendedMembers(lease?.members ?? {})) {
                if (isInterrupted()) {
                    break;
                }
                try {
                    const replaced = await replaceDead(member, ports, isInterrupted);
                    done.push(...replaced.done);
                    tell(name, member, replaced.remarks);
                } catch (error) {
                    if (!(error instanceof ClusterIsOperated) && !isInterrupted()) {
                        failures.push(error as Error);
                    }
                }
            }
            if (failures.length > 0) {
                done.forEach((line) => progressOf(name).info(line));
                throwJoined(failures);
            }
            return done;
        },
    };
}

/** Whether anything may be dead. A run that works on the cluster looks after it by itself. */
function mayHaveDead({ operation, members }: ClusterStatus): boolean {
    const isOperated = operation !== null && !operation.isOverdue;
    return !isOperated && members.some(({ pods }) => pods.some(({ phase }) => phase !== "ready"));
}

function unattendedMembers(notes: MemberNotes): UnattendedMember[] {
    return (Object.entries(notes) as [Component, MemberNotes[Component]][]).flatMap(([component, note]) =>
        note?.unattended === undefined || note.suspended
            ? []
            : [{ component, note: { ...note, unattended: note.unattended } }],
    );
}

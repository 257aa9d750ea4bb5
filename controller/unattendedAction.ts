import type { ClusterAccess } from "../provider/cluster/access";
import type { ClusterName } from "../provider/cluster/controllerCalls";
import type { GatePorts, Progress } from "../provider/cluster/gatePorts";
import { throwJoined } from "../provider/cluster/joinedFailures";
import { isClusterBusy } from "../provider/gates/removeLeftovers";
import { onItsPd } from "../provider/gates/sameCluster";
import type { UnattendedMember, UnattendedWork } from "../provider/gates/unattended";
import type { MemberNotes } from "../provider/lifecycle/vocabulary/ownership";
import type { ClusterStatus } from "../status/clusterStatus";
import { openDeployed } from "../status/readStatus";
import type { StatusSources } from "../status/statusSources";
import type { ControllerActionKind } from "../topology/controllerPermissions";
import type { Component } from "../topology/members";
import type { ControllerAction } from "./clusterWorker";
import type { Notice } from "../provider/lifecycle/vocabulary/notices";

/** A remark says how long something lasts yet, so it changes all the time. It is told again after this time. */
const remarkEveryMilliseconds = 60_000;

/** What the action uses besides the cluster. */
export interface UnattendedTelling {
    progressOf(name: ClusterName, kind: ControllerActionKind): Progress;
    now(): number;
}

/** Something that is done member by member, by what the last update noted on the Lease. */
export interface UnattendedKind {
    readonly kind: ControllerActionKind;
    /** Whether anything may be due: a look costs calls. A run that works on the cluster looks after it by itself. */
    mayBeDue(name: ClusterName, seen: ClusterStatus): boolean;
    work(member: UnattendedMember, ports: GatePorts, isInterrupted: () => boolean): Promise<UnattendedWork>;
}

/** Returns the action of the controller that does it, as `pulumi up` would. */
export function unattendedAction(
    { kind, mayBeDue, work }: UnattendedKind,
    access: ClusterAccess,
    sources: StatusSources,
    { progressOf, now }: UnattendedTelling,
): ControllerAction {
    const told = new Map<string, number>();
    const tell = (name: ClusterName, { component }: UnattendedMember, remarks: readonly Notice[]): void => {
        const key = `${name.namespace}/${name.cluster} ${component}`;
        if (remarks.length === 0) {
            told.delete(key);
        } else if (now() - (told.get(key) ?? -Infinity) >= remarkEveryMilliseconds) {
            told.set(key, now());
            remarks.forEach((remark) => progressOf(name, kind).warn(remark));
        }
    };
    return {
        kind,
        act: async (name, seen, isInterrupted, lookAgainIn) => {
            const isOperated = seen.operation !== null && !seen.operation.isOverdue;
            if (isOperated || !mayBeDue(name, seen)) {
                return [];
            }
            const { deployed, ports: opened } = await openDeployed({ ...name, access }, sources);
            const ports = { ...onItsPd(opened), progress: progressOf(name, kind) };
            const lease = await ports.lease();
            const done: string[] = [];
            const failures: Error[] = [];
            // One member that fails must not keep the others from being looked at.
            for (const member of lease?.isPaused ? [] : unattendedMembers(lease?.members ?? {})) {
                if (isInterrupted()) {
                    break;
                }
                if (deployed.lacksDomain !== undefined) {
                    const message = `nothing of ${member.component} is done: ${deployed.lacksDomain}`;
                    tell(name, member, [{ code: "cluster-domain-unknown", message }]);
                    continue;
                }
                try {
                    const worked = await work(member, ports, isInterrupted);
                    done.push(...worked.done);
                    tell(name, member, worked.remarks);
                    if (worked.dueInSeconds !== undefined) {
                        lookAgainIn(worked.dueInSeconds);
                    }
                } catch (error) {
                    if (!isClusterBusy(error) && !isInterrupted()) {
                        failures.push(error as Error);
                    }
                }
            }
            throwJoined(failures);
            return done;
        },
    };
}

function unattendedMembers(notes: MemberNotes): UnattendedMember[] {
    return (Object.entries(notes) as [Component, MemberNotes[Component]][]).flatMap(([component, note]) =>
        note?.unattended === undefined || note.suspended
            ? []
            : [{ component, note: { ...note, unattended: note.unattended } }],
    );
}

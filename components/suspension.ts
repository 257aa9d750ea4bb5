import { inOrderOfSuspension, topology } from "../topology/members";
import { type Member, members, membersOf } from "./members";
import { type SpecProblem, specWarning } from "./problem";
import type { TidbClusterSpec } from "./spec";

/**
 * @returns whether a member of the cluster is suspended. Its own `suspendAction` replaces the cluster's (tidb-operator
 * pkg/apis/pingcap/v1alpha1/component_spec.go).
 */
export function isSuspended(spec: TidbClusterSpec, member: Member): boolean {
    return asksForSuspension(spec, member) || isHeld(spec, member);
}

/** @returns whether the member is not deployed only because the cluster is being restored: `spec.recoveryMode`. */
export function isHeld(spec: TidbClusterSpec, member: Member): boolean {
    return (
        spec.recoveryMode === true &&
        topology[member.component].inRecovery === "held" &&
        !asksForSuspension(spec, member)
    );
}

function asksForSuspension(spec: TidbClusterSpec, member: Member): boolean {
    const action = member.specOf(spec)?.suspendAction ?? spec.suspendAction;
    return action?.suspendStatefulSet ?? false;
}

function split(spec: TidbClusterSpec): { suspended: Member[]; running: Member[] } {
    const members = membersOf(spec);
    return {
        suspended: members.filter((member) => isSuspended(spec, member)),
        running: members.filter((member) => !isSuspended(spec, member)),
    };
}

/**
 * @returns the members of a cluster in the order of their gates: first the suspended members, then the running ones. What waits for PD's
 * mark to go must not hold up TiKV, without which it does not go.
 */
export function inOrderOfGates(spec: TidbClusterSpec): Member[] {
    const { suspended, running } = split(spec);
    const isLast = ({ component }: Member) =>
        spec.recoveryMode === true && topology[component].inRecovery === "restored-last";
    return [
        ...inOrderOfSuspension(suspended.map(({ component }) => component)).map((one) => members[one]),
        ...running.filter((member) => !isLast(member)),
        ...running.filter(isLast),
    ];
}

/** Warns if a member is suspended while a member that needs it runs. */
export function suspensionProblems(spec: TidbClusterSpec): SpecProblem[] {
    const { suspended, running } = split(spec);
    return suspended.flatMap((member) => {
        const names = running
            .map(({ component }) => component)
            .filter((component) => topology[component].needs.includes(member.component));
        return names.length === 0
            ? []
            : [
                  specWarning(
                      `${member.pathIn(spec)}.suspendAction.suspendStatefulSet`,
                      "true",
                      `false while running members need ${member.component}: ${names.join(", ")}`,
                      undefined,
                      `${names.join(", ")} cannot work without ${member.component}`,
                  ),
              ];
    });
}

import { inOrderOfSuspension, topology } from "../topology/members";
import { type Member, members, membersOf } from "./members";
import { type SpecProblem, specWarning } from "./problem";
import type { TidbClusterSpec } from "./spec";

/**
 * @returns whether a member of the cluster is suspended. Its own `suspendAction` replaces the cluster's (tidb-operator
 * pkg/apis/pingcap/v1alpha1/component_spec.go).
 */
export function isSuspended(spec: TidbClusterSpec, member: Member): boolean {
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

/** @returns the members of a cluster in the order of their gates: first the suspended members, then the running ones. */
export function inOrderOfGates(spec: TidbClusterSpec): Member[] {
    const { suspended, running } = split(spec);
    return [...inOrderOfSuspension(suspended.map(({ component }) => component)).map((one) => members[one]), ...running];
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
                  ),
              ];
    });
}

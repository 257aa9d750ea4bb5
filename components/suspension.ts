import { inOrderOfSuspension, topology } from "../topology/members";
import { type Member, members, membersOf } from "./members";
import { type SpecProblem, specWarning } from "./problem";
import type { TidbClusterSpec } from "./spec";

/**
 * @returns whether a member that the cluster has is to give up its StatefulSet: its own `suspendAction` replaces the
 * cluster's (tidb-operator pkg/apis/pingcap/v1alpha1/component_spec.go).
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

/** @returns the members of a cluster in the order of their gates: first those to suspend, then those to roll out. */
export function inOrderOfGates(spec: TidbClusterSpec): Member[] {
    const { suspended, running } = split(spec);
    return [...inOrderOfSuspension(suspended.map(({ component }) => component)).map((one) => members[one]), ...running];
}

/** Warns where a member is suspended and another one, which needs it, is not. */
export function suspensionProblems(spec: TidbClusterSpec): SpecProblem[] {
    const { suspended, running } = split(spec);
    return suspended.flatMap((member) => {
        const without = running.filter(({ component }) => topology[component].needs.includes(member.component));
        return without.length === 0
            ? []
            : [
                  specWarning(
                      `${member.pathIn(spec)}.suspendAction.suspendStatefulSet`,
                      "true",
                      `false while ${without.map(({ component }) => component).join(", ")} run`,
                      `they cannot do without ${member.component}`,
                  ),
              ];
    });
}

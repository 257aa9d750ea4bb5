import type { Component } from "../../../topology/members";
import { timeInWords } from "../../../topology/timestamps";
import type { Observation } from "../vocabulary/observation";

/** @returns what restarts roll out that no program asked for: changes of the pod template by others than Pulumi. */
export function templateRemarks(
    { members }: Pick<Observation, "members">,
    component: Component,
    steps: readonly { readonly kind: string }[],
): string[] {
    const { name, templateWriters = [] } = members[component]?.statefulSet ?? {};
    return steps.every(({ kind }) => kind !== "restart")
        ? []
        : templateWriters.map(
              ({ manager, at }) =>
                  `${manager}, which is not Pulumi, changed the pod template of StatefulSet ${name}${at === undefined ? "" : ` at ${timeInWords(at)}`}, and restarts roll that out. \`kubectl get statefulset ${name} -o yaml --show-managed-fields\` shows what; undo it first if nobody meant it`,
          );
}

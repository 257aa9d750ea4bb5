import type { Component } from "../../../topology/members";
import { timeInWords } from "../../../topology/timestamps";
import type { Observation } from "../vocabulary/observation";

/**
 * @returns what restarts may roll out that no program asked for: parts of the pod template that others than Pulumi wrote, where pods are
 * behind the template. Whose a field is does not tell when it was rolled out.
 */
export function templateRemarks(
    { members }: Pick<Observation, "members">,
    component: Component,
    steps: readonly { readonly kind: string }[],
): string[] {
    const { statefulSet, pods = [] } = members[component] ?? {};
    const { name, templateWriters = [], updateRevision } = statefulSet ?? {};
    const isBehind = pods.some(({ revision }) => revision !== updateRevision);
    return !isBehind || steps.every(({ kind }) => kind !== "restart")
        ? []
        : templateWriters.map(
              ({ manager, at }) =>
                  `${manager}, which is not Pulumi, owns fields of the pod template of StatefulSet ${name}${at === undefined ? "" : ` and last wrote at ${timeInWords(at)}`}: restarts may roll them out. \`kubectl get statefulset ${name} -o yaml --show-managed-fields\` shows which`,
          );
}

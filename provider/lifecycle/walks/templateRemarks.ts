import type { Component } from "../../../topology/members";
import { timeInWords } from "../../../topology/timestamps";
import type { Observation } from "../vocabulary/observation";

/**
 * @returns what restarts may roll out that no program asked for: parts of the pod template that others than Pulumi wrote, where pods are
 * behind the template. Whose a field is does not tell when it was rolled out. Where all pods have them already, a change of the
 * StatefulSet can take them out again: the Kubernetes provider takes fields over that kubectl wrote.
 * @param changes whether this update changes the StatefulSet, whatever the steps are.
 */
export function templateRemarks(
    { members }: Pick<Observation, "members">,
    component: Component,
    steps: readonly { readonly kind: string }[],
    changes: boolean,
): string[] {
    const { statefulSet, pods = [] } = members[component] ?? {};
    const { name, templateWriters = [], updateRevision } = statefulSet ?? {};
    const isBehind = pods.some(({ revision }) => revision !== updateRevision);
    const restarts = steps.some(({ kind }) => kind === "restart");
    const risk = isBehind
        ? restarts && "restarts may roll them out"
        : changes && !restarts && "this update may take them out, and then restarts all pods, which no step shows";
    return risk === false
        ? []
        : templateWriters.map(
              ({ manager, at }) =>
                  `${manager}, which is not Pulumi, owns fields of the pod template of StatefulSet ${name}${at === undefined ? "" : ` and last wrote at ${timeInWords(at)}`}: ${risk}. \`kubectl get statefulset ${name} -o yaml --show-managed-fields\` shows which`,
          );
}

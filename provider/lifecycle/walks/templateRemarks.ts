import { timeInWords } from "../../../topology/timestamps";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";

/**
 * @returns what restarts roll out that no program asked for: parts of the pod template that others than Pulumi wrote, where pods are
 * behind the template, or where this update takes them out. Whose a field is does not tell when it was rolled out.
 */
export function templateRemarks(
    { members }: Pick<Observation, "members">,
    { component, changes }: Pick<MemberTarget, "component" | "changes">,
    steps: readonly { readonly kind: string }[],
): string[] {
    const { statefulSet, pods = [] } = members[component] ?? {};
    const { name, templateWriters = [], updateRevision } = statefulSet ?? {};
    const isBehind = pods.some(({ revision }) => revision !== updateRevision);
    return steps.some(({ kind }) => kind === "restart")
        ? templateWriters
              .filter(({ isTakenOut }) => isBehind || (changes && isTakenOut))
              .map(
                  ({ manager, at, isTakenOut }) =>
                      `${manager}, which is not Pulumi, owns fields of the pod template of StatefulSet ${name}${at === undefined ? "" : ` and last wrote at ${timeInWords(at)}`}: ${changes && isTakenOut ? "this update takes them out, which restarts the pods" : "restarts may roll them out"}. \`kubectl get statefulset ${name} -o yaml --show-managed-fields\` shows which`,
              )
        : [];
}

import type { Component } from "../../../topology/members";
import { timeInWords } from "../../../topology/timestamps";
import type { MemberRisk } from "./warnedRisks";
import type { Observation } from "../vocabulary/observation";

/**
 * @returns warnings of what restarts pods although no program asked for it: parts of the pod template that others than Pulumi wrote, where
 * pods are behind the template. Whose a field is does not tell when it was rolled out. Where all pods have them already, the next change of
 * the StatefulSet takes out what kubectl wrote. Whether Pulumi changes it, no gate knows: that is a risk of each plan.
 */
export function foreignFields(
    { members }: Pick<Observation, "members">,
    component: Component,
    steps: readonly { readonly kind: string; readonly target: string }[],
): { warnings: string[]; memberRisks: MemberRisk[] } {
    const { statefulSet, pods = [] } = members[component] ?? {};
    const { name, templateWriters = [], updateRevision } = statefulSet ?? {};
    const isBehind = pods.some(({ revision }) => revision !== updateRevision);
    const restarted = steps.filter(({ kind }) => kind === "restart").map(({ target }) => target);
    const restarts = restarted.length > 0;
    const writers = templateWriters.filter(({ isTakenOut }) => (restarts ? isBehind : isTakenOut));
    const warnings = writers.map(({ manager, at, isTakenOut }) => {
        const when = at === undefined ? "" : ` and last wrote at ${timeInWords(at)}`;
        const what = restarts
            ? isTakenOut
                ? "restarts may roll them out; if this update changes the StatefulSet, it takes them out, and pods that need only them do not restart"
                : "restarts may roll them out"
            : "an update that changes the StatefulSet takes them out, and restarts the pods if the program has other values, which no step shows";
        return `${manager}, which is not Pulumi, owns fields of the pod template of StatefulSet ${name}${when}: ${what}. \`kubectl get statefulset ${name} -o yaml --show-managed-fields\` shows which`;
    });
    // What an interrupted update has rolled out to some pods is taken out of them.
    const isTakenFromPods =
        writers.some(({ isTakenOut }) => isTakenOut) &&
        pods.some((pod) => pod.revision === updateRevision && !restarted.includes(pod.name));
    const isAtRisk = restarts ? isTakenFromPods : warnings.length > 0;
    const risk = { words: `pods of ${name} may restart without a step`, members: [component] };
    return { warnings, memberRisks: isAtRisk ? [risk] : [] };
}

import { type ClusterPlan, planApiVersion, type PlanDocument } from "./clusterPlan";
import { entryNumbers } from "./planWords";

/** Writes plans as JSON for programs: a `PlanDocument`. */
export function jsonPlan(clusters: readonly ClusterPlan[]): string {
    const document: PlanDocument = {
        apiVersion: planApiVersion,
        kind: "ClusterPlans",
        clusters: clusters.map((cluster) => ({ ...cluster, risks: [...cluster.risks, ...risksOfSteps(cluster)] })),
    };
    return `${JSON.stringify(document, null, 2)}\n`;
}

/** The risks of single steps, each with its step, for a program that looks only at the cluster. */
function risksOfSteps({ entries }: ClusterPlan): string[] {
    const numbers = entryNumbers(entries);
    return entries.flatMap(({ step }, index) => (step?.risk ? [`step ${numbers[index]}: ${step.risk}`] : []));
}

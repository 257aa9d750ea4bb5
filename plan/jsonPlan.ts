import { type ClusterPlan, planApiVersion, type PlanDocument } from "./clusterPlan";

/** Writes plans as JSON for programs: a `PlanDocument`. */
export function jsonPlan(clusters: readonly ClusterPlan[]): string {
    const document: PlanDocument = { apiVersion: planApiVersion, kind: "ClusterPlans", clusters };
    return `${JSON.stringify(document, null, 2)}\n`;
}

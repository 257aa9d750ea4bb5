/** The part of a placement rule that says how many peers go where. */
export interface PlacementRule {
    group: string;
    id: string;
    role: "voter" | "learner";
    /** The number of peers. */
    count: number;
    /** The stores that may hold them. Empty if all may. */
    constraints: { key: string; op: "in"; values: string[] }[];
}

/** The rule that PD derives from `max-replicas`. */
export function defaultRule(maxReplicas: number): PlacementRule {
    return { group: "pd", id: "default", role: "voter", count: maxReplicas, constraints: [] };
}

/** The rule for a table with TiFlash replicas, as TiDB writes it (tidb pkg/domain/infosync/placement_manager.go). */
export function tiflashRule(replicas: number): PlacementRule {
    return {
        group: "tiflash",
        id: "table-100-r",
        role: "learner",
        count: replicas,
        constraints: [{ key: "engine", op: "in", values: ["tiflash"] }],
    };
}

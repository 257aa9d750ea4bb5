/** A placement rule, as far as it says how many peers are to be where. */
export interface PlacementRule {
    group: string;
    id: string;
    role: "voter" | "learner";
    /** Peers that it asks for. */
    count: number;
    /** The stores that may have them; none: all may. */
    constraints: { key: string; op: "in"; values: string[] }[];
}

/** The rule that PD makes of `max-replicas`. */
export function defaultRule(maxReplicas: number): PlacementRule {
    return { group: "pd", id: "default", role: "voter", count: maxReplicas, constraints: [] };
}

/** The rule of a table with TiFlash replicas, as TiDB writes it (tidb pkg/domain/infosync/placement_manager.go). */
export function tiflashRule(replicas: number): PlacementRule {
    return {
        group: "tiflash",
        id: "table-100-r",
        role: "learner",
        count: replicas,
        constraints: [{ key: "engine", op: "in", values: ["tiflash"] }],
    };
}

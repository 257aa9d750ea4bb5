import * as fs from "node:fs";
import Table from "cli-table3";
import type { LeadersAtStop } from "./truth";
import type { WorkloadReport } from "./workload";

/** What one operation took, and what clients saw of it. */
export interface Figures {
    operation: string;
    /** How long `up` took, in seconds. */
    seconds: number;
    /** Undefined where TiDB is simulated. */
    clients: WorkloadReport | undefined;
    /** Of each TiKV that was stopped by an operation. Undefined where it cannot be known. */
    stops: readonly LeadersAtStop[] | undefined;
}

/** The variable with the file to which the figures are written, as JSON. */
const fileVariable = "PULUMI_TIDB_FIGURES";

/** Prints the figures as a table, and writes them to the file that `PULUMI_TIDB_FIGURES` names. */
export function showFigures(all: readonly Figures[], about: object): void {
    const table = new Table({
        head: ["operation", "s", "transfers", "lost", "errors", "longest gap, s", "leaders at stop"],
        style: { head: [], border: [] },
    });
    for (const { operation, seconds, clients, stops } of all) {
        const errors = Object.entries(clients?.errors ?? {}).map(([code, times]) => `${times} × ${code}`);
        table.push([
            operation,
            seconds.toFixed(0),
            clients?.acknowledged ?? "no SQL",
            clients?.lost ?? "",
            errors.join(", ") || "none",
            clients?.longestGap.toFixed(1) ?? "",
            stops === undefined
                ? "not known"
                : stops.map(({ leaders, regions }) => `${leaders} of ${regions}`).join(", ") || "none stopped",
        ]);
    }
    console.log(table.toString());
    const file = process.env[fileVariable];
    if (file !== undefined) {
        fs.writeFileSync(file, JSON.stringify({ ...about, operations: all }, undefined, 4));
    }
}

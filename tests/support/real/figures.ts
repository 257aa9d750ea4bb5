import * as fs from "node:fs";
import Table from "cli-table3";
import type { Audit } from "./bank";
import type { Stop } from "./raftState";
import type { ClientsReport } from "./workload";

/** What one operation took, and what clients saw of it. */
export interface Figures {
    operation: string;
    /** How long `up` took, in seconds. */
    seconds: number;
    /** Undefined where no clients worked. */
    clients: ClientsReport | undefined;
    /** Undefined where no tables were read back. */
    audit: Audit | undefined;
    /** The TiKVs that were stopped. Undefined where nothing can look at that moment. */
    stops: readonly Stop[] | undefined;
}

/** The variable with the file to which the figures are written, as JSON. */
const fileVariable = "PULUMI_TIDB_FIGURES";

export const columns = [
    "operation",
    "s",
    "transfers",
    "lost so far",
    "unbalanced",
    "errors",
    "longest gap, s",
    "leaders at stop",
];

/** Returns the cells of an operation's row. What was not looked at is never a number. */
export function rowOf({ operation, seconds, clients, audit, stops }: Figures): string[] {
    const errors = Object.entries(clients?.errors ?? {}).map(([code, times]) => `${times} × ${code}`);
    return [
        operation,
        seconds.toFixed(0),
        clients === undefined ? "no clients" : String(clients.acknowledged),
        audit === undefined ? "not checked" : `${audit.lost.length} of ${audit.checked}`,
        audit === undefined ? "not checked" : String(audit.unbalanced.length),
        clients === undefined ? "no clients" : errors.join(", ") || "none",
        clients === undefined ? "no clients" : clients.longestGap.toFixed(1),
        stops === undefined ? "not checked" : stops.map(stopText).join(", ") || "none stopped",
    ];
}

function stopText(stop: Stop): string {
    return stop.leaders === "not known" ? stop.leaders : `${stop.leaders} of ${stop.regions}`;
}

/** Prints the figures as a table, and writes them to the file that `PULUMI_TIDB_FIGURES` names. */
export function showFigures(title: string, all: readonly Figures[], about: object): void {
    const table = new Table({ head: columns, style: { head: [], border: [] } });
    table.push(...all.map(rowOf));
    console.log(table.toString());
    const file = process.env[fileVariable];
    if (file !== undefined) {
        // Each file of tests adds its own.
        const others = fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as object) : {};
        fs.writeFileSync(file, JSON.stringify({ ...others, [title]: { ...about, operations: all } }, undefined, 4));
    }
}

import { type ClusterStatus, statusApiVersion, type StatusDocument } from "./clusterStatus";

/** Writes a status as JSON for programs: a `StatusDocument`. */
export function jsonStatus(status: ClusterStatus): string {
    const document: StatusDocument = { apiVersion: statusApiVersion, kind: "ClusterStatus", ...status };
    return `${JSON.stringify(document, null, 2)}\n`;
}

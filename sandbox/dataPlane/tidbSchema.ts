import type { ListenerAnswer } from "./listener";
import type { ClusterState } from "./model/cluster";

/** The databases that every TiDB has. `test` is for users, and empty at first. */
const ownDatabases = ["INFORMATION_SCHEMA", "METRICS_SCHEMA", "PERFORMANCE_SCHEMA", "mysql", "sys", "test"];

/**
 * TiDB's answer about its databases and tables on its status port: `/schema`, and `/schema/{database}` (pingcap/tidb
 * docs/tidb_http_api.md). Only the names are filled in. Undefined for another path.
 */
export function schemaAnswer(state: ClusterState, path: string): ListenerAnswer | undefined {
    const [, database] = /^\/schema(?:\/([^/]+))?$/.exec(path) ?? [undefined, null];
    if (database === null) {
        return undefined;
    }
    const databases = [...new Set([...ownDatabases, ...state.tables.map((table) => table.database)])];
    if (database === undefined) {
        return json(databases.map((name, index) => ({ id: index + 1, db_name: names(name), state: 5 })));
    }
    const asked = decodeURIComponent(database);
    if (!databases.some((name) => name.toLowerCase() === asked.toLowerCase())) {
        const body = `[schema:1049]Unknown database '${asked}'`;
        return { status: 400, contentType: "text/plain", body };
    }
    const tables = state.tables.filter((table) => table.database.toLowerCase() === asked.toLowerCase());
    return json(tables.map(({ name }, index) => ({ id: index + 1, name: names(name), state: 5 })));
}

function names(name: string): { O: string; L: string } {
    return { O: name, L: name.toLowerCase() };
}

function json(value: object): ListenerAnswer {
    return { status: 200, contentType: "application/json", body: JSON.stringify(value) };
}

import { tablesPath, type UserTable } from "../facts/userTable";
import type { ClusterState } from "../model/cluster";
import { putTable } from "../model/tables";
import { json, type PdAnswer, type PdRequest, type PdRoute } from "./call";

const pattern = new RegExp(`^${tablesPath}$`);

/** The tables of users. The recorder of `br` reads and writes them here, as it has no TiKV. */
export const tableRoutes: PdRoute[] = [
    { method: "GET", pattern, handle: (state) => json({ tables: state.tables }), needsStores: true },
    { method: "POST", pattern, handle: put, needsStores: true },
];

function put(state: ClusterState, { body }: PdRequest): PdAnswer {
    const { database, name, rows } = (body ?? {}) as Partial<UserTable>;
    if (typeof database !== "string" || typeof name !== "string" || !Array.isArray(rows)) {
        return json("expected an object with the texts database and name, and a list of rows", 400);
    }
    putTable(state, { database, name, rows: rows.map(String) });
    return json("The table is written.");
}

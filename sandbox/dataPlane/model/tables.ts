import type { UserTable } from "../facts/userTable";
import { type ClusterState, record } from "./cluster";

/** The table of a name. TiDB takes upper and lower case in names for the same. */
function tableOf(state: ClusterState, { database, name }: UserTable): UserTable | undefined {
    const key = (table: Pick<UserTable, "database" | "name">): string =>
        `${table.database}.${table.name}`.toLowerCase();
    return state.tables.find((table) => key(table) === key({ database, name }));
}

/** Creates a table, or gives it other rows. A cluster without a store has nowhere to keep it: then throws. */
export function putTable(state: ClusterState, table: UserTable): void {
    if (!state.stores.some((store) => store.engine === "tikv" && store.nodeState !== "Removed")) {
        throw new Error(
            `cluster ${state.name} has no TiKV store that could hold table ${table.database}.${table.name}`,
        );
    }
    const known = tableOf(state, table);
    state.tables = [...state.tables.filter((one) => one !== known), table];
    record(state, "table-written", { detail: `${table.database}.${table.name}: ${table.rows.length} rows` });
}

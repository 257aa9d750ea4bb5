import { tablesPath, type UserTable } from "../../../dataPlane/facts/userTable";
import type { PdClient } from "./pdClient";

/** The tables that the cluster holds. BR reads them from TiKV, which the sandbox does not simulate. */
export async function readTables(pd: PdClient): Promise<UserTable[]> {
    return (JSON.parse(await pd.get(tablesPath)) as { tables: UserTable[] }).tables;
}

/** Creates a table with its rows. */
export async function createTable(pd: PdClient, table: UserTable): Promise<void> {
    await pd.post(tablesPath, table);
}

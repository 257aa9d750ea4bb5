/** A table of users, with its rows as text. The simulator keeps no columns and runs no SQL. */
export interface UserTable {
    readonly database: string;
    readonly name: string;
    readonly rows: readonly string[];
}

/** Where the simulator lists and takes tables, at PD's port. It is not a path of PD: real data is in TiKV. */
export const tablesPath = "/pulumi-tidb-sandbox/tables";

import type { Values } from "../arguments/values";
import type { UserTable } from "../../../dataPlane/facts/userTable";
import { chooses } from "../cluster/tableFilter";

/** Returns whether the command line chooses a table: by `--filter`, or by `--db` and `--table`. */
export function choiceOf(values: Values): (table: Pick<UserTable, "database" | "name">) => boolean {
    if (values.has("filter")) {
        const chosen = chooses(values.list("filter"), values.isOn("case-sensitive"));
        return ({ database, name }) => chosen({ database, name, rows: [] });
    }
    const database = values.text("db").toLowerCase();
    const table = values.has("table") ? values.text("table").toLowerCase() : undefined;
    return (one) =>
        one.database.toLowerCase() === database && (table === undefined || one.name.toLowerCase() === table);
}

/** A name as SQL writes it. */
export function inBackquotes(name: string): string {
    return `\`${name.replaceAll("`", "``")}\``;
}

import { usageError } from "../errors";
import type { UserTable } from "../../../dataPlane/facts/userTable";

/**
 * Which tables a list of rules chooses: the last rule that matches a table decides, and one that begins with `!` leaves it out.
 * `*` stands for any characters and `?` for one (pingcap/tidb pkg/util/table-filter). Upper and lower case are the same unless
 * the command line says otherwise.
 */
export function chooses(rules: readonly string[], caseSensitive: boolean): (table: UserTable) => boolean {
    const parsed = rules.map((rule) => {
        const leavesOut = rule.startsWith("!");
        const [database, table] = splitRule(leavesOut ? rule.slice(1) : rule);
        return { leavesOut, database: pattern(database, caseSensitive), table: pattern(table, caseSensitive) };
    });
    return ({ database, name }) => {
        const last = [...parsed].reverse().find((rule) => rule.database.test(database) && rule.table.test(name));
        return last !== undefined && !last.leavesOut;
    };
}

/** Refuses rules that are none. */
export function checkRules(rules: readonly string[]): void {
    rules.forEach((rule) => splitRule(rule.replace(/^!/, "")));
}

function splitRule(rule: string): [string, string] {
    if (rule.trim() === "") {
        throw usageError("at <cmdline>:1: syntax error: missing pattern");
    }
    const parts = /^(`(?:[^`]|``)*`|[^.]+)\.(.+)$/s.exec(rule);
    if (parts === null) {
        throw usageError("at <cmdline>:1: wrong table pattern");
    }
    return [parts[1], parts[2]];
}

function pattern(text: string, caseSensitive: boolean): RegExp {
    const quoted = /^`(.*)`$/s.exec(text)?.[1].replaceAll("``", "`");
    const source =
        quoted === undefined ? escaped(text).replaceAll("\\*", ".*").replaceAll("\\?", ".") : escaped(quoted);
    return new RegExp(`^${source}$`, caseSensitive ? "s" : "si");
}

function escaped(text: string): string {
    return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

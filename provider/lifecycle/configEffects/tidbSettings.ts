import { type Setting, type Settings } from "../vocabulary/settings";

/** An item of one TiDB server that a system variable of that server changes. It is gone when the server restarts. */
export interface InstanceVariable {
    readonly variable: string;
    /** What the file has: `switch` is true or false, `bit` is 0 or 1. Default: what the variable has. */
    readonly form?: "switch" | "bit";
}

/**
 * Items that `POST /settings` on a TiDB's status port changes and `GET /settings` reports, with the names of their fields. It
 * takes no password (pingcap/tidb pkg/server/handler/tikvhandler/tikv_handler.go, SettingsHandler; docs/tidb_http_api.md). Two more
 * fields, `tidb_general_log` and `ddl_slow_threshold`, are not reported there.
 */
export const statusPortSettings: Readonly<Record<string, string>> = {
    "log.level": "log_level",
    "instance.tidb_check_mb4_value_in_utf8": "check_mb4_value_in_utf8",
    "pessimistic-txn.deadlock-history-capacity": "deadlock_history_capacity",
    "pessimistic-txn.deadlock-history-collect-retryable": "deadlock_history_collect_retryable",
    "transaction-summary.transaction-summary-capacity": "transaction_summary_capacity",
    "transaction-summary.transaction-id-digest-min-duration": "transaction_id_digest_min_duration",
};

/**
 * Items of the table `instance` whose system variable has the scope INSTANCE, is not read-only, and concerns nothing but its
 * server (pingcap/tidb pkg/sessionctx/variable/sysvar.go, ScopeInstance). Not among them: `tidb_enable_ddl` and `tidb_enable_stats_owner`, because a server refuses to be the last that gives it
 * up; `tidb_service_scope` and `tidb_memory_usage_alarm_ratio`, because the cluster keeps them.
 */
export const instanceVariables: Readonly<Record<string, InstanceVariable>> = {
    "instance.tidb_general_log": { variable: "tidb_general_log", form: "switch" },
    "instance.tidb_enable_slow_log": { variable: "tidb_enable_slow_log", form: "switch" },
    "instance.tidb_slow_log_threshold": { variable: "tidb_slow_log_threshold" },
    "instance.tidb_record_plan_in_slow_log": { variable: "tidb_record_plan_in_slow_log", form: "bit" },
    "instance.ddl_slow_threshold": { variable: "ddl_slow_threshold" },
    "instance.tidb_expensive_query_time_threshold": { variable: "tidb_expensive_query_time_threshold" },
    "instance.tidb_expensive_txn_time_threshold": { variable: "tidb_expensive_txn_time_threshold" },
    "instance.tidb_enable_collect_execution_info": { variable: "tidb_enable_collect_execution_info", form: "switch" },
    "instance.tidb_force_priority": { variable: "tidb_force_priority" },
    "instance.tidb_rc_read_check_ts": { variable: "tidb_rc_read_check_ts", form: "switch" },
    "instance.max_connections": { variable: "max_connections" },
};

/** @returns the form fields with which the status port sets these items. It takes 0 and 1 for one switch, and for the other too. */
export function statusPortFields(settings: Settings): Record<string, string> {
    return Object.fromEntries(
        Object.entries(settings).map(([key, value]) => [statusPortSettings[key], String(zeroOrOne(value))]),
    );
}

/** @returns the items as the file would have them, from the variables as `SHOW GLOBAL VARIABLES` lists them. */
export function settingsOfVariables(keys: readonly string[], values: Readonly<Record<string, string>>): Settings {
    const entries = keys.flatMap((key): [string, Setting][] => {
        const { variable, form } = instanceVariables[key];
        return Object.hasOwn(values, variable) ? [[key, inFile(values[variable], form)]] : [];
    });
    return Object.fromEntries(entries);
}

/** @returns a value as SQL takes it. TiDB takes 0 and 1 for every switch. */
export function zeroOrOne(value: Setting): string | number {
    return typeof value === "boolean" ? Number(value) : value;
}

function inFile(value: string, form: InstanceVariable["form"]): Setting {
    const isOn = value === "ON" || value === "1";
    switch (form) {
        case "switch":
            return isOn;
        case "bit":
            return Number(isOn);
        case undefined:
            return value;
    }
}

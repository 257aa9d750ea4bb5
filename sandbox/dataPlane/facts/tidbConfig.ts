/** A TiDB process: what its file and its status port say, and the system variables of its instance. */
export interface TidbProcess {
    readonly config: TidbConfig;
    /** As `SHOW GLOBAL VARIABLES` lists them. */
    readonly variables: Readonly<Record<string, string>>;
    /** Its labels, which `/info/all` lists. */
    readonly labels: Readonly<Record<string, string>>;
}

type Value = string | number | boolean;

/** TiDB's configuration by table, in the form in which `GET /settings` reports it. */
export type TidbConfig = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** The part that can be changed while TiDB runs, with the defaults of version 8.5 (pingcap/tidb pkg/config/config.go). */
const defaults: TidbConfig = {
    log: { level: "info" },
    instance: {
        tidb_general_log: false,
        tidb_enable_slow_log: true,
        tidb_slow_log_threshold: 300,
        tidb_record_plan_in_slow_log: 1,
        tidb_check_mb4_value_in_utf8: true,
        ddl_slow_threshold: 300,
        tidb_expensive_query_time_threshold: 60,
        tidb_expensive_txn_time_threshold: 600,
        tidb_enable_collect_execution_info: true,
        tidb_force_priority: "NO_PRIORITY",
        tidb_rc_read_check_ts: false,
        max_connections: 0,
    },
    "pessimistic-txn": { "deadlock-history-capacity": 10, "deadlock-history-collect-retryable": false },
    "transaction-summary": { "transaction-summary-capacity": 500, "transaction-id-digest-min-duration": 2147483647 },
};

/** Variables that TiDB keeps in its configuration, so `GET /settings` follows them. The others have a place of their own. */
const inConfig = [
    "tidb_enable_slow_log",
    "tidb_slow_log_threshold",
    "tidb_record_plan_in_slow_log",
    "tidb_check_mb4_value_in_utf8",
    "tidb_enable_collect_execution_info",
    "max_connections",
];

/** The only switch that is a number in the file. */
const bit = "tidb_record_plan_in_slow_log";

/** The fields of `POST /settings` that are simulated, with their items (pkg/server/handler/tikvhandler, SettingsHandler). */
const fields: Readonly<Record<string, readonly [table: string, key: string, most?: number]>> = {
    log_level: ["log", "level"],
    check_mb4_value_in_utf8: ["instance", "tidb_check_mb4_value_in_utf8"],
    deadlock_history_capacity: ["pessimistic-txn", "deadlock-history-capacity", 10_000],
    deadlock_history_collect_retryable: ["pessimistic-txn", "deadlock-history-collect-retryable"],
    transaction_summary_capacity: ["transaction-summary", "transaction-summary-capacity", 5_000],
    transaction_id_digest_min_duration: ["transaction-summary", "transaction-id-digest-min-duration", 2_147_483_647],
};
const levels = ["debug", "info", "warn", "error", "dpanic", "panic", "fatal"];

/** A change that TiDB refuses: its own message, and MySQL's error number if there is one. */
export class RefusedTidbSetting extends Error {
    override readonly name = "RefusedTidbSetting";
    constructor(
        message: string,
        readonly code = 0,
    ) {
        super(message);
    }
}

/** Returns the process that reads this file. Items that the simulator does not know are left out. */
export function tidbProcessOf(file: Readonly<Record<string, unknown>>): TidbProcess {
    const config = Object.fromEntries(
        Object.entries(defaults).map(([table, items]) => {
            const own = (file[table] ?? {}) as Readonly<Record<string, unknown>>;
            const values = Object.entries(items).map(([key, value]) => [key, inFormOf(value, own[key] ?? value)]);
            return [table, Object.fromEntries(values) as Record<string, Value>];
        }),
    );
    const variables = Object.entries(config.instance).map(([key, value]) => [key, asVariable(key, value)]);
    const labels = (file.labels ?? {}) as Readonly<Record<string, string>>;
    return { config, variables: Object.fromEntries(variables) as Record<string, string>, labels };
}

/** Returns the process after `POST /settings`. Fields before a refused one stay changed. @throws RefusedTidbSetting */
export function withFields(process: TidbProcess, form: URLSearchParams): TidbProcess {
    return [...form].reduce((changed, [field, text]) => {
        const [table, key, most] = Object.hasOwn(fields, field) ? fields[field] : [];
        if (table === undefined || key === undefined || text === "") {
            return changed;
        }
        const own = changed.config[table][key];
        if (field === "log_level" && !levels.includes(text.toLowerCase())) {
            throw new RefusedTidbSetting(`unrecognized level: "${text}"`);
        }
        if (typeof own === "boolean" && text !== "0" && text !== "1") {
            throw new RefusedTidbSetting("illegal argument");
        }
        if (most !== undefined && !/^-?\d+$/.test(text)) {
            throw new RefusedTidbSetting("illegal argument");
        }
        if (most !== undefined && (Number(text) < 0 || Number(text) > most)) {
            throw new RefusedTidbSetting(`${field} out of range, should be in 0 to ${most}`);
        }
        const value = typeof own === "boolean" ? text === "1" : typeof own === "number" ? Number(text) : text;
        const config = { ...changed.config, [table]: { ...changed.config[table], [key]: value } };
        const variables =
            table === "instance" ? { ...changed.variables, [key]: asVariable(key, value) } : changed.variables;
        return { ...changed, config, variables };
    }, process);
}

/** Returns the process after `SET GLOBAL variable = value`. @throws RefusedTidbSetting */
export function withVariable(process: TidbProcess, variable: string, text: string): TidbProcess {
    if (!Object.hasOwn(process.variables, variable)) {
        throw new RefusedTidbSetting(`Unknown system variable '${variable}'`, 1193);
    }
    const own = defaults.instance[variable];
    const isSwitch = typeof own === "boolean" || variable === bit;
    if (isSwitch && !/^(0|1|ON|OFF|TRUE|FALSE)$/i.test(text)) {
        throw new RefusedTidbSetting(`Variable '${variable}' can't be set to the value of '${text}'`, 1231);
    }
    if (!isSwitch && typeof own === "number" && !/^-?\d+$/.test(text)) {
        throw new RefusedTidbSetting(`Incorrect argument type to variable '${variable}'`, 1232);
    }
    const value = isSwitch ? (/^(1|ON|TRUE)$/i.test(text) ? "ON" : "OFF") : text;
    const inFile = variable === bit ? Number(value === "ON") : isSwitch ? value === "ON" : inFormOf(own, text);
    const instance = inConfig.includes(variable)
        ? { ...process.config.instance, [variable]: inFile }
        : process.config.instance;
    return {
        ...process,
        config: { ...process.config, instance },
        variables: { ...process.variables, [variable]: value },
    };
}

function asVariable(key: string, value: Value): string {
    return typeof value === "boolean" || key === bit ? (Number(value) === 0 ? "OFF" : "ON") : String(value);
}

function inFormOf(own: Value, value: unknown): Value {
    return typeof own === "number" ? Number(value) : typeof own === "boolean" ? value === true : String(value);
}

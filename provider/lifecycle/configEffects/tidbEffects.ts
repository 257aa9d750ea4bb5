import type { ConfigEffects } from "./configEffects";

/** Keys that a system variable changes while TiDB runs. */
const variables: Readonly<Record<string, readonly string[]>> = {
    tidb_mem_quota_query: ["mem-quota-query"],
    tidb_enable_slow_log: ["log.enable-slow-log", "instance.tidb_enable_slow_log"],
    tidb_slow_log_threshold: ["log.slow-threshold", "instance.tidb_slow_log_threshold"],
    tidb_expensive_query_time_threshold: ["log.expensive-threshold", "instance.tidb_expensive_query_time_threshold"],
    tidb_record_plan_in_slow_log: ["log.record-plan-in-slow-log", "instance.tidb_record_plan_in_slow_log"],
    tidb_check_mb4_value_in_utf8: ["check-mb4-value-in-utf8", "instance.tidb_check_mb4_value_in_utf8"],
    tidb_enable_collect_execution_info: [
        "enable-collect-execution-info",
        "instance.tidb_enable_collect_execution_info",
    ],
};

export const tidbEffects: ConfigEffects = {
    sources: [
        "docs.pingcap.com/tidb/stable/dynamic-config, Modify TiDB configuration dynamically",
        "docs.pingcap.com/tidb/stable/tidb-configuration-file",
    ],
    online: Object.entries(variables).map(([variable, keys]) => ({ keys, how: `by the system variable ${variable}` })),
    bootstrap: [
        {
            keys: ["new_collations_enabled_on_first_bootstrap"],
            instead: "TiDB has stored its own value since its first start; only a new cluster can have a different one",
        },
        {
            keys: ["initialize-sql-file"],
            instead: "the file runs once, when a cluster first starts; run the statements by hand",
        },
    ],
};

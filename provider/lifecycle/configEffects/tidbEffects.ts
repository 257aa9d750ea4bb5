import type { ConfigEffects } from "./configEffects";
import { instanceVariables, statusPortSettings } from "./tidbSettings";

/**
 * Earlier names of items that moved to the table `instance`, with the system variable that changes them while TiDB runs
 * (pingcap/tidb pkg/config/config.go, sectionMovedToInstance). A file that has both names follows the later one, so a value under
 * the earlier name is not set: what it does depends on the other.
 */
const earlierNames: Readonly<Record<string, string>> = {
    "log.enable-slow-log": "tidb_enable_slow_log",
    "log.slow-threshold": "tidb_slow_log_threshold",
    "log.record-plan-in-slow-log": "tidb_record_plan_in_slow_log",
    "check-mb4-value-in-utf8": "tidb_check_mb4_value_in_utf8",
    "enable-collect-execution-info": "tidb_enable_collect_execution_info",
    "max-server-connections": "max_connections",
    "run-ddl": "tidb_enable_ddl",
    "performance.force-priority": "tidb_force_priority",
};

/** Other items with a system variable of the same name that changes one server. */
const byHand = ["tidb_enable_ddl", "tidb_enable_stats_owner", "tidb_pprof_sql_cpu"];

const variables: readonly (readonly [key: string, variable: string])[] = [
    ...Object.entries(instanceVariables).map(([key, { variable }]) => [key, variable] as const),
    ...byHand.map((variable) => [`instance.${variable}`, variable] as const),
    ...Object.entries(earlierNames),
];

/**
 * Items that TiDB keeps in the cluster as global system variables: since 6.1 and 6.3 it no longer reads them from its file
 * (pingcap/tidb pkg/config/config.go, the items "unused since bootstrap").
 */
const kept: Readonly<Record<string, string>> = {
    "mem-quota-query": "tidb_mem_quota_query",
    "oom-action": "tidb_mem_oom_action",
    "enable-batch-dml": "tidb_enable_batch_dml",
    "oom-use-tmp-storage": "tidb_enable_tmp_storage_on_oom",
    "log.query-log-max-len": "tidb_query_log_max_len",
    "performance.committer-concurrency": "tidb_committer_concurrency",
    "performance.run-auto-analyze": "tidb_enable_auto_analyze",
};

/**
 * Only items of one server are set online. A global system variable is another thing than an item of the file: it is kept in the
 * cluster, and holds for all servers, whatever their files say.
 */
export const tidbEffects: ConfigEffects = {
    sources: [
        "docs.pingcap.com/tidb/stable/dynamic-config, Modify TiDB configuration dynamically",
        "docs.pingcap.com/tidb/stable/tidb-configuration-file",
    ],
    online: [
        { keys: Object.keys(statusPortSettings), how: "by POST /settings on the status port" },
        ...variables.map(([key, variable]) => ({ keys: [key], how: `by the system variable ${variable}` })),
    ],
    setOnline: [
        { keys: Object.keys(statusPortSettings), on: "pods" },
        { keys: Object.keys(instanceVariables), on: "pods", asRoot: true },
    ],
    bootstrap: [
        {
            keys: ["new_collations_enabled_on_first_bootstrap"],
            instead: "TiDB has stored its own value since its first start; only a new cluster can have a different one",
        },
        {
            keys: ["initialize-sql-file"],
            instead: "the file runs once, when a cluster first starts; run the statements by hand",
        },
        ...Object.entries(kept).map(([key, variable]) => ({
            keys: [key],
            instead: `the cluster keeps it as a system variable; change it with SET GLOBAL ${variable}`,
        })),
    ],
};

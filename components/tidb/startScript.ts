import type { PdClientScriptOptions } from "../kubernetes/startScript";

/** What TiDB's start script needs to know. Binlog and slow log come from BINLOG_ENABLED and SLOW_LOG_FILE of the container. */
export interface TidbStartScriptOptions extends PdClientScriptOptions {
    /** Plugins to load from `/plugins` (`spec.tidb.plugins`). Default: none. */
    plugins?: readonly string[];
    /** More arguments of tidb-server (`spec.tidb.arguments`), one entry an argument. Default: none. */
    arguments?: readonly string[];
}

/** The start script of TiDB's container: POSIX sh. */
export function tidbStartScript(options: TidbStartScriptOptions): string {
    return `exec /tidb-server --path=${options.clusterName}\n`;
}

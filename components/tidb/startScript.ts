import { headlessServiceName } from "../../topology/names";
import { pdAddress } from "../kubernetes/pdAddress";
import { execLines, prologue, scriptText, setArguments, type ScriptLines } from "../kubernetes/startScript";
import { shellWord, shellWordWithVariables } from "../kubernetes/shellQuote";
import type { PdClientScriptOptions } from "../kubernetes/startScriptOptions";

/** Options of TiDB's start script. Binlog and slow log are set by the container's variables BINLOG_ENABLED and SLOW_LOG_FILE. */
export interface TidbStartScriptOptions extends PdClientScriptOptions {
    /** Plugins to load from `/plugins` (`spec.tidb.plugins`). Default: none. */
    plugins?: readonly string[];
    /**
     * Additional arguments of tidb-server (`spec.tidb.arguments`), one entry per argument. `$NAME` and `${NAME}` are expanded
     * to the container's variables. Default: none.
     */
    arguments?: readonly string[];
}

/** @returns the start script of TiDB's container, in POSIX sh. */
export function tidbStartScript(options: TidbStartScriptOptions): string {
    const pd = pdAddress(options, false, "/var/lib/tidb-tls");
    const plugins = (options.plugins ?? []).join(",");
    const more = options.arguments ?? [];
    const binlog: ScriptLines = [
        'if [ "${BINLOG_ENABLED:-}" = true ]; then',
        '    set -- "$@" --enable-binlog=true',
        "fi",
    ];
    const slowLog: ScriptLines = [
        'if [ -n "${SLOW_LOG_FILE:-}" ]; then',
        '    set -- "$@" --log-slow-query="$SLOW_LOG_FILE"',
        "fi",
    ];
    const plugin: ScriptLines =
        plugins === "" ? [] : [`set -- "$@" --plugin-dir /plugins --plugin-load ${shellWord(plugins)}`];
    return scriptText(
        prologue("TiDB", options, headlessServiceName(options.clusterName, "tidb")),
        pd.lines,
        setArguments([
            "--store=tikv",
            '--advertise-address="$domain"',
            `--host=${options.preferIPv6 ? "::" : "0.0.0.0"}`,
            `--path=${pd.word}`,
            "--config=/etc/tidb/tidb.toml",
        ]),
        ...(options.version === "v2" ? [binlog, plugin, slowLog] : [binlog, slowLog, plugin]),
        more.length === 0 ? [] : [`set -- "$@" ${more.map(shellWordWithVariables).join(" ")}`],
        execLines("/tidb-server"),
    );
}

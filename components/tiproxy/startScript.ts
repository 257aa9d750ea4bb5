import { headlessServiceName } from "../../topology/names";
import { execLines, prologue, scriptText } from "../kubernetes/startScript";
import type { StartScriptOptions } from "../kubernetes/startScriptOptions";

/**
 * The start script of TiProxy's container: POSIX sh. The address under which a proxy makes itself known is an argument
 * that only newer versions have, and its configuration file cannot be written to: the program is asked.
 */
export function tiproxyStartScript(options: StartScriptOptions): string {
    return scriptText(
        prologue("TiProxy", options, headlessServiceName(options.clusterName, "tiproxy")),
        [
            "set -- --config=/etc/proxy/proxy.toml",
            'case "$(/bin/tiproxy --help 2>&1)" in',
            '*advertise-addr*) set -- "$@" --advertise-addr="$domain" ;;',
            "esac",
        ],
        execLines("/bin/tiproxy"),
    );
}

import { headlessServiceName } from "../../topology/names";
import { execLines, prologue, scriptText } from "../kubernetes/startScript";
import type { StartScriptOptions } from "../kubernetes/startScriptOptions";

/**
 * Returns the start script of TiProxy's container, in POSIX sh. The configuration file is read-only, so the proxy's address
 * must be an argument. Only newer versions have it, so the script looks for it in the program's help.
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

import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { pdAddress } from "../kubernetes/pdAddress";
import { inComment, literalOptions, shellWord } from "../kubernetes/shellQuote";
import { execLines, prologue, type ScriptLines, scriptText, setArguments } from "../kubernetes/startScript";
import type { PdClientScriptOptions } from "../kubernetes/startScriptOptions";
import { ordinalPlaceholder, pdPlaceholder } from "./addresses";

const certificates = "/var/lib/tiflash-tls";

/** Options of TiFlash's scripts. */
export interface TiflashStartScriptOptions extends PdClientScriptOptions {
    /** Namespace of the cluster. The init container has no variable for it. */
    namespace: string;
    /** Whether TiFlash reads its ConfigMap directly, without an init container. Default: false. */
    readsConfigMap?: boolean;
    /** Whether the proxy reports its status address to PD (`spec.enableDynamicConfiguration`). Only with `readsConfigMap`. Default: false. */
    enableDynamicConfiguration?: boolean;
}

/**
 * Returns the start script of TiFlash's container, in POSIX sh. With version v1 and an init container it is only the command
 * that runs TiFlash, so there is no debug mode (tidb-operator pkg/manager/member/startscript/v1/render_script.go).
 */
export function tiflashStartScript(given: TiflashStartScriptOptions): string {
    const options = literalOptions(given);
    if (options.readsConfigMap) {
        return scriptWithArguments(options);
    }
    return options.version === "v2"
        ? scriptText(
              prologue("TiFlash", options),
              setArguments(["server", "--config-file", "/data0/config.toml"]),
              execLines("/tiflash/tiflash"),
          )
        : "/tiflash/tiflash server --config-file /data0/config.toml";
}

/** Values that depend on the pod are arguments, which override the configuration. Store labels come from STORE_LABELS. */
function scriptWithArguments(options: TiflashStartScriptOptions): string {
    const pd = pdAddress(options, options.version !== "v2", certificates);
    return scriptText(
        prologue("TiFlash", options, headlessServiceName(options.clusterName, "tiflash")),
        pd.lines,
        setArguments([
            "server",
            "--config-file",
            "/etc/tiflash/config_templ.toml",
            "--",
            `--flash.proxy.advertise-addr="$domain:${ports.tiflash.proxy}"`,
            ...(options.enableDynamicConfiguration
                ? [`--flash.proxy.advertise-status-addr="$domain:${ports.tiflash.proxyStatus}"`]
                : []),
            `--flash.service_addr="$domain:${ports.tiflash.server}"`,
            `--raft.pd_addr=${pd.word}`,
        ]),
        ['if [ -n "${STORE_LABELS:-}" ]; then', '    set -- "$@" --labels "$STORE_LABELS"', "fi"],
        execLines("/tiflash/tiflash"),
    );
}

/** @returns the init container's script, in POSIX sh. It writes the pod's configuration, with the ordinal and PD's addresses filled in. */
export function tiflashInitScript(given: TiflashStartScriptOptions): string {
    const options = literalOptions(given);
    const asks = options.acrossK8s === true;
    const substitute = [
        `-e "s/${ordinalPlaceholder}/$ordinal/g"`,
        ...(asks ? [`-e "s|${pdPlaceholder}|$addresses|g"`] : []),
    ].join(" ");
    return scriptText(
        [
            "#!/bin/sh",
            `# Writes the configuration of this TiFlash pod of the TiDB cluster ${inComment(options.clusterName)}. Written by pulumi-tidb.`,
            "set -eu",
            "ordinal=${POD_NAME##*-}",
        ],
        asks ? addressLines(options) : [],
        ["config_templ config", "proxy_templ proxy"].map((names) => {
            const [template, file] = names.split(" ");
            return `sed ${substitute} /etc/tiflash/${template}.toml >/data0/${file}.toml`;
        }),
    );
}

/** Discovery answers with URLs, but TiFlash needs hosts and ports. */
function addressLines(options: TiflashStartScriptOptions): ScriptLines {
    const { lines } = pdAddress({ ...options, version: "v1" }, true, certificates);
    return [
        `NAMESPACE=${shellWord(options.namespace)}`,
        ...lines,
        `addresses=$(printf '%s' "$answer" | sed -e 's|http://||g' -e 's|https://||g')`,
    ];
}

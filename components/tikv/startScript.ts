import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { pdAddress } from "../kubernetes/pdAddress";
import { shellWord } from "../kubernetes/shellQuote";
import { execLines, prologue, scriptText, setArguments } from "../kubernetes/startScript";
import { hasFlag, listenHost, type PdClientScriptOptions } from "../kubernetes/startScriptOptions";
import { waitForName } from "../kubernetes/waitForName";

/** Options of TiKV's start script. Capacity and store labels are set by the container's variables CAPACITY and STORE_LABELS. */
export interface TikvStartScriptOptions extends PdClientScriptOptions {
    /** Folder in the data volume (`spec.tikv.dataSubDir`). Default: the volume's root. */
    dataSubDir?: string;
    /** Whether TiKV reports its status address to PD (`spec.enableDynamicConfiguration`). Default: false. */
    enableDynamicConfiguration?: boolean;
    /** How long the script waits until DNS knows the pod's name, in seconds, with `WaitForDnsNameIpMatch` (`spec.pd.startTimeout`). Default: 30. */
    startTimeout?: number;
}

/** @returns the start script of TiKV's container, in POSIX sh. */
export function tikvStartScript(options: TikvStartScriptOptions): string {
    const { server, status } = ports.tikv;
    const isV2 = options.version === "v2";
    const data = ["/var/lib/tikv", ...(options.dataSubDir ?? "").split("/")].filter((part) => part !== "").join("/");
    const listen = listenHost(options);
    const pd = pdAddress(options, !isV2, "/var/lib/tikv-tls");
    const advertisedStatus = options.enableDynamicConfiguration ? [`--advertise-status-addr="$domain:${status}"`] : [];
    return scriptText(
        prologue("TiKV", options, headlessServiceName(options.clusterName, "tikv")),
        hasFlag(options, "WaitForDnsNameIpMatch")
            ? [
                  "",
                  ...waitForName({
                      seconds: options.startTimeout ?? 30,
                      tools: ["getent", "nslookup", "dig"],
                      ownAddress: true,
                  }),
              ]
            : [],
        pd.lines,
        setArguments([
            `--pd=${pd.word}`,
            `--advertise-addr="$domain:${server}"`,
            `--addr="${listen}:${server}"`,
            `--status-addr="${listen}:${status}"`,
            ...(isV2 ? [] : advertisedStatus),
            `--data-dir=${shellWord(data)}`,
            '--capacity="${CAPACITY:-0}"',
            "--config=/etc/tikv/tikv.toml",
            ...(isV2 ? advertisedStatus : []),
        ]),
        ['if [ -n "${STORE_LABELS:-}" ]; then', '    set -- "$@" --labels "$STORE_LABELS"', "fi"],
        execLines("/tikv-server"),
    );
}

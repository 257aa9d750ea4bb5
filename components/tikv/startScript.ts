import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { pdAddress } from "../kubernetes/pdAddress";
import { execLines, prologue, quoted, scriptText, setArguments } from "../kubernetes/startScript";
import { hasFlag, listenHost, type PdClientScriptOptions } from "../kubernetes/startScriptOptions";
import { waitForName } from "../kubernetes/waitForName";

/** What TiKV's start script needs to know. The capacity and store labels come from CAPACITY and STORE_LABELS of the container. */
export interface TikvStartScriptOptions extends PdClientScriptOptions {
    /** Folder in the data volume (`spec.tikv.dataSubDir`). Default: the volume's root. */
    dataSubDir?: string;
    /** Whether PD is told the status address (`spec.enableDynamicConfiguration`). Default: false. */
    enableDynamicConfiguration?: boolean;
    /** Seconds that the script waits for its own DNS name with `WaitForDnsNameIpMatch` (`spec.pd.startTimeout`). Default: 30. */
    startTimeout?: number;
}

/** The start script of TiKV's container: POSIX sh. */
export function tikvStartScript(options: TikvStartScriptOptions): string {
    const { server, status } = ports.tikv;
    const second = options.version === "v2";
    const data = ["/var/lib/tikv", ...(options.dataSubDir ?? "").split("/")].filter((part) => part !== "").join("/");
    const listen = listenHost(options);
    const pd = pdAddress(options, !second, "/var/lib/tikv-tls");
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
            ...(second ? [] : advertisedStatus),
            `--data-dir=${quoted(data)}`,
            '--capacity="${CAPACITY:-0}"',
            "--config=/etc/tikv/tikv.toml",
            ...(second ? advertisedStatus : []),
        ]),
        ['if [ -n "${STORE_LABELS:-}" ]; then', '    set -- "$@" --labels "$STORE_LABELS"', "fi"],
        execLines("/tikv-server"),
    );
}

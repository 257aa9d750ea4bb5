import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { hostOfAddress } from "../kubernetes/pdAddress";
import { shellWord } from "../kubernetes/shellQuote";
import {
    askDiscoveryFunction,
    execLines,
    pollDiscovery,
    prologue,
    randomFunction,
    scriptText,
    setArguments,
    type ScriptLines,
} from "../kubernetes/startScript";
import { hasFlag, listenHost, type StartScriptOptions } from "../kubernetes/startScriptOptions";
import { waitForName } from "../kubernetes/waitForName";

/** Options of PD's start script. */
export interface PdStartScriptOptions extends StartScriptOptions {
    /** Folder in the data volume (`spec.pd.dataSubDir`). Default: the volume's root. */
    dataSubDir?: string;
    /** How long the script waits until DNS knows the pod's name, in seconds (`spec.pd.startTimeout`). Default: 30. */
    startTimeout?: number;
    /** How long the script sleeps first, in seconds (`spec.pd.initWaitTime`). Default: 0. */
    initWaitTime?: number;
    /** `v1` prefers dig for DNS queries (`spec.pd.startUpScriptVersion`). Default: nslookup. */
    startUpScriptVersion?: "v1" | "";
    /** Client URLs of an existing PD (`spec.pdAddresses`), used with `PreferPDAddressesOverDiscovery`. Default: none. */
    pdAddresses?: readonly string[];
    /**
     * Whether this PD serves the API and the rest of PD runs as microservices (`spec.pd.mode: ms`). Such a cluster always
     * uses tidb-operator's v2 scripts, and waits until DNS returns the pod's address. Default: false.
     */
    microservices?: boolean;
}

const certificates = "/var/lib/pd-tls";

/**
 * Returns the start script of PD's container, in POSIX sh. It waits until DNS knows the pod's name, because the other members
 * will look it up. A member with data starts without further arguments. A member that has joined a cluster passes the
 * addresses that it joined. A member without data asks discovery until it is told to form or to join the cluster.
 */
export function pdStartScript(given: PdStartScriptOptions): string {
    const options = given.microservices ? withMicroservices(given) : given;
    const { scheme } = options;
    const { client, peer } = ports.pd;
    const data = ["/var/lib/pd", ...(options.dataSubDir ?? "").split("/")].filter((part) => part !== "").join("/");
    const name = options.acrossK8s || options.clusterDomain ? "$domain" : "$pod";
    const listen = listenHost(options);
    return scriptText(
        prologue("PD", options, headlessServiceName(options.clusterName, "pd")),
        [`data=${shellWord(data)}`],
        waitLines(options),
        setArguments([
            ...(options.microservices ? ["services", "api"] : []),
            '--data-dir="$data"',
            `--name="${name}"`,
            `--peer-urls="${scheme}://${listen}:${peer}"`,
            `--advertise-peer-urls="${scheme}://$domain:${peer}"`,
            `--client-urls="${scheme}://${listen}:${client}"`,
            `--advertise-client-urls="${scheme}://$domain:${client}"`,
            "--config=/etc/pd/pd.toml",
        ]),
        membershipLines(options),
        execLines("/pd-server"),
    );
}

function withMicroservices(options: PdStartScriptOptions): PdStartScriptOptions {
    return {
        ...options,
        version: "v2",
        featureFlags: [...(options.featureFlags ?? []), "WaitForDnsNameIpMatch"],
    };
}

function waitLines(options: PdStartScriptOptions): ScriptLines {
    const pause = options.initWaitTime ? [`sleep ${options.initWaitTime}`] : [];
    if (hasFlag(options, "NoWaitDNS")) {
        return pause;
    }
    const preferDig = options.version === "v2" || options.startUpScriptVersion === "v1";
    return [
        ...pause,
        "",
        ...waitForName({
            seconds: options.startTimeout ?? 30,
            tools: preferDig ? ["dig", "nslookup", "getent"] : ["nslookup", "dig", "getent"],
            ownAddress: hasFlag(options, "WaitForDnsNameIpMatch"),
        }),
        "",
    ];
}

function membershipLines(options: PdStartScriptOptions): ScriptLines {
    const given = options.pdAddresses ?? [];
    if (hasFlag(options, "PreferPDAddressesOverDiscovery") && given.length > 0) {
        const urls = given.map((address) => `${options.scheme}://${hostOfAddress(address)}:${ports.pd.peer}`);
        return [`set -- "$@" --join=${shellWord(urls.join(","))}`];
    }
    return [
        "",
        "# PD leaves the file join behind when it has joined: name=URL, separated by commas.",
        'if [ -s "$data/join" ]; then',
        "    members=$(tr -d ' \\r\\n' <\"$data/join\")",
        "    join=",
        '    while [ -n "$members" ]; do',
        "        member=${members%%,*}",
        "        join=${join:+$join,}${member#*=}",
        "        case $members in",
        "        *,*) members=${members#*,} ;;",
        "        *) members= ;;",
        "        esac",
        "    done",
        '    set -- "$@" --join="$join"',
        'elif [ ! -d "$data/member/wal" ]; then',
        ...indented([
            ...randomFunction,
            ...askDiscoveryFunction(options, certificates),
            ...pollDiscovery("new", `$domain:${ports.pd.peer}`, "--join=?* | --initial-cluster=?*"),
            'set -- "$@" "$answer"',
        ]),
        "fi",
    ];
}

function indented(lines: ScriptLines): ScriptLines {
    return lines.map((line) => (line === "" ? line : `    ${line}`));
}

import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { pdAddress, type PdAddressLines } from "../kubernetes/pdAddress";
import { literalOptions, shellWord } from "../kubernetes/shellQuote";
import { execLines, inlinePrologue, scriptText, setArguments } from "../kubernetes/startScript";
import { hasFlag, listenHost, type PdClientScriptOptions } from "../kubernetes/startScriptOptions";
import type { TicdcArguments } from "./config";

const certificatesFolder = "/var/lib/ticdc-tls";

/** Options of TiCDC's start script. */
export interface TicdcStartScriptOptions extends PdClientScriptOptions {
    /** Values of the configuration that become arguments. */
    arguments: Omit<TicdcArguments, "timezone">;
    /** Whether there is a configuration file. */
    hasConfigFile: boolean;
}

/**
 * Returns the start script of TiCDC's container, in POSIX sh. It is part of the command. A capture advertises its pod's name
 * in the headless Service.
 */
export function ticdcStartScript(given: TicdcStartScriptOptions): string {
    const options = literalOptions(given);
    const { gcTtl, logFile, logLevel } = options.arguments;
    const pd = pdAddresses(options);
    const certificates =
        options.scheme === "https"
            ? [
                  `--ca=${certificatesFolder}/ca.crt`,
                  `--cert=${certificatesFolder}/tls.crt`,
                  `--key=${certificatesFolder}/tls.key`,
              ]
            : [];
    return scriptText(
        inlinePrologue("TiCDC", options, headlessServiceName(options.clusterName, "ticdc")),
        pd.lines,
        setArguments([
            "server",
            `--addr="${listenHost(options)}:${ports.ticdc.api}"`,
            `--advertise-addr="$domain:${ports.ticdc.api}"`,
            `--gc-ttl=${shellWord(gcTtl)}`,
            `--log-file=${logFile === "" ? "" : shellWord(logFile)}`,
            `--log-level=${shellWord(logLevel)}`,
            ...(options.version === "v2" ? [] : certificates),
            `--pd=${pd.word}`,
            ...(options.version === "v2" ? certificates : []),
            ...(options.hasConfigFile ? ["--config=/etc/ticdc/ticdc.toml"] : []),
        ]),
        execLines("/cdc"),
    );
}

/** TiCDC takes `pdAddresses` unchanged, with their scheme. */
function pdAddresses(options: TicdcStartScriptOptions): PdAddressLines {
    const given = options.pdAddresses ?? [];
    return hasFlag(options, "PreferPDAddressesOverDiscovery") && given.length > 0
        ? { lines: [], word: shellWord(given.join(",")) }
        : pdAddress(options, true, certificatesFolder);
}

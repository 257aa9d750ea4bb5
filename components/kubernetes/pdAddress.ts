import { memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { shellWord, withinQuotes } from "./shellQuote";
import { askDiscoveryFunction, pollDiscovery, randomFunction, type ScriptLines } from "./startScript";
import { hasFlag, type PdClientScriptOptions } from "./startScriptOptions";

/** How a start script gets PD's addresses: lines to run first, and the shell word that contains the addresses. */
export interface PdAddressLines {
    readonly lines: ScriptLines;
    readonly word: string;
}

/**
 * Returns PD's addresses for a member's start script: the Service of the cluster's own PD, or of the cluster that it joins.
 * A cluster that spans Kubernetes clusters asks discovery, which adds the PD members in the other Kubernetes clusters.
 */
export function pdAddress(options: PdClientScriptOptions, withScheme: boolean, certificates: string): PdAddressLines {
    const given = options.pdAddresses ?? [];
    if (hasFlag(options, "PreferPDAddressesOverDiscovery") && given.length > 0) {
        const addresses = given.map((address) => `${hostOfAddress(address)}:${ports.pd.client}`).join(",");
        // The brackets of an IPv6 address would match only a file with the argument's name, and quotes would change the script.
        return { lines: [], word: /^[A-Za-z0-9_.,:[\]-]+$/.test(addresses) ? addresses : shellWord(addresses) };
    }
    const scheme = withScheme ? `${options.scheme}://` : "";
    const own = `${scheme}${memberName(options.clusterName, "pd")}:${ports.pd.client}`;
    if (options.acrossK8s) {
        return {
            lines: [
                "",
                ...randomFunction,
                ...askDiscoveryFunction(options, certificates),
                ...pollDiscovery("verify", withinQuotes(own), "?*:[0-9]*"),
            ],
            word: '"$answer"',
        };
    }
    const reference = options.referenceCluster;
    if (options.hasPd === false && reference) {
        const namespace = reference.namespace ? `.${reference.namespace}` : "";
        const domain = reference.clusterDomain ? `.svc.${reference.clusterDomain}` : "";
        const service = `${scheme}${memberName(reference.name, "pd")}`;
        const word =
            namespace === "" && domain !== ""
                ? `"${withinQuotes(service)}.$NAMESPACE${withinQuotes(domain)}:${ports.pd.client}"`
                : shellWord(`${service}${namespace}${domain}:${ports.pd.client}`);
        return { lines: [], word };
    }
    return { lines: [], word: shellWord(own) };
}

/** @returns the host of an address, which may have a scheme and a port. */
export function hostOfAddress(address: string): string {
    const host = address.replace(/^[a-z]+:\/\//, "").replace(/\/.*$/, "");
    return host.startsWith("[") ? host.replace(/\]:[0-9]+$/, "]") : host.replace(/:[0-9]+$/, "");
}

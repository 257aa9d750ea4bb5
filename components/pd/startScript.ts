import type { StartScriptOptions } from "../kubernetes/startScript";

/** What PD's start script needs to know. */
export interface PdStartScriptOptions extends StartScriptOptions {
    /** Folder in the data volume (`spec.pd.dataSubDir`). Default: the volume's root. */
    dataSubDir?: string;
    /** Seconds that the script waits for its own DNS name (`spec.pd.startTimeout`). Default: 30. */
    startTimeout?: number;
    /** Seconds that the script waits before all else (`spec.pd.initWaitTime`). Default: 0. */
    initWaitTime?: number;
    /** `v1` prefers dig for the DNS look-up (`spec.pd.startUpScriptVersion`). Default: nslookup. */
    startUpScriptVersion?: "v1" | "";
    /** Client URLs of a PD elsewhere (`spec.pdAddresses`), used with `PreferPDAddressesOverDiscovery`. Default: none. */
    pdAddresses?: readonly string[];
}

/** The start script of PD's container: POSIX sh. */
export function pdStartScript(options: PdStartScriptOptions): string {
    return `exec /pd-server --name=${options.clusterName}\n`;
}

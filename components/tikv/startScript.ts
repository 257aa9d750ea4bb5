import type { PdClientScriptOptions } from "../kubernetes/startScript";

/** What TiKV's start script needs to know. The capacity and store labels come from CAPACITY and STORE_LABELS of the container. */
export interface TikvStartScriptOptions extends PdClientScriptOptions {
    /** Folder in the data volume (`spec.tikv.dataSubDir`). Default: the volume's root. */
    dataSubDir?: string;
    /** Whether PD is told the status address (`spec.enableDynamicConfiguration`). Default: false. */
    enableDynamicConfiguration?: boolean;
}

/** The start script of TiKV's container: POSIX sh. */
export function tikvStartScript(options: TikvStartScriptOptions): string {
    return `exec /tikv-server --pd=${options.clusterName}\n`;
}

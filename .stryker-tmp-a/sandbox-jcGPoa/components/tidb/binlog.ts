import type { TidbClusterSpec } from "../spec";
import type { TidbSpec } from "./spec";

/** @returns whether TiDB writes a binlog to Pump. */
export function writesBinlog(cluster: TidbClusterSpec, spec: TidbSpec): boolean {
    return spec.binlogEnabled ?? cluster.pump !== undefined;
}

import type { TidbClusterSpec } from "../spec";

/** Whether root is to get a password: then TiDB has a gate for it, while it is not suspended. */
export function createsPassword({ tidb }: TidbClusterSpec): boolean {
    return tidb?.initializer?.createPassword ?? false;
}

import type { TidbClusterSpec } from "../spec";

/** Whether root gets a password. If so, TiDB has a gate for it while it is not suspended. */
export function createsPassword({ tidb }: TidbClusterSpec): boolean {
    return tidb?.initializer?.createPassword ?? false;
}

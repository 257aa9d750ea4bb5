import type { ComponentSpec, ConfigInput, Count, ResourceSpec } from "../componentSpec";

/** Settings of Pump, which stores TiDB's binlog. TiDB uses it up to 8.3. TiCDC is its successor. */
export interface PumpSpec extends ComponentSpec, ResourceSpec {
    /** Number of Pump servers. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/tidb-binlog`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** Storage class of the data volume. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of the data volume. Default: none. */
    volumeAttributesClassName?: string;
    /** Configuration of Pump: TOML text or a map. `log-level` is also passed as an argument. Default: none. */
    config?: ConfigInput;
    /** Whether the container uses the cluster's `timezone`. Default: false. */
    setTimeZone?: boolean;
}

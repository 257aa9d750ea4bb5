import type { ComponentSpec, ConfigInput, Count, ResourceSpec } from "../componentSpec";

/** What a user may say about Pump, which stores TiDB's binlog. TiDB 7.5 is the last version that can use it; TiCDC is its successor. */
export interface PumpSpec extends ComponentSpec, ResourceSpec {
    /** Number of pumps. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/tidb-binlog`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** Storage class of the data volume. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of the data volume. Default: none. */
    volumeAttributesClassName?: string;
    /** Configuration of Pump: TOML text or a map; `log-level` becomes an argument as well. Default: none. */
    config?: ConfigInput;
    /** Whether the container has the cluster's `timezone`. Default: false. */
    setTimeZone?: boolean;
}

import type { ComponentSpec, ConfigInput, Count, ResourceSpec, StorageVolume } from "../componentSpec";

/** What a user may say about TiCDC, which replicates changes to other systems. */
export interface TicdcSpec extends ComponentSpec, ResourceSpec {
    /** Number of captures. They keep no state. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/ticdc`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** Secrets with certificates for the systems that changes go to, each mounted at `/var/lib/sink-tls/<name>`. Default: none. */
    tlsClientSecretNames?: string[];
    /**
     * Configuration of TiCDC's server: TOML text or a map. The keys `tz`, `gc-ttl` (seconds), `log-level` and `log-file`
     * become arguments; a ConfigMap is only made where there are others. In a map `timezone`, `gcTTL`, `logLevel` and
     * `logFile` mean the same. Default: `gc-ttl` 86400, `log-level` info, the log to standard error.
     */
    config?: ConfigInput;
    /** More volumes, one claim each a pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Storage class of `storageVolumes`. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of `storageVolumes`. Default: none. */
    volumeAttributesClassName?: string;
    /**
     * How long a restart or a scale-in waits for a capture's tables to move to others before it goes on, as a Go
     * duration: `10m`. Default: 10m.
     */
    gracefulShutdownTimeout?: string;
}

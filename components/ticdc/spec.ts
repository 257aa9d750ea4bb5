import type { ComponentSpec, ConfigInput, Count, ResourceSpec, StorageVolume } from "../componentSpec";

/** Settings of TiCDC, which replicates changes to other systems. */
export interface TicdcSpec extends ComponentSpec, ResourceSpec {
    /** Number of captures. Captures are stateless. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/ticdc`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** Secrets with certificates for the downstream systems, each mounted at `/var/lib/sink-tls/<name>`. Default: none. */
    tlsClientSecretNames?: string[];
    /**
     * Configuration of TiCDC's server: TOML text or a map. The keys `tz`, `gc-ttl` (seconds), `log-level` and `log-file`
     * become arguments; a ConfigMap is created only if there are other keys. A map may also use the names `timezone`,
     * `gcTTL`, `logLevel` and `logFile`. Default: `gc-ttl` 86400, `log-level` info, the log on standard error.
     */
    config?: ConfigInput;
    /** Additional volumes, each with one claim per pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Storage class of `storageVolumes`. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of `storageVolumes`. Default: none. */
    volumeAttributesClassName?: string;
    /**
     * How long a restart or a scale-in waits for a capture's tables to move to other captures, as a Go duration: `10m`.
     * After that it continues anyway. Default: 10m.
     */
    gracefulShutdownTimeout?: string;
}

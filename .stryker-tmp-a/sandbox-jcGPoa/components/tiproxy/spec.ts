import type { ComponentSpec, ConfigInput, Count, ResourceSpec, StorageVolume } from "../componentSpec";

/** What a user may say about TiProxy, which stands before TiDB and keeps connections while TiDB restarts. */
export interface TiproxySpec extends ComponentSpec, ResourceSpec {
    /** Number of proxies. They keep no state. */
    replicas: Count;
    /** Image without tag. Default: `pingcap/tiproxy`. It has versions of its own: set `version`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** Whether TiProxy talks TLS to TiDB even with the annotation `tidb.tidb.pingcap.com/skip-tls-when-connect-tidb`. Default: false. */
    sslEnableTiDB?: boolean;
    /** Secret with the certificate that TiProxy shows to TiDB. Default: `<cluster>-tidb-client-secret`. Only in the older `certLayout`. */
    tlsClientSecretName?: string;
    /**
     * Which certificates TiProxy gets. `v1`: one of its own for members (`<cluster>-tiproxy-cluster-secret`), and TiDB's
     * server certificate for clients. Default: the older layout, which also needs a client's certificate for TiDB.
     */
    certLayout?: "" | "v1";
    /** Configuration of TiProxy: TOML text or a map. `workdir`, `proxy.pd-addrs` and the certificates are set here. Default: none. */
    config?: ConfigInput;
    /** More volumes, one claim each a pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Storage class of `storageVolumes`. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of `storageVolumes`. Default: none. */
    volumeAttributesClassName?: string;
}

import type { ComponentSpec, ConfigInput, Count, ResourceSpec, StorageVolume } from "../componentSpec";

/**
 * Settings of TiProxy, a proxy in front of TiDB that keeps client connections open while TiDB restarts. Its Service is a NodePort, as with
 * TiDB Operator: whoever reaches a node reaches it.
 */
export interface TiproxySpec extends ComponentSpec, ResourceSpec {
    /** Number of proxies. Proxies are stateless. */
    replicas: Count;
    /** Image without tag. TiProxy's version numbers differ from TiDB's: set `version` as well. Default: `pingcap/tiproxy`. */
    baseImage?: string;
    /** Service account of the pods. Default: the cluster's. */
    serviceAccount?: string;
    /** Whether TiProxy connects to TiDB with TLS even if the annotation `tidb.tidb.pingcap.com/skip-tls-when-connect-tidb` is set. Default: false. */
    sslEnableTiDB?: boolean;
    /** Secret with the client certificate that TiProxy presents to TiDB. Used only with the older `certLayout`. Default: `<cluster>-tidb-client-secret`. */
    tlsClientSecretName?: string;
    /**
     * Which certificates TiProxy gets. `v1`: its own certificate for connections between members
     * (`<cluster>-tiproxy-cluster-secret`), and TiDB's server certificate for clients. Default: empty, the older layout,
     * which also needs a client certificate for TiDB.
     */
    certLayout?: "" | "v1";
    /** Configuration of TiProxy: TOML text or a map. This package sets `workdir`, `proxy.pd-addrs` and the certificates. Default: none. */
    config?: ConfigInput;
    /** Additional volumes, each with one claim per pod. Default: none. */
    storageVolumes?: StorageVolume[];
    /** Storage class of `storageVolumes`. Default: Kubernetes' default class. */
    storageClassName?: string;
    /** Volume attributes class of `storageVolumes`. Default: none. */
    volumeAttributesClassName?: string;
}

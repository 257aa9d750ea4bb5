/** How a Job reaches TiDB by SQL. */
export interface TidbAccessConfig {
    /** Host of TiDB: `basic-tidb.tidb`. A Restore needs TiDB's Service, so that its gate finds the cluster. Default: the Service of the TidbCluster in `cluster`. */
    host?: string;
    /**
     * Port of TiDB. Default: that of the Service, otherwise 4000.
     * @asType integer
     * @minimum 1
     * @maximum 65535
     */
    port?: number;
    /** User of TiDB. Default: `root`. */
    user?: string;
    /** Secret with the user's password in the key `password`, in the namespace of the Job. Default: none, then the password is empty. */
    secretName?: string;
    /**
     * Secret with the client certificate: `ca.crt`, `tls.crt` and `tls.key`, in the namespace of the Job. Default: `<cluster>-tidb-client-secret` if the
     * TidbCluster in `cluster` has `tidb.tlsClient`, or else no TLS.
     */
    tlsClientSecretName?: string;
}

/** Settings of Dumpling. */
export interface DumplingConfig {
    /** More arguments of Dumpling. Default: `--threads=16`, `--rows=10000`. */
    options?: string[];
    /** An older form of `tableFilter` of the spec. Default: none. */
    tableFilter?: string[];
}

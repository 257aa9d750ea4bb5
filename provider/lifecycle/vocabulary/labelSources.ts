/** A TiDB server, as TiDB lists it. */
export interface LabelledServer {
    readonly podName: string;
    /** As TiDB writes it: `8.0.11-TiDB-v8.5.3`. */
    readonly version: string;
    readonly labels: Readonly<Record<string, string>>;
}

/** Which labels of their nodes the stores of a member get in PD, or its servers, as the program says. */
export interface LabelSources {
    /** Labels to set besides PD's `location-labels` (`spec.tikv.storeLabels`). Default: none. */
    readonly more?: readonly string[];
    /**
     * Labels that its own configuration sets (`server.labels`, `STORE_LABELS`, TiDB's `labels`). They come back at each start, so they
     * stay as they are. `all`: which they are is not known before the pod runs. Default: none.
     */
    readonly own?: readonly string[] | "all";
}

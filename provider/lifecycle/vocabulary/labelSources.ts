/** Which labels of their nodes the stores of a member get in PD, as the program says. */
export interface LabelSources {
    /** Labels to set besides PD's `location-labels` (`spec.tikv.storeLabels`). Default: none. */
    readonly more?: readonly string[];
    /**
     * Labels that the store's own configuration sets (`server.labels`, `STORE_LABELS`). PD takes them over at each start of the store, so
     * they stay as they are. `all`: which they are is not known before the pod runs. Default: none.
     */
    readonly own?: readonly string[] | "all";
}

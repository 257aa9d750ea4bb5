/** The times of a watch. */
export interface WatchTimes {
    /** How long the API server is asked to let one request last, in seconds. The next request goes on where it ended. */
    readonly requestSeconds: number;
    /**
     * A request that has not ended by then is dead, in milliseconds since it began. It may never have been answered, or its
     * connection may be dead without having been closed.
     */
    readonly deadlineMilliseconds: number;
    /**
     * A request that ends earlier is a break, in milliseconds since it began. A server, or a proxy before it, that ends every
     * request at once would be asked without a pause otherwise.
     */
    readonly earliestEndMilliseconds: number;
    /** The pause before a watch that broke begins again. It is doubled with each break, up to the last one. */
    readonly firstPauseMilliseconds: number;
    readonly lastPauseMilliseconds: number;
}

/** The API server ends a request after 60 s; 10 s later the request counts as dead. */
export const watchTimes: WatchTimes = {
    requestSeconds: 60,
    deadlineMilliseconds: 70_000,
    earliestEndMilliseconds: 10_000,
    firstPauseMilliseconds: 1_000,
    lastPauseMilliseconds: 30_000,
};

/**
 * What one update knows of requests to stop (`pulumi-tidb stop`). Every update is a process of its own, with one gate after
 * the other. A request is meant for everything of the update that was running when it was given, also if it comes between
 * two gates, but not for an update that begins later.
 */
export interface StopRequests {
    /** The request that was on the Lease when this update first read it: an earlier run was asked. Undefined until then. */
    readonly earlier?: { readonly by: string | undefined };
    /** Who asked this update, after a gate has taken the request from the Lease with its lock. */
    readonly taken?: string;
}

/** @returns what is known after the Lease was read: its first request is not meant for this update. */
export function beginWith(known: StopRequests, request: string | undefined): StopRequests {
    return known.earlier ? known : { earlier: { by: request } };
}

/** @returns what is known after a gate has released the lock, which took this request from the Lease. */
export function takeRequest(known: StopRequests, request: string | undefined): StopRequests {
    const by = requestedBy(known, request);
    return by === undefined ? known : { ...known, taken: by };
}

/** @returns who asked this update to stop, while the Lease has this request. */
export function requestedBy({ earlier, taken }: StopRequests, request: string | undefined): string | undefined {
    return taken ?? (earlier && request !== earlier.by ? request : undefined);
}

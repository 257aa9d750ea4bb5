/** A request to stop at the next safe point (`pulumi-tidb stop`), as the Lease keeps it until the next one. */
export interface StopRequest {
    /** Who asks. No two requests have the same text. */
    readonly by: string;
    /** Who held the lock when it was given. Undefined if nobody did: it is meant for every run that is under way. */
    readonly of?: string;
}

/**
 * What one update knows of requests to stop. Every update is a process of its own, with one gate after the other. A request is
 * meant for everything of the update that was running when it was given, also if it comes between two gates, but not for an
 * update that begins later.
 */
export interface StopRequests {
    /** The request that was on the Lease when this update first read it: an earlier run was asked. Undefined until then. */
    readonly earlier?: { readonly by: string | undefined };
}

/** @returns what is known after the Lease was read: its first request is not meant for this update. */
export function beginWith(known: StopRequests, request: StopRequest | undefined): StopRequests {
    return known.earlier ? known : { earlier: { by: request?.by } };
}

/**
 * @param self the name under which this update holds the lock.
 * @returns who asked this update to stop, while the Lease has this request.
 */
export function requestedBy(
    { earlier }: StopRequests,
    request: StopRequest | undefined,
    self: string,
): string | undefined {
    const isMeant = earlier !== undefined && request !== undefined && request.by !== earlier.by;
    return isMeant && (request.of ?? self) === self ? request.by : undefined;
}

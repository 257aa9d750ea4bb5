/** A failed exchange, whose answer counts for nothing. */
export class HttpError extends Error {
    override readonly name = "HttpError";
    /** Whether the server may have received the request. */
    readonly sent: boolean;
    /** Whether the server had closed an idle connection: a new one is likely to work. */
    readonly isStale: boolean;
    /** Whether the time limit of the exchange has passed. */
    readonly isTimeout: boolean;

    constructor(
        message: string,
        {
            sent,
            isStale = false,
            isTimeout = false,
            cause,
        }: { sent: boolean; isStale?: boolean; isTimeout?: boolean; cause?: unknown },
    ) {
        super(message, { cause });
        [this.sent, this.isStale, this.isTimeout] = [sent, isStale, isTimeout];
    }
}

/** `beforeSend` threw, so nothing was sent. */
export class RefusedBeforeSend extends Error {
    override readonly name = "RefusedBeforeSend";

    /** @param reason the error of `beforeSend`. */
    constructor(readonly reason: unknown) {
        super("the request was refused before it was sent", { cause: reason });
    }
}

/** @throws RefusedBeforeSend with the error of `beforeSend`, which every transport passes on as it is. */
export function refuseIfAsked(beforeSend: (() => void) | undefined): void {
    try {
        beforeSend?.();
    } catch (error) {
        throw new RefusedBeforeSend(error);
    }
}

/** @returns the result. @throws the error of `beforeSend` itself if it refused the request. */
export async function unwrapRefusal<T>(result: Promise<T>): Promise<T> {
    try {
        return await result;
    } catch (error) {
        throw error instanceof RefusedBeforeSend ? error.reason : error;
    }
}

import type { ApiException, Middleware } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { setTimeout as sleep } from "node:timers/promises";

/** A call to the API server ends after this long, so that an unreachable one is an error within 10 seconds. */
const callTimeoutMilliseconds = 8_000;
/** Between the tries of a read. */
const readPausesMilliseconds = [200, 600];
/** A read that has taken longer is not repeated: the time limit holds for all tries together. */
const retryWithinMilliseconds = 1_000;
/** The generated client knows no time-outs of its own. */
export const timeLimit: Middleware = {
    pre: (context) => {
        context.setSignal(AbortSignal.timeout(callTimeoutMilliseconds));
        return Promise.resolve(context);
    },
    post: (context) => Promise.resolve(context),
};

/** A call to the API server that failed. The message names call and server. */
export class KubernetesApiError extends Error {
    override readonly name = "KubernetesApiError";
    constructor(
        message: string,
        /** HTTP status; `undefined` when there was no answer. */
        readonly status: number | undefined,
        options?: ErrorOptions,
    ) {
        super(message, options);
    }

    /** Whether the same call may succeed a moment later: there was no answer, or the server had too much to do. */
    get isTransient(): boolean {
        return this.status === undefined || this.status === 429 || this.status >= 500;
    }
}

/** Repeats what failed at once and may succeed a moment later: a connection that was cut, a server that restarts. */
export async function withRetries<T>(request: () => Promise<T>): Promise<T> {
    const began = Date.now();
    for (const pause of readPausesMilliseconds) {
        try {
            return await request();
        } catch (error) {
            const inTime = Date.now() - began < retryWithinMilliseconds;
            if (!(error instanceof KubernetesApiError && error.isTransient && inTime)) {
                throw error;
            }
            await sleep(pause);
        }
    }
    return request();
}

/** Names call and server in the error of a call that fails. */
export async function withErrorContext<T>(server: string, what: string, request: () => Promise<T>): Promise<T> {
    try {
        return await request();
    } catch (error) {
        const status = (error as ApiException<unknown>).code as unknown;
        // What ends a call that takes too long has a number too, which is no HTTP status.
        const known = typeof status === "number" && status >= 100;
        const why = known ? apiMessage(error as ApiException<unknown>) : networkMessage(error as Error);
        throw new KubernetesApiError(
            `the API server at ${server} did not ${what}: ${known ? `${status} ${why}` : why}`,
            known ? status : undefined,
            { cause: error },
        );
    }
}

function apiMessage(error: ApiException<unknown>): string {
    const { body } = error;
    if (typeof body === "string") {
        try {
            return (JSON.parse(body) as { message?: string }).message ?? body;
        } catch {
            return body;
        }
    }
    return (body as { message?: string } | undefined)?.message ?? error.message;
}

function networkMessage(error: Error): string {
    if (error.name === "AbortError" || error.name === "TimeoutError") {
        return `no answer within ${callTimeoutMilliseconds / 1000} s`;
    }
    const cause = (error as { cause?: Error }).cause;
    return cause?.message ?? error.message;
}

/** @returns `undefined` where the API server does not have what was asked for. */
export async function undefinedIfNotFound<T>(request: Promise<T>): Promise<T | undefined> {
    try {
        return await request;
    } catch (error) {
        if (error instanceof KubernetesApiError && error.status === 404) {
            return undefined;
        }
        throw error;
    }
}

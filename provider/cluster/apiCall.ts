import type { ApiException, Middleware } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { STATUS_CODES } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { HttpError, RefusedBeforeSend } from "../http/httpError";
import { CredentialError } from "./credentials";

/** Timeout of a call to the API server after the login, so an unreachable server is an error within 10 seconds. */
export const callTimeoutMilliseconds = 8_000;
/** Pauses between the attempts of a read. */
const readPausesMilliseconds = [200, 600];
/** A read that took longer than this is not retried: the timeout covers all attempts together. */
const retryWithinMilliseconds = 1_000;
/** The API server's clock, as its answers tell it: `Date` is on each of them. */
export class ServerClock {
    private ahead: number | undefined;
    /** Reads the clock from each answer. */
    readonly reader: Middleware = {
        pre: (context) => Promise.resolve(context),
        post: (answer) => {
            const date = Date.parse(answer.headers.date ?? "");
            this.ahead = Number.isNaN(date) ? this.ahead : this.own() - date;
            return Promise.resolve(answer);
        },
    };

    /** @param own this process's clock, in milliseconds since 1970. */
    constructor(private readonly own: () => number) {}

    /** @returns the time in milliseconds since 1970, to the second; `undefined` before the first answer with a date. */
    now(): number | undefined {
        return this.ahead === undefined ? undefined : this.own() - this.ahead;
    }
}

/** A call to the API server that failed. The message names the call and the server. */
export class KubernetesApiError extends Error {
    override readonly name = "KubernetesApiError";
    constructor(
        message: string,
        /** HTTP status; `undefined` if there was no answer. */
        readonly status: number | undefined,
        options?: ErrorOptions,
    ) {
        super(message, options);
    }

    /** Whether the user of the call lacks a permission, or is not known. */
    get isDenied(): boolean {
        return this.status === 401 || this.status === 403;
    }

    /** Whether every other call ends in the same: the server does not answer, or it does not know the user. */
    get isOfEveryCall(): boolean {
        return this.status === undefined || this.status === 401;
    }

    /** Whether a retry may succeed: there was no answer, or the server was overloaded or failed (429, 5xx). */
    get isTransient(): boolean {
        return this.status === undefined || this.status === 429 || this.status >= 500;
    }
}

/** What to do about a login that the API server does not accept. */
export const logInAgain = "log in again, or use another kubeconfig";

/** @param grant what to do if the user lacks a permission. @returns what to do first about the error. */
export function firstStep({ status, cause }: KubernetesApiError, grant: string): string {
    if (status === 401 || cause instanceof CredentialError) {
        return logInAgain;
    }
    return status === 403 ? grant : "check the API server and the network path to it";
}

/** Whether the API server answered that it will not do this. A conflict and an overload are no such answer. */
export function isRefusal(error: unknown): error is KubernetesApiError {
    const status = error instanceof KubernetesApiError ? error.status : undefined;
    return status !== undefined && status >= 400 && status < 500 && status !== 409 && status !== 429;
}

/** The time by which reads are retried. */
export interface RetryTime {
    readonly now: () => number;
    readonly sleep: (milliseconds: number) => Promise<unknown>;
}

const realTime: RetryTime = { now: Date.now, sleep };

/** Retries a read that failed quickly with a transient error: a broken connection, a restarting server. */
export async function withRetries<T>(request: () => Promise<T>, time: RetryTime = realTime): Promise<T> {
    const began = time.now();
    for (const pause of readPausesMilliseconds) {
        try {
            return await request();
        } catch (error) {
            const inTime = time.now() - began < retryWithinMilliseconds;
            if (!(error instanceof KubernetesApiError && error.isTransient && inTime)) {
                throw error;
            }
            await time.sleep(pause);
        }
    }
    return request();
}

/**
 * Adds the call and the server to the error of a call that fails.
 * @throws the error of `assertAllowed` itself if that kept the call from being sent
 */
export async function withErrorContext<T>(server: string, what: string, request: () => Promise<T>): Promise<T> {
    try {
        return await request();
    } catch (error) {
        if (error instanceof RefusedBeforeSend) {
            throw error.reason;
        }
        const status = (error as ApiException<unknown>).code as unknown;
        // The error of a connection has a `code` too, which is not an HTTP status.
        const known = typeof status === "number" && status >= 100;
        throw new KubernetesApiError(
            known
                ? `could not ${what}: the API server at ${server} answered ${status}: ${apiMessage(error as ApiException<unknown>)}`
                : `could not ${error instanceof CredentialError ? "log in to" : "reach"} the API server at ${server} to ${what}: ${networkMessage(error as Error)}`,
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
    return (body as { message?: string } | undefined)?.message ?? nameOf(error.code);
}

/** The client gives no body of some answers, and its own message then is a dump of the headers. */
function nameOf(status: number): string {
    const name = STATUS_CODES[status] ?? "without a message";
    return status === 401 ? `${name}: the login of the kubeconfig has expired, or is not valid there` : name;
}

function networkMessage(error: Error): string {
    const isTimeout = error instanceof HttpError && error.isTimeout;
    return isTimeout ? `no answer within ${callTimeoutMilliseconds / 1000} s` : error.message;
}

/** @returns the answer; `undefined` if the API server does not have the object (404). */
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

import { exchange } from "../http/exchange";
import { HttpError } from "../http/httpError";
import type { Connections } from "./connection";

/** One HTTP request to one endpoint. */
export interface PdRequest {
    readonly method: "GET" | "POST" | "PUT" | "DELETE";
    /** From the root: `/pd/api/v1/…`. */
    readonly path: string;
    /** Sent as JSON. */
    readonly body?: unknown;
    /** Sent as plain text, instead of `body`. */
    readonly text?: string;
}

/** The result of a request. */
export type PdExchange =
    | {
          readonly kind: "answer";
          readonly status: number;
          readonly contentType: string;
          /** The target of a redirect. */
          readonly location?: string;
          readonly body: string;
      }
    | {
          readonly kind: "failure";
          readonly problem: string;
          /** False if PD certainly did not receive the request: there was no usable connection. */
          readonly sent: boolean;
          /** Whether the other side had closed an idle connection: a new one is likely to work. */
          readonly stale: boolean;
      };

/**
 * Sends a request and returns the result. A failure is a result, too.
 * @param beforeSend see `HttpRequest`.
 * @throws RefusedBeforeSend if `beforeSend` throws
 */
export async function exchangeWithPd(
    url: string,
    connections: Connections,
    { method, path, body, text }: PdRequest,
    timeoutMilliseconds: number,
    beforeSend?: () => void,
): Promise<PdExchange> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const contentType = text === undefined ? json && "application/json" : "text/plain";
    try {
        const answer = await exchange({
            ...connections,
            method,
            url: url + path,
            body: text ?? json,
            headers: contentType === undefined ? {} : { "content-type": contentType },
            timeoutMilliseconds,
            // A member that does not lead names the leader in a redirect: `verdict.ts`.
            returnsRedirects: true,
            beforeSend,
        });
        return {
            kind: "answer",
            status: answer.status,
            contentType: answer.headers["content-type"] ?? "",
            location: answer.headers.location,
            body: answer.body.toString("utf8"),
        };
    } catch (error) {
        if (!(error instanceof HttpError)) {
            throw error;
        }
        return { kind: "failure", problem: error.message, sent: error.sent, stale: error.isStale };
    }
}

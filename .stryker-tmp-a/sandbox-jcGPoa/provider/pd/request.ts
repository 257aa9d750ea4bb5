import axios, { type AxiosInstance } from "axios";
import type { Connections } from "./connection";

/** One HTTP request to one endpoint. */
export interface PdRequest {
    readonly method: "GET" | "POST" | "PUT" | "DELETE";
    /** From the root: `/pd/api/v1/…`. */
    readonly path: string;
    /** Sent as JSON. */
    readonly body?: unknown;
    /** Sent as it is, instead of a body. */
    readonly text?: string;
}

/** What came of a request. */
export type PdExchange =
    | {
          readonly kind: "answer";
          readonly status: number;
          readonly contentType: string;
          /** Where a redirect points to. */
          readonly location?: string;
          readonly body: string;
      }
    | {
          readonly kind: "failure";
          readonly problem: string;
          /** False where PD certainly saw nothing of it: there was no connection to carry it. */
          readonly sent: boolean;
          /** The connection had been idle and was closed by the other side: a new one may well work. */
          readonly stale: boolean;
      };

/** A list of all regions is the longest answer; what is longer than this is no answer of PD's. */
const longestAnswerBytes = 256 * 1024 * 1024;

/** An HTTP client that never follows, judges or parses: it returns what was answered. */
export function createHttp(url: string, connections: Connections): AxiosInstance {
    return axios.create({
        baseURL: url,
        httpAgent: connections.agent,
        httpsAgent: connections.agent,
        maxContentLength: longestAnswerBytes,
        // A port-forward listens here, and a proxy set in the environment cannot reach it.
        proxy: false,
        maxRedirects: 0,
        validateStatus: () => true,
        responseType: "text",
        transformResponse: [(text: unknown) => text],
    });
}

/** Sends a request and reports what came of it. Never rejects. */
export async function exchange(
    http: AxiosInstance,
    connections: Connections,
    request: PdRequest,
    timeoutMilliseconds: number,
): Promise<PdExchange> {
    const abort = new AbortController();
    // Bounds the whole exchange; axios' own time-out starts over while an answer trickles in.
    const timer = setTimeout(() => abort.abort(), timeoutMilliseconds);
    try {
        const { status, headers, data } = await http.request<string>({
            method: request.method,
            url: request.path,
            data: request.text ?? request.body,
            headers: request.text === undefined ? {} : { "content-type": "text/plain" },
            signal: abort.signal,
        });
        return {
            kind: "answer",
            status,
            contentType: String(headers["content-type"] ?? ""),
            location: headers.location === undefined ? undefined : String(headers.location),
            body: data ?? "",
        };
    } catch (error) {
        return failure(error, connections, abort.signal.aborted ? timeoutMilliseconds : undefined);
    } finally {
        clearTimeout(timer);
    }
}

function failure(error: unknown, connections: Connections, expired: number | undefined): PdExchange {
    const { request, code, message } = (error ?? {}) as { request?: unknown; code?: string; message?: string };
    const reused = (request as { reusedSocket?: boolean } | undefined)?.reusedSocket === true;
    // Where two addresses of one name were tried, there is a code and no message.
    const text = message?.includes(code ?? "") ? message : [code, message].filter(Boolean).join(" ");
    return {
        kind: "failure",
        problem: expired === undefined ? text || String(error) : `no answer within ${expired} ms`,
        sent: reused || request === undefined || connections.carried(request),
        stale: reused && expired === undefined && (code === "ECONNRESET" || code === "EPIPE"),
    };
}

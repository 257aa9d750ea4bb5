import axios, { type AxiosInstance } from "axios";
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

/** More than PD's longest answer, a list of all regions. */
const maxAnswerBytes = 256 * 1024 * 1024;

/**
 * Creates an HTTP client that returns answers as they are: it follows no redirects, checks no status, and parses
 * nothing.
 */
export function createHttp(url: string, connections: Connections): AxiosInstance {
    return axios.create({
        baseURL: url,
        httpAgent: connections.agent,
        httpsAgent: connections.agent,
        maxContentLength: maxAnswerBytes,
        // A port-forward listens on this machine, where a proxy from the environment cannot reach it.
        proxy: false,
        maxRedirects: 0,
        validateStatus: () => true,
        responseType: "text",
        transformResponse: [(text: unknown) => text],
    });
}

/** Sends a request and returns the result. Never rejects. */
export async function exchange(
    http: AxiosInstance,
    connections: Connections,
    request: PdRequest,
    timeoutMilliseconds: number,
): Promise<PdExchange> {
    const abort = new AbortController();
    // Limits the whole exchange; axios' own timeout restarts whenever part of the answer arrives.
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
    // If two addresses of one name were tried, there is a code but no message.
    const text = message?.includes(code ?? "") ? message : [code, message].filter(Boolean).join(" ");
    return {
        kind: "failure",
        problem: expired === undefined ? text || String(error) : `no answer within ${expired} ms`,
        sent: reused || request === undefined || connections.carried(request),
        stale: reused && expired === undefined && (code === "ECONNRESET" || code === "EPIPE"),
    };
}

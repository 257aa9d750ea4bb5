import type { ClusterState } from "../model/cluster";

/** One HTTP call to a PD member, read. */
export interface PdRequest {
    /** The pod that is asked. */
    pod: string;
    method: string;
    /** Path without the query. */
    path: string;
    query: URLSearchParams;
    /** The body's JSON; undefined where it is empty or no JSON. */
    body: unknown;
}

/** What a PD member answers. */
export interface PdAnswer {
    status: number;
    /** Undefined for an answer without a content type, which has no body either. */
    contentType: string | undefined;
    body: string;
}

/** Answers one kind of call; `parameters` are what the path's pattern captured. */
export type PdHandler = (state: ClusterState, request: PdRequest, ...parameters: string[]) => PdAnswer;

/** A kind of call: method, the path's pattern, and what answers it. */
export interface PdRoute {
    method: "GET" | "POST" | "DELETE";
    pattern: RegExp;
    handle: PdHandler;
    /** Answered as "not bootstrapped" while no store has ever joined. */
    needsStores?: boolean;
    /** Answered by the member that is asked, whoever leads. */
    byMember?: boolean;
}

/** A JSON answer; big integers become plain numbers, as PD writes its 64-bit identifiers. */
export function json(value: unknown, status = 200, contentType = "application/json; charset=UTF-8"): PdAnswer {
    return { status, contentType, body: stringify(value) };
}

/** An answer in plain text. */
export function text(body: string, status: number, contentType = "text/plain; charset=utf-8"): PdAnswer {
    return { status, contentType, body };
}

/** PD's answer where nobody leads. */
export const redirectFailed = text("[PD:apiutil:ErrRedirect]redirect failed\n", 500);

/** PD's answer to what it has no route for. */
export const pageNotFound = text("404 page not found", 404, "text/plain");

/** PD's answer of stores and schedulers before the first store. */
export const notBootstrapped = json(
    "[PD:cluster:ErrNotBootstrapped]TiKV cluster not bootstrapped, please start TiKV first",
    500,
);

function stringify(value: unknown): string {
    const marked = JSON.stringify(value, (_key, field: unknown) =>
        typeof field === "bigint" ? `\u0001${field}\u0001` : field,
    );
    return marked.replace(/"\\u0001(\d+)\\u0001"/g, "$1");
}

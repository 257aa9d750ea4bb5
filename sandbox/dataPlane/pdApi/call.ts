import type { ClusterState } from "../model/cluster";

/** A parsed HTTP call to a PD member. */
export interface PdRequest {
    /** The pod that receives the call. */
    pod: string;
    method: string;
    /** The path without the query. */
    path: string;
    query: URLSearchParams;
    /** The JSON of the body. Undefined if it is empty or not JSON. */
    body: unknown;
    /** Whether the member is asked itself: otherwise a follower asks the leader. Default: false. */
    isForMember?: boolean;
}

/** The answer of a PD member. */
export interface PdAnswer {
    status: number;
    /** Undefined for an answer without a content type, which has no body either. */
    contentType: string | undefined;
    body: string;
}

/** Handles one kind of call. `parameters` are the captures of the path's pattern. */
export type PdHandler = (state: ClusterState, request: PdRequest, ...parameters: string[]) => PdAnswer;

/** A kind of call: the method, the pattern of the path, and the handler. */
export interface PdRoute {
    method: "GET" | "POST" | "DELETE";
    pattern: RegExp;
    handle: PdHandler;
    /** Whether the answer is "not bootstrapped" until the first store has joined. */
    needsStores?: boolean;
    /** Whether the called member answers itself instead of the leader. */
    byMember?: boolean;
}

/** A JSON answer. Big integers become plain numbers, as PD writes its 64-bit identifiers. */
export function json(value: unknown, status = 200, contentType = "application/json; charset=UTF-8"): PdAnswer {
    return { status, contentType, body: stringify(value) };
}

/** A plain-text answer. */
export function text(body: string, status: number, contentType = "text/plain; charset=utf-8"): PdAnswer {
    return { status, contentType, body };
}

/** PD's answer when it has no leader. */
export const redirectFailed = text("[PD:apiutil:ErrRedirect]redirect failed\n", 500);

/** PD's answer for a path without a route. */
export const pageNotFound = text("404 page not found", 404, "text/plain");

/** PD's answer about stores and schedulers before the first store has joined. */
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

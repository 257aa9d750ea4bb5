import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { gunzip, type ZlibOptions } from "node:zlib";
import { HttpError, refuseIfAsked, RefusedBeforeSend } from "./httpError";

/** One request, and the limits of its exchange. */
export interface HttpRequest {
    /** Default: GET. */
    readonly method?: string;
    /** `http://…` or `https://…`. */
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly agent?: http.Agent;
    /** Time limit of the whole exchange in milliseconds: connecting, sending, and all of the answer. */
    readonly timeoutMilliseconds: number;
    /** How long the connection may take, with TLS, in milliseconds. Default: the time limit. */
    readonly connectTimeoutMilliseconds?: number;
    /** The longest answer, unpacked, in bytes. Default: 256 MiB, more than PD's list of all regions. */
    readonly maxAnswerBytes?: number;
    /** Returns a redirect as an answer. Default: it is an error. A redirect is never followed. */
    readonly returnsRedirects?: boolean;
    /** Resolves once bytes on the new connection reach the server. Default: as soon as it is connected. */
    readonly opened?: (socket: Socket) => Promise<void>;
    /**
     * Called once the connection is open, in the same turn of the event loop in which the request is sent. If it throws, nothing is sent.
     */
    readonly beforeSend?: () => void;
}

/** An answer, unpacked, whatever its status is. */
export interface HttpAnswer {
    readonly status: number;
    readonly headers: http.IncomingHttpHeaders;
    readonly body: Buffer;
}

const defaultMaxAnswerBytes = 256 * 1024 * 1024;
/** How much of a redirect's target an error shows, in characters. */
const longestTarget = 80;
/** zlib passes each piece through another thread: with its default of 16 KiB that takes longer than the rest of a long answer. */
const longestPiece = 1024 * 1024;
const shortestPiece = 16 * 1024;

const unpack = promisify<Buffer, ZlibOptions, Buffer>(gunzip);

/**
 * Sends a request and reads its answer. The only HTTP client of this package: it follows no redirects, uses no proxy of the environment,
 * and bounds the time and the length of the answer.
 * @throws HttpError if there is no answer, or none that may count; RefusedBeforeSend if `beforeSend` throws
 */
export async function exchange(asked: HttpRequest): Promise<HttpAnswer> {
    const limit = new AbortController();
    const expiry = setTimeout(() => limit.abort(), asked.timeoutMilliseconds);
    const progress: Progress = { sent: false };
    try {
        const response = await answerTo(asked, limit.signal, progress);
        const { statusCode: status = 0, headers } = response;
        const redirect = redirectIn({ status, headers });
        if (redirect !== undefined && asked.returnsRedirects !== true) {
            response.destroy();
            throw new Error(redirect);
        }
        const body = await wholeBody(response, asked.maxAnswerBytes ?? defaultMaxAnswerBytes);
        limit.signal.throwIfAborted();
        return { status, headers, body };
    } catch (error) {
        throw error instanceof RefusedBeforeSend ? error : failure(error, asked, limit.signal.aborted, progress);
    } finally {
        clearTimeout(expiry);
    }
}

/** How far a request has come. */
interface Progress {
    request?: http.ClientRequest;
    sent: boolean;
}

async function answerTo(asked: HttpRequest, signal: AbortSignal, progress: Progress): Promise<http.IncomingMessage> {
    const { method = "GET", url, agent, body } = asked;
    const headers = {
        accept: "*/*",
        "user-agent": "pulumi-tidb",
        ...asked.headers,
        "accept-encoding": "gzip",
        // Node sends none of its own with a DELETE, and the body would then be the next request.
        ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
    };
    const request = (url.startsWith("https:") ? https : http).request(url, { method, headers, agent, signal });
    progress.request = request;
    request.once("socket", (socket: Socket) => {
        connected(request, socket, asked)
            .then(() => {
                if (signal.aborted) {
                    return;
                }
                refuseIfAsked(asked.beforeSend);
                progress.sent = true;
                request.end(body);
            })
            .catch((error: Error) => request.destroy(error));
    });
    // The error of an answer that breaks off is thrown where it is read.
    request.on("error", () => undefined);
    const [response] = (await once(request, "response", { signal })) as [http.IncomingMessage];
    return response;
}

/** Waits until a new connection can carry bytes. One that is reused has carried some. */
async function connected(request: http.ClientRequest, socket: Socket, asked: HttpRequest): Promise<void> {
    if (request.reusedSocket) {
        return;
    }
    const isTls = "encrypted" in socket;
    // The agent of a proxy hands over a connection that is open already, for TLS before the handshake.
    if (socket.connecting || (isTls && !isHandshakeOver(socket))) {
        const { connectTimeoutMilliseconds: milliseconds = asked.timeoutMilliseconds } = asked;
        const expiry = setTimeout(
            () => socket.destroy(new Error(`no ${isTls ? "TLS " : ""}connection within ${milliseconds} ms`)),
            milliseconds,
        );
        try {
            await once(socket, isTls ? "secureConnect" : "connect");
        } finally {
            clearTimeout(expiry);
        }
    }
    await asked.opened?.(socket);
}

/** Node has no public sign of it. Without this one, the handshake is waited for. */
function isHandshakeOver(socket: Socket): boolean {
    return (socket as { secureConnecting?: boolean }).secureConnecting === false;
}

/** @returns that an answer is a redirect, and where it leads, in words; undefined if it is none. */
export function redirectIn({ status, headers }: Pick<HttpAnswer, "status" | "headers">): string | undefined {
    const target = headers.location?.slice(0, longestTarget) ?? "nowhere";
    return status >= 300 && status < 400 ? `a redirect (${status}) to ${target} is not followed` : undefined;
}

async function wholeBody(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of response as AsyncIterable<Buffer>) {
        length += part.length;
        if (length > maxBytes) {
            throw tooLong(maxBytes);
        }
        parts.push(part);
    }
    const packed = Buffer.concat(parts);
    switch (response.headers["content-encoding"] ?? "identity") {
        case "identity":
            return packed;
        case "gzip":
            return packed.length === 0 ? packed : unpackedWithin(packed, maxBytes);
        default:
            throw new Error(`the answer is packed as ${response.headers["content-encoding"]}, which was not asked for`);
    }
}

async function unpackedWithin(packed: Buffer, maxBytes: number): Promise<Buffer> {
    const chunkSize = Math.min(longestPiece, Math.max(shortestPiece, packed.length * 4));
    try {
        return await unpack(packed, { chunkSize, maxOutputLength: maxBytes });
    } catch (error) {
        throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? tooLong(maxBytes) : error;
    }
}

function tooLong(maxBytes: number): Error {
    return new Error(`the answer is longer than ${maxBytes / 1024 / 1024} MiB, unpacked`);
}

function failure(error: unknown, asked: HttpRequest, isTimeout: boolean, { request, sent }: Progress): HttpError {
    const { code, message } = error as NodeJS.ErrnoException;
    // With several addresses of one name there is a code and no message.
    const text = message.includes(code ?? "") ? message : [code, message].filter(Boolean).join(" ");
    return new HttpError(isTimeout ? `no answer within ${asked.timeoutMilliseconds} ms` : text, {
        sent,
        isTimeout,
        isStale: request?.reusedSocket === true && !isTimeout && (code === "ECONNRESET" || code === "EPIPE"),
        cause: error,
    });
}

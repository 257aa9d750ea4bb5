import * as http from "node:http";
import * as https from "node:https";

/** Options of a GET request. */
export interface GetOptions {
    /** Timeout of the whole call, in milliseconds. */
    readonly timeoutMilliseconds: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** PEM texts, for https. */
    readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
}

/** The response. */
export interface GetResult {
    readonly status: number;
    readonly body: string;
}

const largestBody = 8 * 1024 * 1024;

/** Sends a GET request. Rejects with an error that names the address if the call fails or times out. */
export function httpGet(url: string, options: GetOptions): Promise<GetResult> {
    return new Promise((resolve, reject) => {
        const client = url.startsWith("https:") ? https : http;
        const request = client.get(url, { headers: options.headers, agent: false, ...options.tls }, (response) => {
            const chunks: Buffer[] = [];
            let size = 0;
            response.on("data", (chunk: Buffer) => {
                size += chunk.length;
                if (size > largestBody) {
                    request.destroy(new Error(`the answer is larger than ${largestBody} bytes`));
                }
                chunks.push(chunk);
            });
            response.on("error", fail);
            response.on("end", () => {
                clearTimeout(timer);
                resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
            });
        });
        const timer = setTimeout(
            () => request.destroy(new Error(`no answer within ${options.timeoutMilliseconds} ms`)),
            options.timeoutMilliseconds,
        );
        function fail(cause: Error) {
            clearTimeout(timer);
            reject(new Error(`${new URL(url).host}: ${cause.message}`, { cause }));
        }
        request.on("error", fail);
    });
}

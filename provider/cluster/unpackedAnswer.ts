import type { RequestContext } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

/** An answer of the API server, unpacked. */
export interface UnpackedAnswer {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: Buffer;
}

/** The client's own library unpacks 16 KiB at a time, and each piece goes to another thread and back: that takes longer than to read it. */
const pieceBytes = 1_048_576;

const unpack = promisify<Buffer, { chunkSize: number }, Buffer>(gunzip);

/**
 * Sends a request of the client, with its credentials, its connection and its time limit.
 * @throws Error if there is no answer
 */
export async function unpackedAnswer(request: RequestContext): Promise<UnpackedAnswer> {
    const { default: axios } = await import("axios");
    const [signal, agent] = [request.getSignal(), request.getAgent()];
    try {
        const { status, headers, data } = await axios.get<Buffer>(request.getUrl(), {
            headers: { ...request.getHeaders(), "Accept-Encoding": "gzip" },
            httpAgent: agent,
            httpsAgent: agent,
            signal,
            proxy: false,
            decompress: false,
            responseType: "arraybuffer",
            validateStatus: () => true,
        });
        const isPacked = headers["content-encoding"] === "gzip";
        const body = isPacked ? await unpack(data, { chunkSize: pieceBytes }) : data;
        return { status, headers: headers as Record<string, string>, body };
    } catch (error) {
        throw signal?.aborted ? signal.reason : error;
    }
}

import { BrError } from "../errors";

/** One call to a bucket: the answer, whatever its status. Throws if there is none. */
export type S3Call = (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>) => Promise<Response>;

const statusWords: Readonly<Record<number, string>> = {
    400: "BadRequest: Bad Request",
    403: "Forbidden: Forbidden",
    404: "NotFound: Not Found",
};

/** What a storage says when it refuses a call, in the words of Amazon's client: its code, its message, and the status. */
export async function s3Failure(answer: Response): Promise<BrError> {
    const text = await answer.text();
    const part = (name: string): string => plain(new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? "");
    const code = part("Code");
    // An answer to HEAD has no body.
    const said =
        code === "" ? (statusWords[answer.status] ?? `status ${answer.status}`) : `${code}: ${part("Message")}`;
    const id = answer.headers.get("x-amz-request-id")?.split(",")[0] ?? "";
    const host = answer.headers.get("x-amz-id-2")?.split(",")[0] ?? part("HostId");
    return new BrError(`${said}\n\tstatus code: ${answer.status}, request id: ${id}, host id: ${host}`);
}

/** What Amazon's client says when a storage does not answer. */
export function unreachable(url: string, error: Error): BrError {
    const cause = (error.cause ?? error) as Error & { code?: string };
    const { host, hostname } = new URL(url);
    const how =
        cause.code === "ECONNREFUSED"
            ? `dial tcp ${host}: connect: connection refused`
            : cause.code === "ENOTFOUND" || cause.code === "EAI_AGAIN"
              ? `dial tcp: lookup ${hostname}: no such host`
              : cause.message;
    return new BrError(`RequestError: send request failed\ncaused by: ${how}`);
}

function plain(text: string): string {
    return text.replaceAll("&#34;", '"').replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

import { AwsClient } from "aws4fetch";
import { BrError } from "../errors";
import type { Storage, StoredFile } from "./storage";
import type { S3Place } from "./storageUrl";
import { checkRegion } from "./bucketRegion";
import { type S3Call, s3Failure, unreachable } from "./s3Failure";

/** The variables from which Amazon's clients take a key. */
export type Environment = Readonly<Record<string, string | undefined>>;

const defaultRegion = "us-east-1";
const callMilliseconds = 10_000;

/**
 * Opens the folder in a bucket. Throws as BR does if there is no key, no bucket or no answer, if the key is refused, or if the
 * bucket is in another region than the one that is asked for.
 */
export async function openS3(place: S3Place, environment: Environment): Promise<Storage> {
    const call = callsOf(place, environment);
    await checkRegion(place, call);
    const root = place.prefix === "" ? "" : `${place.prefix}/`;
    const pathOf = (name: string): string => `/${encodePath(root + name)}`;
    const ok = async (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>): Promise<Response> => {
        const answer = await call(method, path, body);
        if (!answer.ok) {
            throw await s3Failure(answer);
        }
        return answer;
    };
    return {
        uri: `s3://${place.bucket}/${place.prefix}`,
        exists: async (name) => {
            const answer = await call("HEAD", pathOf(name));
            if (!answer.ok && answer.status !== 404) {
                throw await s3Failure(answer);
            }
            return answer.ok;
        },
        read: async (name) => {
            const answer = await call("GET", pathOf(name));
            if (!answer.ok) {
                const { message } = await s3Failure(answer);
                throw new BrError(
                    `failed to read s3 file, file info: input.bucket='${place.bucket}', input.key='${root}${name}': ${message}`,
                );
            }
            return Buffer.from(await answer.arrayBuffer());
        },
        write: async (name, content) => {
            await ok("PUT", pathOf(name), content);
        },
        delete: async (name) => {
            await ok("DELETE", pathOf(name));
        },
        list: async () => (await listAll(ok, root)).map(({ name }) => name),
        files: () => listAll(ok, root),
    };
}

function callsOf(place: S3Place, environment: Environment): S3Call {
    const accessKeyId = place.accessKey ?? environment.AWS_ACCESS_KEY_ID ?? environment.AWS_ACCESS_KEY ?? "";
    const secretAccessKey =
        place.secretAccessKey ?? environment.AWS_SECRET_ACCESS_KEY ?? environment.AWS_SECRET_KEY ?? "";
    if (accessKeyId === "" || secretAccessKey === "") {
        throw new BrError(
            "NoCredentialProviders: no valid providers in chain\ncaused by: EnvAccessKeyNotFound: failed to find credentials in the environment.",
        );
    }
    const region = place.region ?? defaultRegion;
    const client = new AwsClient({
        accessKeyId,
        secretAccessKey,
        sessionToken: place.accessKey === undefined ? environment.AWS_SESSION_TOKEN : place.sessionToken,
        service: "s3",
        region,
        retries: 2,
    });
    const base = `${place.endpoint ?? `https://s3.${region}.amazonaws.com`}/${place.bucket}`;
    return async (method, path, body) => {
        try {
            return await client.fetch(base + path, { method, body, signal: AbortSignal.timeout(callMilliseconds) });
        } catch (error) {
            throw unreachable(base, error as Error);
        }
    };
}

async function listAll(call: S3Call, root: string): Promise<StoredFile[]> {
    const files: StoredFile[] = [];
    let token: string | undefined;
    do {
        const query = new URLSearchParams({ "list-type": "2", "encoding-type": "url", prefix: root });
        if (token !== undefined) {
            query.set("continuation-token", token);
        }
        const text = await (await call("GET", `?${query.toString()}`)).text();
        for (const [content] of text.matchAll(/<Contents>.*?<\/Contents>/gs)) {
            const part = (name: string): string => new RegExp(`<${name}>([^<]*)<`).exec(content)?.[1] ?? "";
            const name = decodeURIComponent(part("Key").replaceAll("+", " ")).slice(root.length);
            files.push({ name, writtenAt: Math.floor(Date.parse(part("LastModified")) / 1000) });
        }
        token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1];
    } while (token !== undefined);
    return files;
}

function encodePath(text: string): string {
    return text.split("/").map(encodeURIComponent).join("/");
}

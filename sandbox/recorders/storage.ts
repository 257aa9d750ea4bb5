import { AwsClient } from "aws4fetch";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { ParsedCall } from "./parseArguments";
import { notRecordedCode, Refusal } from "./runRecorder";

/** A folder in a bucket of S3. */
interface S3Place {
    readonly kind: "s3";
    readonly bucket: string;
    /** Without a slash at either end. */
    readonly prefix: string;
    readonly endpoint?: string;
    readonly region?: string;
    /** The key that TiKV gets. A recorder takes its own from the environment. */
    readonly accessKey?: string;
    readonly secretAccessKey?: string;
}

/** A folder of this machine, or in a bucket. */
export type Place = { readonly kind: "local"; readonly folder: string } | S3Place;

/** A file, and when it was written, in seconds since 1970 by the clock of the storage. */
export interface StoredFile {
    readonly name: string;
    readonly writtenAt: number;
}

/** The files in a place. */
export interface Storage {
    /** Undefined if there is no such file. */
    read(name: string): Promise<Buffer | undefined>;
    write(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<void>;
    delete(name: string): Promise<void>;
    files(): Promise<StoredFile[]>;
}

const callMilliseconds = 10_000;

/** The place that a flag of BR names by its URL. @throws Refusal for storages that a recorder does not have */
export function placeOf({ value }: ParsedCall, flag = "storage"): Place {
    const text = value(flag);
    if (text === undefined) {
        throw new Error(
            "empty store is not allowed: [BR:ExternalStorage:ErrStorageInvalidConfig]invalid external storage config",
        );
    }
    const { protocol, host, pathname } = new URL(text);
    const folder = decodeURIComponent(pathname);
    if (protocol === "local:") {
        return { kind: "local", folder };
    }
    if (protocol !== "s3:") {
        throw new Refusal(`the recorder has no storage ${protocol}//, only local:// and s3://`, notRecordedCode);
    }
    const prefix = folder.replace(/^\/+|\/+$/g, "");
    return { kind: "s3", bucket: host, prefix, endpoint: value("s3.endpoint"), region: value("s3.region") };
}

/** Opens a place, a bucket with the key in the environment. */
export function openStorage(place: Place): Storage {
    return place.kind === "local" ? openLocal(place.folder) : openS3(place);
}

function openLocal(folder: string): Storage {
    const fileOf = (name: string): string => path.join(folder, name);
    return {
        read: (name) => unlessAbsent(fs.readFile(fileOf(name))),
        write: async (name, content) => {
            await fs.mkdir(path.dirname(fileOf(name)), { recursive: true });
            await fs.writeFile(fileOf(name), content);
        },
        delete: (name) => fs.rm(fileOf(name)),
        files: async () => {
            const entries = (await unlessAbsent(fs.readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
            const files = entries
                .filter((entry) => entry.isFile())
                .map((entry) => path.join(entry.parentPath, entry.name));
            return Promise.all(
                files.map(async (file) => {
                    const { mtimeMs } = await fs.stat(file);
                    return { name: path.relative(folder, file), writtenAt: Math.floor(mtimeMs / 1000) };
                }),
            );
        },
    };
}

/** The result, or undefined if there is no such file. */
export async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
    try {
        return await work;
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
            throw error;
        }
        return undefined;
    }
}

function openS3(place: S3Place): Storage {
    const call = callsOf(place);
    const root = place.prefix === "" ? "" : `${place.prefix}/`;
    const pathOf = (name: string): string => `/${`${root}${name}`.split("/").map(encodeURIComponent).join("/")}`;
    return {
        read: async (name) => {
            try {
                return Buffer.from(await (await call("GET", pathOf(name))).arrayBuffer());
            } catch (error) {
                if (error instanceof S3Error && error.code === "NoSuchKey") {
                    return undefined;
                }
                throw error;
            }
        },
        write: async (name, content) => void (await call("PUT", pathOf(name), content)),
        delete: async (name) => void (await call("DELETE", pathOf(name))),
        files: async () => {
            const query = new URLSearchParams({ "list-type": "2", prefix: root });
            const text = await (await call("GET", `?${query.toString()}`)).text();
            if (text.includes("<IsTruncated>true<")) {
                throw new Error(`${place.bucket}/${root} has more files than the recorder lists`);
            }
            return [...text.matchAll(/<Contents>.*?<\/Contents>/gs)].map(([content]) => ({
                name: elementOf(content, "Key").slice(root.length),
                writtenAt: Math.floor(Date.parse(elementOf(content, "LastModified")) / 1000),
            }));
        },
    };
}

/** An answer of S3 that is an error. */
class S3Error extends Error {
    constructor(
        readonly code: string,
        message: string,
    ) {
        super(message);
    }
}

type S3Call = (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>) => Promise<Response>;

function callsOf({ bucket, endpoint, region = "us-east-1" }: S3Place): S3Call {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN: sessionToken } = process.env;
    if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
        throw new Error("NoCredentialProviders: no valid providers in chain");
    }
    const key = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY, sessionToken };
    const client = new AwsClient({ ...key, service: "s3", region, retries: 2 });
    const base = `${endpoint ?? `https://s3.${region}.amazonaws.com`}/${bucket}`;
    return async (method, path, body) => {
        const answer = await client
            .fetch(base + path, { method, body, signal: AbortSignal.timeout(callMilliseconds) })
            .catch((error: Error) => {
                const cause = (error.cause ?? error) as Error;
                throw new Error(`RequestError: send request failed: ${cause.message}`);
            });
        if (!answer.ok) {
            const text = await answer.text();
            const code = elementOf(text, "Code");
            throw new S3Error(code, `${code}: ${elementOf(text, "Message")} status code: ${answer.status}`);
        }
        return answer;
    };
}

function elementOf(text: string, name: string): string {
    return new RegExp(`<${name}>([^<]*)<`).exec(text)?.[1] ?? "";
}

import * as path from "node:path";
import { NotRecorded } from "../arguments/findCommand";
import { brError, BrError } from "../errors";
import type { Values } from "../arguments/values";
import { type AzureAccess, azureAccess, type GcsAccess, gcsAccess } from "./cloudAccess";

/** A folder. */
export interface LocalPlace {
    readonly kind: "local";
    readonly folder: string;
}

/** A bucket of S3, or of what speaks its protocol, with the folder in it. */
export interface S3Place {
    readonly kind: "s3";
    readonly bucket: string;
    /** Without a slash at either end. */
    readonly prefix: string;
    /** Undefined: Amazon's own for the region. */
    readonly endpoint?: string;
    /** Undefined: that of the bucket. */
    readonly region?: string;
    readonly provider?: string;
    /** The key in the URL. Default: the environment's. */
    readonly accessKey?: string;
    readonly secretAccessKey?: string;
    readonly sessionToken?: string;
}

/** Where BR writes and reads a backup. */
export type Place = LocalPlace | S3Place;

/** The options of S3 that the URL and flags have in common. The URL wins. */
const s3Options = ["endpoint", "region", "provider", "access-key", "secret-access-key", "session-token"] as const;
const flagged: readonly string[] = ["endpoint", "region", "provider"];
const buckets: Readonly<Record<string, string>> = {
    s3: "s3",
    ks3: "s3",
    gs: "gcs",
    gcs: "gcs",
    azure: "azblob",
    azblob: "azblob",
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds where BR writes and reads a backup. Says so if it is a storage that the recorder has not: GCS, Azure, HDFS and KS3. */
export function parseStorageUrl(text: string, values: Values, environment: Environment): Place {
    const place = readStorageUrl(text, values, environment);
    if (place.kind === "gcs" || place.kind === "azblob") {
        throw notRecorded(place.kind);
    }
    return place;
}

/**
 * Reads the URL of a storage, by BR's rules (`ParseBackend` in br/pkg/storage/parse.go, v8.5). Throws BR's error for a URL that BR refuses, and for one of
 * Google or Azure with which it finds no credentials.
 */
export function readStorageUrl(
    text: string,
    values: Values,
    environment: Environment,
): Place | GcsAccess | AzureAccess {
    if (text === "") {
        throw brError("storageConfig", "empty store is not allowed");
    }
    const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1].toLowerCase();
    if (scheme === undefined) {
        return { kind: "local", folder: path.resolve(text) };
    }
    // A plus sign in a secret key means itself there.
    const url = new URL(text.replaceAll("+", "%2B"));
    if (scheme === "local" || scheme === "file") {
        return { kind: "local", folder: decodeURIComponent(url.pathname) };
    }
    const service = buckets[scheme];
    if (service !== undefined && url.host === "") {
        throw brError("storageConfig", `please specify the bucket for ${service} in ${text}`);
    }
    if (scheme === "s3") {
        return s3Place(url, values);
    }
    if (service === "gcs") {
        return gcsAccess(url, values, environment);
    }
    if (service === "azblob") {
        return azureAccess(url, values, environment);
    }
    if (service !== undefined || scheme === "hdfs" || scheme === "noop") {
        throw notRecorded(scheme);
    }
    throw brError("storageConfig", `storage ${scheme} not support yet`);
}

function notRecorded(storage: string): NotRecorded {
    return new NotRecorded(`the recorder has no storage ${storage}, only local:// and s3://`);
}

function s3Place(url: URL, values: Values): S3Place {
    const inUrl = new Map(
        [...url.searchParams].map(([key, value]) => [key.toLowerCase().replaceAll("_", "-"), value] as const),
    );
    const [endpoint, region, provider, accessKey, secretAccessKey, sessionToken] = s3Options.map((option) => {
        const value = inUrl.get(option) ?? (flagged.includes(option) ? values.text(`s3.${option}`) : "");
        return value === "" ? undefined : value;
    });
    checkEndpoint(endpoint);
    if (accessKey === undefined && secretAccessKey !== undefined) {
        throw brError("storageConfig", "access_key not found");
    }
    if (accessKey !== undefined && secretAccessKey === undefined) {
        throw brError("storageConfig", "secret_access_key not found");
    }
    const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
    const trimmed = endpoint?.replace(/\/$/, "");
    return {
        kind: "s3",
        bucket: url.host,
        prefix,
        endpoint: trimmed,
        region,
        provider,
        accessKey,
        secretAccessKey,
        sessionToken,
    };
}

function checkEndpoint(endpoint: string | undefined): void {
    if (endpoint === undefined || /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(endpoint)) {
        return;
    }
    if (/^[^a-z/][^/]*:/i.test(endpoint)) {
        throw new BrError(`parse "${endpoint}": first path segment in URL cannot contain colon`);
    }
    throw new BrError(`${/^[a-z][a-z0-9+.-]*:/i.test(endpoint) ? "host" : "scheme"} not found in endpoint`);
}

import * as fs from "node:fs";
import { brError, BrError } from "../errors";
import type { Values } from "../arguments/values";

type Environment = Readonly<Record<string, string | undefined>>;

/** A bucket of Google, and with what BR would reach it. */
export interface GcsAccess {
    readonly kind: "gcs";
    readonly bucket: string;
    /** Without a slash at either end. */
    readonly prefix: string;
    readonly storageClass?: string;
    readonly predefinedAcl?: string;
    /** The JSON key. Undefined: what the machine itself is allowed. */
    readonly key?: string;
}

/** A container of Azure, and with what BR would reach it. */
export interface AzureAccess {
    readonly kind: "azblob";
    readonly container: string;
    /** Without a slash at either end. */
    readonly prefix: string;
    readonly account: string;
    readonly accessTier?: string;
    readonly by: "token" | "key" | "application";
}

/**
 * Finds with what BR reaches a bucket of Google (`NewGCSStorage` in br/pkg/storage/gcs.go, v8.5). Throws BR's error where it has nothing to send to TiKV.
 */
export function gcsAccess(url: URL, values: Values, environment: Environment): GcsAccess {
    const option = optionsOf("gcs", url, values);
    const named = option("credentials-file");
    const file = named ?? (environment.GOOGLE_APPLICATION_CREDENTIALS || undefined);
    const key = file === undefined ? undefined : readKey(file, named === undefined);
    if (key === undefined && values.isOn("send-credentials-to-tikv")) {
        throw brError(
            "storageConfig",
            "You should provide '--gcs.credentials_file' when '--send-credentials-to-tikv' is true",
        );
    }
    return {
        kind: "gcs",
        bucket: url.host,
        prefix: prefixOf(url),
        storageClass: option("storage-class"),
        predefinedAcl: option("predefined-acl"),
        key,
    };
}

/** Finds with what BR reaches a container of Azure (`getAzureServiceClientBuilder` in br/pkg/storage/azblob.go, v8.5). Throws BR's error where it finds nothing. */
export function azureAccess(url: URL, values: Values, environment: Environment): AzureAccess {
    const option = optionsOf("azblob", url, values);
    const named = option("account-name");
    const account = named ?? (environment.AZURE_STORAGE_ACCOUNT || undefined);
    if (account === undefined) {
        throw new BrError("account name cannot be empty to access azure blob storage");
    }
    const found = { kind: "azblob", container: url.host, prefix: prefixOf(url), account } as const;
    const accessTier = option("access-tier");
    const isSet = (...names: string[]): boolean => names.every((name) => Boolean(environment[name]));
    if (named !== undefined && option("sas-token") !== undefined) {
        return { ...found, accessTier, by: "token" };
    }
    if (named !== undefined && option("account-key") !== undefined) {
        return { ...found, accessTier, by: "key" };
    }
    if (isSet("AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET")) {
        return { ...found, accessTier, by: "application" };
    }
    if (isSet("AZURE_STORAGE_KEY")) {
        return { ...found, accessTier, by: "key" };
    }
    throw new BrError("cannot find any credential info to access azure blob storage");
}

/** The options of a storage: those in the URL count more than flags (`ExtractQueryParameters` in br/pkg/storage/parse.go, v8.5). */
function optionsOf(storage: string, url: URL, values: Values): (name: string) => string | undefined {
    const inUrl = new Map(
        [...url.searchParams].map(([key, value]) => [key.toLowerCase().replaceAll("_", "-"), value] as const),
    );
    return (name) => (inUrl.get(name) ?? values.text(`${storage}.${name}`)) || undefined;
}

function prefixOf(url: URL): string {
    return decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
}

function readKey(file: string, isFromEnvironment: boolean): string {
    try {
        return fs.readFileSync(file, "utf8");
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
            throw error;
        }
        const missing = `open ${file}: no such file or directory`;
        throw isFromEnvironment
            ? brError(
                  "storageConfig",
                  `google: error getting credentials using GOOGLE_APPLICATION_CREDENTIALS environment variable: ${missing} Or you should provide '--gcs.credentials_file'`,
              )
            : new BrError(missing);
    }
}

import { posix } from "node:path";
import type { EnvironmentVariable } from "../kubernetes/pod";
import type { MountedVolume } from "../kubernetes/volumes";
import type { AzblobStorageProvider, GcsStorageProvider, S3StorageProvider, StorageProvider } from "./jobSpec";

/** What BR gets for a storage. */
export interface BrStorage {
    /** Where the data are, without secrets: `s3://backups/full`. */
    readonly url: string;
    /** BR's arguments (tidb-operator pkg/backup/util/remote.go). */
    readonly args: readonly string[];
    readonly env: readonly EnvironmentVariable[];
    readonly volumes: readonly MountedVolume[];
}

/** Where Google's JSON key is in BR's container. */
const googleKeyFolder = "/var/lib/gcs-credentials";

/** @returns what BR gets for the storage. @param storage one that was checked: exactly one provider is set. */
export function storageOf({ s3, gcs, azblob, local }: StorageProvider): BrStorage {
    if (s3) {
        return s3Storage(s3);
    }
    if (gcs) {
        return gcsStorage(gcs);
    }
    if (azblob) {
        return azureStorage(azblob);
    }
    if (!local) {
        throw new Error("a storage without a provider was not refused");
    }
    const url = `local://${posix.join(local.volumeMount.mountPath, local.prefix ?? "")}`;
    return {
        url,
        args: [`--storage=${url}`],
        env: [],
        volumes: [{ volume: local.volume, mount: local.volumeMount }],
    };
}

function s3Storage(s3: S3StorageProvider): BrStorage {
    const { region, provider, endpoint, sse, acl, storageClass, secretName, forcePathStyle } = s3;
    const url = `s3://${pathOf(s3.bucket, s3.prefix)}`;
    const style = forcePathStyle === undefined ? "" : `?force-path-style=${forcePathStyle}`;
    const options = { region, provider, endpoint, sse, acl, "storage-class": storageClass };
    return {
        url,
        args: [`--storage=${url}${style}`, ...flags("s3", options)],
        env: [
            // The SDK of AWS also reads it, for the token of a role.
            ...(region ? [{ name: "AWS_REGION", value: region }] : []),
            ...(secretName
                ? [
                      secretVariable("AWS_ACCESS_KEY_ID", secretName, "access_key"),
                      secretVariable("AWS_SECRET_ACCESS_KEY", secretName, "secret_key"),
                  ]
                : []),
        ],
        volumes: [],
    };
}

function gcsStorage(gcs: GcsStorageProvider): BrStorage {
    const { storageClass, objectAcl, secretName } = gcs;
    const url = `gcs://${pathOf(gcs.bucket, gcs.prefix)}/`;
    const file = "credentials.json";
    return {
        url,
        args: [`--storage=${url}`, ...flags("gcs", { "storage-class": storageClass, "predefined-acl": objectAcl })],
        env: secretName ? [{ name: "GOOGLE_APPLICATION_CREDENTIALS", value: `${googleKeyFolder}/${file}` }] : [],
        volumes: secretName
            ? [
                  {
                      volume: {
                          name: "gcs-credentials",
                          secret: { secretName, items: [{ key: "credentials", path: file }] },
                      },
                      mount: { name: "gcs-credentials", mountPath: googleKeyFolder, readOnly: true },
                  },
              ]
            : [],
    };
}

/** Which of its two kinds of keys a Secret has is only known in the container: those that it lacks are not set there. */
const azureKeys = ["AZURE_STORAGE_KEY", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID"];

function azureStorage(azblob: AzblobStorageProvider): BrStorage {
    const { accessTier, storageAccount, sasToken, secretName } = azblob;
    const url = `azure://${pathOf(azblob.container, azblob.prefix)}/`;
    const query = new URLSearchParams({
        ...(storageAccount ? { "account-name": storageAccount } : {}),
        ...(sasToken ? { "sas-token": sasToken } : {}),
    }).toString();
    const account = "AZURE_STORAGE_ACCOUNT";
    return {
        url,
        args: [`--storage=${url}${query === "" ? "" : `?${query}`}`, ...flags("azblob", { "access-tier": accessTier })],
        env: [
            ...(storageAccount
                ? [{ name: account, value: storageAccount }]
                : secretName
                  ? [secretVariable(account, secretName, account)]
                  : []),
            ...(secretName && !sasToken ? azureKeys.map((key) => secretVariable(key, secretName, key, true)) : []),
        ],
        volumes: [],
    };
}

/** @returns the path in a storage. Slashes at both ends are left out, and the bucket may have a path too. */
function pathOf(bucket: string, prefix = ""): string {
    const trimmed = [bucket, prefix].map((part) => part.replace(/^\/+|\/+$/g, ""));
    return posix.join(...trimmed).replace(/\/+$/, "");
}

function flags(storage: string, options: Readonly<Record<string, string | undefined>>): string[] {
    return Object.entries(options).flatMap(([name, value]) => (value ? [`--${storage}.${name}=${value}`] : []));
}

function secretVariable(name: string, secret: string, key: string, optional = false): EnvironmentVariable {
    return { name, valueFrom: { secretKeyRef: { name: secret, key, ...(optional ? { optional } : {}) } } };
}

import type { Container, EnvironmentVariable } from "../../kubernetes/pod";
import { inKubernetes } from "../../kubernetes/shellQuote";
import type { StorageProvider } from "../jobSpec";
import { storageOf } from "../storages";

/** The image that deletes old backups, unless the program names another one. tidb-operator's image has rclone, too. */
const retentionImage = "rclone/rclone:1.75.1";

/** Storages with the API of S3 whose peculiarities rclone knows, by BR's name (rclone backend/s3/provider). */
const providers: Readonly<Record<string, string>> = {
    aws: "AWS",
    alibaba: "Alibaba",
    ceph: "Ceph",
    gcs: "GCS",
    minio: "Minio",
};

/** What rclone gets for a storage: the remote `store`, and a path in it. */
export interface RcloneStorage {
    /** `store:backups/nightly` */
    readonly path: string;
    readonly env: readonly EnvironmentVariable[];
}

/** @returns what rclone gets for the storage, whose variables of BR it needs too. @param storage one that was checked. */
function rcloneOf(storage: StorageProvider): RcloneStorage {
    const { url } = storageOf(storage);
    const path = url.slice(url.indexOf("://") + "://".length);
    return {
        path: `store:${path.replace(/\/+$/, "")}`,
        env: [
            // There is no file of rclone.
            { name: "RCLONE_CONFIG", value: "/notfound" },
            ...Object.entries(settingsOf(storage))
                .filter(([, value]) => value !== undefined && value !== "")
                .map(([key, value]) => ({ name: `RCLONE_CONFIG_STORE_${key}`, value: String(value) })),
            ...keyOfAzure(storage),
        ],
    };
}

/**
 * @returns a container that runs a script with rclone in the place of BR. The script's first argument is the storage.
 * @param br the container of BR, with its environment.
 */
export function rcloneContainer<Br extends Container>(
    br: Br,
    storage: StorageProvider,
    name: string,
    script: string,
    image = retentionImage,
): Br & { args: string[] } {
    const { path, env } = rcloneOf(storage);
    return {
        ...br,
        name,
        image,
        command: ["/bin/sh", "-c"],
        args: [inKubernetes(script), name, inKubernetes(path)],
        env: [...(br.env as object[]), ...env],
    };
}

function settingsOf({ s3, gcs, azblob }: StorageProvider): Record<string, string | boolean | undefined> {
    if (s3) {
        return {
            TYPE: "s3",
            PROVIDER: providers[s3.provider] ?? "Other",
            REGION: s3.region,
            ENDPOINT: s3.endpoint,
            FORCE_PATH_STYLE: s3.forcePathStyle,
            ACL: s3.acl,
            SERVER_SIDE_ENCRYPTION: s3.sse,
            NO_CHECK_BUCKET: true,
        };
    }
    if (gcs) {
        const file = storageOf({ gcs }).env.find(({ name }) => name === "GOOGLE_APPLICATION_CREDENTIALS")?.value;
        return {
            TYPE: "google cloud storage",
            ...(file ? { SERVICE_ACCOUNT_FILE: file, ENV_AUTH: false } : {}),
            // Otherwise rclone sets an ACL of each object, which most buckets refuse.
            ...(gcs.objectAcl ? { OBJECT_ACL: gcs.objectAcl } : { BUCKET_POLICY_ONLY: true }),
            NO_CHECK_BUCKET: true,
        };
    }
    if (azblob) {
        const account = azblob.storageAccount ?? "$(AZURE_STORAGE_ACCOUNT)";
        const token = azblob.sasToken?.replaceAll("$", "$$$$");
        return {
            TYPE: "azureblob",
            ...(token
                ? { SAS_URL: `https://${account}.blob.core.windows.net/?${token}`, ENV_AUTH: false }
                : { ACCOUNT: account }),
            NO_CHECK_CONTAINER: true,
        };
    }
    return { TYPE: "local", ENV_AUTH: false };
}

/** rclone does not read BR's variable. */
function keyOfAzure({ azblob }: StorageProvider): EnvironmentVariable[] {
    const { secretName, sasToken } = azblob ?? {};
    const key = "AZURE_STORAGE_KEY";
    return secretName && !sasToken
        ? [
              {
                  name: "RCLONE_CONFIG_STORE_KEY",
                  valueFrom: { secretKeyRef: { name: secretName, key, optional: true } },
              },
          ]
        : [];
}

import { type Flags, flagsOf } from "./flags";

/** The flags of every command (br/cmd/br/cmd.go and br/pkg/task/common.go, v8.5). */
const ofTasks: Flags = {
    ...flagsOf("string", [
        "log-level L=info",
        "log-file",
        "log-format=text",
        "status-addr",
        "slow-log-file",
        "storage s",
        "ca",
        "cert",
        "key",
        "crypter.method=plaintext",
        "crypter.key",
        "crypter.key-file",
        "log.crypter.method=plaintext",
        "log.crypter.key",
        "log.crypter.key-file",
        "master-key-crypter-method=plaintext",
        "master-key",
    ]),
    ...flagsOf("stringSlice", ["pd u=127.0.0.1:2379"]),
    ...flagsOf("bool", [
        "redact-log",
        "redact-info-log",
        "send-credentials-to-tikv c=true",
        "checksum=true",
        "remove-tiflash=true",
        "check-requirements=true",
        "enable-opentracing",
        "no-credentials",
        "skip-check-path",
    ]),
    ...flagsOf("uint", ["checksum-concurrency=4", "metadata-download-batch-size=128"]),
    ...flagsOf("uint64", ["ratelimit", "ratelimit-unit=1048576"]),
    ...flagsOf("duration", ["switch-mode-interval=5m0s", "grpc-keepalive-time=10s", "grpc-keepalive-timeout=3s"]),
};

/** The flags of storages (br/pkg/storage/s3.go, gcs.go and azblob.go, v8.5). */
const ofStorages: Flags = flagsOf("string", [
    "s3.endpoint",
    "s3.region",
    "s3.storage-class",
    "s3.sse",
    "s3.sse-kms-key-id",
    "s3.acl",
    "s3.provider",
    "s3.role-arn",
    "s3.external-id",
    "gcs.endpoint",
    "gcs.storage-class",
    "gcs.predefined-acl",
    "gcs.credentials-file",
    "azblob.endpoint",
    "azblob.access-tier",
    "azblob.account-name",
    "azblob.account-key",
    "azblob.sas-token",
    "azblob.encryption-scope",
    "azblob.encryption-key",
]);

/** The flags that every command takes. */
export const commonFlags: Flags = { ...ofTasks, ...ofStorages };

/** The flags with which tables are chosen (br/pkg/task/common.go, v8.5). The tables that a restore leaves out by default are BR's own. */
export function filterFlags(initial: string): Flags {
    return { ...flagsOf("stringArray", [`filter f=${initial}`]), ...flagsOf("bool", ["case-sensitive"]) };
}

/** The flag of the commands for one database, and of those for one table. */
export const databaseFlags: Flags = flagsOf("string", ["db"]);
export const tableFlags: Flags = { ...databaseFlags, ...flagsOf("string", ["table t"]) };

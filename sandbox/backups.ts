import * as path from "node:path";
import type { Programs } from "./dataPlane";
import { writeBrRecorder, writeRcloneRecorder } from "./recorders/recorders";
import type { BackupBucket } from "./s3/backupBucket";
import type { S3Server } from "./s3/s3Server";

const bucket = "backups";

/** Writes a recorder for each program that the Jobs of backups run. */
export function backupPrograms(folder: string): Programs {
    const br = writeBrRecorder(path.join(folder, "br"));
    const rclone = writeRcloneRecorder(path.join(folder, "rclone"));
    return { br: br.file, "tikv-ctl": br.tikvCtl, rclone: rclone.file, sh: "/bin/sh" };
}

/** Creates the bucket. @throws if the server refuses */
export async function createBackupBucket({ endpoint, region, key, createBucket }: S3Server): Promise<BackupBucket> {
    await createBucket(bucket);
    return { endpoint, region, bucket, ...key };
}

/** What a user needs for a Backup to this bucket: a Secret, and the storage in its spec. */
export function describeBackups({ endpoint, region, bucket, accessKey, secretKey }: BackupBucket): string[] {
    const secret = "s3-keys";
    const storage = { provider: "aws", endpoint, region, bucket, prefix: "monday", secretName: secret };
    const fields = Object.entries(storage).map(([name, value]) => `${name}: "${value}"`);
    return [
        "",
        "    A Backup to the bucket of this sandbox, with a Secret in its namespace:",
        `    kubectl create secret generic ${secret} --namespace NAMESPACE --from-literal=access_key=${accessKey} --from-literal=secret_key=${secretKey}`,
        `    spec: { s3: { ${fields.join(", ")} } }`,
    ];
}

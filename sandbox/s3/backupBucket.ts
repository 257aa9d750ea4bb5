/** A bucket for backups, and the key of its owner. */
export interface BackupBucket {
    readonly endpoint: string;
    readonly region: string;
    readonly bucket: string;
    readonly accessKey: string;
    readonly secretKey: string;
}

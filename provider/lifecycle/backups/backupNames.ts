const longestJobName = 63;

/** @returns the name of the Job of a backup that a gate takes. @param folder where the backup is within its storage. */
export function backupJobName(cluster: string, folder: string): string {
    const end = `-${folder}`;
    return `${`backup-${cluster}`.slice(0, longestJobName - end.length)}${end}`;
}

/** @returns whether a tag of TiKV's image is a version: BR's images have the same ones. */
export function isVersion(tag: string): boolean {
    return tag !== "latest" && /^[\w.-]+$/.test(tag) && !/^[0-9a-f]{64}$/.test(tag);
}

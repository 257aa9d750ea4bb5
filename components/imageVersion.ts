/** A version as major, minor and patch. */
export type Version = readonly [major: number, minor: number, patch: number];

/** @returns the tag of an image; `latest` if it has none. */
export function imageTag(image: string): string {
    return /:([^:/]+)$/.exec(image)?.[1] ?? "latest";
}

/**
 * Whether an image has this version or a later one; `undefined` if its tag is not a version. An image without a tag counts
 * as newer than any version, and so do `latest`, `nightly` and `master`. The part after a dash (`v8.5.3-hotfix`) is ignored
 * (tidb-operator pkg/util/cmpver).
 */
export function isAtLeast(image: string, version: Version): boolean | undefined {
    const colon = image.lastIndexOf(":");
    const tag = colon < 0 ? "latest" : image.slice(colon + 1);
    if (/^(latest|nightly|master)(-|$)/.test(tag)) {
        return true;
    }
    const parts = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.exec(tag);
    if (parts === null) {
        return undefined;
    }
    const found = parts.slice(1, 4).map((part) => Number(part ?? 0));
    const other = version.findIndex((number, index) => number !== found[index]);
    return other < 0 || found[other] > version[other];
}

/** A version as major, minor and patch. */
export type Version = readonly [major: number, minor: number, patch: number];

/** The tag of an image; one without is the newest. */
export function imageTag(image: string): string {
    return /:([^:/]+)$/.exec(image)?.[1] ?? "latest";
}

/**
 * Whether an image's version is one or a later one; `undefined` where its tag is no version. An image without tag, and
 * `latest`, `nightly` and `master`, are newer than any version; what follows a dash (`v8.5.3-hotfix`) does not count
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

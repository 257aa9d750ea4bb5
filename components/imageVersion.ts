import { compareVersions, imageTag, type Version, versionOfTag } from "../topology/imageVersion";

/**
 * Whether an image has this version or a later one; `undefined` if its tag is not a version. An image without a tag counts
 * as newer than any version, and so do `latest`, `nightly` and `master`. The part after a dash (`v8.5.3-hotfix`) is ignored
 * (tidb-operator pkg/util/cmpver).
 */
export function isAtLeast(image: string, version: Version): boolean | undefined {
    const tag = imageTag(image);
    if (/^(latest|nightly|master)(-|$)/.test(tag)) {
        return true;
    }
    const found = versionOfTag(tag);
    return found && compareVersions(found, version) >= 0;
}

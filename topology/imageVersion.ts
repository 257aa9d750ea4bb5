/** A version as major, minor and patch. */
export type Version = readonly [major: number, minor: number, patch: number];

/** @returns the tag of an image, also if a digest follows it; the digest if it has only that; `latest` if it has neither. */
export function imageTag(image: string): string {
    return /:([^:/@]+)(?:@.*)?$/.exec(image)?.[1] ?? "latest";
}

/**
 * @returns the version in an image's tag; `undefined` if the tag is not a version, such as `nightly` or a digest. The part
 * after a dash (`v8.5.3-hotfix`) is ignored (tidb-operator pkg/util/cmpver).
 */
export function versionOfTag(tag: string): Version | undefined {
    const parts = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.exec(tag);
    return parts === null ? undefined : [Number(parts[1]), Number(parts[2] ?? 0), Number(parts[3] ?? 0)];
}

/** @returns a version in the form of TiDB's tags, with `v` and three numbers: `v8.5.0` for `8.5`. */
export function publishedTag(version: string): string {
    const [, numbers, rest] = /^([\d.]*)(.*)$/.exec(version) ?? ["", "", version];
    return `v${[...numbers.split("."), "0", "0"].slice(0, 3).join(".")}${rest}`;
}

/**
 * @returns the version that a server with this image runs: the image's tag, or what the server says of itself (`8.5.4`) where the tag is
 * another version or none. The part after a dash is not compared.
 */
export function runningVersion(tag: string, says: string | undefined): string {
    const [own, wanted] = [says === undefined ? undefined : versionOfTag(says), versionOfTag(tag)];
    return own === undefined || (wanted !== undefined && compareVersions(own, wanted) === 0)
        ? tag
        : publishedTag((says as string).replace(/^v/, ""));
}

/** @returns a negative number if the first version is earlier, a positive one if it is later, 0 if they are equal. */
export function compareVersions(one: Version, other: Version): number {
    return one.map((number, index) => number - other[index]).find((difference) => difference !== 0) ?? 0;
}

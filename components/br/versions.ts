import { compareVersions, imageTag, type Version, versionOfTag } from "../../topology/imageVersion";
import { specError, type SpecProblem } from "../problem";
import type { BrCluster } from "./brCluster";
import type { BrKind } from "./spec";

/**
 * The first version whose BR itself keeps TiDB's GC from deleting what it reads (tidb-operator pkg/backup/util/util.go), and whose Dumpling writes
 * to S3 (docs.pingcap.com, "Dumpling Overview").
 */
const firstVersion: Version = [4, 0, 8];

/** From this version on, BR does not work with earlier versions of TiKV (pingcap/tidb br/pkg/version/version.go). */
const storeBased: Version = [8, 2, 0];

/** The image of BR, without its tag. */
export const defaultBrImage = "pingcap/br";

/** @returns the image of BR: `toolImage`, with the version of TiKV as its tag unless it has one. */
export function brImage(toolImage: string | undefined, version: string | undefined): string {
    return imageWithTag(toolImage || defaultBrImage, version);
}

/** @returns an image, with a version as its tag unless it has one. */
export function imageWithTag(image: string, version: string | undefined): string {
    return hasTag(image) || version === undefined ? image : `${image}:${version}`;
}

/** Checks the version of BR against that of the cluster, and both against the version that the backup comes from. */
export function versionProblems(
    kind: BrKind,
    toolImage: string | undefined,
    { version, name }: BrCluster,
    backupVersion?: string,
): SpecProblem[] {
    const image = brImage(toolImage, version);
    if (!hasTag(image)) {
        return [untagged(defaultBrImage)];
    }
    const cluster = version === undefined ? undefined : versionOfTag(version);
    const br = versionOfTag(imageTag(image));
    return [
        ...(cluster && br ? toolProblems(image, br, cluster, `TiKV of ${name} has ${version}`) : []),
        ...(kind === "Restore" ? backupProblems(backupVersion, cluster, `TiKV of ${name} has ${version}`) : []),
    ];
}

/** @returns the error of an image without a version. */
export function untagged(image: string): SpecProblem {
    return specError(
        "spec.toolImage",
        "no version: TiKV's image has no version in its tag",
        `an image with its tag, such as ${image}:v8.5.3`,
    );
}

/** @returns an error for a tool that is too early, whatever it works on. */
export function tooEarly(image: string, tool: Version, why: string): SpecProblem[] {
    return compareVersions(tool, firstVersion) < 0 ? [specError("spec.toolImage", image, "v4.0.8 or later", why)] : [];
}

function toolProblems(image: string, br: Version, tikv: Version, has: string): SpecProblem[] {
    const field = "spec.toolImage";
    const expected = `BR of TiKV's own version; ${has}`;
    const early = tooEarly(image, br, "earlier versions do not keep TiDB's GC from deleting what they read");
    if (early.length > 0) {
        return early;
    }
    const isFar = br[0] < tikv[0] || br[0] - tikv[0] > 1;
    const isSplit = compareVersions(br, storeBased) >= 0 && compareVersions(tikv, storeBased) < 0;
    return isFar || isSplit ? [specError(field, image, expected, "BR refuses this pair of versions")] : [];
}

/** @returns the errors in the version that a backup comes from, if it is known. */
export function backupProblems(
    backupVersion: string | undefined,
    cluster: Version | undefined,
    has: string,
): SpecProblem[] {
    if (backupVersion === undefined) {
        return [];
    }
    const found = versionOfTag(backupVersion);
    if (found === undefined) {
        return [specError("backupVersion", JSON.stringify(backupVersion), "a version such as v8.5.3")];
    }
    return cluster && compareVersions(found, cluster) > 0
        ? [
              specError(
                  "backupVersion",
                  backupVersion,
                  `no later version than the cluster's: ${has}`,
                  "upgrade the cluster first",
              ),
          ]
        : [];
}

/** @returns whether an image has a tag. */
export function hasTag(image: string): boolean {
    return /:[^/]+$/.test(image);
}

import { memberImage } from "../cluster";
import { compareVersions, imageTag, publishedTag, type Version, versionOfTag } from "../../topology/imageVersion";
import type { Member } from "../members";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterManifest } from "../spec";
import { shown } from "./path";

/** A tag that is meant as a version: `8.5.3`, `v8.5`, `v8.5.4x`. A date or the hash of a commit is none. */
const meantAsVersion = /^([vV]\d|\d+\.\d|\d\d?$)/;

/** PingCAP's versions: three numbers, and what follows a dash, such as `-alpha`, `-rc.1` or `-arm64`. */
const published = /^v\d+\.\d+\.\d+(-.+)?$/;

/** An image that is pulled by its tag. With a digest it is pulled by that, whatever its tag says. */
const byTag = /^[^@]*:[\w.-]+$/;

/** PingCAP's images on Docker Hub. What tags another registry has is not known. */
const ofPingcap = /^((index\.)?docker\.io\/)?pingcap\//;

/**
 * Checks that the tags of PingCAP's images can exist: `v8.5.3` does, `8.5.3`, `v8.5` and `v8.5.4x` do not, and their pods would never start.
 * For other images this is a warning, and so is a tag that is no version. Each field is reported once, even if several members use it.
 */
export function versionTagProblems(manifest: TidbClusterManifest, members: readonly Member[]): SpecProblem[] {
    const byField = new Map<string, { tag: string; images: string[] }>();
    for (const member of members) {
        const own = member.specOf(manifest.spec) ?? {};
        const image = memberImage(manifest, own);
        if (byTag.test(image)) {
            const field = versionFieldOf(own, member.pathIn(manifest.spec));
            byField.set(field, { tag: imageTag(image), images: [...(byField.get(field)?.images ?? []), image] });
        }
    }
    return [...byField].flatMap(([field, { tag, images }]) => tagProblems(field, tag, images));
}

function tagProblems(field: string, tag: string, images: readonly string[]): SpecProblem[] {
    const found = shown(tag);
    const notChecked =
        versionOfTag(tag) === undefined
            ? "what depends on the version, such as the refusal of a downgrade, is not checked"
            : "";
    if (published.test(tag) || !meantAsVersion.test(tag)) {
        const moves = /^(latest|nightly|master)$/.test(tag)
            ? "the tag gets other images over time, so no update sees a new version, and a pod that restarts may get one; "
            : "";
        return notChecked === ""
            ? []
            : [specWarning(field, found, `a version such as ${example}`, `${moves}${notChecked}`)];
    }
    const [, version] = /^[vV]?(\d+(?:\.\d+){0,2}(?:-.+)?)$/.exec(tag) ?? [];
    const like = version === undefined ? example : publishedTag(version);
    const missing = images.find((image) => ofPingcap.test(image));
    const tags = "TiDB's tags begin with v and three numbers";
    if (missing !== undefined) {
        return [
            specError(
                field,
                found,
                version === undefined ? `a version such as ${like}` : like,
                `${tags}, so there is no image ${missing}`,
            ),
        ];
    }
    const starts = `pods start only if ${images[0]} exists`;
    const then = notChecked === "" ? starts : `${starts}, and ${notChecked}`;
    return [specWarning(field, found, `the tag of an image; ${tags}, such as ${like}`, then, starts)];
}

const example = "v8.5.3";

/** The versions that docs/supported-versions.md names: from the first one on, and before the second one. */
const tested: readonly [Version, Version] = [
    [6, 5, 0],
    [8, 6, 0],
];

/** Warns of a version that is probably a typing error, which is seen at the first pod otherwise: its image is not found. */
export function testedVersionProblems(version = ""): SpecProblem[] {
    const found = published.test(version) ? versionOfTag(version) : undefined;
    return !found || (compareVersions(found, tested[0]) >= 0 && compareVersions(found, tested[1]) < 0)
        ? []
        : [
              specWarning(
                  "spec.version",
                  shown(version),
                  "a version of v6.5 to v8.5, such as v8.5.3",
                  "this package is not tested with it",
              ),
          ];
}

/** @returns the field that determines the tag of a member's image. */
export function versionFieldOf({ baseImage, version }: { baseImage?: string; version?: string }, path: string): string {
    return !baseImage ? `${path}.image` : version === undefined ? "spec.version" : `${path}.version`;
}

import { memberImage } from "../cluster";
import { compareVersions, imageTag, publishedTag, type Version, versionOfTag } from "../../topology/imageVersion";
import type { Member } from "../members";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterManifest } from "../spec";
import { shown } from "./path";

/** A tag that lacks the `v` of TiDB's tags: `8.5.3`, `8.5.3-alpha`. */
const withoutLetter = /^\d+\.\d+(\.\d+)?([-+].*)?$/;

/** PingCAP's images on Docker Hub. What tags another registry has is not known. */
const ofPingcap = /^((index\.)?docker\.io\/)?pingcap\//;

/**
 * Checks that the tags of PingCAP's images begin with `v`: `v8.5.3` exists, `8.5.3` does not, and its pods would never start.
 * For other images this is a warning. Each field is reported once, even if several members use it.
 */
export function versionTagProblems(manifest: TidbClusterManifest, members: readonly Member[]): SpecProblem[] {
    const byField = new Map<string, { tag: string; images: string[] }>();
    for (const member of members) {
        const own = member.specOf(manifest.spec) ?? {};
        const image = memberImage(manifest, own);
        const field = versionFieldOf(own, member.pathIn(manifest.spec));
        const tag = imageTag(image);
        if (withoutLetter.test(tag)) {
            byField.set(field, { tag, images: [...(byField.get(field)?.images ?? []), image] });
        }
    }
    return [...byField].map(([field, { tag, images }]) => {
        const published = images.find((image) => ofPingcap.test(image));
        return published === undefined
            ? specWarning(
                  field,
                  shown(tag),
                  `the tag of an image; TiDB's tags begin with v, such as ${publishedTag(tag)}`,
                  `pods start only if ${images[0]} exists`,
                  `pods start only if ${images[0]} exists`,
              )
            : specError(
                  field,
                  shown(tag),
                  publishedTag(tag),
                  `TiDB's tags begin with v, so there is no image ${published}`,
              );
    });
}

/** The versions that docs/supported-versions.md names: from the first one on, and before the second one. */
const tested: readonly [Version, Version] = [
    [6, 5, 0],
    [8, 6, 0],
];

/** Warns of a version that is probably a typing error, which is seen at the first pod otherwise: its image is not found. */
export function testedVersionProblems(version: string | undefined): SpecProblem[] {
    const isShort = /^v\d+\.\d+$/.test(version ?? "");
    const found = /^v\d/.test(version ?? "") ? versionOfTag(version ?? "") : undefined;
    const isTested = !found || (compareVersions(found, tested[0]) >= 0 && compareVersions(found, tested[1]) < 0);
    const expected = "a version of v6.5 to v8.5, such as v8.5.3";
    const why = isShort ? "releases of TiDB have three numbers" : isTested ? "" : "this package is not tested with it";
    return why === "" ? [] : [specWarning("spec.version", shown(version), expected, why)];
}

/** @returns the field that determines the tag of a member's image. */
export function versionFieldOf({ baseImage, version }: { baseImage?: string; version?: string }, path: string): string {
    return !baseImage ? `${path}.image` : version === undefined ? "spec.version" : `${path}.version`;
}

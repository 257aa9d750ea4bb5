import { memberImage } from "../cluster";
import { compareVersions, imageTag, publishedTag, type Version, versionOfTag } from "../../topology/imageVersion";
import type { Member } from "../members";
import { specError, type SpecProblem, specWarning } from "../problem";
import type { TidbClusterManifest } from "../spec";
import { shown } from "./path";

/** A tag that is meant as a version: `8.5.3`, `v8.5`, `v8.5.4.1`. A date or the hash of a commit is none. */
const meantAsVersion = /^([vV]\d|\d+\.\d|\d\d?$)/;

/** PingCAP's versions: three numbers, and what follows a dash, such as `-alpha`, `-rc.1` or `-arm64`. */
const published = /^v\d+\.\d+\.\d+(-.+)?$/;

/** A tag of somebody's own, such as `v8.5.3_hotfix1`, which a mirror or the nodes may have: a typing error rarely looks like that. */
const longer = /^v\d+\.\d+\.\d+./;

/** An image that is pulled by its tag. With a digest it is pulled by that, whatever its tag says. */
const byTag = /^[^@]*:[\w.-]+$/;

/** PingCAP's images on Docker Hub. What tags another registry has is not known. */
const ofPingcap = /^((index\.)?docker\.io\/)?pingcap\//;

/**
 * Checks that the tags of PingCAP's images can exist: `v8.5.3` does, `8.5.3` and `v8.5` do not, and their pods would never start.
 * It is a warning for other images, for those that are never pulled, for a longer tag such as `v8.5.4.1`, and for one that is no version. Each field is reported once, even if several members use it.
 */
export function versionTagProblems(manifest: TidbClusterManifest, members: readonly Member[]): SpecProblem[] {
    const byField = new Map<string, { tag: string; images: Image[] }>();
    for (const member of members) {
        const own: Partial<ReturnType<Member["specOf"]>> = member.specOf(manifest.spec) ?? {};
        const image = memberImage(manifest, own);
        if (byTag.test(image)) {
            const field = versionFieldOf(own, member.pathIn(manifest.spec));
            const isPulled = (own.imagePullPolicy ?? manifest.spec.imagePullPolicy) !== "Never";
            const images = [...(byField.get(field)?.images ?? []), { image, isPulled }];
            byField.set(field, { tag: imageTag(image), images });
        }
    }
    return [...byField].flatMap(([field, { tag, images }]) => tagProblems(field, tag, images));
}

interface Image {
    image: string;
    /** Whether Kubernetes may pull it. */
    isPulled: boolean;
}

function tagProblems(field: string, tag: string, images: readonly Image[]): SpecProblem[] {
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
            : [specWarning(field, found, `a version such as ${example}`, `${moves}${notChecked}`, notChecked)];
    }
    const [, version] = /^[vV]?(\d+(?:\.\d+){0,2}(?:-.+)?)$/.exec(tag) ?? [];
    const like = version === undefined ? example : publishedTag(version);
    const ofHub = images.filter(({ image }) => ofPingcap.test(image));
    const isLonger = longer.test(tag);
    const missing = ofHub.find(({ isPulled }) => isPulled);
    const tags = `TiDB's tags begin with v and three numbers${isLonger ? ", and go on only after a dash" : ""}`;
    if (missing !== undefined && !isLonger) {
        return [
            specError(
                field,
                found,
                version === undefined ? `a version such as ${like}` : like,
                `${tags}, so there is no image ${missing.image}`,
            ),
        ];
    }
    const starts =
        ofHub.length === 0
            ? `pods start only if ${images[0].image} exists`
            : `PingCAP publishes no such tag, so pods start only if a mirror or their nodes have ${ofHub[0].image}`;
    const then = notChecked === "" ? starts : `${starts}, and ${notChecked}`;
    return [specWarning(field, found, `the tag of an image; ${tags}, such as ${like}`, then, then)];
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
                  `this package is not tested with ${version}`,
              ),
          ];
}

/** @returns the field that determines the tag of a member's image. */
export function versionFieldOf({ baseImage, version }: { baseImage?: string; version?: string }, path: string): string {
    return !baseImage ? `${path}.image` : version === undefined ? "spec.version" : `${path}.version`;
}

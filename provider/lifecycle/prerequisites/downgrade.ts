import { compareVersions, imageTag, versionOfTag } from "../../../topology/imageVersion";
import { type Component, components, topology } from "../../../topology/members";
import type { ObservedMember } from "../vocabulary/observation";
import type { Refusal } from "../vocabulary/ownership";

/** The version that the program asks of a member. */
export interface WantedVersion {
    /** Tag of its image. */
    version: string;
    /** The field of the manifest that determines the tag. */
    versionField: string;
}

/** What an update does with the versions of the members. */
export interface VersionChanges {
    refused: Refusal[];
    warnings: string[];
}

const noDowngrade = "TiDB does not support going back to an earlier version (https://docs.pingcap.com/tidb/stable/upgrade-tidb-using-tiup)";

/**
 * Compares the versions that the program asks for with those that run. An earlier major or minor version is refused: the
 * newer one has changed data, system tables and records in PD in ways that the earlier one does not know, and PD turns
 * away a store of an earlier minor version than the cluster's (tikv/pd pkg/versioninfo/versioninfo.go: IsCompatible).
 * An earlier patch version is a warning.
 *
 * @param live the members as they run.
 * @param before the tags that the last update asked for: the only evidence about a member that has no pods.
 * @param isAllowed `operations.allowDowngrade`: what is refused otherwise becomes a warning.
 */
export function versionChanges(
    wanted: Partial<Record<Component, WantedVersion>>,
    live: Partial<Record<Component, ObservedMember>>,
    before: Partial<Record<Component, { version: string }>>,
    isAllowed: boolean,
): VersionChanges {
    const found: VersionChanges = { refused: [], warnings: [] };
    for (const component of components) {
        const asked = wanted[component];
        const running = runningTags(live[component], before[component]?.version);
        if (asked === undefined || topology[component].ownReleases) {
            continue;
        }
        const others = running.filter(({ tag }) => tag !== asked.version);
        const to = versionOfTag(asked.version);
        const unknown = to === undefined ? others[0] : others.find(({ tag }) => versionOfTag(tag) === undefined);
        if (unknown) {
            found.warnings.push(
                `${asked.versionField}: found ${asked.version}, and ${unknown.where} ${unknown.tag}: could not tell whether this goes back to an earlier version, because ${to === undefined ? asked.version : unknown.tag} is not a version. ${noDowngrade}`,
            );
        }
        const [newest] = others
            .map((one) => ({ ...one, version: versionOfTag(one.tag) }))
            .filter((one) => one.version !== undefined)
            .sort((one, other) => compareVersions(other.version!, one.version!));
        if (to === undefined || newest?.version === undefined || compareVersions(to, newest.version) >= 0) {
            continue;
        }
        const [major, minor] = newest.version;
        const runs = `${newest.where} ${newest.tag}`;
        if (to[0] === major && to[1] === minor) {
            found.warnings.push(`${asked.versionField}: found ${asked.version}, but ${runs}. ${noDowngrade}`);
        } else if (isAllowed) {
            found.warnings.push(
                `${asked.versionField}: found ${asked.version}, but ${runs}. ${noDowngrade}; it is tried because operations.allowDowngrade is true`,
            );
        } else {
            found.refused.push({
                property: asked.versionField,
                reason: `found ${asked.version}, expected v${major}.${minor} or later for ${component}: ${runs}. ${noDowngrade}: the earlier version may not read the data, and PD turns such a store away. Keep the version; to go back, restore a backup that the earlier version made into a new cluster. If you know that it is safe here, set operations: { allowDowngrade: true }`,
            });
        }
    }
    return found;
}

/** The tags of the pods that run; without pods, that of the StatefulSet; without one, that of the last update. */
function runningTags(member: ObservedMember | undefined, before: string | undefined): { tag: string; where: string }[] {
    const pods = (member?.pods ?? []).flatMap(({ name, image }) =>
        image === undefined ? [] : [{ tag: imageTag(image), where: `${name} runs` }],
    );
    if (pods.length > 0) {
        return pods;
    }
    const image = member?.statefulSet?.image;
    if (image !== undefined) {
        return [{ tag: imageTag(image), where: `StatefulSet ${member?.statefulSet?.name} has` }];
    }
    return before === undefined ? [] : [{ tag: before, where: "the last update asked for" }];
}

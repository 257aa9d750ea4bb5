import { compareVersions, versionOfTag } from "../../../topology/imageVersion";
import { type Component, components, topology } from "../../../topology/members";
import type { Refusal } from "../vocabulary/ownership";
import { type DeployedMembers, type SeenVersion, type SeenMembers, versionsOf, wasThere } from "./seenVersions";

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

const noDowngrade =
    "TiDB does not support going back to an earlier version (https://docs.pingcap.com/tidb/stable/upgrade-tidb-using-tiup)";

/**
 * Compares the versions that the program asks for with those that run. An earlier major or minor version is refused: the
 * newer one has changed data, system tables and records in PD in ways that the earlier one does not know, and PD turns
 * away a store of an earlier minor version than the cluster's (tikv/pd pkg/versioninfo/versioninfo.go: IsCompatible).
 * An earlier patch version is a warning, and so is a member of which nothing shows the version that it had.
 *
 * @param live the members as they run.
 * @param before what the last update deployed: the only evidence about a member that has no pods.
 * @param isAllowed `operations.allowDowngrade`: what is refused otherwise becomes a warning.
 */
export function versionChanges(
    wanted: Partial<Record<Component, WantedVersion>>,
    live: SeenMembers,
    before: DeployedMembers,
    isAllowed: boolean,
): VersionChanges {
    const groups = new Map<string, Group>();
    const unseen = new Map<string, WantedVersion & { members: Component[] }>();
    for (const component of components) {
        const asked = wanted[component];
        if (asked === undefined || topology[component].ownReleases) {
            continue;
        }
        const member = live.members[component];
        const seen = versionsOf(member, live.pdClusterId !== undefined, before[component]);
        const field = `${asked.versionField} ${asked.version}`;
        if (seen.length === 0 && wasThere(member, before[component])) {
            unseen.set(field, { ...asked, members: [...(unseen.get(field)?.members ?? []), component] });
        }
        for (const [kind, running] of differences(asked.version, seen)) {
            const key = `${field} ${kind}`;
            groups.set(key, { ...asked, kind, running: [...(groups.get(key)?.running ?? []), running] });
        }
    }
    const all = [...groups.values()];
    const isRefused = ({ kind }: Group) => kind === "earlier minor" && !isAllowed;
    return {
        refused: all.filter(isRefused).map((group) => ({ property: group.versionField, reason: refusal(group) })),
        warnings: [
            ...all.filter((group) => !isRefused(group)).map(warning),
            ...[...unseen.values()].map(unseenWarning),
        ],
    };
}

type Difference = "unknown" | "earlier patch" | "earlier minor";

/** The members that get their version from one field, as far as it goes back for them in the same way. */
interface Group extends WantedVersion {
    kind: Difference;
    running: SeenVersion[];
}

/** How the wanted tag goes back from the newest tag that runs, and whether there is a tag that cannot be compared. */
function differences(wanted: string, running: readonly SeenVersion[]): [Difference, SeenVersion][] {
    const others = running.filter(({ tag }) => tag !== wanted);
    const to = versionOfTag(wanted);
    const incomparable = others.find(({ tag }) => to === undefined || versionOfTag(tag) === undefined);
    const newest = others
        .flatMap((one) => {
            const version = versionOfTag(one.tag);
            return version === undefined ? [] : [{ one, version }];
        })
        .sort((one, other) => compareVersions(other.version, one.version))[0];
    const unknown: [Difference, SeenVersion][] = incomparable === undefined ? [] : [["unknown", incomparable]];
    if (to === undefined || newest === undefined || compareVersions(to, newest.version) >= 0) {
        return unknown;
    }
    const isMinor = to[0] !== newest.version[0] || to[1] !== newest.version[1];
    return [...unknown, [isMinor ? "earlier minor" : "earlier patch", newest.one]];
}

function refusal({ version, running }: Group): string {
    return `found ${version}, but ${listed(running)}. ${noDowngrade}: the earlier version may not be able to read the data, and PD turns away a store of an earlier minor version. Keep the version. To go back, restore a backup that the earlier version made into a new cluster. If you know that it is safe here, set operations: { allowDowngrade: true }`;
}

function warning({ versionField, version, kind, running }: Group): string {
    const found = `${versionField}: found ${version}, and ${listed(running)}`;
    const odd = running.map(({ tag }) => tag).find((tag) => versionOfTag(tag) === undefined) ?? version;
    return {
        unknown: `${found}: could not tell whether this goes back to an earlier version, because ${odd} is not a version. ${noDowngrade}`,
        "earlier patch": `${found}. ${noDowngrade}, not even to an earlier patch version`,
        "earlier minor": `${found}. ${noDowngrade}; it is tried because operations.allowDowngrade is true`,
    }[kind];
}

function unseenWarning({ versionField, version, members }: WantedVersion & { members: Component[] }): string {
    return `${versionField}: found ${version}; could not compare it with an earlier version of ${members.join(", ")}: nothing shows which version ran. ${noDowngrade}`;
}

function listed(running: readonly SeenVersion[]): string {
    return running.map(({ tag, where }) => `${where} ${tag}`).join(", ");
}

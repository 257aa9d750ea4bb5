import { compareVersions, versionOfTag } from "../../../topology/imageVersion";
import { type Component, components, topology } from "../../../topology/members";
import type { Refusal } from "../vocabulary/ownership";
import {
    type DeployedMembers,
    hasNothing,
    isLeftOver,
    type SeenMembers,
    type SeenVersion,
    unknownClaims,
    versionsOf,
    wasThere,
} from "./seenVersions";
import type { MemberRisk } from "../walks/warnedRisks";
import { listed } from "../vocabulary/counted";
import { type Notice, noticesOf } from "../vocabulary/notices";

/** The version that the program asks of a member. */
export interface WantedVersion {
    /** Tag of its image. */
    version: string;
    /** The field of the manifest that determines the tag. */
    versionField: string;
    /** How many pods it is to have. Default: not known. */
    replicas?: number;
}

/** What an update does with the versions of the members. */
export interface VersionChanges {
    refused: Refusal[];
    warnings: Notice[];
    /** What the warnings put at risk, in short: for the summary of the plan. */
    risks: MemberRisk[];
}

const noDowngrade =
    "TiDB does not support going back to an earlier version (https://docs.pingcap.com/tidb/stable/upgrade-tidb-using-tiup)";

/**
 * Compares the versions that the program asks for with those that run. An earlier major or minor version is refused: the
 * newer one has changed data, system tables and records in PD in ways that the earlier one does not know, and PD turns
 * away a store of an earlier minor version than the cluster's (tikv/pd pkg/versioninfo/versioninfo.go: IsCompatible).
 * An earlier patch version is a warning, and so is a member or a claim of which nothing shows the version that it had, and
 * a version that was asked for although the records of the claims say that it never ran.
 *
 * @param live the members as they run, or the claims that an earlier cluster left.
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
    const unseen = new Map<string, Unseen>();
    const unseenOf = (asked: WantedVersion): Unseen => {
        const key = `${asked.versionField} ${asked.version}`;
        const found = unseen.get(key) ?? { ...asked, members: [], claims: [] };
        unseen.set(key, found);
        return found;
    };
    /** The fields and versions that something of a member can be compared with. */
    const compared = new Set<string>();
    /** Of these nothing is there, in a cluster that was never healthy: an interrupted first deployment did not come to them. */
    const absent = new Set<Component>();
    const wasHealthy = live.pdClusterId !== undefined;
    for (const component of components) {
        const asked = wanted[component];
        if (asked === undefined || topology[component].ownReleases) {
            continue;
        }
        const member = live.members[component];
        const seen = versionsOf(member, wasHealthy, before[component], asked.replicas);
        const field = `${asked.versionField} ${asked.version}`;
        if (seen.length > 0) {
            compared.add(field);
        }
        const claims = unknownClaims(member, wasHealthy, before[component], asked.replicas);
        if (!wasHealthy && hasNothing(member)) {
            absent.add(component);
        }
        if (claims.length > 0 && isLeftOver(member, before[component])) {
            unseenOf(asked).claims.push(...claims.map(({ name }) => name));
        } else if (claims.length > 0 || (seen.length === 0 && wasThere(member, before[component], asked.replicas))) {
            unseenOf(asked).members.push(component);
        }
        const found = allDifferences(asked.version, seen);
        for (const [kind, running] of found) {
            const key = `${field} ${kind}`;
            const before = groups.get(key)?.running ?? [];
            groups.set(key, { ...asked, kind, running: [...before, { ...running, member: component }] });
        }
    }
    const all = [...groups.values()];
    const isRefused = ({ kind }: Group) => kind === "earlier minor" && !isAllowed;
    const tried = all.filter((group) => !isRefused(group));
    // What is there of the others says enough.
    const unseenOnes = [...unseen].flatMap(([field, of]) => {
        const members = of.members.filter((member) => !absent.has(member) || !compared.has(field));
        return noticesOf("version-not-compared", ...unseenWarnings({ ...of, members }));
    });
    return {
        refused: all.filter(isRefused).map((group) => ({ property: group.versionField, reason: refusal(group) })),
        warnings: [...tried.map(warning), ...unseenOnes],
        risks: [
            ...tried.map((group) => ({ words: riskOf(group), members: group.running.map(({ member }) => member) })),
            ...(unseenOnes.length > 0 ? [{ words: mayGoBack, members: [...components] }] : []),
        ],
    };
}

/** The members and claims that get their version from one field, and of which nothing shows the version before. */
interface Unseen extends Omit<WantedVersion, "replicas"> {
    members: Component[];
    claims: string[];
}

type Difference = "unknown" | "earlier patch" | "earlier minor" | "unrecorded";

/** The members that get their version from one field, as far as it goes back for them in the same way. */
interface Group extends Omit<WantedVersion, "replicas"> {
    kind: Difference;
    running: VersionOfMember[];
}

interface VersionOfMember extends SeenVersion {
    member: Component;
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

/** The differences from what ran, and from what was only asked for, unless the former are worse. */
function allDifferences(wanted: string, seen: readonly SeenVersion[]): [Difference, SeenVersion][] {
    const sure = differences(
        wanted,
        seen.filter(({ isUnrecorded }) => !isUnrecorded),
    );
    if (sure.some(([kind]) => kind === "earlier minor")) {
        return sure;
    }
    const asked = differences(
        wanted,
        seen.filter(({ isUnrecorded }) => isUnrecorded),
    );
    return [...sure, ...asked.map(([, one]): [Difference, SeenVersion] => ["unrecorded", one])];
}

function refusal({ version, running }: Group): string {
    const next = running.every(({ isLeftOver }) => isLeftOver)
        ? `The cluster would start on that data. Deploy the version that used it, or a later one. If the data is no longer needed, delete all claims of the earlier cluster first`
        : "Keep the version. To go back, restore a backup that the earlier version made into a new cluster";
    return `found ${version}, but ${versionsInWords(running)}. ${noDowngrade}: the earlier version may not be able to read the data, and PD turns away a store of an earlier minor version. ${next}. If you know that it is safe here, set operations: { allowDowngrade: true }`;
}

const mayGoBack = "the version may be an earlier one, and TiDB does not support going back";

function riskOf({ kind }: Group): string {
    return kind === "earlier patch" || kind === "earlier minor"
        ? "TiDB does not support going back to an earlier version"
        : mayGoBack;
}

const codes = {
    unknown: "version-not-compared",
    "earlier patch": "version-goes-back",
    "earlier minor": "version-goes-back",
    unrecorded: "version-unrecorded",
} as const;

function warning({ versionField, version, kind, running }: Group): Notice {
    const found = `${versionField}: found ${version}, and ${versionsInWords(running)}`;
    const odd = running.map(({ tag }) => tag).find((tag) => versionOfTag(tag) === undefined) ?? version;
    const message = {
        unknown: `${found}: could not tell whether this goes back to an earlier version, because ${odd} is not a version. ${noDowngrade}`,
        "earlier patch": `${found}. ${noDowngrade}, not even to an earlier patch version`,
        unrecorded: `${found}, but every volume claim records another version: it counts as a version that never started. If its containers have run, stop here. ${noDowngrade}`,
        "earlier minor": `${found}. ${noDowngrade}; it is tried because operations.allowDowngrade is true`,
    }[kind];
    return { code: codes[kind], message };
}

function unseenWarnings({ versionField, version, members, claims }: Unseen): string[] {
    const found = `${versionField}: found ${version}`;
    return [
        ...(members.length === 0
            ? []
            : [
                  `${found}; could not compare it with an earlier version of ${members.join(", ")}: nothing shows which version ran. ${noDowngrade}`,
              ]),
        ...(claims.length === 0
            ? []
            : [
                  `${found}; the cluster starts on the data of ${claimsInWords(claims)}, and nothing shows which version wrote it. An earlier version may not be able to read it: ${noDowngrade}. Deploy the version that wrote it, or a later one; or delete the claims first if their data is no longer needed`,
              ]),
    ];
}

/** The most claims that a message names. */
const maxNames = 12;

/** @returns the names of claims, up to twelve: `claims a, b`. */
export function claimsInWords(names: readonly string[]): string {
    const more = names.length - maxNames;
    const shown = names.slice(0, maxNames).join(", ");
    return `${names.length === 1 ? "claim" : "claims"} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What shows each version. What the last update asked for is one part of the sentence, with the members that it asked it for. */
function versionsInWords(running: readonly VersionOfMember[]): string {
    const parts = new Map<string, Component[]>();
    for (const { tag, where, member, isAskedFor } of running) {
        const part = `${where} ${tag}`;
        parts.set(part, [...(parts.get(part) ?? []), ...(isAskedFor ? [member] : [])]);
    }
    return [...parts]
        .map(([part, members]) => (members.length === 0 ? part : `${part} for ${listed(members)}`))
        .join(", ");
}

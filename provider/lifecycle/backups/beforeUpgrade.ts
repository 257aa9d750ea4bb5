import { imageTag } from "../../../topology/imageVersion";
import type { Component } from "../../../topology/members";
import type { Observation } from "../vocabulary/observation";
import { shortDigest } from "../vocabulary/shortDigest";

/** A member whose version changes, with its StatefulSet as it was before: what has changed since then is another upgrade. */
export interface VersionChange {
    readonly from: string;
    readonly to: string;
    readonly uid: string;
    readonly generation: number | null;
}

/** The members whose versions an upgrade changes. */
export type VersionChanges = Readonly<Partial<Record<Component, VersionChange>>>;

/** The members whose versions are TiDB's, in the order in which an upgrade reaches them. */
export const upgradedMembers = ["pd", "tiflash", "tikv", "tidb"] as const satisfies readonly Component[];

/** The wanted tags of the members' images. */
export type WantedTags = Readonly<Partial<Record<(typeof upgradedMembers)[number], string>>>;

/** @returns the members that are deployed with another version than the wanted one. Undefined if nothing changes its version. */
export function versionChanges(members: Observation["members"], wanted: WantedTags): VersionChanges | undefined {
    const changes = upgradedMembers.flatMap((component): [Component, VersionChange][] => {
        const { image, uid, generation = null } = members[component]?.statefulSet ?? {};
        const to = wanted[component];
        const from = image === undefined ? undefined : imageTag(image);
        return to === undefined || from === undefined || uid === undefined || from === to
            ? []
            : [[component, { from, to, uid, generation }]];
    });
    return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

/** What a Job of a backup before an upgrade was made for, as its annotation has it. */
export interface UpgradeRecord {
    readonly attempt: number;
    readonly changes: VersionChanges;
    /** Digest of the Job that the program describes, with its storage. */
    readonly of?: string;
}

/**
 * @returns whether a backup was made for what is still to change, and to where the program wants it: each member that is still to change is exactly as it was before the
 * backup. So a run that was killed half way goes on with its backup, and a later upgrade between the same versions takes another one.
 */
export function isForUpgrade({ attempt, changes: before, of }: UpgradeRecord, wanted: UpgradeRecord): boolean {
    const isSame = ([component, now]: [string, VersionChange]) => {
        const was = before[component as Component];
        return (
            was?.from === now.from &&
            was.to === now.to &&
            was.uid === now.uid &&
            now.generation !== null &&
            was.generation === now.generation
        );
    };
    return attempt === wanted.attempt && of === wanted.of && Object.entries(wanted.changes).every(isSame);
}

/** @returns the annotation of the Job of a backup. */
export function upgradeRecordText(record: UpgradeRecord): string {
    return JSON.stringify(record);
}

/** @returns what a Job was made for; undefined if its annotation does not say it. */
export function upgradeRecordOf(text: string | undefined): UpgradeRecord | undefined {
    try {
        const record = JSON.parse(text ?? "") as Partial<UpgradeRecord> | null;
        return typeof record?.attempt === "number" && isMap(record.changes) ? (record as UpgradeRecord) : undefined;
    } catch {
        return undefined;
    }
}

/** What a backup before an upgrade is called, and where it is within its storage: `v8-5-3-v8-5-4-4f1c0a9be2d7`. */
export function upgradeName(record: UpgradeRecord): string {
    const { from, to } = leadingChange(record.changes);
    return `${short(from)}-${short(to)}-${shortDigest(upgradeRecordText(record))}`;
}

/** @returns the change in words: `v8.5.3 to v8.5.4`. */
export function upgradeInWords(changes: VersionChanges): string {
    const { from, to } = leadingChange(changes);
    return `${from} to ${to}`;
}

function leadingChange(changes: VersionChanges): VersionChange {
    return changes.tikv ?? (Object.values(changes)[0] as VersionChange);
}

function isMap(value: unknown): boolean {
    return typeof value === "object" && value !== null;
}

const longestTag = 14;

/** A tag as a part of a name of a Job, whose pods have it as a label. */
function short(tag: string): string {
    return tag
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .slice(0, longestTag)
        .replace(/^-+|-+$/g, "");
}

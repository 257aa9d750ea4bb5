import { namespaceFlag } from "../../../topology/names";
import { timeInWords } from "../../../topology/timestamps";

/**
 * `operations.approval`: how much each consent lets through. `step`: the first step of the plan. `member`: all steps of the
 * plan, which is that of one member.
 */
export type ApprovalMode = "step" | "member";

/** Who consented to a plan. */
export interface Consent {
    by: string;
    /** When, in milliseconds since 1970, by the API server's clock; otherwise by that of the machine that recorded it. */
    at: number;
}

/** The revision that the StatefulSet's controller gave a template when a run first asked for consent to it. */
export interface FirstRevision {
    /** The digest of the template, as the program has it. */
    template: string;
    revision: string;
}

/** What the Lease says of consents. */
export interface Approvals {
    /** By digest of the plan. A run deletes a consent when it begins to act on it, so each is used once. */
    given: Readonly<Record<string, Consent>>;
    /** Which consents cannot be read, so that they do not count, and what to do. Default: none. */
    givenProblem?: string;
    /** By `ApprovalPlan.of`: the goal of the last consent that a run has used. What was begun for it may be finished. */
    goals: Readonly<Record<string, string>>;
    /** By digest of the plan, the last consents that runs have used: who gave them, and when they were used. A run finds in it only what it took itself. */
    used?: Readonly<Record<string, Consent>>;
    /** Why those cannot be read, and what to do. No run may write over them then. Default: they can. */
    usedProblem?: string;
    /** By member. A later run tells from it that somebody has edited a template since. */
    firstRevisions?: Readonly<Record<string, FirstRevision>>;
    /** By member: why its first revision cannot be read, so that no consent to its plans counts, and what to do. Default: all can be read. */
    firstProblems?: Readonly<Record<string, string>>;
    /** The time at which they were read, by the API server's clock. Default: not known, and the run's own clock counts. */
    asOf?: number;
}

/** What a run waits for, as it notes it on the Lease for `pulumi-tidb approve` and `pulumi-tidb status`. */
export interface ApprovalWait {
    digest: string;
    /** The operation: `roll out basic-tikv`. */
    of: string;
    /** What the consent lets through: `restart basic-tikv-2`. */
    lets: string;
    /** Each step that the consent lets through, with its risk, of many only the first. Default: an earlier version noted it. */
    steps?: readonly string[];
    /** How the plan differs from the one that the run asked for before. Default: it is the first one. */
    change?: string;
    /** The lock holder's name of the waiting process. */
    by: string;
    /** When it began, and when the run last said so, in milliseconds since 1970, by the API server's clock if it is known. */
    since: number;
    at: number;
}

/** A run says at least this often what it waits for, in milliseconds. */
export const approvalNoteEvery = 30_000;
/** A wait that was not noted again for so long is over: the process was killed. In milliseconds. */
const noteExpiresAfter = 3 * approvalNoteEvery;
/** The note of a wait that was not renewed for so long is deleted by the next run that waits: a day, in milliseconds. */
export const noteDeletedAfter = 86_400_000;
/** A consent that nobody has used for so long no longer counts: a week, in milliseconds. */
const consentExpiresAfter = 7 * 86_400_000;

/** A consent that counts for less than this is renewed by another one: a day, in milliseconds. */
const renewedWithin = 86_400_000;

/** Clocks differ. A consent from further ahead would count for longer than a week, so it counts not at all: a day, in milliseconds. */
const clocksDifferBy = 86_400_000;

/** @returns whether the consent still counts. */
export function isCurrentConsent({ at }: Consent, now: number): boolean {
    return now - at < consentExpiresAfter && at - now < clocksDifferBy;
}

/** @returns whether the consent counts, and soon will not. */
export function endsSoon(consent: Consent, now: number): boolean {
    return isCurrentConsent(consent, now) && !isCurrentConsent(consent, now + renewedWithin);
}

/** How many used consents are kept on record. */
const mostUsed = 20;

/** @returns the used consents with one more, of which only the last are kept. */
export function withUsed(used: Approvals["used"], digest: string, consent: Consent): Readonly<Record<string, Consent>> {
    const current = Object.entries({ ...used, [digest]: consent }).filter(([, one]) =>
        isCurrentConsent(one, consent.at),
    );
    return Object.fromEntries(current.sort(([, one], [, other]) => other.at - one.at).slice(0, mostUsed));
}

/** Describes a consent that waits to be used. */
export function describeGiven({ by, at }: Consent): string {
    return `already approved by ${by} at ${timeInWords(at)}, not used yet`;
}

/** Describes a consent that does not count. */
export function describeVoid(digest: string, { by, at }: Consent, now: number): string {
    const why = at > now ? `later than it is now (${timeInWords(now)})` : "more than a week ago";
    return `the consent to ${digest} by ${by} does not count: it was given at ${timeInWords(at)}, ${why}`;
}

/** The most consents that one entry of a plan names. */
const mostNamed = 3;

/** Describes the consents that count, and of which none is to this plan; empty if there are none. */
export function describeOthers(given: Approvals["given"], now: number): string {
    const others = Object.entries(given).filter(([, consent]) => isCurrentConsent(consent, now));
    const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : "";
    const named = others.slice(0, mostNamed).map(([digest, { by, at }]) => `${digest} by ${by} at ${timeInWords(at)}`);
    return others.length === 0 ? "" : `not approved: consents on record are to other plans: ${named.join(", ")}${more}`;
}

/** @returns whether a run still waits, as far as its note tells. */
export function isCurrentWait({ at }: ApprovalWait, now: number): boolean {
    return now - at < noteExpiresAfter;
}

/** @returns the waits that are not over. The note of one outlasts it for a moment: one from before its consent was used is over. */
export function openWaits(waits: readonly ApprovalWait[], used: Approvals["used"] = {}, now: number): ApprovalWait[] {
    return waits.filter((wait) => isCurrentWait(wait, now) && !(wait.digest in used && wait.at < used[wait.digest].at));
}

/** @returns what a consent lets through, and how the plan has changed since the run asked for another one. */
export function letsInWords({ lets, change }: { readonly lets: string; readonly change?: string | null }): string {
    return change ? `${lets} (changed: ${change})` : lets;
}

/** @returns the command that ends the runs that wait. */
export function stopCommand(namespace: string, cluster: string): string {
    return `npx pulumi-tidb stop ${cluster}${namespaceFlag(namespace)}`;
}

/** @returns the command that consents to the plan. */
export function approveCommand(namespace: string, cluster: string, digest: string): string {
    return `npx pulumi-tidb approve ${cluster} ${digest}${namespaceFlag(namespace)}`;
}

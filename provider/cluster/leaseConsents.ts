import {
    approvalWaitAnnotationPrefix,
    consentAnnotationPrefix,
    firstRevisionAnnotationPrefix,
    leaseAnnotations,
} from "../../topology/annotations";
import type { Approvals, ApprovalWait, Consent, FirstRevision } from "../lifecycle/vocabulary/approvals";

/** Reads an annotation of a Lease as a JSON object. @param next what to do if it is none, for the error. */
type Read = <T extends object>(annotation: string, next?: string) => T | undefined;

/** What no run needs or may trust if it cannot be read: the values that can be, by annotation, and what is wrong with the others. */
interface Tolerant<T> {
    readonly values: Record<string, T>;
    readonly problems: Readonly<Record<string, string>>;
}

/**
 * Reads what people may have written by hand.
 * @param odd what of a value is not as expected; undefined if nothing is.
 * @param next what an annotation that cannot be read means, and what to do.
 */
function readTolerantly<T extends object>(
    annotations: Readonly<Record<string, string>>,
    prefix: string,
    read: Read,
    [odd, expected]: readonly [odd: (value: T) => string | undefined, expected: string],
    next: (annotation: string) => string,
): Tolerant<T> {
    const values: Record<string, T> = {};
    const problems: Record<string, string> = {};
    for (const annotation of Object.keys(annotations).filter((key) => key.startsWith(prefix))) {
        try {
            const value = read<T>(annotation, next(annotation));
            const holds = value && odd(value);
            if (holds !== undefined) {
                problems[annotation] =
                    `annotation ${annotation} holds ${holds}: expected ${expected}. ${next(annotation)}`;
            } else if (value) {
                values[annotation] = value;
            }
        } catch (error) {
            problems[annotation] = (error as Error).message;
        }
    }
    return { values, problems };
}

function oddUnless<T>(isRight: (value: T) => boolean): (value: T) => string | undefined {
    return (value) => (isRight(value) ? undefined : JSON.stringify(value).slice(0, 80));
}

/** By what follows the prefix. */
function without<T>(prefix: string, values: Readonly<Record<string, T>>): Record<string, T> {
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key.slice(prefix.length), value]));
}

function joined({ problems }: Tolerant<unknown>): string | undefined {
    const all = Object.values(problems);
    return all.length === 0 ? undefined : all.join("; ");
}

/**
 * @returns what the annotations say of consents. No run may act on a consent or a first revision that it cannot read. None needs the used
 * consents, so one that cannot read them goes on.
 */
export function consentsOf(
    annotations: Readonly<Record<string, string>>,
    goals: Approvals["goals"] | undefined,
    read: Read,
    removes: (annotation: string) => string,
): { approvals?: Approvals } {
    const given = readTolerantly<Consent>(
        annotations,
        consentAnnotationPrefix,
        read,
        [oddUnless(isConsent), "who consents, and when"],
        (annotation) => `This consent does not count, and ${removes(annotation)}`,
    );
    const first = readTolerantly<FirstRevision>(
        annotations,
        firstRevisionAnnotationPrefix,
        read,
        [oddUnless((one) => areTexts(one.template, one.revision)), "a template and its revision"],
        (annotation) =>
            `No consent to a template of that member counts until somebody has compared the StatefulSet with the program; then ${removes(annotation)}`,
    );
    const used = readTolerantly<NonNullable<Approvals["used"]>>(
        annotations,
        leaseAnnotations.usedConsents,
        read,
        [oddConsent, "who used it, and when"],
        (annotation) => `${removes(annotation)}, and with it what shows which plans have been approved and carried out`,
    );
    const [givenProblem, usedProblem] = [joined(given), joined(used)];
    if ([given, first].every((one) => isEmpty(one.values) && isEmpty(one.problems)) && goals === undefined) {
        return {};
    }
    return {
        approvals: {
            given: without(consentAnnotationPrefix, given.values),
            ...(givenProblem === undefined ? {} : { givenProblem }),
            goals: goals ?? {},
            ...(isEmpty(used.values) ? {} : { used: used.values[leaseAnnotations.usedConsents] }),
            ...(usedProblem === undefined ? {} : { usedProblem }),
            ...byMember("firstRevisions", first.values),
            ...byMember("firstProblems", first.problems),
        },
    };
}

function byMember<T>(field: string, values: Readonly<Record<string, T>>): Record<string, Record<string, T>> {
    return isEmpty(values) ? {} : { [field]: without(firstRevisionAnnotationPrefix, values) };
}

function isEmpty(map: object): boolean {
    return Object.keys(map).length === 0;
}

function areTexts(...values: readonly unknown[]): boolean {
    return values.every((one) => typeof one === "string");
}

function isTime(value: unknown): boolean {
    return typeof value === "number" && !Number.isNaN(new Date(value).getTime());
}

function isConsent(value: Partial<Consent> | null): boolean {
    return areTexts(value?.by) && isTime(value?.at);
}

function oddConsent(used: NonNullable<Approvals["used"]>): string | undefined {
    const odd = Object.entries(used).find(([, one]) => !isConsent(one));
    return odd && `${JSON.stringify(odd[1])} for ${odd[0]}`;
}

/** @returns what runs wait for, as the annotations say. */
export function waitsOf(
    annotations: Readonly<Record<string, string>>,
    read: Read,
    removes: (annotation: string) => string,
): { approvalWaits?: Record<string, ApprovalWait>; waitsProblem?: string } {
    const waits = readTolerantly<ApprovalWait>(
        annotations,
        approvalWaitAnnotationPrefix,
        read,
        [oddUnless(isWait), "what a run waits for, and since when"],
        (annotation) =>
            `What that run waits for is not known; ${removes(annotation)}, and a run that still waits notes it again`,
    );
    const waitsProblem = joined(waits);
    return {
        ...(isEmpty(waits.values) ? {} : { approvalWaits: waits.values }),
        ...(waitsProblem === undefined ? {} : { waitsProblem }),
    };
}

function isWait({ digest, of, lets, steps = [], change = "", by, since, at }: Partial<ApprovalWait>): boolean {
    const isList = Array.isArray(steps) && areTexts(...(steps as unknown[]));
    return areTexts(digest, of, lets, change, by) && isList && isTime(since) && isTime(at);
}

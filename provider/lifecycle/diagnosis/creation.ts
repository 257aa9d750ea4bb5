import { amountsOf, amountText } from "./amounts";
import type { Cause } from "./cause";
import { latest, occurrenceOf } from "./events";
import { type PodFacts, titleOf } from "./facts";

const refusedAgainSeconds = 20;

/** @returns why the controller of the StatefulSet or Job cannot create the pod, from the events of that. */
export function whyNotCreated(facts: PodFacts): Cause | undefined {
    const { name: of, job, events } = facts;
    // The message names the pod, or its claim, whose name ends with it. Each pod of a Job has a name that nobody knows before.
    const isOfPod = (text: string) =>
        job !== undefined || text.split(/[\s":]/).some((word) => word === of || word.endsWith(`-${of}`));
    const event = events.known ? latest(events.value, ["FailedCreate"], isOfPod) : undefined;
    if (event === undefined) {
        return undefined;
    }
    const evidence = (event.message ?? "").replace(/^.*? failed error: /, "");
    const title = titleOf(facts);
    const final = { afterSeconds: refusedAgainSeconds, occurrence: occurrenceOf(event) };
    const quota = /exceeded quota: ([^,]+), requested: (.*), used: (.*), limited: (.*)$/.exec(evidence);
    if (quota) {
        const [, name, ...lists] = quota;
        const { words, isTooLarge } = overQuota(lists);
        const fix = `raise quota ${name}, free some of it, or lower what ${title} requests`;
        return {
            of,
            reason: "QuotaExceeded",
            what: `quota ${name} does not allow it: ${words}`,
            evidence,
            fix,
            ...(isTooLarge ? { final } : {}),
        };
    }
    const lacks = /failed quota: ([^:]+): must specify (.*)$/.exec(evidence);
    if (lacks) {
        return {
            of,
            reason: "QuotaExceeded",
            what: `quota ${lacks[1]} allows only pods that specify ${lacks[2]}`,
            evidence,
            fix: `set requests and limits of ${title}`,
            final,
        };
    }
    const range = /(maximum|minimum) ([\w.-]+) usage per (\w+) is (\S+?),? but (limit|request) is ([^\s,.]+)/.exec(
        evidence,
    );
    if (range) {
        const [, bound, resource, per, allowed, field, found] = range;
        return {
            of,
            reason: "PodRefused",
            what: `a LimitRange does not allow it: the ${bound} ${resource} for each ${per} is ${allowed}, and its ${field} is ${found}`,
            evidence,
            fix: `change the ${field}s of ${title}, or the LimitRange`,
            final,
        };
    }
    const security = /violates PodSecurity "([^"]+)"/.exec(evidence);
    if (security) {
        return {
            of,
            reason: "PodRefused",
            what: `the namespace's pod security level ${security[1]} does not allow it`,
            evidence,
            fix: `set the securityContext of ${title}, or label the namespace with another level`,
            final,
        };
    }
    return {
        of,
        reason: "PodRefused",
        what: "the API server refuses to create it",
        evidence,
        fix: "correct what the message names",
    };
}

/** Each resource of which more is requested than is left. */
function overQuota(lists: readonly string[]): { words: string; isTooLarge: boolean } {
    const [requested, used, limited] = lists.map((list) =>
        amountsOf(
            Object.fromEntries(
                list.split(",").map((pair) => pair.split("=").map((part) => part.trim()) as [string, string]),
            ),
        ),
    );
    const over = Object.keys(requested).filter((one) => (used[one] ?? 0n) + requested[one] > (limited[one] ?? 0n));
    const words = over.map((one) => {
        const text = (amount: bigint) => amountText(one, amount);
        const short = (used[one] ?? 0n) + requested[one] - (limited[one] ?? 0n);
        return `${one}: it needs ${text(requested[one])}, and ${text(used[one] ?? 0n)} of ${text(limited[one] ?? 0n)} are used (${text(short)} short)`;
    });
    return { words: words.join("; "), isTooLarge: over.some((one) => requested[one] > (limited[one] ?? 0n)) };
}

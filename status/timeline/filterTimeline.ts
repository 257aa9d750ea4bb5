import type { Component } from "../../topology/members";
import { memberName } from "../../topology/names";
import { isPodOf } from "../../topology/podNames";
import type { ClusterTimeline } from "./clusterTimeline";
import { dayAndClock, subjectOf } from "./timelineWords";

/** What of a timeline is shown. Default: everything. */
export interface TimelineFilter {
    readonly member?: Component;
    readonly pod?: string;
    /** Only what ended at this time or later, or has not ended. In milliseconds since 1970. */
    readonly since?: number;
}

/** Returns what is asked for: the operations that watched or did something with the pods, and of each what is about these pods. */
export function filterTimeline(timeline: ClusterTimeline, { member, pod, since }: TimelineFilter): ClusterTimeline {
    const { name, operations } = timeline;
    const words = [
        ...(member === undefined ? [] : [`of ${member}`]),
        ...(pod === undefined ? [] : [`of pod ${pod}`]),
        ...(since === undefined ? [] : [`since ${dayAndClock(since)}`]),
    ];
    if (words.length === 0) {
        return timeline;
    }
    const isShown = (subject: string): boolean =>
        (pod === undefined || subject === pod) &&
        (member === undefined || subject === memberName(name, member) || isPodOf(subject, name, member));
    const shown = operations
        .filter(({ lastAt }) => since === undefined || lastAt >= since)
        .map((operation) => ({
            ...operation,
            pods: operation.pods.filter(isShown),
            entries:
                member === undefined && pod === undefined
                    ? operation.entries
                    : operation.entries.filter((entry) => isShown(subjectOf(entry))),
        }))
        .filter(({ pods, entries }) => (member === undefined && pod === undefined) || pods.length + entries.length > 0);
    return { ...timeline, operations: shown, filtered: { by: words.join(", "), from: operations.length } };
}

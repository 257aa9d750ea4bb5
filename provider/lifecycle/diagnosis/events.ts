import type { Event } from "./objects";

/** @returns when an event was last seen, by Kubernetes' clock: only the order of two events means anything. */
export function lastSeen({ series, lastTimestamp, eventTime, metadata }: Event): number {
    const at = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
    return at === undefined ? 0 : new Date(at).getTime();
}

/** @returns the newest event with one of these reasons whose message meets the condition. */
export function latest(
    events: readonly Event[],
    reasons: readonly string[],
    meets: (message: string) => boolean = () => true,
): Event | undefined {
    return newest(events.filter(({ reason, message }) => reasons.includes(reason ?? "") && meets(message ?? "")));
}

/** @returns the event that was seen last; undefined if there is none. */
export function newest(events: readonly Event[]): Event | undefined {
    return events.reduce<Event | undefined>(
        (one, other) => (one && lastSeen(one) > lastSeen(other) ? one : other),
        undefined,
    );
}

/** @returns what changes whenever the event occurs again. */
export function occurrenceOf(event: Event): string {
    return `${event.metadata.uid ?? event.metadata.name} ${event.series?.count ?? event.count ?? 1} ${lastSeen(event)}`;
}

import type { DataPlaneEvent } from "pulumi-tidb-sandbox";

/** How many leaders a store had at a moment. */
export interface LeaderSample {
    at: number;
    pod: string;
    leaders: number;
}

/** What one store went through while its pod was restarted: what it took by nature, and what it took in all. Milliseconds. */
export interface StoreRestart {
    pod: string;
    /** From the eviction's begin to no leader. */
    evict: number;
    /** From the pod's stop to PD calling the store Up. */
    restart: number;
    /** From the eviction's end to two thirds of the leaders. */
    leadersBack: number;
    /** What the gate took between these: to notice, to ask, to note, to act. */
    noticedGone: number;
    noticedUp: number;
    /** Until the next store's turn began; undefined for the last. */
    noticedBack?: number;
    /** From the eviction's begin to the next store's; undefined for the last. */
    wall?: number;
}

/** Below this share of its leaders a store is not well again (tidb-operator's rule, which the gates follow). */
const shareBack = 2 / 3;

/**
 * The restarts of an upgrade, in order, from what the data plane saw.
 *
 * @throws Error where a store lacks one of the moments.
 */
export function storeRestarts(events: readonly DataPlaneEvent[], samples: readonly LeaderSample[]): StoreRestart[] {
    const begins = events.filter(({ kind }) => kind === "eviction-begun");
    return begins.map((begun, index) => {
        const pod = String(begun.pod);
        const next = begins[index + 1]?.at;
        const until = next ?? Number.POSITIVE_INFINITY;
        const event = (kind: DataPlaneEvent["kind"], after: number): number =>
            moment(
                events,
                `${kind} of ${pod}`,
                (one) => one.kind === kind && one.pod === pod && one.at >= after && one.at <= until,
            );
        const sample = (what: string, after: number, holds: (leaders: number) => boolean): number =>
            moment(samples, `${what} of ${pod}`, (one) => one.pod === pod && one.at >= after && holds(one.leaders));

        const leaders = samples.filter((one) => one.pod === pod && one.at <= begun.at).at(-1)?.leaders ?? 0;
        const gone = sample("no leaders", begun.at, (now) => now === 0);
        const stopped = event("pod-stopped", begun.at);
        const up = event("store-up", stopped);
        const ended = event("eviction-ended", up);
        const back = sample("leaders back", ended, (now) => now >= Math.floor(leaders * shareBack));
        return {
            pod,
            evict: gone - begun.at,
            restart: up - stopped,
            leadersBack: back - ended,
            noticedGone: stopped - gone,
            noticedUp: ended - up,
            noticedBack: next && next - back,
            wall: next && next - begun.at,
        };
    });
}

/** What a restart takes whoever does it. */
export function physical({ evict, restart, leadersBack }: StoreRestart): number {
    return evict + restart + leadersBack;
}

function moment<T extends { at: number }>(list: readonly T[], what: string, holds: (one: T) => boolean): number {
    const found = list.find(holds);
    if (found === undefined) {
        throw new Error(`the data plane saw no ${what}: the upgrade cannot be measured`);
    }
    return found.at;
}

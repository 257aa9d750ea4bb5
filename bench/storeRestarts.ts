import type { DataPlaneEvent } from "pulumi-tidb-sandbox";

/** The number of leaders on a store at one time. */
export interface LeaderSample {
    at: number;
    pod: string;
    leaders: number;
}

/** The phases of one store's restart, in milliseconds: the physical ones, and the gate's time between them. */
export interface StoreRestart {
    pod: string;
    /** From the beginning of the eviction until the store has no leaders. */
    evict: number;
    /** From the pod's stop until PD reports the store Up. */
    restart: number;
    /** From the end of the eviction until two thirds of the leaders are back. */
    leadersBack: number;
    /** The gate's time from the last leader's departure to the pod's stop: to notice, query, record and act. */
    noticedGone: number;
    /** The gate's time from store Up to the end of the eviction. */
    noticedUp: number;
    /** The gate's time from the leaders' return to the next store's eviction; undefined for the last store. */
    noticedBack?: number;
    /** From the beginning of this eviction to the next store's; undefined for the last store. */
    wall?: number;
}

/** A store has recovered when this share of its leaders is back (tidb-operator's rule, which the gates follow). */
const shareBack = 2 / 3;

/**
 * Returns the restarts of an upgrade, in order, from the data plane's events and samples.
 *
 * @throws Error if an event or a sample of a store is missing.
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

/** Returns the part of a restart's time that no operator can avoid. */
export function physicalTime({ evict, restart, leadersBack }: StoreRestart): number {
    return evict + restart + leadersBack;
}

function moment<T extends { at: number }>(list: readonly T[], what: string, holds: (one: T) => boolean): number {
    const found = list.find(holds);
    if (found === undefined) {
        throw new Error(`the data plane saw no ${what}: the upgrade cannot be measured`);
    }
    return found.at;
}

import type { LookOptions } from "../lifecycle/vocabulary/look";
import { isKnownByName, type Observation } from "../lifecycle/vocabulary/observation";

const shortestPauseMilliseconds = 150;
const longestPauseMilliseconds = 2_000;
/** While waiting, the loop pauses for a twentieth of the time waited so far, so it loses at most 5 %. */
const pauseShare = 20;
/**
 * What PD answers grows with its stores. A PD with 1,000 of them is asked every six seconds, and every four if something has
 * changed; a small one as often as the wait needs.
 */
const millisecondsPerStore = 4;
const longestPauseForStoresMilliseconds = 4_000;
/** How much longer the pause is if no object has changed: then only PD can tell news. */
const quietShare = 1.5;
/** With an observation that takes a while, longer pauses are too long for a leader of which only the name is known: see `LeadershipTracker`. */
const longestPauseByNameMilliseconds = 2_000;
/** Lists of regions are long, and change at most with every heartbeat. PD is asked for them no more often than this. */
const regionsPauseMilliseconds = 3_000;

/**
 * @returns how long to pause at least before the next look, in milliseconds, even if something has changed: what others do in
 * the namespace must not make PD be asked more often.
 */
export function shortestPause({ pd }: Pick<Observation, "pd">, { regions }: Pick<LookOptions, "regions">): number {
    const least = regions ? regionsPauseMilliseconds : shortestPauseMilliseconds;
    return Math.max(least, isByName(pd) ? Math.min(longestPauseByNameMilliseconds, forStores(pd)) : forStores(pd));
}

function forStores({ stores }: Observation["pd"]): number {
    const count = stores.known ? stores.value.length : 0;
    return Math.min(longestPauseForStoresMilliseconds, count * millisecondsPerStore);
}

function isByName({ leadership }: Observation["pd"]): boolean {
    return leadership.known && isKnownByName(leadership.value);
}

/**
 * @returns how long to pause before the next look, in milliseconds, if nothing changes, after having waited for `waited`
 * milliseconds.
 */
export function longestPause(
    waited: number,
    { pd }: Pick<Observation, "pd">,
    look: Pick<LookOptions, "regions">,
): number {
    const quiet = isByName(pd) ? 0 : forStores(pd) * quietShare;
    return Math.max(shortestPause({ pd }, look), quiet, Math.min(longestPauseMilliseconds, waited / pauseShare));
}

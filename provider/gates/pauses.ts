import type { LookOptions } from "../lifecycle/vocabulary/look";
import type { Observation } from "../lifecycle/vocabulary/observation";

const shortestPauseMilliseconds = 150;
const longestPauseMilliseconds = 2_000;
/** While waiting, the loop pauses for a twentieth of the time waited so far, so it loses at most 5 %. */
const pauseShare = 20;
/** What PD answers grows with its stores. A PD with 1,000 of them is asked every two seconds, a small one as often as the wait needs. */
const millisecondsPerStore = 2;
/** Lists of regions are long, and change at most with every heartbeat. PD is asked for them no more often than this. */
const regionsPauseMilliseconds = 3_000;

/** @returns how long to pause before the next look, in milliseconds, after having waited for `waited` milliseconds. */
export function pauseFor(
    waited: number,
    { pd }: Pick<Observation, "pd">,
    { regions }: Pick<LookOptions, "regions">,
): number {
    const stores = pd.stores.known ? pd.stores.value.length : 0;
    const wanted = Math.max(shortestPauseMilliseconds, waited / pauseShare, stores * millisecondsPerStore);
    return Math.max(Math.min(longestPauseMilliseconds, wanted), regions ? regionsPauseMilliseconds : 0);
}

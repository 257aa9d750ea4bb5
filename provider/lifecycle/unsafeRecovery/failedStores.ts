import { newestHeartbeat } from "../stages/failover/storeFailover";
import { isUp } from "../stages/stores";
import type { Observation, ObservedStore } from "../vocabulary/observation";
import type { RecoveryTarget } from "./recoveryTarget";

/** What keeps an unsafe recovery back: what must not be (`refused`), or what is not known (`lacks`). */
export type Objection = { readonly refused: string } | { readonly lacks: string };

/** A store that is not named must have been heard this recently, compared with the others: six heartbeats of TiKV, in milliseconds. */
const heardWithin = 60_000;
const say = "if it never comes back, say so with operations.unsafeRecovery.neverComeBack: true";

/**
 * @param store one that the program names, and that PD does not call Tombstone.
 * @param others the stores that it does not name.
 * @returns why PD must not give the store up; undefined if it may.
 */
export function whyNotFailed(
    store: ObservedStore,
    others: readonly ObservedStore[],
    observation: Observation,
    target: Pick<RecoveryTarget, "neverComeBack">,
): Objection | undefined {
    const { storeDownTime } = observation.pd;
    const named = nameOf(store);
    if (isUp(store)) {
        return { refused: `${named} is Up: PD hears from it` };
    }
    if (!storeDownTime.known) {
        return { lacks: `max-store-down-time is not known: ${storeDownTime.why}` };
    }
    if (store.lastHeartbeat === undefined) {
        return { refused: `${named} has never sent a heartbeat, so for how long it is silent is not known` };
    }
    const silent = newestHeartbeat(others.filter(isUp)) - store.lastHeartbeat;
    if (silent === -Infinity) {
        return { refused: "no other store is Up: there is nothing to recover with" };
    }
    if (silent <= storeDownTime.value) {
        const [seconds, needed] = [Math.floor(silent / 1000), storeDownTime.value / 1000];
        return {
            refused: `${named} is ${store.state}, and silent for ${seconds} s only: PD gives a store up after max-store-down-time, ${needed} s`,
        };
    }
    // A node that is gone is no proof: a volume of the network brings the store back with its data on another one.
    return target.neverComeBack ? undefined : { refused: `${named} may come back with its volume: ${say}` };
}

/** @returns why PD's recovery could not finish: it needs a TiKV store, and a report of every store that is not given up. */
export function whyNotHeard(others: readonly ObservedStore[]): Objection | undefined {
    // TiFlash's replicas lead no region, and PD cannot make an empty one on it: such a recovery would only destroy what is left.
    if (!others.some((store) => isUp(store) && store.engine === "tikv")) {
        return { refused: "no TiKV store that is not named is Up: there is nothing to recover with" };
    }
    const newest = newestHeartbeat(others.filter(isUp));
    const silent = others.filter(
        ({ state, lastHeartbeat = -Infinity }) =>
            state === "Down" || state === "Disconnected" || !(newest - lastHeartbeat <= heardWithin),
    );
    return silent.length === 0
        ? undefined
        : {
              refused: `PD waits for a report of every store that is not named, and does not hear from ${silent.map(nameOf).join(", ")}: bring them back first, or name them too`,
          };
}

/** @returns the store as people know it. */
export function nameOf({ id, podName }: ObservedStore): string {
    return `store ${id} (${podName})`;
}

import type { Engine } from "../../../../topology/members";
import type { Observation } from "../../vocabulary/observation";
import type { PodView } from "../../vocabulary/stage";
import { isUp, wasUpRecently } from "../stores";
import type { MemberFailover, Verdict } from "../../vocabulary/memberFailover";
import { lacksQuorum } from "./quorum";
import { deadAfter } from "./verdict";

/**
 * How dead stores are found. PD's clock alone tells for how long a store is silent: the newest heartbeat of all stores is the latest
 * time that PD has certainly seen. So nothing is measured, and nobody is dead, while all stores are silent.
 */
function storeVerdict({ pd, store, stores, podName }: PodView, period: number): Verdict {
    if (!pd.stores.known) {
        return { is: "unknown", why: `PD's stores are not known: ${pd.stores.why}` };
    }
    if (!store) {
        const lists = stores.length === 0 ? "no store" : `${stores.length} stores`;
        return { is: "unknown", why: `PD lists ${lists} under the address of ${podName}` };
    }
    if (isUp(store)) {
        return { is: "alive", why: "PD says Up" };
    }
    if (store.state === "New") {
        return { is: "unknown", why: "it has not sent its first heartbeat" };
    }
    if (store.state !== "Down" && store.state !== "Disconnected") {
        return { is: "unknown", why: `PD says ${store.state}, which a scale-in or a person began` };
    }
    if (!pd.storeDownTime.known) {
        return { is: "unknown", why: `max-store-down-time is not known: ${pd.storeDownTime.why}` };
    }
    if (store.lastHeartbeat === undefined) {
        return { is: "unknown", why: "it has never sent a heartbeat" };
    }
    const silent = newestHeartbeat(pd.stores.value.filter(isUp)) - store.lastHeartbeat;
    const needed = pd.storeDownTime.value + period;
    const why = `PD says ${store.state}`;
    // PD's own word is needed, whatever the times suggest.
    return store.state === "Down" ? deadAfter(why, silent, needed) : dying(why, needed - silent);
}

function dying(why: string, left: number): Verdict {
    return { is: "dying", why, seconds: Math.max(1, Math.ceil(left / 1000)) };
}

/** @returns the newest heartbeat of these stores, by PD's clock; minus infinity if none has sent any. */
export function newestHeartbeat(stores: readonly { lastHeartbeat?: number }[]): number {
    return stores.reduce((at, { lastHeartbeat = -Infinity }) => Math.max(at, lastHeartbeat), -Infinity);
}

/** @returns why nothing follows from silence: most stores that are silent together have lost their network, their PD or their zone, not their disks. */
export function mostAreSilent({ pd: { stores } }: Observation): string | undefined {
    if (!stores.known) {
        return `PD's stores are not known: ${stores.why}`;
    }
    const up = stores.value.filter(isUp).length;
    return up * 2 > stores.value.length
        ? undefined
        : `only ${up} of the ${stores.value.length} stores that PD lists are Up: most are silent together`;
}

/** @returns how the dead stores of an engine are found and replaced. The dead store, its pod and its volume stay. */
export function storeFailover(engine: Engine): MemberFailover {
    return {
        looks: ["stores", "health", "store-down-time", "placement"],
        asksStatus: false,
        countsUnscheduled: true,
        countsEnded: true,
        verdict: storeVerdict,
        vanishedAt: ({ store }) => store?.lastHeartbeat,
        unsound: (observation) => lacksQuorum(observation) ?? mostAreSilent(observation),
        identity: ({ store }) => (store ? { storeId: store.id } : {}),
        // It was Down when it was recorded, and is again once it has been silent for as long.
        livesAgain: ({ store }) => store !== undefined && wasUpRecently(store),
        named: ({ store, podName }) => (store ? `store ${store.id} (${podName})` : podName),
        recovers: "when-asked",
        waitsFor: engine === "tiflash" ? "store Up and Running" : "store Up",
    };
}

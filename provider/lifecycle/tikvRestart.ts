import type { EvictionRecord, Observation } from "./observation";
import type { Action } from "./move";
import { type PodView, type Stage, viewOf } from "./stage";
import { otherStoresUp, storeUp } from "./storeRestart";
import type { MemberTarget } from "./target";
import { canEvict, isDownAnyway, isUp } from "./stores";

/** How a TiKV pod is restarted. Facts from tidb-operator pkg/manager/member/tikv_upgrader.go. */

/** Below this many leaders their return is not waited for (tikv_upgrader.go). */
export const FEW_LEADERS = 200;

const patience = (view: PodView) => ({ seconds: view.target.policy.podReadyTimeoutSeconds, then: "fail" }) as const;

function evictionOf(view: PodView): EvictionRecord | undefined {
    return view.store && view.observation.records.evictions[view.store.id];
}

/** Our eviction of the store, while it lasts. */
export function openEvictionOf(view: PodView): EvictionRecord | undefined {
    const record = evictionOf(view);
    return record?.endedAt === undefined ? record : undefined;
}

/** Whether PD keeps leaders away from the store, whoever asked it to. */
function isEvicted(view: PodView): boolean {
    return view.store !== undefined && (view.pd.evictedStores?.includes(view.store.id) ?? false);
}

/** Every other store is Up: a region that has lost one replica keeps its majority only while no other is missing. */
const allOthersUp = otherStoresUp(() => true, canEvict);

/** No region misses a peer, has one down or pending. A zero counts only while the stores that lead report: see otherStoresUp. */
const regionsComplete: Stage = {
    name: "regions-complete",
    holds: (view) => {
        if (!canEvict(view) || isDownAnyway(view)) {
            return true;
        }
        const regions = view.pd.regionsAtRisk;
        if (!regions) {
            return { look: "regions-at-risk" };
        }
        const lacking = [
            [regions.missPeer, "miss a peer"],
            [regions.downPeer, "have a peer that is down"],
            [regions.pendingPeer, "have a peer that is pending"],
        ].filter(([count]) => count !== 0);
        return lacking.length === 0
            ? true
            : { lacks: lacking.map(([count, words]) => `${count} regions ${words}`).join(", ") };
    },
    patience,
    advice: "wait until PD has repaired these regions (pd-ctl region check miss-peer | down-peer | pending-peer)",
};

/** As `regionsComplete`, before leaders are moved for nothing. While they move it is not asked: only the restart needs it. */
const regionsCompleteBeforeEviction: Stage = {
    ...regionsComplete,
    holds: (view) => (isEvicted(view) ? true : regionsComplete.holds(view)),
};

/** The store's leaders have gone elsewhere. One whose process does not run has none, whatever PD last heard. */
const leadersEvicted: Stage = {
    name: "leaders-evicted",
    holds: (view) => {
        const { store } = view;
        if (!store || !canEvict(view) || isDownAnyway(view)) {
            return true;
        }
        if (store.leaderCount === 0 && (isEvicted(view) || !isUp(store))) {
            return true;
        }
        return { lacks: `store ${store.id} (${view.podName}) still holds ${store.leaderCount} leaders` };
    },
    act: (view) => {
        const { store } = view;
        return store && isUp(store) && !isEvicted(view)
            ? { do: "begin-eviction", storeId: store.id, pod: view.podName, leaders: store.leaderCount }
            : undefined;
    },
    patience: (view) => ({
        seconds: view.target.policy.evictLeaderTimeoutSeconds,
        // The user's deadline is for an eviction that PD carries out: what was begun and lost is begun anew.
        ...(view.target.policy.afterEvictLeaderTimeout === "restart" && isEvicted(view)
            ? { since: openEvictionOf(view)?.begunAt, then: "go-on" }
            : { then: "fail" }),
    }),
    advice: "look at `pd-ctl scheduler show` and `pd-ctl region store <id>`; set spec.tikv.evictLeaderTimeout to restart a store that keeps leaders after that time",
};

/** Our eviction of the store is over. Somebody else's is theirs to end. */
const evictionEnded: Stage = {
    name: "eviction-ended",
    holds: (view) => {
        const record = evictionOf(view);
        return !record || record.endedAt !== undefined
            ? true
            : { lacks: `leaders are still kept away from store ${view.store?.id} (${view.podName})` };
    },
    act: (view) => view.store && { do: "end-eviction", storeId: view.store.id, pod: view.podName },
    patience,
    advice: "remove the scheduler by hand: pd-ctl scheduler remove evict-leader-scheduler-<store id>",
};

/** Two thirds of the leaders are back, or they are few, or the time for it is over (tikv_upgrader.go). */
const leadersBack: Stage = {
    name: "leaders-back",
    holds: (view) => {
        const record = evictionOf(view);
        if (!record || record.leadersBefore < FEW_LEADERS) {
            return true;
        }
        const wanted = Math.floor((record.leadersBefore * 2) / 3);
        const have = view.store?.leaderCount ?? 0;
        return have >= wanted
            ? true
            : { lacks: `${have} of ${wanted} leaders are back on store ${view.store?.id} (${view.podName})` };
    },
    patience: (view) => ({
        seconds: view.target.policy.leadersBackTimeoutSeconds,
        since: evictionOf(view)?.endedAt,
        then: "go-on",
    }),
    advice: "",
};

const evictionForgotten: Stage = {
    name: "eviction-forgotten",
    holds: (view) => (evictionOf(view) ? { lacks: "the eviction is still on record" } : true),
    act: (view) => view.store && { do: "forget-eviction", storeId: view.store.id },
    patience,
    advice: "run `pulumi up` again",
};

/** What must hold before a TiKV pod is restarted. The regions come last again: moving leaders away can take hours. */
export const beforeTikvRestart: readonly Stage[] = [
    allOthersUp,
    regionsCompleteBeforeEviction,
    leadersEvicted,
    regionsComplete,
];

/** What must hold of a restarted TiKV pod before the next one is touched. */
export const afterTikvRestart: readonly Stage[] = [storeUp, evictionEnded, leadersBack, evictionForgotten];

/** @returns what ends or forgets an eviction of ours whose store no pod of the target has: nobody else would. */
export function endLeftBehindEviction(observation: Observation, target: MemberTarget): Action | undefined {
    const ordinals = Array.from({ length: target.replicas }, (_, ordinal) => ordinal);
    const walked = ordinals.map((ordinal) => String(viewOf(observation, target, ordinal).store?.id));
    const [storeId, record] = Object.entries(observation.records.evictions).find(([id]) => !walked.includes(id)) ?? [];
    if (storeId === undefined || record === undefined) {
        return undefined;
    }
    return record.endedAt === undefined
        ? { do: "end-eviction", storeId: Number(storeId), pod: record.pod }
        : { do: "forget-eviction", storeId: Number(storeId) };
}

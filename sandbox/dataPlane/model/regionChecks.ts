import type { ClusterState } from "./cluster";
import type { RegionChecks } from "./pdState";
import { indexes, missingPeers, regionsOn } from "./regionPeers";
import { isReportedDown } from "./storeState";

/** Finds the regions that PD would list in its checks if all regions were reported to it. */
export function regionChecks(state: ClusterState): RegionChecks {
    const { missPeers = 0, downPeers = 0, pendingPeers = 0, pendingLearners = 0 } = state.faults.regions;
    const stores = state.stores.filter((store) => store.nodeState !== "Removed");
    // The leaders of the regions report down peers. If no store reports, PD learns of none.
    const reporting = stores.some((store) => store.running && store.leaders > 0);
    const down = reporting ? stores.filter((store) => isReportedDown(state, store)) : [];
    const hasLearners = stores.some(({ engine, regions }) => engine === "tiflash" && regions > 0);
    return {
        miss: withFirst(state, missPeers, shortRegions(state)),
        down: withFirst(state, downPeers, regionsOn(state, down)),
        pending: withFirst(state, Math.max(pendingPeers, hasLearners ? pendingLearners : 0), []),
        offline: regionsOn(
            state,
            stores.filter((store) => store.nodeState === "Removing"),
        ),
        learner: regionsOn(
            state,
            stores.filter(({ engine }) => engine === "tiflash"),
        ),
    };
}

/** The given regions and the first ones, which a fault selects by their number. */
function withFirst(state: ClusterState, first: number, regions: number[]): number[] {
    const others = regions.filter((index) => index >= first);
    return first === 0 ? regions : [...indexes(Math.min(first, state.regions)), ...others];
}

/** The regions with fewer voters than `max-replicas`: those past the end of the last store's arc. */
function shortRegions(state: ClusterState): number[] {
    const missing = Math.min(state.regions, missingPeers(state));
    return indexes(missing).map((index) => state.regions - missing + index);
}

import { stepCaptures } from "./captures";
import type { ClusterState } from "./cluster";
import { stepLeaders } from "./leaders";
import { stepLearners } from "./learners";
import { leaderOf, stepMembers } from "./members";
import { stepMicroservices } from "./microservices";
import { stepPumps } from "./pumps";
import { stepRegions } from "./regions";
import { stepShutdowns } from "./shutdown";
import { stepStores } from "./stores";
import { isRunning, stepRecovery } from "./unsafeRecovery";
import { upStores } from "./storeState";

/** The longest time that passes in one step, which is the time resolution of the model. */
const sliceMilliseconds = 20;

/** Advances a cluster to `now`. A time in the past changes nothing. */
export function advance(state: ClusterState, now: number): void {
    do {
        const slice = Math.max(0, Math.min(sliceMilliseconds, now - state.now));
        state.now += slice;
        stepMembers(state);
        stepMicroservices(state);
        stepStores(state);
        stepShutdowns(state);
        startTidb(state);
        stepPumps(state);
        stepCaptures(state, slice);
        if (slice > 0 && leaderOf(state) !== undefined) {
            stepRecovery(state);
            if (!isRunning(state)) {
                stepLeaders(state, slice);
                stepRegions(state, slice);
                stepLearners(state, slice);
            }
        }
    } while (state.now < now);
}

/** A TiDB server starts to serve once it finds PD and a store, and does not stop afterwards. */
function startTidb(state: ClusterState): void {
    const canStart = leaderOf(state) !== undefined && upStores(state).length > 0;
    for (const pod of state.pods.values()) {
        if (pod.component === "tidb" && pod.readySince !== undefined && canStart) {
            pod.serving = true;
        }
    }
}

import type { Action } from "../../../provider/lifecycle/vocabulary/move";
import { onDrained, onKept } from "../../support/lifecycle/drains";
import type { Deviation } from "../../support/lifecycle/observations";
import { clusterWorld, type ClusterWorld } from "../gates/clusterWorld";

/** A cluster whose store 13 follows what is done, with its pod on a node that is being emptied. */
export interface DrainedWorld extends ClusterWorld {
    /** The last pod that was deleted. */
    deleted?: Extract<Action, { do: "delete-pod" }>;
}

/** @param also how it deviates besides. */
export function drainedWorld(also: Partial<ClusterWorld> = {}, row: Deviation = {}): DrainedWorld {
    const world: DrainedWorld = clusterWorld({
        live: { tikv: { pods: { 3: onDrained() }, ownLeaders: { 3: 500 }, ...row } },
        ...also,
    });
    const change = (more: Deviation) => (world.live.tikv = { ...world.live.tikv, ...more });
    world.changes = (action) => {
        if (action.do === "begin-eviction") {
            change({ evicted: [13], stores: { 3: { leaderCount: { reported: 0 } } }, ownLeaders: { 3: 0 } });
        } else if (action.do === "end-eviction") {
            change({ evicted: [], stores: {}, ownLeaders: { 3: 500 } });
        } else if (action.do === "delete-pod") {
            world.deleted = action;
            change({ pods: { 3: { ...onKept, uid: "uid-new" } } });
        }
    };
    return world;
}

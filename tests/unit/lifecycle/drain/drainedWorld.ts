import type { Action } from "../../../../provider/lifecycle/vocabulary/actions";
import { onDrained, onKept } from "../../../support/lifecycle/drains";
import type { Deviation } from "../../../support/lifecycle/observations";
import { clusterWorld, type ClusterWorld } from "../../gates/clusterWorld";

/** A cluster whose store 13 follows what is done, with its pod on a node that is being emptied. */
export interface DrainedWorld extends ClusterWorld {
    /** The last pod that was deleted. */
    deleted?: Extract<Action, { do: "delete-pod" }>;
}

/** PD's limits are at the eviction window's bound, so there is nothing to raise. */
const atBound = { "leader-schedule-limit": 64 };

/** @param also how it deviates besides. */
export function drainedWorld(also: Partial<ClusterWorld> = {}, row: Deviation = {}): DrainedWorld {
    const world: DrainedWorld = clusterWorld({
        live: { tikv: { pods: { 3: onDrained() }, ownLeaders: { 3: 500 }, limits: atBound, ...row } },
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
        } else if (action.do === "raise-limits" || action.do === "put-back-limits") {
            const to = action.changes["leader-schedule-limit"]?.to;
            change({ limits: { "leader-schedule-limit": to } });
        }
    };
    return world;
}

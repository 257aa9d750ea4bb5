import { notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords, type Observation, unknownPd } from "../../../provider/lifecycle/vocabulary/observation";

/** @returns the observation of a cluster before anything was queried. */
export function nothingObserved(cluster: string, now: number): Observation {
    return {
        now,
        cluster,
        members: {},
        pd: unknownPd(),
        ownLeaders: {},
        heartbeats: notAsked,
        records: noRecords(),
    };
}

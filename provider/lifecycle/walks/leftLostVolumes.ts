import { claimsOnRecord } from "../vocabulary/stage";
import { removalFromPd, viewOfLost } from "../lostNodes/removalFromPd";
import type { Leftover } from "../vocabulary/leftover";
import type { LostVolumes } from "../vocabulary/failureRecord";
import type { Observation } from "../vocabulary/observation";

/** @returns the volumes that a run has begun to give up with their node, and that are on record. */
export function leftLostVolumes(observation: Observation): Leftover[] {
    return Object.entries(observation.records.lostVolumes ?? {}).map(([pod, lost]) => leftOf(observation, pod, lost));
}

function leftOf(observation: Observation, pod: string, lost: LostVolumes): Leftover {
    const { node, at, claims } = lost;
    const ours = {
        kind: "lost-volumes",
        target: pod,
        by: `a run of pulumi-tidb, which began it at ${new Date(at).toISOString()}`,
        isOurs: true,
    } as const;
    const what = `its volumes on node ${node}, which is gone, are being given up`;
    const view = viewOfLost(observation, pod, lost);
    const state = removalFromPd(view, lost);
    const forget = (seen: string, why: string): Leftover => ({
        ...ours,
        seen,
        verdict: "remove",
        why: `${why}: its record is deleted`,
        action: { do: "forget-lost-volumes", pod },
    });
    switch (state.is) {
        case "unknown":
            return { ...ours, seen: what, verdict: "not known", why: state.why };
        case "in":
            return forget("PD still lists what its volumes have", "nothing is given up");
        case "leaving": {
            const { id, regionCount } = state.store;
            const back = `to take it back: \`pd-ctl store cancel-delete ${id}\``;
            return {
                ...ours,
                seen: `${what}; store ${id} is Offline with ${regionCount} regions`,
                verdict: "keep",
                why: `\`pulumi up\` with operations.lostNodes goes on with it; ${back}`,
            };
        }
        case "out":
            return claimsOnRecord(view, claims).length > 0 || view.pod?.ready !== true
                ? {
                      ...ours,
                      seen: `${what}; PD has dropped them`,
                      verdict: "keep",
                      why: "`pulumi up` with operations.lostNodes goes on with it",
                  }
                : forget("it runs with other volumes", "nothing is left to do");
    }
}

import { claimsReleased } from "../stages/claims";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import type { PodView, Stage } from "../vocabulary/stage";
import { beforeCaptureLeaves, beforeCaptureRestarts, captureOf, listTrouble, shutdownBegunAt } from "./ticdcShutdown";

/** TiCDC's rules; its stages are in `ticdcShutdown.ts`. */

/** The pod's capture answers, and the other captures know it. TiCDC has no probe, so Ready means only that it runs. */
const captureRegistered: Stage = {
    name: "capture-registered",
    holds: (view) => {
        const lacks = lacksOf(view);
        return lacks === undefined ? true : { lacks };
    },
    advice: "check the pod's log",
};

function lacksOf(view: PodView): string | undefined {
    const { captures } = view.observation;
    const answer = captures?.byPod[view.podName];
    const capture = captureOf(view);
    if (capture === undefined) {
        return `TiCDC in ${view.podName} ${answer !== undefined && "trouble" in answer ? answer.trouble : "has not been queried"}`;
    }
    const list = captures?.list;
    return Array.isArray(list) && !list.some((one) => one.id === capture.id)
        ? `${view.podName} is not among the captures`
        : listTrouble(captures);
}

export const ticdcLifecycle: MemberLifecycle = {
    component: "ticdc",
    leavesProgram: "scaled-in",
    looks: { rollout: [], scale: [], state: [] },
    asks: ["captures"],
    comparesVersions: true,
    beforeRestart: beforeCaptureRestarts,
    afterRestart: [captureRegistered],
    beforeRemoval: [...beforeCaptureLeaves, claimsReleased],
    afterRemovalTakenBack: [],
    isBegun: (view) => shutdownBegunAt(view) !== undefined,
    refuseReplicas: () => undefined,
    // It comes last, and no other member needs it.
    available: () => undefined,
    startWaitsFor: "its capture registered",
    restartRisk: (view) =>
        view.target.replicas === 1 ? "the only TiCDC: changes are not replicated during the restart" : undefined,
    noneLeft: "no TiCDC is left: changes are not replicated",
};

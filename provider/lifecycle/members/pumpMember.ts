import { claimsReleased } from "../stages/claims";
import { notAsked } from "../vocabulary/evidence";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import type { Observation, ObservedPump } from "../vocabulary/observation";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { isStopped } from "../stages/stores";

/**
 * Pump's rules. Facts from tidb-operator pkg/manager/member/pump_scaler.go and pkg/binlog; it has none for restarts,
 * which it leaves to Kubernetes.
 */

/** A pod that has just started may still register its pump (pump_scaler.go: 5 resyncs). */
const registrationSeconds = 150;

function pumpOf({ pd, podName }: PodView): ObservedPump | undefined {
    return pd.pumps.known ? pd.pumps.value.find((pump) => pump.own && pump.podName === podName) : undefined;
}

function onlinePumps({ pd }: Observation): ObservedPump[] {
    return pd.pumps.known ? pd.pumps.value.filter((pump) => pump.state === "online") : [];
}

/** TiDB has another pump to write to; one that is alone has none, which the plan says. */
const anotherOnline: Stage = {
    name: "another-pump-online",
    holds: (view) => {
        if (!view.pd.pumps.known) {
            return lacksFact(view.pd.pumps, "the pumps are");
        }
        const others = onlinePumps(view.observation).filter((pump) => pump !== pumpOf(view));
        const isNeeded = view.target.replicas > 1 && pumpOf(view)?.state === "online";
        return others.length > 0 || !isNeeded ? true : { lacks: `no pump but ${view.podName} is online` };
    },
    advice: "look at the logs of the other pumps: TiDB cannot write its binlog without one",
};

/** The pump that was restarted takes binlogs again. */
const pumpOnline: Stage = {
    name: "pump-online",
    holds: (view) => {
        const lacks = lacksOf(view);
        return lacks === undefined ? true : { lacks };
    },
    advice: "look at the log of that pump",
};

function lacksOf(view: PodView): string | undefined {
    if (!view.pd.pumps.known) {
        return `the pump of ${view.podName} is not known: ${view.pd.pumps.why}`;
    }
    const state = pumpOf(view)?.state ?? "not registered";
    return state === "online" ? undefined : `the pump of ${view.podName} is ${state}`;
}

/** The pump has handed over all that it holds, and takes nothing more; `replicas` may fall only after this. */
const pumpOffline: Stage = {
    name: "pump-offline",
    holds: (view) => {
        const { pod, pd, podName } = view;
        if (!pd.pumps.known) {
            return lacksFact(pd.pumps, "the pumps are");
        }
        const pump = pumpOf(view);
        if (pump !== undefined) {
            return pump.state === "offline" ? true : { lacks: `the pump of ${podName} is ${pump.state}` };
        }
        const lacks = `PD lists no pump for ${podName}, which may still register one`;
        if (pod === undefined) {
            return true;
        }
        return isStopped(view) ? { lacks, steadyFor: registrationSeconds } : { lacks };
    },
    act: (view) => {
        const pump = pumpOf(view);
        return view.pod && pump?.state === "online"
            ? { do: "close-pump", pod: view.pod.name, uid: view.pod.uid, nodeId: pump.nodeId }
            : undefined;
    },
    timeout: (view) => ({ seconds: view.target.policy.storeRemovalTimeoutSeconds, then: "fail" }),
    advice: "look at the log of that pump: it waits until every drainer has what it holds",
};

export const pumpLifecycle: MemberLifecycle = {
    component: "pump",
    leavesProgram: "scaled-in",
    looks: { rollout: ["pumps"], scale: ["pumps"], state: ["pumps"] },
    beforeRestart: [anotherOnline],
    afterRestart: [pumpOnline],
    beforeRemoval: [pumpOffline, claimsReleased],
    afterRemovalTakenBack: [],
    // A pump that is offline is not Ready, and Kubernetes takes no pod away in order while another one is not Ready.
    refuseReplicas: (observation, target) => {
        const { replicas = 0, fixed } = observation.members.pump?.statefulSet ?? {};
        return replicas - target.replicas > 1 && fixed?.podManagementPolicy === "OrderedReady"
            ? `Pump leaves one at a time where podManagementPolicy is OrderedReady: expected ${replicas - 1} replicas first`
            : undefined;
    },
    lacks: (view) => (view.pd.pumps === notAsked ? undefined : lacksOf(view)),
    available: (observation, target) =>
        target.replicas === 0 || onlinePumps(observation).length > 0
            ? undefined
            : `no pump is online${observation.pd.pumps.known ? "" : ` (not known: ${observation.pd.pumps.why})`}`,
    restartDoes: () => [],
    startWaitsFor: "pump online",
    restartWaitsFor: "pump online",
    restartRisk: (view) =>
        view.target.replicas === 1 ? "the only pump: TiDB cannot write its binlog meanwhile" : undefined,
    removalDoes: () => "take its pump offline, once drainers have what it holds",
    estimateRestartSeconds: () => 30,
    estimateRemovalSeconds: () => 60,
};

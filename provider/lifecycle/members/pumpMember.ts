import { claimsReleased } from "../stages/claims";
import { notAsked } from "../vocabulary/evidence";
import type { MemberLifecycle } from "../vocabulary/memberLifecycle";
import type { Observation, ObservedPump } from "../vocabulary/observation";
import { lacksFact, type PodView, type Stage } from "../vocabulary/stage";
import { isStopped } from "../stages/stores";

/**
 * Pump's rules. Facts from tidb-operator pkg/manager/member/pump_scaler.go and pkg/binlog. The operator has no rules for
 * restarts and leaves them to Kubernetes.
 */

/** A pod that has just started may still register its pump (pump_scaler.go: 5 resyncs). */
const registrationSeconds = 150;

function pumpOf({ pd, podName }: PodView): ObservedPump | undefined {
    return pd.pumps.known ? pd.pumps.value.find((pump) => pump.own && pump.podName === podName) : undefined;
}

function onlinePumps({ pd }: Observation): ObservedPump[] {
    return pd.pumps.known ? pd.pumps.value.filter((pump) => pump.state === "online") : [];
}

/** TiDB has another pump to write to. If this is the only pump, there is none, and the plan says so. */
const anotherOnline: Stage = {
    name: "another-pump-online",
    holds: (view) => {
        if (!view.pd.pumps.known) {
            return lacksFact(view.pd.pumps, "the pumps are");
        }
        const others = onlinePumps(view.observation).filter((pump) => pump !== pumpOf(view));
        const isNeeded = view.target.replicas > 1 && pumpOf(view)?.state === "online";
        return others.length > 0 || !isNeeded ? true : { lacks: `no pump except ${view.podName} is online` };
    },
    advice: "check the logs of the other pumps: TiDB cannot write its binlog without one",
};

/** The restarted pump accepts binlogs again. */
const pumpOnline: Stage = {
    name: "pump-online",
    holds: (view) => {
        const lacks = lacksOf(view);
        return lacks === undefined ? true : { lacks };
    },
    advice: "check that pump's log",
};

function lacksOf(view: PodView): string | undefined {
    if (!view.pd.pumps.known) {
        return `the pump of ${view.podName} is not known: ${view.pd.pumps.why}`;
    }
    const state = pumpOf(view)?.state ?? "not registered";
    return state === "online" ? undefined : `the pump of ${view.podName} is ${state}`;
}

/** The pump has handed over all its binlogs and accepts no more. Only then may `replicas` be lowered. */
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
        return isStopped(view) ? { lacks, steadyFor: registrationSeconds, needsLock: true } : { lacks };
    },
    act: (view) => {
        const pump = pumpOf(view);
        return view.pod && pump?.state === "online"
            ? { do: "close-pump", pod: view.pod.name, uid: view.pod.uid, nodeId: pump.nodeId }
            : undefined;
    },
    timeout: (view) => ({ seconds: view.target.policy.storeRemovalTimeoutSeconds, then: "fail" }),
    advice: "check that pump's log: it waits until every drainer has received its binlogs",
};

export const pumpLifecycle: MemberLifecycle = {
    component: "pump",
    leavesProgram: "scaled-in",
    looks: { rollout: ["pumps"], scale: ["pumps"], state: ["pumps"] },
    beforeRestart: [anotherOnline],
    afterRestart: [pumpOnline],
    beforeRemoval: [pumpOffline, claimsReleased],
    afterRemovalTakenBack: [],
    // An offline pump is not Ready, and with OrderedReady Kubernetes removes no pod while another one is not Ready.
    refuseReplicas: (observation, target) => {
        const { replicas = 0, fixed } = observation.members.pump?.statefulSet ?? {};
        return replicas - target.replicas > 1 && fixed?.podManagementPolicy === "OrderedReady"
            ? `with podManagementPolicy OrderedReady, Pump is scaled in one pod at a time: expected ${replicas - 1} replicas first`
            : undefined;
    },
    lacks: (view) => (view.pd.pumps === notAsked ? undefined : lacksOf(view)),
    available: (observation, target) =>
        target.replicas === 0 || onlinePumps(observation).length > 0
            ? undefined
            : `no pump is online${observation.pd.pumps.known ? "" : ` (not known: ${observation.pd.pumps.why})`}`,
    startWaitsFor: "pump online",
    restartRisk: (view) =>
        view.target.replicas === 1 ? "the only pump: TiDB cannot write its binlog during the restart" : undefined,
    noneLeft: "no Pump is left: TiDB cannot write its binlog",
};

import { type ClusterState, type Pod, record } from "./cluster";
import { leaderOf } from "./members";

/** The id under which a pod's pump is registered. */
export function pumpNodeId(pod: string): string {
    return `${pod}:8250`;
}

/** Tells the pump in a pod to go offline. Returns the reason if it cannot. */
export function closePump(state: ClusterState, pod: string): string | undefined {
    const pump = state.pumps.get(pod);
    if (pump?.state !== "online") {
        return `pump ${pumpNodeId(pod)} is ${pump?.state ?? "not registered"}`;
    }
    state.pumps.set(pod, { ...pump, state: "closing", closingSince: state.now });
    return undefined;
}

/** A pump whose process ends registers itself as paused. */
export function pausePump(state: ClusterState, pod: Pod): void {
    const pump = state.pumps.get(pod.name);
    if (pump !== undefined && pump.state !== "offline") {
        state.pumps.set(pod.name, { ...pump, state: "paused" });
    }
}

/** Registers pumps that started. A closing pump goes offline once its data is handed over. */
export function stepPumps(state: ClusterState): void {
    if (leaderOf(state) === undefined) {
        return;
    }
    for (const { name, uid, component, readySince } of state.pods.values()) {
        const known = state.pumps.get(name);
        if (component === "pump" && readySince !== undefined && known?.uid !== uid) {
            state.pumps.set(name, { pod: name, uid, state: "online" });
        }
    }
    for (const pump of state.pumps.values()) {
        const closingFor = state.now - (pump.closingSince ?? state.now);
        if (pump.state === "closing" && closingFor >= state.timings.pumpOfflineAfterMilliseconds) {
            state.pumps.set(pump.pod, { ...pump, state: "offline" });
            record(state, "pump-offline", { pod: pump.pod, component: "pump" });
        }
    }
}

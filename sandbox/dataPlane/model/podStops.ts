import { captureOwner } from "./captures";
import { type ClusterState, type Pod, record } from "./cluster";
import { hasQuorum } from "./members";
import { pausePump } from "./pumps";
import { isStore, stopStore, type StorePod } from "./stores";
import { isUp, storeState } from "./storeState";

/** Ends a pod's process. @param isKilled whether by SIGKILL. Default: it is not known. */
export function stopPod(state: ClusterState, pod: Pod, isKilled = pod.killedAt !== undefined): void {
    if (isStore(pod)) {
        stopStorePod(state, pod, isKilled);
    } else if (pod.component === "pd") {
        stopPd(state, pod);
    } else if (pod.component === "ticdc") {
        const tables = state.captures.tables.get(pod.name) ?? 0;
        const ownedTicdc = captureOwner(state) === pod.name;
        state.pods.delete(pod.name);
        record(state, "pod-stopped", { pod: pod.name, component: pod.component, tables, ownedTicdc });
    } else if (pod.component === "pump") {
        const pumpState = state.pumps.get(pod.name)?.state;
        pausePump(state, pod);
        state.pods.delete(pod.name);
        record(state, "pod-stopped", { pod: pod.name, component: pod.component, pumpState });
    } else {
        const wasPrimary = [...state.primaries.values()].includes(pod.name);
        state.pods.delete(pod.name);
        record(state, "pod-stopped", { pod: pod.name, component: pod.component, ...(wasPrimary && { wasPrimary }) });
    }
}

function stopStorePod(state: ClusterState, pod: StorePod, isKilled: boolean): void {
    state.pods.delete(pod.name);
    const store = state.stores.find((one) => one.claim === pod.claim && one.running);
    const others = state.stores.filter((one) => one !== store && storeState(state, one) !== "Tombstone");
    const concerned = pod.component === "tikv" ? others : others.filter(({ engine }) => engine === "tiflash");
    record(state, "pod-stopped", {
        pod: pod.name,
        component: pod.component,
        storeId: store?.id,
        leaders: store?.leaders ?? 0,
        ...(isKilled ? { killed: true as const } : {}),
        otherStoresNotUp: concerned.filter((one) => !isUp(state, one)).map((one) => one.id),
    });
    if (store !== undefined) {
        stopStore(state, store);
    }
}

function stopPd(state: ClusterState, pod: Pod): void {
    state.pods.delete(pod.name);
    const member = state.members.find((one) => one.claim === pod.claim);
    if (member !== undefined) {
        member.knowsLeaders = false;
    }
    record(state, "pod-stopped", {
        pod: pod.name,
        component: pod.component,
        member: member?.name,
        ledPd: member !== undefined && member.name === state.leader,
        quorumLeft: hasQuorum(state),
    });
}

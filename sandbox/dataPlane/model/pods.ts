import { advance } from "./advance";
import { captureOwner } from "./captures";
import { type ClusterState, type Pod, type PodObservation, record } from "./cluster";
import { hasQuorum } from "./members";
import { whyRefused } from "./pdFile";
import { pausePump } from "./pumps";
import { isStore, stopStore, type StorePod } from "./stores";
import { isUp, storeState } from "./storeState";

/** Sets the cluster's pods at `now`. The list must be complete: a pod that is missing has stopped. */
export function observePods(state: ClusterState, pods: PodObservation[], now: number): void {
    advance(state, now);
    const observed = new Map(pods.map((pod) => [pod.name, pod]));
    for (const known of [...state.pods.values()]) {
        const seen = observed.get(known.name);
        if (seen === undefined || seen.uid !== known.uid || !isTried(state, seen)) {
            stopPod(state, known);
        }
    }
    for (const pod of pods.filter((one) => isTried(state, one))) {
        const last = state.pods.get(pod.name);
        // A process that has ended because of its file is started again, and reads it anew.
        const known = last?.refused === undefined ? last : undefined;
        state.pods.set(pod.name, {
            ...pod,
            // Its process keeps what it has read, whatever the ConfigMap says since.
            config: known?.config ?? pod.config,
            tidb: known?.tidb,
            logLevel: known?.logLevel,
            refused: known === undefined ? whyRefused(state, pod, last) : undefined,
            runningSince: known?.runningSince ?? state.now,
            readySince: pod.ready ? (known?.readySince ?? state.now) : undefined,
            serving: pod.ready && known?.serving,
        });
    }
    advance(state, now);
}

/** Whether the pod's process runs, or was refused and is started again and again. */
function isTried(state: ClusterState, pod: PodObservation): boolean {
    const last = state.pods.get(pod.name);
    const wasRefused = last?.uid === pod.uid && (last.refused !== undefined || !last.running);
    return pod.running || (pod.backsOff !== undefined && wasRefused);
}

function stopPod(state: ClusterState, pod: Pod): void {
    if (isStore(pod)) {
        stopStorePod(state, pod);
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

function stopStorePod(state: ClusterState, pod: StorePod): void {
    state.pods.delete(pod.name);
    const store = state.stores.find((one) => one.claim === pod.claim && one.running);
    const others = state.stores.filter((one) => one !== store && storeState(state, one) !== "Tombstone");
    const concerned = pod.component === "tikv" ? others : others.filter(({ engine }) => engine === "tiflash");
    record(state, "pod-stopped", {
        pod: pod.name,
        component: pod.component,
        storeId: store?.id,
        leaders: store?.leaders ?? 0,
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

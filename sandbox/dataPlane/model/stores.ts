import { engineLabels, podHost, storePorts } from "../facts/addresses";
import { mergedLabels } from "../facts/storeLabels";
import { tikvConfigOf } from "../facts/tikvConfig";
import { type ClusterState, type Pod, record, type Store } from "./cluster";
import { giveLeader } from "./leaders";
import { leaderOf } from "./members";

/** A pod of TiKV or TiFlash. */
export type StorePod = Pod & { component: Store["engine"] };

/** Requests the removal of a store. It becomes Offline, whether or not the remaining stores can take its regions. */
export function deleteStore(state: ClusterState, store: Store): void {
    if (store.nodeState === "Serving") {
        store.nodeState = "Removing";
        record(state, "store-deleted", { storeId: store.id, pod: store.pod, leaders: store.leaders });
    }
}

/** Cancels a store's deletion. */
export function cancelDeletion(state: ClusterState, store: Store): void {
    if (store.nodeState === "Removing") {
        store.nodeState = "Serving";
        record(state, "store-deletion-cancelled", { storeId: store.id, pod: store.pod });
    }
}

/** Starts the stores whose pods have been ready for long enough, and makes running stores report. */
export function stepStores(state: ClusterState): void {
    const running = new Set(state.stores.filter((store) => store.running).map(({ claim }) => claim));
    for (const pod of state.pods.values()) {
        if (running.has(pod.claim)) {
            continue;
        }
        const upAt = (pod.readySince ?? Infinity) + state.timings.storeUpAfterReadyMilliseconds;
        // A process that was refused is started again and again.
        const isDue = pod.refused !== undefined || state.now >= upAt;
        if (isStore(pod) && canStart(state, pod) && isDue && leaderOf(state) !== undefined) {
            startStore(state, pod, state.now >= upAt);
        }
    }
    for (const store of state.stores) {
        if (store.running && state.faults.stores[store.pod]?.dead) {
            stopStore(state, store);
        }
        if (store.running) {
            report(state, store);
            refreshGauges(state, store);
        }
    }
}

/**
 * A store reports to PD with each heartbeat, and to a new PD leader as soon as it finds it. One that has just registered waits for its
 * first tick: until then PD calls it Down (tikv/pd v8.5.4 pkg/response/store.go: it is silent since 1970).
 */
function report(state: ClusterState, store: Store): void {
    const { storeHeartbeatMilliseconds: beat } = state.timings;
    const isDue = state.now >= store.nextHeartbeat;
    const findsLeader = store.lastHeartbeat > 0 && store.lastHeartbeat < store.reportsFrom;
    if (leaderOf(state) !== undefined && state.now >= store.reportsFrom && (isDue || findsLeader)) {
        store.lastHeartbeat = state.now;
    }
    if (isDue) {
        store.nextHeartbeat = nextTick(state, store.nextHeartbeat, beat);
    }
}

/** The gauges have a timer of their own, which starts with the process. */
function refreshGauges(state: ClusterState, store: Store): void {
    if (state.now >= store.nextGauges) {
        store.gauges = { leaders: store.leaders, regions: store.regions };
        store.nextGauges = nextTick(state, store.nextGauges, state.timings.regionGaugeMilliseconds);
    }
}

function nextTick({ now }: ClusterState, due: number, interval: number): number {
    return due + interval * (Math.floor((now - due) / interval) + 1);
}

/** Whether the pod runs TiKV or TiFlash. */
export function isStore(pod: Pod): pod is StorePod {
    return pod.component === "tikv" || pod.component === "tiflash";
}

/** TiFlash starts only in a cluster that TiKV has bootstrapped. */
function canStart(state: ClusterState, pod: Pod): boolean {
    return pod.component === "tikv" || state.stores.length > 0;
}

/** Ends a store's process. The reporting stores elect leaders for its regions. If there are none, the leaders stay. */
export function stopStore(state: ClusterState, store: Store): void {
    store.running = false;
    store.stoppedAt = state.now;
    store.gauges = undefined;
    const others = state.stores.filter(
        (other) => other.engine === store.engine && other.running && other.nodeState !== "Removed",
    );
    for (let next = 0; store.leaders > 0 && others.length > 0; next++) {
        giveLeader(state, store, others[next % others.length]);
    }
    store.unreported = state.leadership === undefined ? store.unreported : 0;
}

/** @param isUp whether the process has run for long enough to register, if nothing refuses it. */
function startStore(state: ClusterState, pod: StorePod, isUp: boolean): void {
    if (state.faults.stores[pod.name]?.dead) {
        return;
    }
    const store = state.stores.find((known) => known.claim === pod.claim);
    const refusal = refusalOf(state, pod, store);
    if (refusal !== undefined && refusal.detail !== pod.refused) {
        record(state, "store-refused", { pod: pod.name, ...refusal });
    }
    pod.refused = refusal?.detail;
    if (refusal !== undefined || !isUp) {
        return;
    }
    if (store === undefined) {
        joinStore(state, pod);
    } else if (!store.running) {
        store.running = true;
        store.startedAt = state.now;
        store.lastHeartbeat = state.now;
        store.reportsFrom = state.now;
        Object.assign(store, firstTicks(state));
        store.version = pod.version;
        store.config = tikvConfigOf(pod.config ?? {});
        store.labels = mergedLabels(store.labels, pod.storeLabels ?? {}); // PD keeps the others, such as those that a run has set.
        record(state, "store-up", { storeId: store.id, pod: pod.name });
    }
}

/** The timers of a process that starts now. */
function firstTicks({ now, timings }: ClusterState): Pick<Store, "nextHeartbeat" | "nextGauges"> {
    return {
        nextHeartbeat: now + timings.storeHeartbeatMilliseconds,
        nextGauges: now + timings.regionGaugeMilliseconds,
    };
}

/** @returns why PD does not take the pod's store: the store of its volume, if there is one, or a new one. */
function refusalOf(
    state: ClusterState,
    pod: StorePod,
    store: Store | undefined,
): { storeId: number; detail: string } | undefined {
    if (store !== undefined) {
        return store.nodeState === "Removed"
            ? { storeId: store.id, detail: `its data belongs to store ${store.id}, which is Tombstone` }
            : undefined;
    }
    const address = addressOf(state, pod);
    const rival = state.stores.find((other) => other.address === address && other.nodeState !== "Removed");
    return rival && { storeId: rival.id, detail: `duplicated store address: store ${rival.id} has ${address}` };
}

function addressOf(state: ClusterState, { name, component, elsewhere }: StorePod): string {
    const { service, namespace } = elsewhere ?? {
        service: `${state.name}-${component}-peer`,
        namespace: state.namespace,
    };
    return `${podHost(name, service, namespace)}:${storePorts[component]}`;
}

function joinStore(state: ClusterState, pod: StorePod): void {
    const engine = pod.component;
    const store: Store = {
        id: state.nextStoreId++,
        engine,
        pod: pod.name,
        address: addressOf(state, pod),
        claim: pod.claim,
        version: pod.version,
        config: tikvConfigOf(pod.config ?? {}),
        labels: { ...pod.storeLabels, ...engineLabels(engine) },
        nodeState: "Serving",
        running: true,
        startedAt: state.now,
        stoppedAt: state.now,
        lastHeartbeat: 0,
        ...firstTicks(state),
        reportsFrom: state.now,
        leaders: 0,
        regions: 0,
        unreported: 0,
        evictionCredit: 0,
        drainCredit: 0,
    };
    if (state.stores.length === 0) {
        state.regions = store.regions = store.leaders = 1;
    }
    state.stores.push(store);
    state.lastStoreJoinedAt = engine === "tikv" ? state.now : state.lastStoreJoinedAt;
    record(state, "store-joined", { storeId: store.id, pod: pod.name });
}

import { type Clock, systemClock } from "./clock";
import { type Faults, noFaults } from "./faults";
import { advance } from "./model/advance";
import type { ClusterState, PodObservation } from "./model/cluster";
import { createCluster } from "./model/createCluster";
import type { Component } from "./model/events";
import { backdateLeadership } from "./model/leadership";
import { observePods } from "./model/pods";
import { defaultReplication, defaultSchedule, defaultServer } from "./pdApi/defaultConfig";
import { simulatedCluster, type SimulatedCluster } from "./simulatedCluster";
import { defaultTimings, type Timings } from "./timings";

/** The options of a simulated cluster without Kubernetes. */
export interface SettledClusterOptions {
    /** The name of the cluster. Pods, members and stores are named after it. Default: `basic`. */
    cluster?: string;
    /** Default: `default`. */
    namespace?: string;
    /** The number of PD members. Default: 3. */
    members?: number;
    /** The number of TiKV stores. With 0 the cluster is not bootstrapped. Default: 3. */
    stores?: number;
    /** The total number of regions. Each has three peers, which are spread evenly. Default: 300 for each store. */
    regions?: number;
    /** The number of TiFlash stores. Default: 0. */
    tiflash?: number;
    /** The number of TiDB servers. Default: 0. */
    tidb?: number;
    /** The number of TiCDC captures. Default: 0. */
    ticdc?: number;
    /** The number of pumps. Default: 0. */
    pump?: number;
    /** The version of all pods. Default: `v8.5.3`. */
    version?: string;
    /** The name of the Secret for TLS. If set, all pods serve TLS and their addresses say so. Default: plain HTTP. */
    tlsSecret?: string;
    timings?: Partial<Timings>;
    /** How long PD's leader has led. Default: 2 h, longer than PD's etcd keeps history. */
    ledForMilliseconds?: number;
    /** Faults from the start. The initial state was reached without them. */
    faults?: Partial<Faults>;
    /** Default: the machine's clock. With a `manualClock`, time passes only when the test advances it. */
    clock?: Clock;
}

/** A simulated cluster whose pods a test can stop and start. */
export interface SettledCluster extends SimulatedCluster {
    /** The names of all pods, including stopped ones. */
    pods(): string[];
    /** Stops a pod's process, as if the pod had been deleted. */
    stopPod(pod: string): void;
    /** Deletes a pod: its process gets SIGTERM, and SIGKILL after its grace period. The pod stays until it is stopped or started. */
    deletePod(pod: string, graceMilliseconds?: number): void;
    /**
     * Restarts a pod's process, optionally with another version or an empty volume. An unknown name creates a new pod.
     */
    startPod(pod: string, change?: { version?: string; newClaim?: boolean }): void;
}

/** Creates a cluster whose members and stores are healthy and have their data. Also returns the model's state. */
export function settledCluster(options: SettledClusterOptions = {}): { state: ClusterState; cluster: SettledCluster } {
    const { cluster: name = "basic", namespace = "default", version = "v8.5.3", clock = systemClock } = options;
    const timings = timingsOf(options);
    const state = createCluster({
        namespace,
        name,
        now: clock() - settlingMilliseconds(timings),
        timings,
        faults: noFaults(),
        scheduleConfig: defaultSchedule,
        replicationConfig: defaultReplication,
        serverConfig: defaultServer,
    });
    let starts = 0;
    const pods = new Map<string, PodObservation>();
    const place = (pod: string, claim: string | undefined, tag: string): void => {
        starts++;
        pods.set(pod, {
            name: pod,
            uid: `pod-${starts}`,
            component: componentOf(name, pod),
            claim: claim ?? `claim-${starts}`,
            running: true,
            ready: true,
            version: tag,
            tlsSecret: options.tlsSecret,
        });
    };
    const { members = 3, stores = 3, tiflash = 0, tidb = 0, ticdc = 0, pump = 0 } = options;
    for (const [component, count] of Object.entries({ pd: members, tikv: stores, tiflash, tidb, ticdc, pump })) {
        for (let ordinal = 0; ordinal < count; ordinal++) {
            place(`${name}-${component}-${ordinal}`, undefined, version);
        }
    }
    observePods(state, [...pods.values()], state.now);
    advance(state, clock());
    settle(state, options.ledForMilliseconds ?? 7_200_000);
    state.events.length = 0;
    Object.assign(state.faults, options.faults);

    const view = simulatedCluster(state, clock);
    const knownPod = (pod: string): PodObservation => {
        const known = pods.get(pod);
        if (known === undefined) {
            throw new Error(`cluster ${name} has no pod ${pod}; its pods are ${[...pods.keys()].join(", ")}`);
        }
        return known;
    };
    const cluster: SettledCluster = {
        ...view,
        pods: () => [...pods.keys()],
        stopPod: (pod) => {
            pods.set(pod, { ...knownPod(pod), running: false, ready: false });
            view.observePods([...pods.values()]);
        },
        deletePod: (pod, graceMilliseconds = 30_000) => {
            pods.set(pod, { ...knownPod(pod), ready: false, killedAt: clock() + graceMilliseconds });
            view.observePods([...pods.values()]);
        },
        startPod: (pod, change = {}) => {
            const known = pods.get(pod);
            place(pod, change.newClaim ? undefined : known?.claim, change.version ?? known?.version ?? version);
            view.observePods([...pods.values()]);
        },
    };
    return { state, cluster };
}

/**
 * Sets the state of a cluster that has run for long: gauges are current, PD's counts are right, and its leader was
 * elected the given time ago.
 */
function settle(state: ClusterState, ledForMilliseconds: number): void {
    for (const store of state.stores) {
        store.gauges = { leaders: store.leaders, regions: store.regions };
        store.lastHeartbeat = state.now;
    }
    if (state.leadership !== undefined) {
        backdateLeadership(state, ledForMilliseconds);
    }
}

/** Returns the component from a pod's name: `<cluster>-pd-<n>`, `<cluster>-tikv-<n>` and so on. */
export function componentOf(cluster: string, pod: string): Component {
    const component = pod.startsWith(`${cluster}-`)
        ? /^(pd|tikv|tiflash|tidb|tiproxy|pump|ticdc)-\d+$/.exec(pod.slice(cluster.length + 1))?.[1]
        : undefined;
    if (component === undefined) {
        throw new Error(
            `the pod name ${pod} is not valid, expected ${cluster}-<component>-<n> with pd, tikv, tiflash, tidb, tiproxy, pump or ticdc as the component`,
        );
    }
    return component as Component;
}

function timingsOf({ regions, stores = 3, timings }: SettledClusterOptions): Timings {
    const shared = regions === undefined ? {} : { leadersPerStore: Math.floor(regions / Math.max(1, stores)) };
    return { ...defaultTimings, ...timings, ...shared };
}

function settlingMilliseconds(timings: Timings): number {
    const { memberHealthyAfterMilliseconds, storeUpAfterReadyMilliseconds, dataLoadedAfterMilliseconds } = timings;
    const joined = memberHealthyAfterMilliseconds + storeUpAfterReadyMilliseconds;
    return joined + timings.storeHeartbeatMilliseconds + dataLoadedAfterMilliseconds + 1000;
}

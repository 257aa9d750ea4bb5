import { type Clock, systemClock } from "./clock";
import { type Faults, noFaults } from "./faults";
import { advance } from "./model/advance";
import type { ClusterState, PodObservation } from "./model/cluster";
import { createCluster } from "./model/createCluster";
import type { Component } from "./model/events";
import { backdateLeadership } from "./model/leadership";
import { observePods } from "./model/pods";
import { defaultReplication, defaultSchedule } from "./pdApi/defaultConfig";
import { simulatedCluster, type SimulatedCluster } from "./simulatedCluster";
import { defaultTimings, type Timings } from "./timings";

/** What a simulated cluster without Kubernetes is like. */
export interface SettledClusterOptions {
    /** Name of the cluster; pods, members and stores are named after it. Default: `basic`. */
    cluster?: string;
    /** Default: `default`. */
    namespace?: string;
    /** PD members. Default: 3. */
    members?: number;
    /** Stores; 0 leaves the cluster not bootstrapped. Default: 3. */
    stores?: number;
    /** Regions in all, with three peers each, shared evenly. Default: 300 for each store. */
    regions?: number;
    /** TiFlash stores. Default: 0. */
    tiflash?: number;
    /** TiDB servers. Default: 0. */
    tidb?: number;
    /** Captures of TiCDC. Default: 0. */
    ticdc?: number;
    /** Pumps. Default: 0. */
    pump?: number;
    /** Version of all pods. Default: `v8.5.3`. */
    version?: string;
    /** Name of the Secret with which all pods serve TLS, as their addresses then say. Default: plain HTTP. */
    tlsSecret?: string;
    timings?: Partial<Timings>;
    /** How long PD's leader has led. Default: 2 h, longer than PD's etcd remembers. */
    ledForMilliseconds?: number;
    /** Faults from the start; the cluster has settled without them. */
    faults?: Partial<Faults>;
    /** Default: the machine's. With a `manualClock`, time passes only as the test says. */
    clock?: Clock;
}

/** A simulated cluster whose pods a test stops and starts. */
export interface SettledCluster extends SimulatedCluster {
    /** Names of all pods, stopped ones too. */
    pods(): string[];
    /** Stops a pod's process, as if the pod was deleted. */
    stopPod(pod: string): void;
    /** Starts a pod's process anew, of another version or with an empty volume if so asked. An unknown name is a new pod. */
    startPod(pod: string, change?: { version?: string; newClaim?: boolean }): void;
}

/** A cluster whose members and stores are all well and hold their data already, and the model's state of it. */
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
    const cluster: SettledCluster = {
        ...view,
        pods: () => [...pods.keys()],
        stopPod: (pod) => {
            const known = pods.get(pod);
            if (known === undefined) {
                throw new Error(`cluster ${name} has no pod ${pod}, only ${[...pods.keys()].join(", ")}`);
            }
            pods.set(pod, { ...known, running: false, ready: false });
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

/** As if all had been so for long: gauges are fresh, PD counts right, and its leader was elected when asked for. */
function settle(state: ClusterState, ledForMilliseconds: number): void {
    for (const store of state.stores) {
        store.gauges = { leaders: store.leaders, regions: store.regions };
        store.lastHeartbeat = state.now;
    }
    if (state.leadership !== undefined) {
        backdateLeadership(state, ledForMilliseconds);
    }
}

/** The component that a pod's name says: `<cluster>-pd-<n>`, `<cluster>-tikv-<n>` and so on. */
export function componentOf(cluster: string, pod: string): Component {
    const component = pod.startsWith(`${cluster}-`)
        ? /^(pd|tikv|tiflash|tidb|tiproxy|pump|ticdc)-\d+$/.exec(pod.slice(cluster.length + 1))?.[1]
        : undefined;
    if (component === undefined) {
        throw new Error(
            `pod ${pod} is not named ${cluster}-pd-<n>, or the same with tikv, tiflash, tidb, tiproxy, pump or ticdc`,
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
    return memberHealthyAfterMilliseconds + storeUpAfterReadyMilliseconds + dataLoadedAfterMilliseconds + 1000;
}

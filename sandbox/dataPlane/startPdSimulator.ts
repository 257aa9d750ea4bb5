import { type Clock, manualClock, systemClock } from "./clock";
import { noFaults, type Faults } from "./faults";
import type { Listener, ListenerTls } from "./listener";
import { advance } from "./model/advance";
import { createCluster, type PodObservation } from "./model/cluster";
import type { Component } from "./model/events";
import { defaultReplication, defaultSchedule } from "./pdApi/defaultConfig";
import { startPodListener } from "./podListeners";
import { simulatedCluster, type SimulatedCluster } from "./simulatedCluster";
import { defaultTimings, type Timings } from "./timings";

/** What a simulated PD is like. */
export interface PdSimulatorOptions {
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
    /** TiDB servers. Default: 0. */
    tidb?: number;
    /** Version of all pods. Default: `v8.5.3`. */
    version?: string;
    timings?: Partial<Timings>;
    faults?: Partial<Faults>;
    /** Default: the machine's. With a `manualClock`, time passes only as the test says. */
    clock?: Clock;
    /** Speak TLS on every member's port. Default: plain HTTP. */
    tls?: ListenerTls;
}

/** A PD with members and stores that answers on loopback ports, without Kubernetes. */
export interface PdSimulator extends SimulatedCluster {
    /** URLs of the members, in the order of their pods. */
    readonly urls: string[];
    /** Members by name and URL, as a client of PD is given them. */
    readonly endpoints: { name: string; url: string }[];
    /** URL of a pod's played port. */
    urlOf(pod: string): string;
    /** Stops a pod's process, as if the pod was deleted. */
    stopPod(pod: string): void;
    /** Starts a pod's process, of another version or with an empty volume if so asked. A new pod's ordinal is the next. */
    startPod(pod: string, change?: { version?: string; newClaim?: boolean }): Promise<void>;
    /** Closes all ports. */
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a simulated PD whose members and stores are all well and hold their data already. */
export async function startPdSimulator(options: PdSimulatorOptions = {}): Promise<PdSimulator> {
    const { cluster = "basic", namespace = "default", members = 3, stores = 3, tidb = 0, version = "v8.5.3" } = options;
    const timings: Timings = {
        ...defaultTimings,
        ...(options.regions === undefined
            ? {}
            : { leadersPerStore: Math.floor(options.regions / Math.max(1, stores)) }),
        ...options.timings,
    };
    const clock = options.clock ?? systemClock;
    const settleMilliseconds =
        timings.memberHealthyAfterMilliseconds +
        timings.leaderElectionMilliseconds +
        timings.storeUpAfterReadyMilliseconds +
        timings.dataLoadedAfterMilliseconds +
        1000;
    const past = manualClock(clock() - settleMilliseconds);
    const state = createCluster({
        namespace,
        name: cluster,
        now: past(),
        timings,
        faults: { ...noFaults() },
        scheduleConfig: defaultSchedule,
        replicationConfig: defaultReplication,
    });
    const pods = new Map<string, PodObservation>();
    let starts = 0;
    const observed = (name: string, claim?: string, tag = version): PodObservation => ({
        name,
        uid: `pod-${++starts}`,
        component: componentOf(cluster, name),
        claim: claim ?? `claim-${starts}`,
        running: true,
        ready: true,
        version: tag,
    });
    const counts: [Component, number][] = [
        ["pd", members],
        ["tikv", stores],
        ["tidb", tidb],
    ];
    for (const [component, count] of counts) {
        for (let ordinal = 0; ordinal < count; ordinal++) {
            const name = `${cluster}-${component}-${ordinal}`;
            pods.set(name, observed(name));
        }
    }
    simulatedCluster(state, past).observePods([...pods.values()]);
    advance(state, clock());
    state.events.length = 0;
    Object.assign(state.faults, options.faults);

    const listeners = new Map<string, Listener>();
    const listen = async (pod: string): Promise<void> => {
        const component = componentOf(cluster, pod);
        const tls = component === "pd" ? options.tls : undefined;
        listeners.set(pod, listeners.get(pod) ?? (await startPodListener(state, component, pod, clock, tls)));
    };
    await Promise.all([...pods.keys()].map(listen));
    const view = simulatedCluster(state, clock);
    const endpoints = (): { name: string; url: string }[] =>
        [...listeners]
            .filter(([pod]) => componentOf(cluster, pod) === "pd")
            .map(([name, { url }]) => ({ name, url }))
            .sort((left, right) => left.name.localeCompare(right.name));
    const stop = async (): Promise<void> => {
        await Promise.all([...listeners.values()].map((listener) => listener.close()));
    };
    return {
        ...view,
        get urls() {
            return endpoints().map(({ url }) => url);
        },
        get endpoints() {
            return endpoints();
        },
        urlOf: (pod) => {
            const listener = listeners.get(pod);
            if (listener === undefined) {
                throw new Error(`no pod ${pod} in the simulator, which has ${[...listeners.keys()].join(", ")}`);
            }
            return listener.url;
        },
        stopPod: (pod) => {
            const known = pods.get(pod);
            pods.set(pod, { ...(known ?? observed(pod)), running: false, ready: false });
            view.observePods([...pods.values()]);
        },
        startPod: async (pod, change = {}) => {
            const known = pods.get(pod);
            pods.set(pod, observed(pod, change.newClaim ? undefined : known?.claim, change.version ?? known?.version));
            await listen(pod);
            view.observePods([...pods.values()]);
        },
        stop,
        [Symbol.asyncDispose]: stop,
    };
}

function componentOf(cluster: string, pod: string): Component {
    const component = /^(pd|tikv|tidb)-\d+$/.exec(pod.slice(cluster.length + 1))?.[1];
    if (component === undefined || !pod.startsWith(`${cluster}-`)) {
        throw new Error(`pod ${pod} is not named ${cluster}-pd-<n>, ${cluster}-tikv-<n> or ${cluster}-tidb-<n>`);
    }
    return component as Component;
}

import { systemClock } from "./clock";
import type { Listener, ListenerTls } from "./listener";
import { startPodListener } from "./podListeners";
import { componentOf, settledCluster, type SettledCluster, type SettledClusterOptions } from "./settledCluster";

/** The options of a simulated PD. */
export interface PdSimulatorOptions extends SettledClusterOptions {
    /** Serves TLS on every member's port. Default: plain HTTP. */
    tls?: ListenerTls;
}

/** A PD with members and stores that serves loopback ports, without Kubernetes. */
export interface PdSimulator extends Omit<SettledCluster, "startPod"> {
    /** The URLs of the members, in the order of their names. */
    readonly urls: string[];
    /** The members by name and URL, in the form that a PD client takes. */
    readonly endpoints: { name: string; url: string }[];
    /** The URL of a pod's simulated port: PD's client port, or the status port of a TiKV or TiDB. */
    urlOf(pod: string): string;
    /** As in `SettledCluster`. A new pod gets a new port. */
    startPod(pod: string, change?: { version?: string; newClaim?: boolean }): Promise<void>;
    /** Closes all ports. */
    stop(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a simulated PD whose members and stores are healthy and have their data. */
export async function startPdSimulator(options: PdSimulatorOptions = {}): Promise<PdSimulator> {
    const { state, cluster } = settledCluster({ ...options, tlsSecret: options.tls && "given" });
    const listeners = new Map<string, Listener>();
    const listen = async (pod: string): Promise<void> => {
        const component = componentOf(cluster.name, pod);
        const tls = component === "pd" ? options.tls : undefined;
        const clock = options.clock ?? systemClock;
        listeners.set(pod, listeners.get(pod) ?? (await startPodListener(state, component, pod, clock, tls)));
    };
    await Promise.all(cluster.pods().map(listen));
    const endpoints = (): { name: string; url: string }[] =>
        [...listeners.keys()]
            .filter((pod) => componentOf(cluster.name, pod) === "pd")
            .sort()
            .map((name) => ({ name, url: listeners.get(name)!.url }));
    const stop = async (): Promise<void> => {
        await Promise.all([...listeners.values()].map((listener) => listener.close()));
    };
    return {
        ...cluster,
        get urls() {
            return endpoints().map(({ url }) => url);
        },
        get endpoints() {
            return endpoints();
        },
        urlOf: (pod) => {
            const listener = listeners.get(pod);
            if (listener === undefined) {
                throw new Error(`the simulator has no pod ${pod}; its pods are ${[...listeners.keys()].join(", ")}`);
            }
            return listener.url;
        },
        startPod: async (pod, change) => {
            cluster.startPod(pod, change);
            await listen(pod);
        },
        stop,
        [Symbol.asyncDispose]: stop,
    };
}

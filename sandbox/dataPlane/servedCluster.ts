import type { Clock } from "./clock";
import { crashReports } from "./crashReports";
import type { Faults } from "./faults";
import type { Listener, ListenerTls } from "./listener";
import { advance } from "./model/advance";
import type { PodObservation } from "./model/cluster";
import { createCluster } from "./model/createCluster";
import type { DataPlaneEvent } from "./model/events";
import { observePods } from "./model/pods";
import { defaultReplication, defaultSchedule, defaultServer } from "./pdApi/defaultConfig";
import { servedPorts, startPodListener } from "./podListeners";
import { type SqlListener, sqlPort, startSqlListener } from "./sqlListener";
import type { ContainerCrashes } from "./kubernetes/containerCrashes";
import type { PodEnds } from "./kubernetes/podEnds";
import type { PortForwards } from "./kubernetes/portForwards";
import { shutdownReports } from "./shutdownReports";
import { simulatedCluster, type SimulatedCluster } from "./simulatedCluster";
import type { Timings } from "./timings";

/** A TiDB cluster in Kubernetes whose pods the data plane simulates: its model and the listeners of its pods. */
export interface ServedCluster {
    readonly view: SimulatedCluster;
    /** Records the current state of a pod. */
    updatePod(pod: PodObservation): void;
    /** Records that a pod is gone. */
    removePod(pod: string): void;
    /** Reloads the certificates from the pods' Secrets. */
    renewCertificates(): void;
    /** Advances the model to the current time. */
    tick(): void;
    /** Whether the cluster has neither pods nor data: all claims of its members and stores are gone. */
    isGone(claims: ReadonlySet<string>): boolean;
    /** The URLs of the PD pods' listeners, in the order of the pods' names. */
    pdUrls(): string[];
    /** Closes the listeners. With `forget`, also removes their port-forwards. */
    stop(forget: boolean): Promise<void>;
}

/** What a simulated cluster needs from its environment. */
export interface ServedClusterOptions {
    namespace: string;
    name: string;
    timings: Timings;
    faults: Faults;
    onEvent: (event: DataPlaneEvent) => void;
    clock: Clock;
    forwards: PortForwards;
    crashes: ContainerCrashes;
    ends: PodEnds;
    /** Returns the certificate in a Secret of the cluster's namespace. */
    tls: (secret: string) => ListenerTls | undefined;
    /** Whether the data plane plays the processes of a component's pods. */
    isServed: (component: string) => boolean;
    log: (line: string) => void;
}

const retryMilliseconds = 500;

/** Starts to simulate a cluster that has no pods yet. */
export function serveCluster(options: ServedClusterOptions): ServedCluster {
    const { namespace, name, clock, forwards, crashes, log } = options;
    const state = createCluster({
        namespace,
        name,
        now: clock(),
        timings: options.timings,
        faults: options.faults,
        onEvent: options.onEvent,
        scheduleConfig: defaultSchedule,
        replicationConfig: defaultReplication,
        serverConfig: defaultServer,
    });
    const pods = new Map<string, PodObservation>();
    const played = new Map<string, PodObservation>();
    /** By pod. A pod that serves TLS gets a different listener than a pod of the same name without TLS. */
    const listeners = new Map<string, { started: Promise<Listener>; tlsSecret: string | undefined }>();
    const sqlListeners = new Map<string, Promise<SqlListener>>();
    const replaced: Promise<Listener>[] = [];
    const pdUrls = new Map<string, string>();
    let stopped = false;

    const open = async (pod: PodObservation): Promise<void> => {
        const { tlsSecret } = pod;
        const tls = tlsSecret === undefined ? undefined : options.tls(tlsSecret);
        if (tlsSecret !== undefined && tls === undefined) {
            return; // The pod's process waits for the Secret.
        }
        let listener = listeners.get(pod.name);
        if (listener?.tlsSecret !== tlsSecret || !listener) {
            replaced.push(...(listener ? [listener.started] : []));
            listener = { started: startPodListener(state, pod.component, pod.name, clock, tls), tlsSecret };
            listeners.set(pod.name, listener);
        }
        const { port, url } = await listener.started;
        const ports = [{ podPort: servedPorts[pod.component], loopbackPort: port }];
        if (pod.component === "tidb") {
            const sql = sqlListeners.get(pod.name) ?? startSqlListener(state, pod.name, clock);
            sqlListeners.set(pod.name, sql);
            ports.push({ podPort: sqlPort, loopbackPort: (await sql).port });
        }
        if (pod.component === "pd") {
            pdUrls.set(pod.name, url);
        }
        while (!stopped && pods.get(pod.name)?.uid === pod.uid) {
            try {
                await forwards.send(pod.elsewhere?.namespace ?? namespace, pod.name, ports);
                return;
            } catch (error) {
                log(`cannot write the port-forward of pod ${namespace}/${pod.name}, retrying: ${String(error)}`);
                await new Promise((resolve) => setTimeout(resolve, retryMilliseconds).unref());
            }
        }
    };
    const reportCrashes = crashReports({ state, pods: played, crashes, log });
    const reportShutdowns = shutdownReports({ state, pods: played, ends: options.ends, log });
    return {
        view: simulatedCluster(state, clock),
        updatePod: (pod) => {
            const isNew = pods.get(pod.name)?.uid !== pod.uid || !listeners.has(pod.name);
            pods.set(pod.name, pod);
            if (options.isServed(pod.component)) {
                played.set(pod.name, pod);
            }
            observePods(state, [...pods.values()], clock());
            if (isNew && options.isServed(pod.component)) {
                open(pod).catch((error: unknown) =>
                    log(`cannot start a listener for pod ${namespace}/${pod.name}: ${String(error)}`),
                );
            }
        },
        removePod: (pod) => {
            pods.delete(pod);
            played.delete(pod);
            observePods(state, [...pods.values()], clock());
        },
        renewCertificates: () => {
            for (const { started, tlsSecret } of listeners.values()) {
                const tls = tlsSecret === undefined ? undefined : options.tls(tlsSecret);
                if (tls) {
                    started
                        .then((listener) => listener.renew(tls))
                        .catch((error: unknown) =>
                            log(`cannot use the certificate in Secret ${namespace}/${tlsSecret}: ${String(error)}`),
                        );
                }
            }
        },
        tick: () => {
            advance(state, clock());
            reportCrashes();
            reportShutdowns();
        },
        isGone: (claims) =>
            pods.size === 0 && ![...state.members, ...state.stores].some(({ claim }) => claims.has(claim)),
        pdUrls: () => [...pdUrls.keys()].sort().map((pod) => pdUrls.get(pod)!),
        stop: async (forget) => {
            stopped = true;
            const others = [...replaced, ...sqlListeners.values()];
            await Promise.all(others.map(async (listener) => (await listener).close()));
            for (const [pod, { started }] of listeners) {
                await (await started).close();
                if (forget) {
                    await forwards.remove(namespace, pod);
                }
            }
        },
    };
}

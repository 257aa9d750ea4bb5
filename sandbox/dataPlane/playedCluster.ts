import type { Clock } from "./clock";
import type { Faults } from "./faults";
import type { Listener, ListenerTls } from "./listener";
import { advance } from "./model/advance";
import type { PodObservation } from "./model/cluster";
import { createCluster } from "./model/createCluster";
import type { DataPlaneEvent } from "./model/events";
import { observePods } from "./model/pods";
import { defaultReplication, defaultSchedule } from "./pdApi/defaultConfig";
import { playedPorts, startPodListener } from "./podListeners";
import { type SqlListener, sqlPort, startSqlListener } from "./sqlListener";
import type { PortForwards } from "./kubernetes/portForwards";
import { simulatedCluster, type SimulatedCluster } from "./simulatedCluster";
import type { Timings } from "./timings";

/** A cluster of Kubernetes whose pods the data plane plays: its model and the listeners of its pods. */
export interface PlayedCluster {
    readonly view: SimulatedCluster;
    /** Takes note of a pod as it is now. */
    see(pod: PodObservation): void;
    /** Takes note that a pod is gone. */
    lose(pod: string): void;
    /** Serves the certificates that the pods' Secrets hold now. */
    renewCertificates(): void;
    /** Lets the model catch up with the clock. */
    tick(): void;
    /** Whether no pod is left, and no data either: every claim of a member or store is gone. */
    isGone(claims: ReadonlySet<string>): boolean;
    /** URLs of the listeners of PD pods, in the order of their names. */
    pdUrls(): string[];
    /** Closes the listeners; with `forget`, takes their port-forwards back too. */
    stop(forget: boolean): Promise<void>;
}

/** What a played cluster needs of its surroundings. */
export interface PlayedClusterOptions {
    namespace: string;
    name: string;
    timings: Timings;
    faults: Faults;
    onEvent: (event: DataPlaneEvent) => void;
    clock: Clock;
    forwards: PortForwards;
    /** The certificate in a Secret of the cluster's namespace. */
    tls: (secret: string) => ListenerTls | undefined;
    log: (line: string) => void;
}

const retryMilliseconds = 500;

/** Starts to play a cluster that has no pod yet. */
export function playCluster(options: PlayedClusterOptions): PlayedCluster {
    const { namespace, name, clock, forwards, log } = options;
    const state = createCluster({
        namespace,
        name,
        now: clock(),
        timings: options.timings,
        faults: options.faults,
        onEvent: options.onEvent,
        scheduleConfig: defaultSchedule,
        replicationConfig: defaultReplication,
    });
    const pods = new Map<string, PodObservation>();
    /** By pod: one that talks TLS gets another listener than one of the same name that did not. */
    const listeners = new Map<string, { started: Promise<Listener>; tlsSecret: string | undefined }>();
    const sqlListeners = new Map<string, Promise<SqlListener>>();
    const replaced: Promise<Listener>[] = [];
    const pdUrls = new Map<string, string>();
    let stopped = false;

    const open = async (pod: PodObservation): Promise<void> => {
        const { tlsSecret } = pod;
        const tls = tlsSecret === undefined ? undefined : options.tls(tlsSecret);
        if (tlsSecret !== undefined && tls === undefined) {
            return; // Its process waits for the Secret.
        }
        let listener = listeners.get(pod.name);
        if (listener?.tlsSecret !== tlsSecret || !listener) {
            replaced.push(...(listener ? [listener.started] : []));
            listener = { started: startPodListener(state, pod.component, pod.name, clock, tls), tlsSecret };
            listeners.set(pod.name, listener);
        }
        const { port, url } = await listener.started;
        const ports = [{ podPort: playedPorts[pod.component], loopbackPort: port }];
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
                log(
                    `port-forward of pod ${namespace}/${pod.name} could not be written, trying again: ${String(error)}`,
                );
                await new Promise((resolve) => setTimeout(resolve, retryMilliseconds).unref());
            }
        }
    };
    return {
        view: simulatedCluster(state, clock),
        see: (pod) => {
            const isNew = pods.get(pod.name)?.uid !== pod.uid || !listeners.has(pod.name);
            pods.set(pod.name, pod);
            observePods(state, [...pods.values()], clock());
            if (isNew) {
                open(pod).catch((error: unknown) =>
                    log(`pod ${namespace}/${pod.name} has no listener: ${String(error)}`),
                );
            }
        },
        lose: (pod) => {
            pods.delete(pod);
            observePods(state, [...pods.values()], clock());
        },
        renewCertificates: () => {
            for (const { started, tlsSecret } of listeners.values()) {
                const tls = tlsSecret === undefined ? undefined : options.tls(tlsSecret);
                if (tls) {
                    started
                        .then((listener) => listener.renew(tls))
                        .catch((error: unknown) => log(`Secret ${namespace}/${tlsSecret}: ${String(error)}`));
                }
            }
        },
        tick: () => advance(state, clock()),
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

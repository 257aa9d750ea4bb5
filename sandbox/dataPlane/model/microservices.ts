import { type ClusterState, type Pod, record } from "./cluster";
import type { Microservice } from "./events";
import { leaderOf } from "./members";

/** The servers of a microservice that are registered in PD: their pods are Ready, and PD is available. */
export function serversOf(state: ClusterState, service: Microservice): Pod[] {
    const servers = alive(state, service);
    return servers.length === 0 || leaderOf(state) === undefined ? [] : servers;
}

/** The server that is the microservice's primary. Undefined while there is none. */
export function primaryOf(state: ClusterState, service: Microservice): Pod | undefined {
    return serversOf(state, service).find(({ name }) => name === state.primaries.get(service));
}

/** The address that a server registers. */
export function serverAddress(state: ClusterState, { name, component }: Pod): string {
    return `http://${name}.${state.name}-${component}-peer.${state.namespace}.svc:2379`;
}

/** Transfers the primary from one server to another, by name. Returns the reason if that is not possible. */
export function transferPrimary(state: ClusterState, from: Pod, to: string): string | undefined {
    const service = from.component as Microservice;
    if (primaryOf(state, service)?.name !== from.name) {
        return "current lease is nil, please check leadership";
    }
    if (to === from.name || !serversOf(state, service).some(({ name }) => name === to)) {
        return `no valid secondary to transfer primary, from ${from.name} to ${to}`;
    }
    state.primaries.set(service, to);
    record(state, "primary-transferred", { component: service, pod: to });
    return undefined;
}

/** Elects a primary if there is none and PD is available for the election. */
export function stepMicroservices(state: ClusterState): void {
    for (const service of ["tso", "scheduling"] as const) {
        const next = primaryOf(state, service) ?? serversOf(state, service)[0];
        if (next !== undefined && next.name !== state.primaries.get(service)) {
            state.primaries.set(service, next.name);
            record(state, "primary-elected", { component: service, pod: next.name });
        }
    }
}

function alive(state: ClusterState, service: Microservice): Pod[] {
    return [...state.pods.values()].filter(
        ({ component, readySince }) => component === service && readySince !== undefined,
    );
}

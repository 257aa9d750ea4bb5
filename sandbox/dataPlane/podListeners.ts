import type { Clock } from "./clock";
import { memberFault } from "./faults";
import { type Listener, type ListenerAnswer, type ListenerRequest, type ListenerTls, startListener } from "./listener";
import { advance } from "./model/advance";
import type { ClusterState } from "./model/cluster";
import type { Component } from "./model/events";
import { leaderOf, memberOfPod } from "./model/members";
import { transferPrimary } from "./model/microservices";
import { answerPd } from "./pdApi/answer";
import { pumpAnswer } from "./pumpApi";
import { ticdcAnswer } from "./ticdcApi";
import { tidbAnswer } from "./tidbApi";
import { tikvAnswer } from "./tikvApi";

/**
 * The port of a pod that the data plane serves, by component: PD's client port, and the status or API port of the
 * others.
 */
export const servedPorts: Readonly<Record<Component, number>> = {
    tso: 2379,
    scheduling: 2379,
    pd: 2379,
    tiflash: 20292,
    tikv: 20180,
    tidb: 10080,
    tiproxy: 3080,
    pump: 8250,
    ticdc: 8301,
};

/** Starts the listener of one pod. It stays when the pod goes, and refuses calls in the meantime. */
export function startPodListener(
    state: ClusterState,
    component: Component,
    pod: string,
    clock: Clock,
    tls?: ListenerTls,
): Promise<Listener> {
    const answers: Record<
        Component,
        (method: string, url: URL, body: string, headers: ListenerRequest["headers"]) => ListenerAnswer
    > = {
        tso: (method, url, body) => microserviceAnswer(state, pod, clock(), method, url, body),
        scheduling: (method, url, body) => microserviceAnswer(state, pod, clock(), method, url, body),
        pd: (method, url, body, headers) => pdAnswer(state, pod, clock(), { method, url, body, headers }),
        tiflash: (_method, url) => tiflashAnswer(state, pod, clock(), url),
        tikv: (method, url, body) => tikvAnswer(now(state, clock()), pod, method, url, body),
        tidb: (method, url, body) => tidbAnswer(now(state, clock()), pod, method, url, body),
        tiproxy: (_method, url) => tiproxyAnswer(state, pod, clock(), url),
        pump: (method, url) => pumpAnswer(now(state, clock()), pod, method, url),
        ticdc: (method, url, body) => ticdcAnswer(now(state, clock()), pod, method, url, body),
    };
    return startListener(
        ({ method, url, body, headers }) => answers[component](method, url, body, headers),
        tls,
        () => !isListening(now(state, clock()), component, pod),
    );
}

/** Whether the pod's process accepts connections. */
function isListening(state: ClusterState, component: Component, pod: string): boolean {
    const server = state.pods.get(pod);
    const known: Partial<Record<Component, () => boolean>> = {
        pd: () => memberOfPod(state, pod) !== undefined,
        tikv: () => state.stores.some(({ running, claim }) => running && claim === server?.claim),
        tidb: () => server?.serving === true,
    };
    return known[component]?.() ?? server?.readySince !== undefined;
}

function now(state: ClusterState, at: number): ClusterState {
    advance(state, at);
    return state;
}

/** TiProxy reports healthy once it runs and finds PD (pingcap/tiproxy pkg/server/api/debug.go). */
function tiproxyAnswer(state: ClusterState, pod: string, at: number, url: URL): ListenerAnswer {
    advance(state, at);
    if (state.pods.get(pod)?.readySince === undefined || leaderOf(state) === undefined) {
        return "refused";
    }
    return url.pathname === "/api/debug/health"
        ? { status: 200, contentType: "application/json", body: JSON.stringify({ config_checksum: 0 }) }
        : { status: 404, contentType: "text/plain", body: "404 page not found" };
}

function pdAnswer(
    state: ClusterState,
    pod: string,
    now: number,
    { method, url, body, headers }: ListenerRequest,
): ListenerAnswer {
    const isForMember = (headers["pd-allow-follower-handle"] ?? "") !== "";
    const request = { pod, method, path: url.pathname, query: url.searchParams, body: parse(body), isForMember };
    const answer = answerPd(state, request, now);
    const fault = memberFault(state.faults, pod);
    const isHealth = url.pathname === "/pd/api/v1/health";
    const delayMilliseconds = (isHealth && fault.healthDelayMilliseconds) || fault.delayMilliseconds;
    return typeof answer === "string" ? answer : { ...answer, delayMilliseconds };
}

/** Answers for a server of a PD microservice. Serves only the call that gates make, which transfers the primary. */
function microserviceAnswer(
    state: ClusterState,
    pod: string,
    now: number,
    method: string,
    url: URL,
    body: string,
): ListenerAnswer {
    advance(state, now);
    const server = state.pods.get(pod);
    if (!server?.readySince) {
        return "refused";
    }
    if (method !== "POST" || url.pathname !== `/${server.component}/api/v1/primary/transfer`) {
        return { status: 404, contentType: "text/plain", body: "404 page not found" };
    }
    const { new_primary: to } = (parse(body) ?? {}) as { new_primary?: string };
    const problem = transferPrimary(state, server, to ?? "");
    return problem === undefined
        ? { status: 200, contentType: "application/json", body: JSON.stringify("success") }
        : { status: 500, contentType: "application/json", body: JSON.stringify(problem) };
}

/** A TiFlash's own status, available from its proxy's first heartbeat on. */
function tiflashAnswer(state: ClusterState, pod: string, now: number, url: URL): ListenerAnswer {
    advance(state, now);
    const server = state.pods.get(pod);
    if (server?.readySince === undefined) {
        return "refused";
    }
    if (url.pathname !== "/tiflash/store-status") {
        return { status: 404, contentType: "text/plain", body: "path not found" };
    }
    const runs = state.stores.some((one) => one.running && one.claim === server.claim);
    return { status: 200, contentType: "text/plain", body: runs ? "Running" : "Ready" };
}

function parse(body: string): unknown {
    try {
        return body === "" ? undefined : JSON.parse(body);
    } catch {
        // Treated like an empty body: each handler reports what is missing.
        return undefined;
    }
}

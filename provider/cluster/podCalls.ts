import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as http from "node:http";
import * as https from "node:https";
import type { PdTls } from "../pd";
import { identity } from "../pd/connection";
import { tlsAdvice } from "../pd/tlsAdvice";
import type { ClientCertificate } from "./clientCertificate";
import { peerNames } from "./peerNames";
import { type ForwardedPod, PodForwards } from "./podForwards";
import { type Forward, idleInForward } from "./portForward";
import type { ClusterId } from "./clusterId";

/** The same timeout as tidb-operator's for TiDB (pkg/controller/tidb_control.go). */
const defaultTimeoutMilliseconds = 5_000;

/** Where a member's pods serve HTTP. */
export interface PodEndpoint {
    readonly port: number;
    /** The headless Service of the pods' DNS names, which their certificates are for. */
    readonly service: string;
    /** Whether to skip checking their certificate, because it is for other names. Default: false. */
    readonly isUnchecked?: boolean;
    /** Timeout of a call, in milliseconds. Default: 5,000. */
    readonly timeoutMilliseconds?: number;
}

/** A request to a pod. */
export interface PodRequest {
    /** Default: GET. */
    readonly method?: "GET" | "PUT" | "POST";
    readonly path: string;
    /** Sent as JSON; `URLSearchParams` as a form, and a string as JSON text. Default: nothing. */
    readonly body?: object | string;
    readonly headers?: Readonly<Record<string, string>>;
}

/** A pod's answer, whatever its status is. */
export interface PodAnswer {
    readonly status: number;
    readonly text: string;
}

const kept = { keepAlive: true, timeout: idleInForward };
const plain = new http.Agent(kept);
const unchecked = new https.Agent({ ...kept, rejectUnauthorized: false });

/** Calls to the pods of one member, through the API server. */
export class PodCalls {
    private readonly forwards: PodForwards;
    /** The connections with a client certificate. A pod's certificate is checked for its own names. */
    private readonly certified = new WeakMap<Forward, { readonly tls: PdTls; readonly agent: https.Agent }>();
    /** The pods that serve TLS without a client certificate. */
    private readonly onlyTls = new WeakSet<Forward>();

    /** @param certificate the client certificate for pods with TLS; undefined without TLS. */
    constructor(
        config: KubeConfig,
        private readonly id: ClusterId,
        private readonly certificate: ClientCertificate | undefined,
        private readonly endpoint: PodEndpoint,
    ) {
        this.forwards = new PodForwards(config, id.namespace, endpoint.port);
    }

    /** Closes the connections to all other pods. */
    keepOnly(pods: readonly ForwardedPod[]): void {
        this.forwards.keepOnly(pods);
    }

    /** @throws Error with the reason if the pod does not answer. */
    async call(pod: ForwardedPod, request: PodRequest): Promise<PodAnswer> {
        const forward = await this.forwards.to(pod);
        try {
            const timeout = this.endpoint.timeoutMilliseconds ?? defaultTimeoutMilliseconds;
            const ask = (agent: http.Agent) => send(forward.port, request, agent, timeout);
            if (!this.onlyTls.has(forward)) {
                const answer = await this.withCertificate(ask, pod, forward);
                if (!this.servesOnlyTls(answer)) {
                    return answer;
                }
                this.onlyTls.add(forward);
            }
            return await ask(unchecked);
        } catch (error) {
            this.onlyTls.delete(forward);
            throw new Error(`does not answer: ${forward.trouble ?? (error as Error).message}`, { cause: error });
        }
    }

    /** With TLS for SQL clients only, TiProxy's API also serves TLS, with the same certificate, and tells plain HTTP so. */
    private servesOnlyTls({ status, text }: PodAnswer): boolean {
        return this.endpoint.isUnchecked === true && !this.certificate && status === 400 && /HTTPS server/.test(text);
    }

    /** If TLS fails and the client certificate has changed meanwhile, asks again with the new one. */
    private async withCertificate<T>(
        ask: (agent: http.Agent) => Promise<T>,
        pod: ForwardedPod,
        forward: Forward,
    ): Promise<T> {
        const { certificate } = this;
        if (!certificate) {
            return ask(plain);
        }
        const [servername, ...otherNames] = peerNames(
            pod.name,
            this.endpoint.service,
            this.id.namespace,
            this.id.domain,
        );
        const checks = this.endpoint.isUnchecked === true ? { rejectUnauthorized: false } : identity({ otherNames });
        const open = async () => {
            const tls = await certificate.read();
            let found = this.certified.get(forward);
            if (found?.tls !== tls) {
                found = { tls, agent: new https.Agent({ ...kept, ...tls, servername, ...checks }) };
                this.certified.set(forward, found);
            }
            return found.agent;
        };
        try {
            return await ask(await open());
        } catch (error) {
            const { message } = error as Error;
            const advice = tlsAdvice(`https: ${message}`);
            // Through a port-forward, a pod that refuses the client certificate may just not answer.
            if (advice === undefined && !/timeout/.test(message)) {
                throw error;
            }
            if (await certificate.isRenewed()) {
                return ask(await open());
            }
            const trouble = await certificate.trouble(Date.now());
            throw new Error([message, advice, trouble].filter(Boolean).join(" "), { cause: error });
        }
    }
}

async function send(port: number, request: PodRequest, agent: http.Agent, timeout: number): Promise<PodAnswer> {
    const { default: axios } = await import("axios");
    // The library's own timeout starts again with each byte.
    const signal = AbortSignal.timeout(timeout);
    try {
        const answer = await axios.request<string>({
            method: request.method ?? "GET",
            url: `${agent === plain ? "http" : "https"}://127.0.0.1:${port}${request.path}`,
            data: request.body,
            headers: request.headers,
            httpAgent: agent,
            httpsAgent: agent,
            signal,
            proxy: false,
            validateStatus: () => true,
            responseType: "text",
            // Keep the text as it is: not every page is declared JSON.
            transformResponse: (text: string) => text,
        });
        return { status: answer.status, text: answer.data ?? "" };
    } catch (error) {
        throw signal.aborted ? new Error(`timeout of ${timeout}ms exceeded`, { cause: error }) : error;
    }
}

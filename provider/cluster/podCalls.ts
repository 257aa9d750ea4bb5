import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Agent } from "node:http";
import { keepAliveAgent } from "../http/agents";
import { exchange, redirectIn } from "../http/exchange";
import { HttpError, RefusedBeforeSend } from "../http/httpError";
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

/** The longest answer of a pod, unpacked. TiKV's metrics, the longest of those that are read, have about 5 MiB. */
const maxAnswerBytes = 32 * 1024 * 1024;

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
    /** Of a redirect, which is never followed: where it leads. */
    readonly text: string;
}

const kept = { timeout: idleInForward };
const plain = keepAliveAgent(false, kept);
const unchecked = keepAliveAgent(true, { ...kept, rejectUnauthorized: false });

/** Calls to the pods of one member, through the API server. */
export class PodCalls {
    private readonly forwards: PodForwards;
    /** The connections with a client certificate. A pod's certificate is checked for its own names. */
    private readonly certified = new WeakMap<Forward, { readonly tls: PdTls; readonly agent: Agent }>();
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

    /** Asks a question. @throws Error with the reason if the pod does not answer. */
    call(pod: ForwardedPod, request: PodRequest): Promise<PodAnswer> {
        return this.send(pod, request);
    }

    /**
     * Changes something.
     * @param assertAllowed throws if nothing may be changed any more. Called in the last moment before the request leaves.
     * @throws the error of `assertAllowed`, and nothing was sent; Error with the reason if the pod does not answer, or answers with a redirect
     */
    async change(pod: ForwardedPod, request: PodRequest, assertAllowed: () => void): Promise<PodAnswer> {
        const answer = await this.send(pod, request, assertAllowed);
        if (answer.status >= 300 && answer.status < 400) {
            throw new Error(`${pod.name} answers ${request.path}: ${answer.text}`);
        }
        return answer;
    }

    private async send(pod: ForwardedPod, request: PodRequest, beforeSend?: () => void): Promise<PodAnswer> {
        const forward = await this.forwards.to(pod);
        try {
            const timeout = this.endpoint.timeoutMilliseconds ?? defaultTimeoutMilliseconds;
            const ask = (agent: Agent) => send(forward, request, agent, timeout, beforeSend);
            if (!this.onlyTls.has(forward)) {
                const answer = await this.withCertificate(ask, pod, forward);
                if (!this.servesOnlyTls(answer)) {
                    return answer;
                }
                this.onlyTls.add(forward);
            }
            return await ask(unchecked);
        } catch (error) {
            if (error instanceof RefusedBeforeSend) {
                throw error.reason;
            }
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
        ask: (agent: Agent) => Promise<T>,
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
                found = { tls, agent: keepAliveAgent(true, { ...kept, ...tls, servername, ...checks }) };
                this.certified.set(forward, found);
            }
            return found.agent;
        };
        try {
            return await ask(await open());
        } catch (error) {
            if (!(error instanceof HttpError)) {
                throw error;
            }
            const { message } = error;
            const advice = tlsAdvice(`https: ${message}`);
            // Through a port-forward, a pod that refuses the client certificate may just not answer.
            if (advice === undefined && !error.isTimeout) {
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

async function send(
    { port, opened }: Forward,
    { method, path, body, headers }: PodRequest,
    agent: Agent,
    timeoutMilliseconds: number,
    beforeSend: (() => void) | undefined,
): Promise<PodAnswer> {
    const answer = await exchange({
        method,
        url: `${agent === plain ? "http" : "https"}://127.0.0.1:${port}${path}`,
        headers: { ...contentTypeOf(body), ...headers },
        body: typeof body === "object" && !(body instanceof URLSearchParams) ? JSON.stringify(body) : body?.toString(),
        agent,
        timeoutMilliseconds,
        maxAnswerBytes,
        returnsRedirects: true,
        opened,
        beforeSend,
    });
    return { status: answer.status, text: redirectIn(answer) ?? answer.body.toString("utf8") };
}

function contentTypeOf(body: PodRequest["body"]): Record<string, string> {
    if (body === undefined) {
        return {};
    }
    return {
        "content-type": body instanceof URLSearchParams ? "application/x-www-form-urlencoded" : "application/json",
    };
}

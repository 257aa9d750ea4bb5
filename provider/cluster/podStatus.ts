import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { Agent } from "node:https";
import { memberLifecycles } from "../lifecycle/members";
import type { StatusPage } from "../lifecycle/memberLifecycle";
import type { Component, ObservedMember, ObservedPod } from "../lifecycle/observation";
import { identity } from "../pd/connection";
import { tlsAdvice } from "../pd/tlsAdvice";
import type { ClientCertificate } from "./clientCertificate";
import type { ClusterId } from "./kubernetesApi";
import { peerNames } from "./peerNames";
import { PodForwards } from "./podForwards";

/** tidb-operator pkg/controller/tidb_control.go gives TiDB as long. */
const TIMEOUT_MILLISECONDS = 5_000;

/** The pages on which pods say themselves whether they are well, reached through the API server. */
export class PodStatusPages {
    private readonly forwards = new Map<Component, PodForwards>();

    /** @param certificate what to show to pods that talk TLS; undefined where they do not. */
    constructor(
        private readonly config: KubeConfig,
        private readonly id: ClusterId,
        private readonly certificate: ClientCertificate | undefined,
    ) {}

    /** @returns for each pod what is wrong with it, `null` where nothing is. */
    async ask(members: readonly ObservedMember[]): Promise<Record<string, string | null>> {
        const answers = await Promise.all(members.map((member) => this.askMember(member)));
        return Object.fromEntries(answers.flat());
    }

    private async askMember({ component, pods }: ObservedMember): Promise<[string, string | null][]> {
        const { statusPage } = memberLifecycles[component];
        if (!statusPage) {
            return [];
        }
        const { port } = statusPage;
        const forwards = this.forwards.get(component) ?? new PodForwards(this.config, this.id.namespace, port);
        this.forwards.set(component, forwards);
        forwards.keepOnly(pods);
        const service = `${this.id.cluster}-${component}-peer`;
        return Promise.all(
            pods.map(async (pod): Promise<[string, string | null]> => [
                pod.name,
                pod.ready && !pod.terminating ? await this.askPage(forwards, pod, service, statusPage) : "is not Ready",
            ]),
        );
    }

    private async askPage(
        forwards: PodForwards,
        pod: ObservedPod,
        service: string,
        page: StatusPage,
    ): Promise<string | null> {
        const forward = await forwards.to(pod);
        try {
            return await this.withCertificate((agent) => get(forward.port, page, agent), pod, service);
        } catch (error) {
            return `does not answer: ${forward.trouble ?? (error as Error).message}`;
        }
    }

    /** Where TLS fails and the client's certificate is another by now, asks once more with that. */
    private async withCertificate(
        ask: (agent: Agent | undefined) => Promise<string | null>,
        pod: ObservedPod,
        service: string,
    ): Promise<string | null> {
        const { certificate } = this;
        if (!certificate) {
            return ask(undefined);
        }
        const [servername, ...otherNames] = peerNames(pod.name, service, this.id.namespace);
        const open = async () => new Agent({ ...(await certificate.read()), servername, ...identity({ otherNames }) });
        try {
            return await ask(await open());
        } catch (error) {
            const { message } = error as Error;
            const advice = tlsAdvice(`https: ${message}`);
            if (advice === undefined) {
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

async function get(port: number, { path, says }: StatusPage, httpsAgent: Agent | undefined): Promise<string | null> {
    const { default: axios } = await import("axios");
    const answer = await axios.get<string>(`${httpsAgent ? "https" : "http"}://127.0.0.1:${port}${path}`, {
        httpsAgent,
        timeout: TIMEOUT_MILLISECONDS,
        proxy: false,
        validateStatus: () => true,
        responseType: "text",
    });
    if (says !== undefined && answer.status === 404) {
        return null;
    }
    if (answer.status >= 400) {
        return `answers ${answer.status}`;
    }
    const word = answer.data.trim().slice(0, 40);
    return says === undefined || word === says ? null : `says ${word}, not ${says}`;
}

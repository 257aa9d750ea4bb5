import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Component } from "../../topology/members";
import { headlessServiceName } from "../../topology/names";
import type { StatusPage } from "../lifecycle/vocabulary/memberLifecycle";
import { memberLifecycles } from "../lifecycle/members/memberLifecycles";
import type { ObservedMember, ObservedPod } from "../lifecycle/vocabulary/observation";
import type { ClientCertificate } from "./clientCertificate";
import { type PodAnswer, PodCalls } from "./podCalls";
import type { ClusterId } from "./clusterId";

/** What a pod's status page says. */
export interface PodPage {
    /** What is wrong with the pod; `null` if nothing is. */
    readonly trouble: string | null;
    /** The server's version. Default: the page does not say it. */
    readonly version?: string;
}

/** The status pages of pods, which report whether a pod is healthy. Read through the API server. */
export class PodStatusPages {
    private readonly calls = new Map<Component, PodCalls>();

    /** @param certificate the client certificate for pods with TLS; undefined without TLS. */
    constructor(
        private readonly config: KubeConfig,
        private readonly id: ClusterId,
        private readonly certificate: ClientCertificate | undefined,
    ) {}

    /** @returns what the page of each pod says. */
    async ask(members: readonly ObservedMember[]): Promise<Record<string, PodPage>> {
        const answers = await Promise.all(members.map((member) => this.askMember(member)));
        return Object.fromEntries(answers.flat());
    }

    private async askMember({ component, pods }: ObservedMember): Promise<[string, PodPage][]> {
        const { statusPage } = memberLifecycles[component];
        if (!statusPage) {
            return [];
        }
        const calls = this.calls.get(component) ?? this.callsOf(component, statusPage);
        this.calls.set(component, calls);
        calls.keepOnly(pods);
        return Promise.all(
            pods.map(async (pod): Promise<[string, PodPage]> => [
                pod.name,
                pod.ready && !pod.terminating ? await askPage(calls, pod, statusPage) : { trouble: "is not Ready" },
            ]),
        );
    }

    private callsOf(component: Component, { port, isUnchecked }: StatusPage): PodCalls {
        const endpoint = { port, service: headlessServiceName(this.id.cluster, component), isUnchecked };
        return new PodCalls(this.config, this.id, this.certificate, endpoint);
    }
}

async function askPage(calls: PodCalls, pod: ObservedPod, page: StatusPage): Promise<PodPage> {
    try {
        const answer = await calls.call(pod, { path: page.path });
        const version = page.versionIn?.(answer.text);
        return { trouble: troubleOf(answer, page), ...(version === undefined ? {} : { version }) };
    } catch (error) {
        return { trouble: (error as Error).message };
    }
}

/** @returns what an answer shows to be wrong with its pod; `null` if nothing is. */
export function troubleOf({ status, text }: PodAnswer, { says }: StatusPage): string | null {
    if (says !== undefined && status === 404) {
        return null;
    }
    if (status >= 300) {
        return `answers ${status}`;
    }
    const word = text.trim().slice(0, 40);
    return says === undefined || word === says ? null : `reports ${word}, not ${says}`;
}

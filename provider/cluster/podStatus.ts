import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Component } from "../../topology/members";
import { headlessServiceName } from "../../topology/names";
import type { StatusPage } from "../lifecycle/vocabulary/memberLifecycle";
import { memberLifecycles } from "../lifecycle/members/memberLifecycles";
import type { ObservedMember, ObservedPod } from "../lifecycle/vocabulary/observation";
import type { ClientCertificate } from "./clientCertificate";
import { type PodAnswer, PodCalls } from "./podCalls";
import type { ClusterId } from "./clusterId";

/** The status pages of pods, which report whether a pod is healthy. Read through the API server. */
export class PodStatusPages {
    private readonly calls = new Map<Component, PodCalls>();

    /** @param certificate the client certificate for pods with TLS; undefined without TLS. */
    constructor(
        private readonly config: KubeConfig,
        private readonly id: ClusterId,
        private readonly certificate: ClientCertificate | undefined,
    ) {}

    /** @returns what is wrong with each pod; `null` if nothing is. */
    async ask(members: readonly ObservedMember[]): Promise<Record<string, string | null>> {
        const answers = await Promise.all(members.map((member) => this.askMember(member)));
        return Object.fromEntries(answers.flat());
    }

    private async askMember({ component, pods }: ObservedMember): Promise<[string, string | null][]> {
        const { statusPage } = memberLifecycles[component];
        if (!statusPage) {
            return [];
        }
        const calls = this.calls.get(component) ?? this.callsOf(component, statusPage);
        this.calls.set(component, calls);
        calls.keepOnly(pods);
        return Promise.all(
            pods.map(async (pod): Promise<[string, string | null]> => [
                pod.name,
                pod.ready && !pod.terminating ? await askPage(calls, pod, statusPage) : "is not Ready",
            ]),
        );
    }

    private callsOf(component: Component, { port, isUnchecked }: StatusPage): PodCalls {
        const endpoint = { port, service: headlessServiceName(this.id.cluster, component), isUnchecked };
        return new PodCalls(this.config, this.id, this.certificate, endpoint);
    }
}

async function askPage(calls: PodCalls, pod: ObservedPod, page: StatusPage): Promise<string | null> {
    try {
        return troubleOf(await calls.call(pod, { path: page.path }), page);
    } catch (error) {
        return (error as Error).message;
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

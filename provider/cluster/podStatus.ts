import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { memberLifecycles } from "../lifecycle/members";
import type { Component, ObservedMember, ObservedPod } from "../lifecycle/observation";
import { PodForwards } from "./podForwards";

/** tidb-operator pkg/controller/tidb_control.go gives TiDB as long. */
const TIMEOUT_MILLISECONDS = 5_000;

/** The pages on which pods say themselves whether they are well, reached through the API server. */
export class PodStatusPages {
    private readonly forwards = new Map<Component, PodForwards>();

    constructor(
        private readonly config: KubeConfig,
        private readonly namespace: string,
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
        const { port, path } = statusPage;
        const forwards = this.forwards.get(component) ?? new PodForwards(this.config, this.namespace, port);
        this.forwards.set(component, forwards);
        forwards.keepOnly(pods);
        return Promise.all(
            pods.map(async (pod): Promise<[string, string | null]> => [
                pod.name,
                pod.ready && !pod.terminating ? await askPage(forwards, pod, path) : "is not Ready",
            ]),
        );
    }
}

async function askPage(forwards: PodForwards, pod: ObservedPod, path: string): Promise<string | null> {
    const { default: axios } = await import("axios");
    const forward = await forwards.to(pod);
    try {
        const answer = await axios.get(`http://127.0.0.1:${forward.port}${path}`, {
            timeout: TIMEOUT_MILLISECONDS,
            proxy: false,
            validateStatus: () => true,
        });
        return answer.status < 400 ? null : `answers ${answer.status}`;
    } catch (error) {
        return `does not answer: ${forward.trouble ?? (error as Error).message}`;
    }
}

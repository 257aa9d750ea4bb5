import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { ObservedPod } from "../lifecycle/observation";
import { type Forward, forwardPort } from "./portForward";

const STATUS_PORT = 10080;
/** tidb-operator pkg/controller/tidb_control.go gives TiDB as long. */
const TIMEOUT_MILLISECONDS = 5_000;

/** TiDB's status port, reached through the API server. */
export class TidbStatusPort {
    private readonly forwards = new Map<string, Forward>();

    constructor(
        private readonly config: KubeConfig,
        private readonly namespace: string,
    ) {}

    /** @returns for each pod what is wrong with it, `null` where nothing is. */
    async ask(pods: readonly ObservedPod[]): Promise<Record<string, string | null>> {
        const answers = await Promise.all(
            pods.map(
                async (pod) =>
                    [pod.name, pod.ready && !pod.terminating ? await this.askOne(pod.name) : "is not Ready"] as const,
            ),
        );
        return Object.fromEntries(answers);
    }

    private async askOne(pod: string): Promise<string | null> {
        const { default: axios } = await import("axios");
        const forward = this.forwards.get(pod) ?? (await forwardPort(this.config, this.namespace, pod, STATUS_PORT));
        this.forwards.set(pod, forward);
        try {
            const answer = await axios.get(`http://127.0.0.1:${forward.port}/status`, {
                timeout: TIMEOUT_MILLISECONDS,
                proxy: false,
                validateStatus: () => true,
            });
            return answer.status < 400 ? null : `answers ${answer.status}`;
        } catch (error) {
            return `does not answer: ${forward.trouble ?? (error as Error).message}`;
        }
    }
}

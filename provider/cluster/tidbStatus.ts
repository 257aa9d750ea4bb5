import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { ObservedPod } from "../lifecycle/observation";
import { PodForwards } from "./podForwards";

const STATUS_PORT = 10080;
/** tidb-operator pkg/controller/tidb_control.go gives TiDB as long. */
const TIMEOUT_MILLISECONDS = 5_000;

/** TiDB's status port, reached through the API server. */
export class TidbStatusPort {
    private readonly forwards: PodForwards;

    constructor(config: KubeConfig, namespace: string) {
        this.forwards = new PodForwards(config, namespace, STATUS_PORT);
    }

    /** @returns for each pod what is wrong with it, `null` where nothing is. */
    async ask(pods: readonly ObservedPod[]): Promise<Record<string, string | null>> {
        this.forwards.keepOnly(pods);
        const answers = await Promise.all(
            pods.map(
                async (pod) =>
                    [pod.name, pod.ready && !pod.terminating ? await this.askOne(pod) : "is not Ready"] as const,
            ),
        );
        return Object.fromEntries(answers);
    }

    private async askOne(pod: ObservedPod): Promise<string | null> {
        const { default: axios } = await import("axios");
        const forward = await this.forwards.to(pod);
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

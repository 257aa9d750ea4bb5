import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import { hasTestSchema, testSchema, userSchemasOf } from "../lifecycle/restore/userData";
import { type Fact, notKnown } from "../lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import { KubernetesApiError } from "./apiCall";
import { ClientCertificate } from "./clientCertificate";
import type { ClusterId } from "./clusterId";
import type { KubernetesApi } from "./kubernetesApi";
import { PodCalls } from "./podCalls";
import type { ForwardedPod } from "./podForwards";

/** Asks TiDB which schemas users created, on its status port, which takes no password. */
export class UserData {
    private readonly calls: Pick<PodCalls, "call" | "keepOnly">;

    /** @param tls whether the members of the cluster use TLS. */
    constructor(
        private readonly api: Pick<KubernetesApi, "readPods" | "readSecret">,
        private readonly id: ClusterId,
        config: KubeConfig,
        tls: boolean,
        private readonly now: () => number,
    ) {
        const endpoint = { port: ports.tidb.status, service: headlessServiceName(id.cluster, "tidb") };
        this.calls = new PodCalls(config, id, tls ? new ClientCertificate(api, id) : undefined, endpoint);
    }

    /** @returns the schemas; not known if no TiDB says them. @throws KubernetesApiError if the API server refuses the question. */
    async schemas(): Promise<Fact<string[]>> {
        const at = this.now();
        const pods = await this.tidbPods();
        if (typeof pods === "string") {
            return notKnown(pods);
        }
        this.calls.keepOnly(pods);
        const ready = pods.filter((pod) => pod.ready && !pod.terminating);
        const whys: string[] = [];
        for (const pod of ready) {
            const answer = await this.ask(pod, at);
            if (answer.known) {
                return answer;
            }
            whys.push(answer.why);
        }
        return notKnown(
            pods.length === 0
                ? "TiDB has no pod: it is not deployed yet, or it is suspended"
                : ready.length === 0
                  ? `none of its ${pods.length} TiDB pods is Ready`
                  : whys.join("; "),
        );
    }

    /** Closes the connections. */
    close(): void {
        this.calls.keepOnly([]);
    }

    private async tidbPods(): Promise<ObservedPod[] | string> {
        try {
            return await this.api.readPods(this.id, "tidb", this.now);
        } catch (error) {
            if (error instanceof KubernetesApiError && error.isTransient) {
                return error.message;
            }
            throw error;
        }
    }

    private async ask(pod: ForwardedPod, at: number): Promise<Fact<string[]>> {
        try {
            const schemas = await this.page(pod, "/schema");
            const testTables = hasTestSchema(schemas) ? await this.page(pod, `/schema/${testSchema}`) : undefined;
            return userSchemasOf({ schemas, testTables }, pod.name, at);
        } catch (error) {
            return notKnown(`${pod.name}: ${(error as Error).message}`);
        }
    }

    private async page(pod: ForwardedPod, path: string): Promise<unknown> {
        const { status, text } = await this.calls.call(pod, { path });
        if (status !== 200) {
            throw new Error(`answers ${path} with ${status}`);
        }
        return JSON.parse(text) as unknown;
    }
}

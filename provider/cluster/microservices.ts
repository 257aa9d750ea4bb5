import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { Microservice } from "../../topology/members";
import { headlessServiceName } from "../../topology/names";
import { ports } from "../../topology/ports";
import type { ClientCertificate } from "./clientCertificate";
import { pdModule } from "./pdModule";
import { peerNames } from "./peerNames";
import { type ForwardedPod, PodForwards } from "./podForwards";
import type { ClusterId } from "./clusterId";

/** Calls to the servers of PD's microservices themselves, for what PD cannot do for them. */
export class Microservices {
    private readonly forwards: PodForwards;

    /** @param certificate the client certificate for servers with TLS; undefined without TLS. */
    constructor(
        config: KubeConfig,
        private readonly id: ClusterId,
        private readonly certificate: ClientCertificate | undefined,
        private readonly domain: string | undefined,
    ) {
        this.forwards = new PodForwards(config, id.namespace, ports.pd.client);
    }

    /**
     * Asks the primary to transfer its role. Returns once it has agreed.
     * @throws PdError if it does not answer or refuses; the error of `assertAllowed` if that keeps the request from being sent
     */
    async transferPrimary(
        service: Microservice,
        from: ForwardedPod,
        to: string,
        assertAllowed: () => void,
    ): Promise<void> {
        const { createPdClient } = pdModule();
        this.forwards.keepOnly([from]);
        const { port, opened } = await this.forwards.to(from);
        const { namespace, cluster } = this.id;
        const behind = headlessServiceName(cluster, service);
        const [servername, ...otherNames] = peerNames(from.name, behind, namespace, this.domain);
        const tls = await this.certificate?.read();
        const url = `${tls ? "https" : "http"}://127.0.0.1:${port}`;
        const endpoint = { name: from.name, url, opened, ...(tls ? { servername, otherNames } : {}) };
        const client = createPdClient({ endpoints: [endpoint], tls });
        try {
            await client.guardedBy(assertAllowed).transferPrimary(service, to);
        } finally {
            client.close();
        }
    }
}

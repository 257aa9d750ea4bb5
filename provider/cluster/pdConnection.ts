import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { PdAccess } from "../gates/inputs";
import type { ObservedPod } from "../lifecycle/observation";
import type { PdClient, PdEndpoint, PdTls } from "../pd";
import type { KubernetesApi } from "./kubernetesApi";
import { PodForwards } from "./podForwards";

const PD_CLIENT_PORT = 2379;

/** The way to PD: forwarded ports of its pods, or the addresses that the user gave. Found once, kept while it works. */
export class PdConnection {
    private readonly forwards: PodForwards;
    private current: { client: PdClient; pods: string } | undefined;

    constructor(
        private readonly api: KubernetesApi,
        config: KubeConfig,
        private readonly access: PdAccess,
    ) {
        this.forwards = new PodForwards(config, access.namespace, PD_CLIENT_PORT);
    }

    /** Whether single members can be asked: not where PD is reached at an address that the user gave. */
    get knowsMembers(): boolean {
        return !this.access.address;
    }

    /** @returns a client; made anew where the pods are others than before. `pods` are PD's own, if they are known. */
    async client(pods?: readonly ObservedPod[]): Promise<PdClient> {
        if (this.current && (!pods || this.access.address || uidsOf(askable(pods)) === this.current.pods)) {
            return this.current.client;
        }
        const { namespace, cluster, instance, address } = this.access;
        const known = address ? [] : (pods ?? (await this.api.readMember({ namespace, cluster, instance }, "pd")).pods);
        const asked = askable(known);
        const endpoints = address ? addressesOf(address) : await this.forwardAll(asked);
        if (endpoints.length === 0) {
            throw new Error(
                `no PD pod of ${namespace}/${cluster} can be asked (${known.map((pod) => `${pod.name} is not Ready`).join(", ") || "there is none"}); set \`pd.address\` if PD is elsewhere`,
            );
        }
        const { createPdClient } = await import("../pd/index.js");
        this.current?.client.close();
        this.current = {
            client: createPdClient({ endpoints, tls: this.access.tls ? await this.readTls() : undefined }),
            pods: uidsOf(asked),
        };
        return this.current.client;
    }

    /** Looks for PD's pods anew at the next call. */
    forget(): void {
        this.current?.client.close();
        this.current = undefined;
    }

    private async forwardAll(pods: readonly ObservedPod[]): Promise<PdEndpoint[]> {
        this.forwards.keepOnly(pods);
        return Promise.all(
            pods.map(async (pod) => {
                const { namespace, cluster, tls } = this.access;
                const { port } = await this.forwards.to(pod);
                return {
                    name: pod.name,
                    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
                    servername: tls ? `${pod.name}.${cluster}-pd-peer.${namespace}.svc` : undefined,
                };
            }),
        );
    }

    private async readTls(): Promise<PdTls> {
        const name = `${this.access.cluster}-cluster-client-secret`;
        const secret = await this.api.readSecret(this.access.namespace, name);
        if (!secret?.["ca.crt"] || !secret["tls.crt"] || !secret["tls.key"]) {
            throw new Error(
                `spec.tlsCluster is on, but Secret ${this.access.namespace}/${name} with ca.crt, tls.crt and tls.key is not there: PD cannot be asked without it`,
            );
        }
        return { ca: secret["ca.crt"], cert: secret["tls.crt"], key: secret["tls.key"] };
    }
}

/** Those that have run longest first: one that has just started may be Ready before its process serves. */
function askable(pods: readonly ObservedPod[]): ObservedPod[] {
    return pods.filter((pod) => pod.ready && !pod.terminating).sort((a, b) => a.createdAt - b.createdAt);
}

function uidsOf(pods: readonly ObservedPod[]): string {
    return pods
        .map((pod) => pod.uid)
        .sort()
        .join(" ");
}

function addressesOf(address: string): PdEndpoint[] {
    return address
        .split(",")
        .map((one) => one.trim())
        .filter((one) => one !== "")
        .map((url) => ({ name: url, url }));
}

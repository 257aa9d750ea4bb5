import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { headlessServiceName, memberName } from "../../topology/names";
import { ports } from "../../topology/ports";
import type { ObservedPod } from "../lifecycle/vocabulary/observation";
import type * as pd from "../pd";
import type { PdClient, PdEndpoint } from "../pd";
import { PdError } from "../pd/pdError";
import type { ClientCertificate } from "./clientCertificate";
import { KubernetesApiError } from "./apiCall";
import { steadyNow } from "./clock";
import type { KubernetesApi } from "./kubernetesApi";
import { peerNames } from "./peerNames";
import type { PdAccess } from "./pdAccess";
import { pdModule } from "./pdModule";
import { PodForwards } from "./podForwards";
import { idleInForward } from "./portForward";

const hasNoStatefulSet = "PD has no StatefulSet: it is suspended, or not deployed yet";
const startsWithUpdate = "PD starts with the update that is to run it";

/** The connection to PD: port-forwards to its pods, or the user's addresses. Opened once, kept while it works. */
export class PdConnection {
    private readonly forwards: PodForwards;
    private current: { client: PdClient; pods: string } | undefined;

    constructor(
        private readonly api: Pick<KubernetesApi, "readPods" | "readLiveMember">,
        config: KubeConfig,
        private readonly access: PdAccess,
        private readonly certificate: ClientCertificate,
        private readonly load: () => Pick<typeof pd, "createPdClient"> = pdModule,
    ) {
        this.forwards = new PodForwards(config, access.namespace, ports.pd.client);
    }

    /** Whether single members can be asked. They cannot if PD is reached at the user's address. */
    get canAskMembers(): boolean {
        return !this.access.address;
    }

    /**
     * Asks PD. If PD cannot be reached over TLS and the client certificate has changed meanwhile, asks again with the new one.
     * @param pods PD's own pods, if they are known
     * @throws PdError from the client, with what may be wrong with the certificate
     */
    async ask<T>(call: (client: PdClient) => Promise<T>, pods?: readonly ObservedPod[]): Promise<T> {
        const client = await this.client(pods);
        try {
            return await call(client);
        } catch (error) {
            if (!this.access.tls || !mayBeTlsFailure(error)) {
                throw error;
            }
            if (await this.certificate.isRenewed()) {
                this.forget();
                return call(await this.client(pods));
            }
            const trouble = await this.certificate.trouble(Date.now());
            throw trouble ? new Error(`${(error as Error).message} ${trouble}`, { cause: error }) : error;
        }
    }

    /** @returns a client; a new one if the pods have changed. */
    private async client(pods?: readonly ObservedPod[]): Promise<PdClient> {
        if (this.current && (!pods || this.access.address || uidsOf(podsToAsk(pods)) === this.current.pods)) {
            return this.current.client;
        }
        const { namespace, cluster, instance, address } = this.access;
        const known = address
            ? []
            : (pods ?? (await this.api.readPods({ namespace, cluster, instance }, "pd", steadyNow)));
        const asked = podsToAsk(known);
        const endpoints = address ? addressesOf(address) : await this.forwardAll(asked);
        if (endpoints.length === 0) {
            const why = known.length === 0 ? await this.whyNoPod() : known.map(whyNotAsked).join(", ");
            const next = why === hasNoStatefulSet ? startsWithUpdate : "set `pd.address` if PD is elsewhere";
            throw new Error(`no PD pod of ${namespace}/${cluster} can be asked (${why}); ${next}`);
        }
        const { createPdClient } = this.load();
        this.current?.client.close();
        this.current = {
            client: createPdClient({ endpoints, tls: this.access.tls ? await this.certificate.read() : undefined }),
            pods: uidsOf(asked),
        };
        return this.current.client;
    }

    /** Without a StatefulSet no pod is to be expected. */
    private async whyNoPod(): Promise<string> {
        const { namespace, cluster } = this.access;
        try {
            const live = await this.api.readLiveMember(namespace, memberName(cluster, "pd"));
            return live === undefined ? hasNoStatefulSet : "there is none";
        } catch (error) {
            if (!(error instanceof KubernetesApiError)) {
                throw error;
            }
            return `there is none, and whether PD is suspended is not known: ${error.message}`;
        }
    }

    /** Makes the next call find PD's pods again. */
    forget(): void {
        this.current?.client.close();
        this.current = undefined;
    }

    private async forwardAll(pods: readonly ObservedPod[]): Promise<PdEndpoint[]> {
        this.forwards.keepOnly(pods);
        return Promise.all(
            pods.map(async (pod) => {
                const { namespace, cluster, tls, domain } = this.access;
                const service = headlessServiceName(cluster, "pd");
                const { port, opened } = await this.forwards.to(pod);
                const [servername, ...otherNames] = peerNames(pod.name, service, namespace, domain);
                return {
                    name: pod.name,
                    url: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
                    idleMilliseconds: idleInForward,
                    opened,
                    ...(tls ? { servername, otherNames } : {}),
                };
            }),
        );
    }
}

/** Through a port-forward, a PD that refuses the client certificate may just not answer. */
function mayBeTlsFailure(error: unknown): boolean {
    return error instanceof PdError && error.code === "PD_UNREACHABLE";
}

/**
 * The pods to ask, the most likely to answer first: Ready pods, then pods whose own container runs, because PD serves even
 * if a sidecar fails. Within each group the oldest pods come first, because a pod that has just started may not serve yet.
 * A pod is left out only if its container is known not to run.
 */
export function podsToAsk(pods: readonly ObservedPod[]): ObservedPod[] {
    const likely = ({ ready, container }: ObservedPod) => (ready ? 0 : container.known ? 1 : 2);
    return pods
        .filter(({ terminating, ready, container }) => !terminating && (ready || !isNotRunning(container)))
        .sort((a, b) => likely(a) - likely(b) || a.createdAt - b.createdAt);
}

function isNotRunning(container: ObservedPod["container"]): boolean {
    return container.known && container.value.is !== "running";
}

function whyNotAsked({ name, terminating, trouble }: ObservedPod): string {
    const why = terminating ? "is being deleted" : "does not run its container pd";
    return `${name} ${why}${trouble ? `: ${trouble}` : ""}`;
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

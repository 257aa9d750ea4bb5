import type {
    KubeConfig,
    KubernetesListObject,
    KubernetesObject,
    V1Lease,
    V1StatefulSet,
} from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { instanceLabel } from "../../../topology/labels";
import { leaseName } from "../../../topology/names";
import { mayBeClaimOf } from "../../../topology/podNames";
import type { ClusterId } from "../clusterId";
import type { ListedClaim, ListCalls, PodMetadata } from "../listCalls";
import { WatchedObjects, type WatchTarget } from "./watchedObjects";

/** The lists that watches begin with. */
export interface WatchLists {
    statefulSets(labelSelector: string): Promise<KubernetesListObject<V1StatefulSet>>;
    pods: ListCalls["podMetadata"];
    claims: ListCalls["claims"];
    leases(fieldSelector: string): Promise<KubernetesListObject<V1Lease>>;
}

/**
 * Watches the objects of one cluster, from the first question on. It says that something has changed, not what: what is
 * decided from is always read from the API server.
 */
export class ClusterWatch {
    private begun: Promise<Kinds> | undefined;
    private kinds: Kinds | undefined;
    private readonly waiting = new Set<() => void>();
    /** How many changes there were so far, of anything of the cluster but the Lease. It also counts when a break begins and when it ends. */
    changes = 0;

    constructor(
        private readonly config: KubeConfig,
        private readonly id: ClusterId,
        private readonly lists: WatchLists,
    ) {}

    /**
     * The Lease as the watch knows it, which may be behind. `undefined` while the watch may miss changes; begins to watch if
     * nobody did.
     */
    known(): { lease: V1Lease | undefined } | undefined {
        this.begun ??= this.begin().then((kinds) => (this.kinds = kinds));
        // Nobody waits for it: until it has begun, the API server is asked.
        this.begun.catch(() => (this.begun = undefined));
        const { kinds } = this;
        const leases = kinds?.leases.objects();
        const isComplete = kinds && [kinds.statefulSets, kinds.pods, kinds.claims].every(({ synced }) => synced);
        return isComplete && leases
            ? { lease: leases.find(({ metadata }) => metadata?.name === leaseName(this.id.cluster)) }
            : undefined;
    }

    /**
     * Waits for so long, or until there are more changes than `since`.
     * @param leastMilliseconds how long it waits in any case.
     */
    async sleep(milliseconds: number, since: number, leastMilliseconds: number): Promise<void> {
        const least = Math.min(leastMilliseconds, milliseconds);
        await new Promise((resolve) => setTimeout(resolve, least));
        if (this.changes === since) {
            await this.nextChange(milliseconds - least);
        }
    }

    private nextChange(milliseconds: number): Promise<void> {
        return new Promise((resolve) => {
            const end = () => {
                clearTimeout(timer);
                this.waiting.delete(end);
                resolve();
            };
            const timer = setTimeout(end, milliseconds);
            this.waiting.add(end);
        });
    }

    /** Ends all watches. */
    async stop(): Promise<void> {
        const kinds = await this.begun;
        await Promise.all(Object.values(kinds ?? {}).map((kind: { stop(): Promise<void> }) => kind.stop()));
    }

    private async begin(): Promise<Kinds> {
        const { namespace, instance, cluster } = this.id;
        const labelSelector = `${instanceLabel}=${instance}`;
        const fieldSelector = `metadata.name=${leaseName(cluster)}`;
        const changed = () => {
            this.changes += 1;
            [...this.waiting].forEach((end) => end());
        };
        // The lock's holder renews the Lease every few seconds: that changes nothing for those who wait.
        const unnoticed = () => undefined;
        const begin = <T extends KubernetesObject>(target: WatchTarget<T>, onChange: () => void) =>
            WatchedObjects.begin(this.config, target, onChange);
        const { lists } = this;
        const [statefulSets, pods, claims, leases] = await Promise.all([
            begin(
                {
                    path: `/apis/apps/v1/namespaces/${namespace}/statefulsets`,
                    labelSelector,
                    list: () => lists.statefulSets(labelSelector),
                },
                changed,
            ),
            begin(
                {
                    path: `/api/v1/namespaces/${namespace}/pods`,
                    labelSelector,
                    list: () => lists.pods(labelSelector),
                },
                changed,
            ),
            // Claims created beforehand or restored from a backup do not have our labels: their names count.
            begin(
                {
                    path: `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
                    list: () => lists.claims(),
                    counts: (name) => mayBeClaimOf(name, cluster),
                },
                changed,
            ),
            begin(
                {
                    path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
                    fieldSelector,
                    list: () => lists.leases(fieldSelector),
                    isRead: true,
                },
                unnoticed,
            ),
        ]);
        return { statefulSets, pods, claims, leases };
    }
}

interface Kinds {
    readonly statefulSets: WatchedObjects<V1StatefulSet>;
    readonly pods: WatchedObjects<PodMetadata>;
    readonly claims: WatchedObjects<ListedClaim>;
    readonly leases: WatchedObjects<V1Lease>;
}

import type {
    KubeConfig,
    KubernetesListObject,
    KubernetesObject,
    V1Lease,
    V1PersistentVolumeClaim,
    V1Pod,
    V1StatefulSet,
} from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { componentLabel, instanceLabel } from "../../../topology/labels";
import { leaseName } from "../../../topology/names";
import type { ClusterId } from "../clusterId";
import type { NodeAnswer } from "../containerState";
import { type MemberReads, observeMembers } from "../observeMembers";
import type { ObservedApi } from "../observedApi";
import { WatchedObjects, type WatchTarget } from "./watchedObjects";

/** How long an answer about a node is used again: nodes are read one by one, and change every few seconds at most. */
const nodeMilliseconds = 10_000;

/** The lists that watches begin with. */
export interface WatchLists {
    statefulSets(labelSelector: string): Promise<KubernetesListObject<V1StatefulSet>>;
    pods(labelSelector: string): Promise<KubernetesListObject<V1Pod>>;
    claims(): Promise<KubernetesListObject<V1PersistentVolumeClaim>>;
    leases(fieldSelector: string): Promise<KubernetesListObject<V1Lease>>;
}

/** What a watch knows of a cluster's objects. It may lag behind the API server. */
export interface WatchedCluster {
    readonly reads: MemberReads;
    readonly lease: V1Lease | undefined;
}

/** What an observation reads, as the watch knows it. */
export function watchedApi({ reads, lease }: WatchedCluster): ObservedApi {
    return {
        mayLag: true,
        readMembers: (id, components, wanted, now, withZones) =>
            observeMembers(reads, id, components, wanted, now, withZones),
        readLease: () => Promise.resolve(lease),
    };
}

/** Watches the objects of one cluster, from the first question on. */
export class ClusterWatch {
    private begun: Promise<Kinds> | undefined;
    private kinds: Kinds | undefined;
    private readonly waiting = new Set<() => void>();
    private readonly nodes = new Map<string, { at: number; answer: Promise<NodeAnswer> }>();
    /** How many changes there were so far. */
    changes = 0;

    /**
     * @param node reads a node.
     * @param now the run's own clock.
     */
    constructor(
        private readonly config: KubeConfig,
        private readonly id: ClusterId,
        private readonly lists: WatchLists,
        private readonly node: MemberReads["node"],
        private readonly now: () => number,
    ) {}

    /** What is known; `undefined` if some of it is not, and begins to watch if nobody did. */
    known(): WatchedCluster | undefined {
        this.begun ??= this.begin().then((kinds) => (this.kinds = kinds));
        // Nobody waits for it: until it has begun, the API server is asked.
        this.begun.catch(() => (this.begun = undefined));
        const statefulSets = this.kinds?.statefulSets.objects();
        const pods = this.kinds?.pods.objects();
        const claims = this.kinds?.claims.objects();
        const leases = this.kinds?.leases.objects();
        if (!statefulSets || !pods || !claims || !leases) {
            return undefined;
        }
        return {
            lease: leases.find(({ metadata }) => metadata?.name === leaseName(this.id.cluster)),
            reads: {
                statefulSet: (name) => Promise.resolve(statefulSets.find(({ metadata }) => metadata?.name === name)),
                pods: (components) =>
                    Promise.resolve(
                        pods.filter(({ metadata }) =>
                            (components as readonly (string | undefined)[]).includes(
                                metadata?.labels?.[componentLabel],
                            ),
                        ),
                    ),
                claims: () => Promise.resolve([...claims]),
                node: (name) => this.recentNode(name),
            },
        };
    }

    /** Waits for so long, or until there are more changes than `since`. */
    sleep(milliseconds: number, since: number): Promise<void> {
        if (this.changes !== since) {
            return Promise.resolve();
        }
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
        await Promise.all(Object.values(this.kinds ?? {}).map((kind: { stop(): Promise<void> }) => kind.stop()));
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
            // Claims created beforehand or restored from a backup do not have our labels.
            begin(
                { path: `/api/v1/namespaces/${namespace}/persistentvolumeclaims`, list: () => lists.claims() },
                changed,
            ),
            begin(
                {
                    path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
                    fieldSelector,
                    list: () => lists.leases(fieldSelector),
                },
                unnoticed,
            ),
        ]);
        return { statefulSets, pods, claims, leases };
    }

    private recentNode(name: string): Promise<NodeAnswer> {
        const last = this.nodes.get(name);
        if (last && this.now() - last.at < nodeMilliseconds) {
            return last.answer;
        }
        const answer = this.node(name);
        this.nodes.set(name, { at: this.now(), answer });
        return answer;
    }
}

interface Kinds {
    readonly statefulSets: WatchedObjects<V1StatefulSet>;
    readonly pods: WatchedObjects<V1Pod>;
    readonly claims: WatchedObjects<V1PersistentVolumeClaim>;
    readonly leases: WatchedObjects<V1Lease>;
}

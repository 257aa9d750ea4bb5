import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { ClusterWatch } from "../../../provider/cluster/watch/clusterWatch";
import type { Kubernetes, World } from "./world";

/** States that are less than this share of the lag apart count as one. */
const shareOfLag = 10;

/** What a watch has heard at one time. */
interface Heard {
    readonly at: number;
    readonly changes: number;
    readonly objects: string;
    readonly of: V1Lease;
    readonly lease: V1Lease | undefined;
}

/** @returns the watch of one process on the model's Kubernetes. It hears of each change `world.watchLag` late. */
export function createModelWatch(world: World, cluster: Kubernetes): Pick<ClusterWatch, "changes" | "known"> {
    const { watchLag } = world;
    let heard: Heard[] = [];
    /** What it knows now. */
    const hear = (lag: number): Heard => {
        const last = heard.at(-1);
        if (last === undefined || world.now - last.at >= lag / shareOfLag) {
            const objects = objectsOf(cluster);
            const changes = (last?.changes ?? 0) + (objects === last?.objects ? 0 : 1);
            // Whoever changes the Lease makes another object of it.
            const lease = last?.of === cluster.lease ? last.lease : structuredClone(cluster.lease);
            heard.push({ at: world.now, changes, objects, of: cluster.lease, lease });
        }
        const older = heard.filter(({ at }) => at <= world.now - lag);
        heard = heard.slice(Math.max(0, older.length - 1));
        return heard[0];
    };
    return {
        get changes() {
            return watchLag === undefined ? 0 : hear(watchLag).changes;
        },
        known: () => (watchLag === undefined ? undefined : { lease: hear(watchLag).lease }),
    };
}

/** What tells one state of the objects from another: each change of a pod gives it another version. */
function objectsOf({ statefulSets, pods, claims }: Kubernetes): string {
    return JSON.stringify([statefulSets, pods.map(({ uid, resourceVersion }) => uid + resourceVersion), claims]);
}

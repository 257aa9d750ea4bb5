import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import type { ClusterWatch } from "../../../provider/cluster/watch/clusterWatch";
import { claimOf, podsOf, statefulSetOf } from "./kubernetesApi";
import type { Kubernetes, World } from "./world";

/** States that are less than this share of the lag apart count as one. */
const shareOfLag = 10;

/** What a watch has heard at one time. */
interface Heard {
    readonly at: number;
    readonly changes: number;
    readonly objects: string;
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
            heard.push({ at: world.now, changes, objects, lease: structuredClone(cluster.lease) });
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

function objectsOf(cluster: Kubernetes): string {
    const components = [...new Set(cluster.pods.map(({ component }) => component))];
    return JSON.stringify([
        Object.keys(cluster.statefulSets).map((component) => statefulSetOf(cluster, `${cluster.name}-${component}`)),
        podsOf(cluster, components),
        cluster.claims.map((claim) => claimOf(cluster, claim)),
    ]);
}

import type { ClusterKey } from "./clusterKey";
import { liveStores, storeRuns, zoneOf } from "./truth";
import { type Kubernetes, type Peer, type Server, startMilliseconds, type World } from "./world";

/** The parameters of a world. */
export interface WorldOptions {
    maxReplicas?: number;
    regions?: number;
    weight?: number;
    heartbeats?: World["heartbeats"];
    reconnects?: World["reconnects"];
    /** The number of zones that PD tells apart. Default: PD has no location labels. */
    zones?: number;
    /** How long PD's checker takes to look at all regions once. Default: a moment. */
    patrolSeconds?: number;
    /** How long a request takes to arrive, in milliseconds. Default: 10 and 20. */
    latency?: { kubernetes: number; pd: number };
    /** How late a watch hears of changes, in milliseconds. Default: watches do not work, as with `null`. */
    watchLag?: number | null;
    hasGateway?: boolean;
    /** What the other cluster has in common with ours apart from PD. */
    theirs?: { name: string; namespace: string; domain?: string };
    domain?: string;
    /** Default: Pulumi's writes take up to 4 s. */
    delays?: World["delays"];
    /** How far the clocks of Kubernetes and of PD are ahead of the true time. */
    clocks?: { kubernetes: number; pd: number };
}

/**
 * The servers are so far away that a run looks less often while it waits. Its changes are the same, so what ends a run at each
 * of them costs less time.
 */
export const distant = { latency: { kubernetes: 40, pd: 80 } } as const;

/** The other cluster by default. */
const other = { name: "basic", namespace: "other" };

export function createWorld(options: WorldOptions = {}): World {
    const { clocks = { kubernetes: 0, pd: 0 }, latency = { kubernetes: 10, pd: 20 } } = options;
    const { theirs = other, domain } = options;
    const kubernetes = { latency: latency.kubernetes, slowUntil: 0, unreachableUntil: 0 };
    return {
        now: startMilliseconds,
        nextId: 1,
        clusters: {
            ours: createKubernetes("ours", { name: "basic", namespace: "tidb", domain }, kubernetes, clocks.kubernetes),
            theirs: createKubernetes("theirs", theirs, kubernetes, -clocks.kubernetes),
        },
        pd: {
            latency: latency.pd,
            slowUntil: 0,
            unreachableUntil: 0,
            clusterId: "7400000000000000001",
            clock: clocks.pd,
            members: [],
            removedClaims: new Set(),
            terms: 0,
            isBootstrapped: false,
            evictions: new Map(),
            limits: { schedule: 4, batch: 3 },
            schedule: { by: "somebody", since: 0, bySomebody: 4 },
            keepsPaused: false,
            leases: [],
            keys: [],
            revision: 10,
            hasGateway: options.hasGateway ?? true,
        },
        stores: [],
        regions: [],
        heartbeats: options.heartbeats ?? { region: 10_000, store: 3_000 },
        reconnects: options.reconnects ?? "T",
        watchLag: options.watchLag ?? undefined,
        weight: options.weight ?? 1,
        maxReplicas: options.maxReplicas ?? 3,
        zones: options.zones ?? 0,
        delays: options.delays ?? { write: 4_000 },
        chance: 1,
        patrolSeconds: options.patrolSeconds ?? 0.01,
        tiflashReplicas: 0,
        faults: [],
        evictionsStuckUntil: 0,
        violations: [],
        log: [],
    };
}

function createKubernetes(
    key: ClusterKey,
    { name, namespace, domain }: { name: string; namespace: string; domain?: string },
    server: Server,
    clock: number,
): Kubernetes {
    const metadata = { name: `${name}-pulumi-tidb`, uid: `lease-${key}`, resourceVersion: "1" };
    return {
        key,
        name,
        namespace,
        domain,
        clock,
        ...server,
        revision: 1,
        statefulSets: {},
        applied: {},
        pods: [],
        claims: [],
        nodes: {},
        lease: { metadata: { ...metadata, annotations: {} }, spec: {} },
        isUpgrading: false,
        serverLabels: new Map(),
        badRevisions: new Set(),
        wanted: {},
        evictDeadlineSeconds: undefined,
        mostTidbDown: 1,
        tidbTakenDown: new Set(),
    };
}

/** Fills the stores with regions, each with its voters on different stores, and in different zones if there are enough. */
export function loadRegions(world: World, count: number): void {
    const stores = liveStores(world, "tikv").filter((store) => store.phase === "Serving" && storeRuns(world, store));
    for (let index = 0; index < count; index++) {
        const turned = stores.map((_, at) => stores[(index + at * (1 + (index % 2))) % stores.length]);
        const inTurn = turned.filter((store, at) => turned.indexOf(store) === at);
        const zones = new Set<number>();
        const apart = inTurn.filter((store) => zones.size < zones.add(zoneOf(world, store)).size);
        const chosen = world.zones === 0 ? inTurn : [...apart, ...inTurn.filter((store) => !apart.includes(store))];
        const peers = chosen
            .slice(0, world.maxReplicas)
            .map((store): Peer => ({ store: store.id, role: "voter", behindUntil: 0, behindSince: 0 }));
        world.regions.push({
            id: 1_000 + index,
            peers,
            leader: peers[0]?.store,
            nextHeartbeat: world.now + Math.floor(((index + 0.5) / count) * world.heartbeats.region),
            changedAt: world.now - 3_600_000,
            shortUntil: 0,
            jointUntil: 0,
            leaderlessUntil: 0,
        });
    }
}

import { assembleStatus, type SeenCluster } from "../../../status/assembleStatus";
import type { ClusterStatus } from "../../../status/clusterStatus";
import type { DeployedCluster } from "../../../provider/cluster/deployedCluster";
import type { LeaseView } from "../../../provider/cluster/leaseNotes";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import type { ApprovalWait } from "../../../provider/lifecycle/vocabulary/approvals";
import type { ClaimState } from "../../../provider/lifecycle/vocabulary/claimState";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { FixedClaim } from "../../../provider/lifecycle/vocabulary/fixedFields";
import {
    noRecords,
    type Observation,
    type ObservedClaim,
    type ObservedMember,
    type ObservedPd,
    type ObservedPod,
    type ObservedStore,
    unknownPd,
    unreachablePd,
} from "../../../provider/lifecycle/vocabulary/observation";
import { claimOf } from "../../support/lifecycle/observations";
import { type Component, components, type Engine, topology } from "../../../topology/members";

/** The time of every status: 2026-11-22T17:30:00Z. */
export const now = Date.parse("2026-11-22T17:30:00Z");

/** A run that waits for approval, 60 s long. */
export const approvalWait: ApprovalWait = {
    digest: "3f9c2a11d0e7",
    of: "roll out basic-tikv",
    lets: "restart basic-tikv-2, the first of 3 steps",
    by: "ci@runner, process 71 (90ab3c)",
    since: now - 60_000,
    at: now - 10_000,
};

/** A run that waits for a backup, without the lock. An earlier wait of it is over. */
export const waitingRun: JournalOperation = {
    id: "a",
    what: "roll out basic-tikv",
    holder: "ana@laptop, process 4711 (3f9a1c)",
    began: now - 400_000,
    writtenAt: now - 50_000,
    pods: [],
    entries: [
        { is: "wait", at: now - 390_000, until: now - 380_000, step: "other", target: "basic-tikv-1", why: "over" },
        {
            is: "wait",
            at: now - 360_000,
            step: "backups",
            target: "basic-tikv-2",
            why: "a backup runs",
            last: "Job b1",
        },
    ],
};

const kubernetes = { context: "prod", server: "https://k8s.example:6443" };

/** A cluster as it is seen, to be changed by a test before its status is made. */
export interface Seen {
    /** Members by component: how many pods the program wants. */
    members: Partial<Record<Component, number>>;
    pods: Partial<Record<string, Partial<ObservedPod> | null>>;
    statefulSets: Partial<
        Record<Component, { replicas?: number; settled?: boolean; image?: string; leftPods?: true } | null>
    >;
    /** Claims of volumes. Default: none. */
    claims?: Partial<Record<Component, ObservedClaim[]>>;
    /** Claim templates of StatefulSets. Default: none. */
    templates?: Partial<Record<Component, FixedClaim[]>>;
    stores: Record<string, Partial<ObservedStore> | null>;
    moreStores: ObservedStore[];
    pd: Partial<ObservedPd>;
    unhealthyPd: string[];
    evicted: number[];
    /** What PD evicts by itself. Default: nothing. */
    slow?: { storeId: number; scheduler: string }[];
    /** PD's schedulers of which it does not report the stores. Default: none. */
    unreported?: string[];
    podStatus: Record<string, string | null>;
    lease: Partial<LeaseView>;
    observation: Partial<Observation>;
    deployed: Partial<DeployedCluster>;
    readAt?: number;
    pdNotAsked?: string;
    schedules?: SeenCluster["schedules"];
    journal?: SeenCluster["journal"];
    jobs?: SeenCluster["jobs"];
    /** The name of the cluster. */
    name: string;
    zoneOf: (node: string) => ObservedPod["zone"];
    nodeOf: (pod: string, index: number) => string;
}

/** A healthy cluster with 3 PD, 3 TiKV and 2 TiDB pods on three nodes in three zones. */
export function healthy(more: Partial<Seen> = {}): Seen {
    return {
        members: { pd: 3, tikv: 3, tidb: 2 },
        pods: {},
        statefulSets: {},
        stores: {},
        moreStores: [],
        pd: {},
        unhealthyPd: [],
        evicted: [],
        podStatus: {},
        lease: {},
        observation: {},
        deployed: {},
        name: "basic",
        zoneOf: (node) => known(`zone-${"abc"[Number(node.split("-").at(-1)) % 3]}`, `node ${node}`, now),
        nodeOf: (_pod, index) => `node-${index % 3}`,
        ...more,
    };
}

/** The claims of a member's pods, one for each of these states. A text is the size of a claim that has what it requests. */
export function claimsOf(component: Component, ...states: (string | Partial<ClaimState>)[]): ObservedClaim[] {
    return states.map((one, ordinal) => {
        const more = typeof one === "string" ? { capacity: one, requested: one } : one;
        return claimOf(component, ordinal, { state: { phase: "Bound", hasSource: false, ...more } });
    });
}

/** What is seen of these members once they are suspended, as the Lease notes it. */
export function suspended(members: Seen["members"], ...which: Component[]): Partial<Seen> {
    const notes = Object.entries(members).map(([one, replicas]) => [
        one,
        { replicas, ...(which.includes(one as Component) ? { suspended: true } : {}) },
    ]);
    return {
        members,
        statefulSets: Object.fromEntries(which.map((one) => [one, null])),
        lease: { members: Object.fromEntries(notes) as LeaseView["members"] },
        ...(which.includes("pd") ? { pd: unreachablePd("no PD pod can be asked").pd } : {}),
    };
}

/** Returns the status of a cluster that is seen so. */
export function statusOf(seen: Seen): ClusterStatus {
    const observation = observationOf(seen);
    const lease: LeaseView = {
        uid: "lease-1",
        resourceVersion: "1",
        lock: {},
        records: observation.records,
        owner: { stack: "acme/shop/prod", urn: "urn", name: seen.name, namespace: "tidb" },
        members: Object.fromEntries(Object.entries(seen.members).map(([one, replicas]) => [one, { replicas }])),
        ...seen.lease,
    };
    const deployed: DeployedCluster = {
        id: { namespace: "tidb", cluster: seen.name, instance: seen.name },
        tls: false,
        pd: { namespace: "tidb", cluster: seen.name, instance: seen.name, tls: false },
        components: Object.keys(seen.members) as Component[],
        discovery: { replicas: 1, ready: 1, updated: 1, image: "node:22-alpine" },
        ...seen.deployed,
    };
    return assembleStatus({
        kubernetes,
        deployed,
        lease,
        readAt: seen.readAt ?? now,
        observation,
        pdNotAsked: seen.pdNotAsked,
        schedules: seen.schedules ?? { known: true, value: [] },
        journal: seen.journal,
        jobs: seen.jobs ?? null,
    });
}

/** Returns what is observed of it. */
export function observationOf(seen: Seen): Observation {
    const wanted = components.filter((one) => seen.members[one] !== undefined);
    const members = wanted.map((component) => [component, memberOf(seen, component)] as const);
    const all = members.flatMap(([, { pods }]) => pods);
    return {
        now,
        cluster: seen.name,
        members: Object.fromEntries(members),
        pd: { ...pdOf(seen), ...seen.pd },
        records: noRecords(),
        ownLeaders: {},
        heartbeats: { known: false, why: "it was not requested" },
        podStatus: { ...Object.fromEntries(all.map(({ name }) => [name, null])), ...seen.podStatus },
        captures: {
            byPod: Object.fromEntries(all.map(({ name }) => [name, { id: name, version: "v8.5.3" }])),
            list: all.map(({ name }, index) => ({ id: name, isOwner: index === 0 })),
            tablesLeft: {},
        },
        ...seen.observation,
    };
}

function memberOf(seen: Seen, component: Component): ObservedMember {
    const set = seen.statefulSets[component];
    const replicas = set?.replicas ?? seen.members[component] ?? 0;
    const image = set?.image ?? `pingcap/${component}:v8.5.3`;
    const pods = Array.from({ length: set === null ? 0 : replicas }, (_, ordinal): ObservedPod | undefined => {
        const name = `${seen.name}-${component}-${ordinal}`;
        const more = seen.pods[name];
        const node = seen.nodeOf(name, ordinal);
        return more === null
            ? undefined
            : {
                  name,
                  ordinal,
                  uid: name,
                  resourceVersion: "1",
                  revision: `${component}-new`,
                  ready: true,
                  container: known({ is: "running", startedAt: now }, "the API server", now),
                  createdAt: now - 3_600_000,
                  image,
                  node,
                  zone: seen.zoneOf(node),
                  terminating: false,
                  ...more,
              };
    });
    return {
        component,
        ...(set === null || set?.leftPods
            ? {}
            : {
                  statefulSet: {
                      name: `${seen.name}-${component}`,
                      uid: component,
                      terminating: false,
                      replicas,
                      updateRevision: `${component}-new`,
                      settled: set?.settled ?? true,
                      image,
                      fixed: {
                          podManagementPolicy: "Parallel",
                          serviceName: "",
                          claims: seen.templates?.[component] ?? [],
                      },
                  },
              }),
        pods: pods.filter((pod) => pod !== undefined),
        claims: seen.claims?.[component] ?? [],
    };
}

function pdOf(seen: Seen): ObservedPd {
    const fact = <T>(value: T) => known(value, "PD", now);
    const names = (component: Component) =>
        Array.from({ length: seen.members[component] ?? 0 }, (_, ordinal) => `${seen.name}-${component}-${ordinal}`);
    const ofEngine = (engine: Engine) => names(engine).map((name, index) => storeOf(engine, name, index));
    const stores = components.flatMap((one) => {
        const { engine } = topology[one];
        return engine === undefined ? [] : ofEngine(engine);
    });
    return {
        ...unknownPd(),
        members: fact(
            names("pd").map((name, index) => ({
                name,
                memberId: String(index),
                healthy: !seen.unhealthyPd.includes(name),
                podName: name,
            })),
        ),
        leader: fact(`${seen.name}-pd-0`),
        tombstones: fact([]),
        stores: fact([
            ...stores.flatMap((store) => {
                const more = seen.stores[store.podName];
                return more === null ? [] : [{ ...store, ...more }];
            }),
            ...seen.moreStores,
        ]),
        evictedStores: fact(seen.evicted),
        ownEvictions: fact({ evictions: seen.slow ?? [], unreported: seen.unreported ?? [] }),
        clusterId: fact("7"),
        pumps: fact(names("pump").map((name) => ({ nodeId: name, podName: name, own: true, state: "online" }))),
        microservices: Object.fromEntries(
            (["tso", "scheduling"] as const).map((one) => [
                one,
                fact({
                    servers: names(one).map((name) => ({ name, address: name, podName: name })),
                    primary: names(one).length > 0 ? { address: names(one)[0], podName: names(one)[0] } : undefined,
                }),
            ]),
        ),
    };
}

/** A store of the pod with that name; those of TiKV have the ids 10, 11, …, those of TiFlash 1000, 1001, … */
export function storeOf(engine: Engine, podName: string, index: number): ObservedStore {
    return {
        id: (engine === "tikv" ? 10 : 1000) + index,
        podName,
        address: `${podName}.${podName.replace(/-\d+$/, "")}-peer.tidb.svc:20160`,
        own: true,
        engine,
        state: "Up",
        labels: {},
        leaderCount: { reported: engine === "tikv" ? 500 : 0 },
        regionCount: 1500,
        pendingPeers: 0,
        capacityBytes: 1024 ** 4,
        availableBytes: 812 * 1024 ** 3,
        usedBytes: 200 * 1024 ** 3,
    };
}

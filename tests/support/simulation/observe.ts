import type { LookOptions } from "../../../provider/lifecycle/look";
import type {
    Component,
    Observation,
    ObservedMember,
    ObservedPd,
    ObservedStore,
} from "../../../provider/lifecycle/observation";
import {
    clusterName,
    liveStores,
    memberAlive,
    pdAnswers,
    runs,
    type SimulatedStore,
    type Simulation,
    storeState,
} from "./state";

/** @returns what a look at the model shows: the parts that were asked for, and no others. */
export function observe(state: Simulation, options: LookOptions): Observation {
    const answers = pdAnswers(state);
    const asked = options.pd.length > 0;
    const themselves = state.pods.filter((pod) => options.status.includes(pod.component));
    return {
        now: state.now,
        cluster: clusterName,
        members: Object.fromEntries(options.components.map((one) => [one, observeMember(state, one)])),
        pd: asked && answers ? observePd(state, options) : undefined,
        pdTrouble: asked && !answers ? "no PD member answers" : undefined,
        records: structuredClone(state.lease.records),
        podStatus:
            options.status.length > 0
                ? Object.fromEntries(themselves.map((pod) => [pod.name, runs(state, pod) ? null : "does not answer"]))
                : undefined,
    };
}

function observeMember(state: Simulation, component: Component): ObservedMember {
    const set = state.statefulSets[component];
    return {
        component,
        statefulSet: set && {
            name: `${clusterName}-${component}`,
            uid: `set-${component}`,
            terminating: false,
            replicas: set.replicas,
            updateRevision: set.seen.revision,
            settled: set.seen.replicas === set.replicas && set.seen.revision === set.revision,
            templateRevision: set.revision,
            fixed: { podManagementPolicy: "Parallel", serviceName: `${clusterName}-${component}-peer`, claims: [] },
        },
        pods: state.pods
            .filter((pod) => pod.component === component)
            .sort((a, b) => a.ordinal - b.ordinal)
            .map((pod) => ({
                name: pod.name,
                ordinal: pod.ordinal,
                uid: pod.uid,
                revision: pod.revision,
                ready: runs(state, pod),
                readySince: runs(state, pod) ? pod.startsAt : undefined,
                createdAt: pod.createdAt,
                terminating: pod.stopsAt !== undefined,
                trouble: state.badRevisions.has(pod.revision) ? `container ${component} is in ErrImagePull` : undefined,
            })),
        claims: state.claims
            .filter((claim) => claim.component === component)
            .map(({ name, uid, ordinal, released, terminating }) => ({ name, uid, ordinal, released, terminating })),
    };
}

function observePd(state: Simulation, { pd }: LookOptions): ObservedPd {
    const toStore = (store: SimulatedStore): ObservedStore => ({
        id: store.id,
        podName: store.podName,
        own: true,
        engine: store.engine,
        state: storeState(state, store),
        leaderCount: store.leaders,
        regionCount: Math.ceil(store.regions),
        lastHeartbeat: store.lastHeartbeat,
    });
    // As a real PD: a peer counts as down long after its store fell silent.
    const silent = liveStores(state).filter((store) => storeState(state, store) === "Down").length;
    const has = (part: (typeof pd)[number]) => pd.includes(part);
    return {
        members: has("health")
            ? state.members.map((member) => ({ name: member.name, healthy: memberAlive(state, member) }))
            : undefined,
        leader: has("leader") ? state.leader : undefined,
        readyMembers: has("ready-members")
            ? state.members.filter((member) => memberAlive(state, member)).map((member) => member.name)
            : undefined,
        stores: has("stores") ? liveStores(state).map(toStore) : undefined,
        tombstones: has("tombstones")
            ? state.stores.filter((store) => store.phase === "Tombstone").map(toStore)
            : undefined,
        tiflashReplicas: has("tiflash-replicas") ? state.tiflashReplicas : undefined,
        maxReplicas: has("max-replicas") ? state.maxReplicas : undefined,
        evictedStores: has("evicted-stores") ? [...state.evictions.keys()] : undefined,
        regionsAtRisk: has("regions-at-risk")
            ? { missPeer: 0, downPeer: silent * 40, pendingPeer: state.now < state.pendingUntil ? 3 : 0 }
            : undefined,
    };
}

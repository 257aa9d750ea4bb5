import type { Component } from "../../../provider/lifecycle/observation";
import {
    type Fault,
    liveStores,
    memberAlive,
    pdAnswers,
    podNameOf,
    runs,
    type SimulatedStore,
    type Simulation,
    storeRuns,
    storeState,
} from "./state";

const SLICE = 1_000;
const LEADERS_A_SECOND = 200;
const REGIONS_A_SECOND = 30;

/** Lets time pass. */
export function advance(state: Simulation, milliseconds: number): void {
    const end = state.now + milliseconds;
    while (state.now < end) {
        const slice = Math.min(SLICE, end - state.now);
        state.now += slice;
        for (const fault of state.faults.filter((one) => one.at <= state.now)) {
            strike(state, fault);
        }
        state.faults = state.faults.filter((one) => one.at > state.now);
        stepStatefulSets(state);
        stepMembers(state);
        stepStores(state, slice / 1000);
    }
}

/** Ends all that is wrong with the cluster, and all that would still go wrong. */
export function heal(state: Simulation): void {
    state.faults = [];
    state.downUntil = {};
    state.silentUntil = state.stuckUntil = state.pendingUntil = 0;
    // One eviction of somebody else's may stay; with more of them leaders have nowhere to go.
    const others = [...state.evictions].filter(([, { owner }]) => owner === "other");
    others.slice(1).forEach(([id]) => state.evictions.delete(id));
}

/** Writes a StatefulSet as Pulumi does; its controller sees it a moment later. */
export function writeStatefulSet(state: Simulation, component: Component, replicas: number, revision: string): void {
    const old = state.statefulSets[component];
    if (old?.replicas !== replicas || old.revision !== revision) {
        const seen = old?.seen ?? { replicas: 0, revision: "" };
        state.statefulSets[component] = { replicas, revision, seen, seenAt: state.now + 200 };
    }
}

/** Stops a pod: its process is gone at once, the pod a moment later. */
export function stopPod(state: Simulation, name: string): void {
    const pod = state.pods.find((one) => one.name === name);
    if (pod && pod.stopsAt === undefined) {
        pod.stopsAt = state.now + 300;
    }
}

function strike(state: Simulation, fault: Fault): void {
    state.log.push(`${state.now} fault ${JSON.stringify(fault)}`);
    switch (fault.kind) {
        case "pod-deleted":
            return stopPod(state, podNameOf(fault.component, fault.ordinal));
        case "process-down":
            state.downUntil[podNameOf(fault.component, fault.ordinal)] = state.now + fault.seconds * 1000;
            return;
        case "pd-silent":
            state.silentUntil = state.now + fault.seconds * 1000;
            return;
        case "eviction-stuck":
            state.stuckUntil = state.now + fault.seconds * 1000;
            return;
        case "regions-pending":
            state.pendingUntil = state.now + fault.seconds * 1000;
            return;
        case "scheduler-lost":
            for (const [id, { owner }] of state.evictions) {
                if (owner === "ours") {
                    state.evictions.delete(id);
                }
            }
            return;
        case "foreign-eviction": {
            const store = liveStores(state).find((one) => one.podName === podNameOf("tikv", fault.ordinal));
            if (store && !state.evictions.has(store.id)) {
                state.evictions.set(store.id, { owner: "other", since: state.now });
            }
            return;
        }
    }
}

function stepStatefulSets(state: Simulation): void {
    state.pods = state.pods.filter((pod) => pod.stopsAt === undefined || pod.stopsAt > state.now);
    state.claims = state.claims.filter(
        (claim) => !claim.terminating || state.pods.some((pod) => pod.claim === claim.uid),
    );
    for (const component of Object.keys(state.statefulSets) as Component[]) {
        const set = state.statefulSets[component]!;
        if (set.seenAt <= state.now) {
            set.seen = { replicas: set.replicas, revision: set.revision };
        }
        for (const pod of state.pods.filter((one) => one.component === component)) {
            if (pod.ordinal >= set.seen.replicas) {
                stopPod(state, pod.name);
            }
        }
        for (let ordinal = 0; ordinal < set.seen.replicas; ordinal++) {
            makePod(state, component, ordinal, set.seen.revision);
        }
    }
}

function makePod(state: Simulation, component: Component, ordinal: number, revision: string): void {
    const name = podNameOf(component, ordinal);
    if (state.pods.some((pod) => pod.name === name)) {
        return;
    }
    let claim = state.claims.find((one) => one.component === component && one.ordinal === ordinal);
    if (claim?.terminating) {
        return;
    }
    if (!claim) {
        const uid = `claim-${state.nextId++}`;
        claim = { name: `${component}-${name}`, uid, component, ordinal, released: false, terminating: false };
        state.claims.push(claim);
    }
    const startsAt = state.now + 800;
    const uid = `pod-${state.nextId++}`;
    state.pods.push({ name, component, ordinal, uid, claim: claim.uid, revision, createdAt: state.now, startsAt });
}

function stepMembers(state: Simulation): void {
    const pods = state.pods.filter((pod) => pod.component === "pd" && runs(state, pod));
    const formed = state.members.length > 0;
    for (const pod of pods) {
        if (!state.members.some((member) => member.claim === pod.claim) && (!formed || pdAnswers(state))) {
            state.members = [...state.members.filter((member) => member.name !== pod.name), pod];
        }
    }
    const leads = state.members.some((member) => member.name === state.leader && memberAlive(state, member));
    if (!leads) {
        state.leader = undefined;
        state.leaderlessSince ??= state.now;
        const alive = state.members.filter((member) => memberAlive(state, member));
        if (pdAnswers(state) && state.now - state.leaderlessSince >= 400) {
            state.leader = alive.at(-1)?.name;
            state.leaderlessSince = undefined;
        }
    }
    if (state.transfer && state.transfer.at <= state.now) {
        const to = state.members.find((member) => member.name === state.transfer?.to);
        state.leader = to && memberAlive(state, to) ? to.name : state.leader;
        state.transfer = undefined;
    }
}

function stepStores(state: Simulation, seconds: number): void {
    for (const pod of state.pods.filter(({ component }) => component === "tikv" || component === "tiflash")) {
        if (runs(state, pod) && pdAnswers(state) && !state.stores.some((store) => store.claim === pod.claim)) {
            const id = state.nextId++;
            const fresh = {
                id,
                engine: pod.component as SimulatedStore["engine"],
                podName: pod.name,
                claim: pod.claim,
                leaders: 0,
                regions: 40,
                lastHeartbeat: state.now,
            };
            state.stores.push({ ...fresh, phase: "Serving" });
        }
    }
    const serving = liveStores(state, "tikv").filter((store) => store.phase === "Serving" && storeRuns(state, store));
    stepLearners(state, seconds);
    if (state.leadersToLoad > 0 && serving.length > 0) {
        serving.forEach((store) => {
            store.leaders += Math.ceil(state.leadersToLoad / serving.length);
            store.regions = 40;
        });
        state.leadersToLoad = 0;
    }
    for (const store of liveStores(state, "tikv")) {
        if (storeRuns(state, store)) {
            store.lastHeartbeat = state.now;
            moveLeaders(state, store, serving, Math.ceil(LEADERS_A_SECOND * seconds));
        } else if (state.now - store.lastHeartbeat >= 3_000 && serving.length >= 2) {
            give(store, serving, store.leaders);
        }
        const others = serving.filter((one) => storeState(state, one) === "Up").length;
        if (store.phase === "Offline" && pdAnswers(state) && others >= state.maxReplicas) {
            store.regions = Math.max(0, store.regions - REGIONS_A_SECOND * seconds);
            give(store, serving, store.regions === 0 ? store.leaders : Math.ceil(LEADERS_A_SECOND * seconds));
            store.phase = store.regions === 0 ? "Tombstone" : "Offline";
        }
    }
}

/** TiFlash stores lead nothing; one that leaves drains while the others can hold all replicas. */
function stepLearners(state: Simulation, seconds: number): void {
    const stores = liveStores(state, "tiflash");
    for (const store of stores) {
        if (storeRuns(state, store)) {
            store.lastHeartbeat = state.now;
        }
        const others = stores.filter((one) => one !== store && storeState(state, one) === "Up").length;
        if (store.phase === "Offline" && pdAnswers(state) && others >= state.tiflashReplicas) {
            store.regions = Math.max(0, store.regions - REGIONS_A_SECOND * seconds);
            store.phase = store.regions === 0 ? "Tombstone" : "Offline";
        }
    }
}

function moveLeaders(state: Simulation, store: SimulatedStore, serving: SimulatedStore[], most: number): void {
    if (!pdAnswers(state)) {
        return;
    }
    const free = serving.filter((one) => one !== store && !state.evictions.has(one.id));
    if (state.evictions.has(store.id)) {
        give(store, free, state.now < state.stuckUntil ? 0 : most);
    } else if (free.length > 0) {
        const least = free.reduce((a, b) => (a.leaders <= b.leaders ? a : b));
        give(store, [least], Math.min(most, Math.floor((store.leaders - least.leaders) / 2)));
    }
}

function give(from: SimulatedStore, to: SimulatedStore[], most: number): void {
    const takers = to.filter((one) => one !== from);
    const count = Math.max(0, Math.min(most, from.leaders));
    if (takers.length > 0 && count > 0) {
        from.leaders -= count;
        takers[0].leaders += count;
        takers.push(takers.shift()!);
    }
}

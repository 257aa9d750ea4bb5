import type { Action } from "../../../provider/lifecycle/move";
import type { Component } from "../../../provider/lifecycle/observation";
import {
    liveStores,
    memberAlive,
    podNameOf,
    podWithClaim,
    runs,
    type Simulation,
    storeRuns,
    storeState,
} from "./state";

/** Design §5, judged by what is true in the model and not by what a gate has seen of it. */
export function findViolation(state: Simulation, action: Action): string | undefined {
    switch (action.do) {
        case "delete-pod":
            return restartViolation(state, action.pod);
        case "begin-eviction":
            if (!state.lease.records.evictions[action.storeId]) {
                return "rule 6: an eviction is begun that is not on record";
            }
            return state.evictions.has(action.storeId) ? "rule 6: an eviction is begun beside another" : undefined;
        case "end-eviction":
            // With an open record of ours nobody can tell theirs from ours: PD keeps one scheduler a store, and no name.
            return state.evictions.get(action.storeId)?.owner === "other" && !hasOpenRecord(state, action.storeId)
                ? "rule 6: somebody else's eviction is ended"
                : undefined;
        case "remove-store": {
            const store = state.stores.find((one) => one.id === action.storeId);
            if (!store || !leaves(state, store.engine, store.podName)) {
                return "rule 4: a store is removed whose ordinal stays";
            }
            const up = liveStores(state, store.engine).filter(
                (one) => one !== store && storeState(state, one) === "Up",
            );
            const needed = store.engine === "tikv" ? state.maxReplicas : state.tiflashReplicas;
            return up.length < needed
                ? `rule 5: ${up.length} Up ${store.engine} stores would be left, replicas need ${needed}`
                : undefined;
        }
        case "remove-member": {
            const rest = state.members.filter((one) => one.name !== action.member);
            if (!leaves(state, "pd", action.pod)) {
                return "rule 4: a PD member is removed whose ordinal stays";
            }
            if (state.leader === action.member) {
                return "rule 3: the PD leader is removed";
            }
            return hasQuorum(state, rest, rest.length) ? undefined : "rule 3: those who stay are no quorum";
        }
        case "release-claims":
            return action.claims.some((claim) => inUse(state, claim.uid))
                ? "rule 9: a used volume is given up"
                : undefined;
        case "delete-claims":
            return action.claims.some((claim) => inUse(state, claim.uid))
                ? "rule 9: a used volume is deleted"
                : undefined;
        case "bring-store-back":
            return state.lease.records.removals[action.storeId]
                ? undefined
                : "rule 4: somebody else's removal is undone";
        case "transfer-primary":
        case "begin-shutdown":
        case "drain-capture":
        case "resign-owner":
        case "close-pump":
        case "delete-stateful-set":
        case "make-password-secret":
        case "set-password":
        case "note-password":
            return `${action.do}: the model asks for no such thing`;
        case "transfer-leader":
        case "note-pd":
        case "forget-eviction":
        case "forget-removal":
            return undefined;
    }
}

function hasOpenRecord(state: Simulation, storeId: number): boolean {
    const record = state.lease.records.evictions[storeId];
    return record !== undefined && record.endedAt === undefined;
}

/** @returns the rule that a new number of replicas breaks, when Pulumi writes it into the StatefulSet. */
export function findReplicasViolation(state: Simulation, component: Component, replicas: number): string | undefined {
    const old = state.statefulSets[component]?.replicas ?? 0;
    for (let ordinal = replicas; ordinal < old; ordinal++) {
        const name = podNameOf(component, ordinal);
        if (liveStores(state).some((store) => store.podName === name)) {
            return `rule 4: replicas fall to ${replicas} while the store of ${name} is not Tombstone`;
        }
        if (component === "pd" && state.members.length > 1 && state.members.some((member) => member.name === name)) {
            return `rule 4: replicas fall to ${replicas} while ${name} is a member of PD`;
        }
    }
    for (let ordinal = old; ordinal < replicas; ordinal++) {
        const claim = state.claims.find((one) => one.component === component && one.ordinal === ordinal);
        if (claim && (isBuried(state, claim.uid) || state.deletedMemberClaims.has(claim.uid))) {
            return `rule 9: ${podNameOf(component, ordinal)} comes back with the volume ${claim.uid}, which was given up`;
        }
    }
    return undefined;
}

function restartViolation(state: Simulation, name: string): string | undefined {
    const pod = state.pods.find((one) => one.name === name);
    if (!runs(state, pod)) {
        return undefined;
    }
    if (pod?.component === "pd") {
        const rest = state.members.filter((one) => one.name !== name);
        if (state.members.length > 1 && state.leader === name) {
            return "rule 3: the PD leader is taken down";
        }
        return state.members.length <= 2 || hasQuorum(state, rest, state.members.length)
            ? undefined
            : "rule 3: the rest of PD is no quorum";
    }
    if (pod?.component === "tiflash") {
        const others = liveStores(state, "tiflash").filter((one) => one.claim !== pod.claim);
        const bad = others.find((one) => storeState(state, one) !== "Up" || !storeRuns(state, one));
        return bad && `rule 2: TiFlash store ${bad.id} is ${storeState(state, bad)}`;
    }
    if (pod?.component === "tikv" && liveStores(state, "tikv").length >= 2) {
        const store = liveStores(state, "tikv").find((one) => one.claim === pod.claim);
        const bad = liveStores(state, "tikv").filter((one) => one !== store && storeState(state, one) !== "Up");
        const silent = liveStores(state, "tikv").filter((one) => one !== store && !storeRuns(state, one));
        if (bad.length > 0) {
            return `rule 2: store ${bad[0].id} is ${storeState(state, bad[0])}`;
        }
        if (silent.length > 0 || state.now < state.pendingUntil) {
            return "rule 2: regions are at risk";
        }
        return store && store.leaders > 0 && !deadlinePassed(state, store.id)
            ? `rule 1: store ${store.id} holds ${store.leaders} leaders`
            : undefined;
    }
    return undefined;
}

/** The user's deadline counts while PD keeps leaders away, and not before. */
function deadlinePassed(state: Simulation, storeId: number): boolean {
    const eviction = state.evictions.get(storeId);
    return (
        eviction !== undefined &&
        state.evictDeadlineSeconds !== undefined &&
        state.now - eviction.since >= state.evictDeadlineSeconds * 1000
    );
}

function hasQuorum(state: Simulation, rest: { claim: string }[], of: number): boolean {
    return rest.filter((member) => memberAlive(state, member)).length * 2 > of;
}

function leaves(state: Simulation, component: Component, podName: string): boolean {
    return Number(podName.split("-").at(-1)) >= (state.wanted[component] ?? 0);
}

function isBuried(state: Simulation, claim: string): boolean {
    return state.stores.some((store) => store.claim === claim && store.phase === "Tombstone");
}

/** A volume with the data of a store or member that PD knows. */
function inUse(state: Simulation, claim: string): boolean {
    const lastMember = state.members.length === 1;
    return (
        liveStores(state).some((store) => store.claim === claim) ||
        (!lastMember && state.members.some((member) => member.claim === claim && podWithClaim(state, claim)))
    );
}

import type { Component } from "../lifecycle/observation";
import type { LookOptions, PdPart } from "./ports";

const none: LookOptions = { components: [], pd: [], tidbStatus: false };

const rolloutParts: Record<Component, readonly PdPart[]> = {
    pd: ["health", "leader", "ready-members"],
    tikv: ["stores", "evicted-stores"],
    tidb: [],
};

const scaleParts: Record<Component, readonly PdPart[]> = {
    pd: ["health", "leader"],
    tikv: ["stores", "tombstones", "max-replicas"],
    tidb: [],
};

/** What Kubernetes alone can say of a member; enough to see that nothing is to be done. */
export function glance(component: Component): LookOptions {
    return { ...none, components: [component] };
}

/** What a rollout of the member is decided from. */
export function lookForRollout(component: Component): LookOptions {
    return { components: [component], pd: rolloutParts[component], tidbStatus: component === "tidb" };
}

/** What scaling the member is decided from. PD's dependants are looked at too, so that it is not scaled to 0 under them. */
export function lookForScale(component: Component): LookOptions {
    return {
        ...none,
        components: component === "pd" ? ["pd", "tikv", "tidb"] : [component],
        pd: scaleParts[component],
    };
}

/** What the state of the whole cluster is told from: two calls to PD. */
export function lookForState(components: readonly Component[]): LookOptions {
    return { ...none, components, pd: components.includes("tikv") ? ["health", "stores"] : ["health"] };
}

/** What waiting for the whole cluster is decided from. */
export function lookForReady(components: readonly Component[]): LookOptions {
    return {
        components,
        pd: [...new Set(components.flatMap((component) => rolloutParts[component]))],
        tidbStatus: components.includes("tidb"),
    };
}

import type { Component } from "../../topology/members";
import type { FixedFields } from "../lifecycle/vocabulary/fixedFields";
import { type LookOptions, noLook, type OwnPart, type PdPart } from "../lifecycle/vocabulary/look";
import { memberLifecycles } from "../lifecycle/members/members";

/** What Kubernetes alone can say of a member; enough to see that nothing is to be done. */
export function glance(component: Component): LookOptions {
    return { ...noLook, components: [component] };
}

/** What a rollout of the member is decided from. */
export function lookForRollout(component: Component): LookOptions {
    return lookForReady([component]);
}

/** What scaling the member is decided from. */
export function lookForScale(component: Component): LookOptions {
    const { looks } = memberLifecycles[component];
    return {
        ...noLook,
        components: [component, ...(looks.dependants ?? [])],
        pd: withId(looks.scale),
        ...asksOf([component]),
    };
}

/** @returns the look, with claims found by the names of these templates too, whatever labels they have. */
export function withClaims(look: LookOptions, component: Component, { claims }: FixedFields): LookOptions {
    return { ...look, claimTemplates: { [component]: claims.map(({ name }) => name) } };
}

/** What the state of the whole cluster is told from: few calls to PD. */
export function lookForState(components: readonly Component[]): LookOptions {
    return { ...noLook, components, pd: together(components, (component) => memberLifecycles[component].looks.state) };
}

/** What waiting for the whole cluster is decided from. */
export function lookForReady(components: readonly Component[]): LookOptions {
    return {
        components,
        pd: withId(together(components, (component) => memberLifecycles[component].looks.rollout)),
        status: components.filter((component) => memberLifecycles[component].statusPage !== undefined),
        ...asksOf(components),
    };
}

/** Whether root was given a password: one call of Kubernetes. */
export const lookAtPasswordSecret: LookOptions = { ...noLook, asks: ["password-secret"] };

/** What giving root a password is decided from. */
export const lookForPassword: LookOptions = { ...glance("tidb"), asks: ["password-secret", "root-login"] };

function asksOf(components: readonly Component[]): { asks?: readonly OwnPart[] } {
    const asks = components.flatMap((component) => memberLifecycles[component].asks ?? []);
    return asks.length === 0 ? {} : { asks };
}

/**
 * Nothing is done with another PD than the cluster's, and whose stores and members it lists says whether it must be locked
 * against others. That nothing is to be done may be seen of any.
 */
function withId(parts: readonly PdPart[]): readonly PdPart[] {
    return parts.length === 0 ? parts : [...new Set<PdPart>([...parts, "stores", "health", "cluster-id"])];
}

function together(components: readonly Component[], partsOf: (component: Component) => readonly PdPart[]): PdPart[] {
    return [...new Set(components.flatMap(partsOf))];
}

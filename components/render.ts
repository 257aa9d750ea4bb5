import type { Component } from "../topology/members";
import { hasDiscovery } from "./cluster";
import { discoveryManifests } from "./discovery/manifests";
import { disruptionBudget } from "./kubernetes/disruptionBudget";
import type { RenderedMember } from "./kubernetes/member";
import type { RenderOptions } from "./kubernetes/memberDescription";
import type { KubernetesObject } from "./kubernetes/object";
import { withSpread } from "./kubernetes/spread";
import { leaseManifest } from "./lease/manifests";
import { membersOf } from "./members";
import type { OperationsArgs } from "./operations";
import type { TidbClusterManifest as PlainManifest } from "./plainManifest";
import type { TidbClusterManifest } from "./spec";
import { isSuspended } from "./suspension";

/**
 * A cluster and its rendered members.
 * @internal
 */
export interface RenderedCluster {
    readonly manifest: TidbClusterManifest;
    readonly members: Readonly<Partial<Record<Component, RenderedMember>>>;
    /** What the warnings about the manifest put at risk, in short. Undefined if it was not checked. */
    readonly risks?: readonly string[];
}

/**
 * Renders the members of a checked manifest.
 * @internal
 */
export function renderMembers(manifest: TidbClusterManifest, operations?: OperationsArgs): RenderedCluster {
    const options: RenderOptions = {
        online: operations?.rollout?.online === true,
        isPlaced: operations?.placement !== "off",
    };
    const hasBudgets = operations?.disruptionBudgets === "gates";
    const rendered = membersOf(manifest.spec).map((member) => [
        member.component,
        {
            ...member.render(manifest, options),
            ...(hasBudgets ? { disruptionBudget: disruptionBudget(manifest, member.component) } : {}),
        },
    ]);
    return { manifest, members: Object.fromEntries(rendered) as RenderedCluster["members"] };
}

/**
 * @returns all objects of a new cluster, in the order of creation.
 * @internal
 */
export function clusterObjects({ manifest, members }: RenderedCluster): KubernetesObject[] {
    const discovery = hasDiscovery(manifest) ? Object.values(discoveryManifests(manifest)) : [];
    const ofMembers = membersOf(manifest.spec).flatMap((member) => {
        const rendered = members[member.component];
        return rendered === undefined ? [] : memberObjects(rendered, isSuspended(manifest.spec, member));
    });
    return [leaseManifest(manifest), ...discovery, ...ofMembers];
}

/** Renders all objects of a checked manifest, in the order of creation. */
export function renderCluster(manifest: PlainManifest): KubernetesObject[] {
    return clusterObjects(renderMembers(manifest as TidbClusterManifest));
}

function memberObjects(member: RenderedMember, suspended: boolean): KubernetesObject[] {
    const { services, configMap, statefulSet, disruptionBudget, facts } = member;
    const placed = withSpread(statefulSet, facts.spread());
    const ofPods = disruptionBudget === undefined ? [placed] : [disruptionBudget, placed];
    return [...services, ...(configMap === undefined ? [] : [configMap]), ...(suspended ? [] : ofPods)];
}

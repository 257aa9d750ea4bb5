import type * as pulumi from "@pulumi/pulumi";
import type { DiscoveryManifests } from "./discovery/manifests";
import { type GateContext, ignoredWhilePaused } from "./gateContext";
import { createObject, plannedPart, type Planned } from "./objects";

/**
 * What the objects of discovery depend on among themselves. An API server refuses a RoleBinding of a Role that it does not
 * have, unless the user may bind any Role.
 */
const needs: Record<keyof DiscoveryManifests, readonly (keyof DiscoveryManifests)[]> = {
    serviceAccount: [],
    role: [],
    roleBinding: ["role"],
    service: [],
    configMap: [],
    deployment: ["serviceAccount", "role", "roleBinding", "service", "configMap"],
};

/**
 * Creates the objects of discovery. Pulumi creates those at the same time that do not need each other.
 *
 * @param after What they depend on.
 */
export function discoveryResources(
    name: string,
    rendered: Planned<DiscoveryManifests>,
    gates: GateContext,
    after: readonly pulumi.Resource[],
    child: { parent: pulumi.Resource },
): pulumi.CustomResource[] {
    const made: Partial<Record<keyof DiscoveryManifests, pulumi.CustomResource>> = {};
    for (const object of Object.keys(rendered.outline) as (keyof DiscoveryManifests)[]) {
        const needed = needs[object].flatMap((name) => made[name] ?? []);
        const opts = { ...child, dependsOn: [...after, ...needed], ...ignoredWhilePaused(gates) };
        const planned = plannedPart(rendered, (objects) => objects[object]);
        made[object] = createObject(planned, `${name}-discovery`, opts);
    }
    return Object.values(made);
}

import type * as pulumi from "@pulumi/pulumi";
import type { DiscoveryManifests } from "./discovery/manifests";
import { type GateContext, ignoredWhilePaused } from "./memberResource";
import { createObject, plannedPart, type Planned } from "./objects";

/**
 * Creates the objects of discovery. Each depends on those before it.
 *
 * @param after What the first one depends on.
 */
export function discoveryResources(
    name: string,
    rendered: Planned<DiscoveryManifests>,
    gates: GateContext,
    after: readonly pulumi.Resource[],
    child: { parent: pulumi.Resource },
): pulumi.CustomResource[] {
    const made: pulumi.CustomResource[] = [];
    for (const object of Object.keys(rendered.outline) as (keyof DiscoveryManifests)[]) {
        const opts = { ...child, dependsOn: [...after, ...made], ...ignoredWhilePaused(gates) };
        const planned = plannedPart(rendered, (objects) => objects[object]);
        made.push(createObject(planned, `${name}-discovery`, opts));
    }
    return made;
}

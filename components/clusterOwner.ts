import * as pulumi from "@pulumi/pulumi";
import type { ClusterOwner } from "../provider/lifecycle/vocabulary/ownership";
import { plainUrn } from "./gates";
import { namespaceOf } from "./kubernetes/metadata";
import type { TidbClusterManifest } from "./spec";

/** The organization that Pulumi names for backends which have none, and that unit tests have unless they say otherwise. */
const noOrganization = "organization";

/** @returns who has the cluster: this TidbCluster of this stack. Noted in the cluster's Lease, so that no other stack takes it. */
export function clusterOwner(
    component: pulumi.ComponentResource,
    content: pulumi.Output<TidbClusterManifest>,
): pulumi.Output<ClusterOwner> {
    const stack = `${organization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
    return pulumi.all([content, plainUrn(component.urn)]).apply(([manifest, urn]) => ({
        stack,
        urn,
        name: manifest.metadata.name,
        namespace: namespaceOf(manifest),
    }));
}

function organization(): string {
    try {
        return pulumi.getOrganization();
    } catch {
        // The SDK throws where nobody named one: mocks without it, and a CLI that knows none.
        return noOrganization;
    }
}

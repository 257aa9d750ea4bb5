import * as pulumi from "@pulumi/pulumi";
import type { ClusterOwner } from "../provider/lifecycle/vocabulary/ownership";
import { plainUrn } from "./gates";
import { namespaceOf } from "./kubernetes/metadata";
import type { TidbClusterManifest } from "./spec";

/** The organization that Pulumi reports for backends without organizations, and that unit tests have by default. */
const noOrganization = "organization";

/** @returns the owner of the cluster: this TidbCluster in this stack. It is recorded in the cluster's Lease, so no other stack can take the cluster over. */
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
        // The SDK throws if no organization is set: in mocks without one, and with a CLI that does not report one.
        return noOrganization;
    }
}

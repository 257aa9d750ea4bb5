import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { type AccessArgs, accessOf } from "./access";
import { instanceName } from "./kubernetes/labels";
import { namespaceOf } from "./kubernetes/metadata";
import type { GateContext } from "./memberResource";
import type { TidbClusterManifest } from "./spec";

/** @returns the arguments that all gates of a cluster share: its location, how to connect to it and to its PD, and the Lease's UID, which proves that it is this cluster. */
export function gateContext(
    args: AccessArgs & { pd?: { address?: pulumi.Input<string> } },
    content: pulumi.Output<TidbClusterManifest>,
    lease: k8s.coordination.v1.Lease,
): GateContext {
    return {
        namespace: content.apply(namespaceOf),
        cluster: content.apply((manifest) => manifest.metadata.name),
        instance: content.apply(instanceName),
        domain: content.apply((manifest) => manifest.spec.clusterDomain),
        access: accessOf(args),
        leaseUid: lease.metadata.apply((metadata) => metadata.uid as string),
        pd: pulumi.all([content, args.pd?.address]).apply(([manifest, address]) => {
            const elsewhere = manifest.spec.pd ? undefined : manifest.spec.cluster;
            const tls = manifest.spec.tlsCluster?.enabled ?? false;
            const domain = elsewhere ? elsewhere.clusterDomain : manifest.spec.clusterDomain;
            return {
                namespace: elsewhere?.namespace ?? namespaceOf(manifest),
                cluster: elsewhere?.name ?? manifest.metadata.name,
                instance: elsewhere?.name ?? instanceName(manifest),
                tls,
                ...(tls && domain ? { domain } : {}),
                ...(address === undefined ? {} : { address }),
            };
        }),
    };
}

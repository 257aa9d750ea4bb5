import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ClusterAccess } from "../provider/cluster/access";
import type { PdAccess } from "../provider/cluster/pdAccess";
import type { ClusterNames } from "../provider/lifecycle/vocabulary/ownership";
import { clusterOfLease } from "../topology/names";
import { type AccessArgs, accessOf } from "./access";
import { locationOf, pdAccessOf } from "./gateLocation";
import type { TidbClusterManifest } from "./spec";

/** Arguments that all gates of a cluster share. */
export interface GateContext {
    namespace: pulumi.Input<string>;
    cluster: pulumi.Input<string>;
    instance: pulumi.Input<string>;
    /** `spec.clusterDomain`. */
    domain: pulumi.Input<string | undefined>;
    access: pulumi.Input<ClusterAccess>;
    leaseUid: pulumi.Input<string>;
    pd: pulumi.Input<PdAccess>;
    /** Set if the cluster is paused: its objects and pods are not changed. Members can still be suspended. */
    paused?: true;
}

/** @returns the arguments that all gates of a cluster share: its location, how to connect to it and to its PD, and the Lease's UID, which proves that it is this cluster. */
export function gateContext(
    args: AccessArgs & { pd?: { address?: pulumi.Input<string> } },
    content: pulumi.Output<TidbClusterManifest>,
    lease: k8s.coordination.v1.Lease,
): GateContext {
    const location = content.apply(locationOf);
    return {
        namespace: location.namespace,
        cluster: location.cluster,
        instance: location.instance,
        domain: location.apply(({ domain }) => domain),
        access: accessOf(args),
        leaseUid: lease.metadata.apply((metadata) => metadata.uid as string),
        pd: pulumi
            .all([content, args.pd?.address])
            .apply(([manifest, address]): PdAccess => pdAccessOf(manifest as TidbClusterManifest, address)),
    };
}

/** @returns the cluster's name and namespace as the Kubernetes provider deployed them. */
export function deployedNames(lease: k8s.coordination.v1.Lease): pulumi.Output<ClusterNames> {
    return lease.metadata.apply(({ name, namespace }) => ({
        ...(name === undefined ? {} : { name: clusterOfLease(name) }),
        ...(namespace === undefined ? {} : { namespace }),
    }));
}

/** @returns the option with which Pulumi does not change the objects of a paused cluster. */
export function ignoredWhilePaused({ paused }: GateContext): { ignoreChanges?: string[] } {
    return paused ? { ignoreChanges: ["*"] } : {};
}

import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { templateRevisionAnnotation } from "../topology/annotations";
import type { Component } from "../topology/members";
import { clusterOfLease } from "../topology/names";
import type { ClusterProgramInputs } from "../provider/gates/inputs";
import type { Unused } from "../provider/lifecycle/mayLeave";
import type { ClusterNames } from "../provider/lifecycle/ownership";
import { membersOf } from "./members";
import type { TidbClusterManifest } from "./spec";
import { writesBinlog } from "./tidb/binlog";
import { tidbManifests } from "./tidb/manifests";

/** What the cluster's gate is told of the program's members, beside what every gate is told. */
type MemberArgs = Pick<ClusterProgramInputs, "components"> & {
    deployed: pulumi.Output<ClusterNames>;
    memberReplicas: pulumi.Output<ClusterProgramInputs["memberReplicas"]>;
    unused: pulumi.Output<ClusterProgramInputs["unused"]>;
};

/** @returns which members the program has, and under which names the Kubernetes provider knows the cluster. */
export function clusterGateArgs(
    outline: TidbClusterManifest,
    content: pulumi.Output<TidbClusterManifest>,
    lease: k8s.coordination.v1.Lease,
): MemberArgs {
    return {
        components: membersOf(outline.spec).map(({ component }) => component),
        memberReplicas: content.apply(replicasOf),
        unused: content.apply(unusedMembers),
        deployed: lease.metadata.apply(({ name, namespace }) => ({
            ...(name === undefined ? {} : { name: clusterOfLease(name) }),
            ...(namespace === undefined ? {} : { namespace }),
        })),
    };
}

function replicasOf({ spec }: TidbClusterManifest): Partial<Record<Component, number>> {
    return Object.fromEntries(
        membersOf(spec).map(({ component, specOf }) => [component, specOf(spec)?.replicas]),
    ) as Partial<Record<Component, number>>;
}

/** Pump, where TiDB is told to write no binlog: once TiDB runs that template, Pump may leave the program. */
function unusedMembers(manifest: TidbClusterManifest): Partial<Record<Component, Unused>> {
    const { tidb, pump } = manifest.spec;
    if (tidb === undefined || pump === undefined || writesBinlog(manifest.spec, tidb)) {
        return {};
    }
    const annotations = tidbManifests(manifest).statefulSet.metadata.annotations ?? {};
    return { pump: { by: "tidb", templateRevision: annotations[templateRevisionAnnotation] } };
}

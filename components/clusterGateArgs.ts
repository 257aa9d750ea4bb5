import type * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { ClusterProgramInputs } from "../provider/gates/inputs";
import type { Unused } from "../provider/lifecycle/walks/mayLeave";
import type { ClusterNames } from "../provider/lifecycle/vocabulary/ownership";
import { topology, type Component } from "../topology/members";
import { clusterOfLease } from "../topology/names";
import { membersOf } from "./members";
import type { Planned } from "./objects";
import type { RenderedCluster } from "./render";
import type { TidbClusterManifest } from "./spec";

/** Arguments of the ClusterGate about the program's members, in addition to those of every gate. */
type MemberArgs = Pick<ClusterProgramInputs, "components"> & {
    deployed: pulumi.Output<ClusterNames>;
    memberReplicas: pulumi.Output<ClusterProgramInputs["memberReplicas"]>;
    unused: pulumi.Output<ClusterProgramInputs["unused"]>;
};

/** @returns the members in the program, and the cluster's name and namespace as the Kubernetes provider deployed them. */
export function clusterGateArgs(
    { outline, content }: Planned<RenderedCluster>,
    lease: k8s.coordination.v1.Lease,
): MemberArgs {
    return {
        components: membersOf(outline.manifest.spec).map(({ component }) => component),
        memberReplicas: content.apply(({ manifest }) => replicasOf(manifest)),
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

/** Members that another member is configured not to use. They may leave the program once that member runs this template. */
function unusedMembers({ manifest: { spec }, members }: RenderedCluster): Partial<Record<Component, Unused>> {
    const unused = membersOf(spec).flatMap(({ component, isUnused }) => {
        const by = topology[component].usedBy;
        const user = by && members[by];
        return user && isUnused?.(spec) ? [[component, { by, templateRevision: user.facts.templateRevision }]] : [];
    });
    return Object.fromEntries(unused) as Partial<Record<Component, Unused>>;
}

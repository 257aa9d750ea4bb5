import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ClusterProgramInputs, PrerequisiteInputs } from "../provider/gates/inputs";
import type { Unused } from "../provider/lifecycle/walks/mayLeave";
import type { ClusterNames } from "../provider/lifecycle/vocabulary/ownership";
import { topology, type Component } from "../topology/members";
import { clusterOfLease } from "../topology/names";
import { stableDigest } from "./kubernetes/templateRevision";
import { membersOf } from "./members";
import { namespaceMaker } from "./namespaceMaker";
import type { Planned } from "./objects";
import type { RenderedCluster } from "./render";
import type { TidbClusterManifest } from "./spec";
import { isSuspended } from "./suspension";
import { createsPassword } from "./tidb/rootPassword";
import { versionFieldOf } from "./validation/versionTags";

/** Arguments of the ClusterGate about the program's members, in addition to those of every gate. */
type MemberArgs = Pick<ClusterProgramInputs, "components"> & {
    prerequisites: pulumi.Output<PrerequisiteInputs>;
    deployed: pulumi.Output<ClusterNames>;
    memberReplicas: pulumi.Output<ClusterProgramInputs["memberReplicas"]>;
    unused: pulumi.Output<ClusterProgramInputs["unused"]>;
};

/** @returns the members in the program, and the cluster's name and namespace as the Kubernetes provider deployed them. */
export function clusterGateArgs(
    { outline, content }: Planned<RenderedCluster>,
    lease: k8s.coordination.v1.Lease,
    settings: PrerequisiteSettings,
): MemberArgs {
    const maker = namespaceMaker(settings.namespace, settings.opts);
    return {
        prerequisites: pulumi
            .all([content, maker])
            .apply(([cluster, namespaceMaker]) => ({ ...wantedOf(cluster), ...settings.fixed, namespaceMaker })),
        components: membersOf(outline.manifest.spec).map(({ component }) => component),
        memberReplicas: content.apply(({ manifest }) => replicasOf(manifest)),
        unused: content.apply(unusedMembers),
        deployed: lease.metadata.apply(({ name, namespace }) => ({
            ...(name === undefined ? {} : { name: clusterOfLease(name) }),
            ...(namespace === undefined ? {} : { namespace }),
        })),
    };
}

/** What the checks before an update depend on, in addition to the cluster itself. */
export interface PrerequisiteSettings {
    /** `metadata.namespace`, as the program gives it. */
    namespace: pulumi.Input<string> | undefined;
    opts: pulumi.ComponentResourceOptions;
    fixed: Pick<PrerequisiteInputs, "sharesUser" | "allowDowngrade">;
}

function wantedOf({ manifest, members }: RenderedCluster): Pick<PrerequisiteInputs, "members" | "objects" | "traits"> {
    const { spec } = manifest;
    const wanted = membersOf(spec).flatMap((member) => {
        const facts = members[member.component]?.facts;
        return facts === undefined
            ? []
            : [
                  [
                      member.component,
                      {
                          version: facts.version,
                          versionField: versionFieldOf(member.specOf(spec) ?? {}, member.pathIn(spec)),
                          templateRevision: facts.templateRevision,
                          runs: !isSuspended(spec, member),
                      },
                  ],
              ];
    });
    return {
        members: Object.fromEntries(wanted) as PrerequisiteInputs["members"],
        objects: stableDigest(members),
        traits: [
            ...(spec.tlsCluster?.enabled ? (["tls"] as const) : []),
            ...(createsPassword(spec) ? (["password"] as const) : []),
            ...(spec.ticdc ? (["ticdc"] as const) : []),
        ],
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

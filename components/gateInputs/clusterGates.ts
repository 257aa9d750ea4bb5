import type {
    ClusterProgramInputs,
    LostNodesProgramInputs,
    PasswordProgramInputs,
    ReadyProgramInputs,
    RecoveryProgramInputs,
} from "../../provider/gates/inputs";
import type { ReclaimPolicy } from "../../provider/lifecycle/vocabulary/boundVolume";
import type { UnattendedFailovers } from "../../provider/lifecycle/vocabulary/ownership";
import type { Unused } from "../../provider/lifecycle/walks/mayLeave";
import { type Component, topology } from "../../topology/members";
import { endpointsOf } from "../clusterOutputs";
import { gatePolicy, leavingPolicy } from "../gatePolicy";
import type { RenderedMember } from "../kubernetes/member";
import { membersOf } from "../members";
import { defaultRecoverySeconds, type OperationsArgs } from "../operations";
import type { RenderedCluster } from "../render";
import type { TidbClusterManifest, TidbClusterSpec } from "../spec";
import { inOrderOfGates, isSuspended } from "../suspension";
import { createsPassword } from "../tidb/rootPassword";
import { labelsOf } from "./labelSources";
import { approvalOf, drainOf, failoversOf, growthOf, lastBackupOf, lostOf, runs } from "./ofOperations";

/**
 * What the gates of a whole cluster get from its manifest. The component passes it on as Outputs, and `pulumi-tidb plan` as it is, so both
 * see the same plan.
 */

/** What the ClusterGate gets: the members and how they may leave. `components` is known in every preview. */
export function clusterInputs(
    { manifest, members }: RenderedCluster,
    operations: OperationsArgs | undefined,
): Pick<
    ClusterProgramInputs,
    "components" | "sqlEndpoint" | "memberReplicas" | "suspended" | "unattended" | "unused" | "policy"
> {
    const { spec } = manifest;
    const suspended = membersOf(spec).filter((member) => isSuspended(spec, member));
    return {
        components: membersOf(spec).map(({ component }) => component),
        sqlEndpoint: endpointsOf(manifest, operations).sqlEndpoint,
        memberReplicas: replicasOf(manifest),
        // Without a suspension there is no such input: the state of a stack that an earlier version wrote has none either.
        ...(suspended.length > 0 ? { suspended: suspended.map(({ component }) => component) } : {}),
        ...unattendedInputs(manifest, operations),
        unused: unusedMembers({ manifest, members }),
        policy: leavingPolicy(operations),
    };
}

/**
 * The members whose dead the controller may replace. With `operations.approval` a person consents to each step, so it replaces none.
 */
function unattendedInputs(
    manifest: TidbClusterManifest,
    operations: OperationsArgs | undefined,
): Pick<ClusterProgramInputs, "unattended"> {
    if (operations?.approval !== undefined) {
        return {};
    }
    const unattended = failoversOf(manifest, operations).map(([component, failover]) => [
        component,
        {
            failover,
            policy: gatePolicy(manifest, component, operations),
            ...drainOf(operations),
            ...growthOf(component, operations),
        },
    ]);
    return unattended.length === 0 ? {} : { unattended: Object.fromEntries(unattended) as UnattendedFailovers };
}

/** What the gate that recovers from the loss of stores gets. There is none without `operations.unsafeRecovery`. */
export function recoveryInputs(
    { manifest }: Pick<RenderedCluster, "manifest">,
    operations: OperationsArgs | undefined,
):
    | Pick<RecoveryProgramInputs, "failedStores" | "neverComeBack" | "timeoutSeconds" | "policy" | "approval">
    | undefined {
    if (!operations?.unsafeRecovery) {
        return undefined;
    }
    const { failedStores, neverComeBack, timeoutSeconds = defaultRecoverySeconds } = operations.unsafeRecovery;
    const policy = gatePolicy(manifest, "tikv", operations);
    return { failedStores, neverComeBack, timeoutSeconds, policy, ...approvalOf(operations) };
}

/** What the gate that gives up volumes on nodes that are gone gets. There is none without `operations.lostNodes`. */
export function lostNodesInputs(
    { manifest }: Pick<RenderedCluster, "manifest">,
    operations: OperationsArgs | undefined,
): Pick<LostNodesProgramInputs, "nodes" | "policy" | "approval"> | undefined {
    const { lostNodes: nodes = [] } = operations ?? {};
    return nodes.length === 0
        ? undefined
        : { nodes, policy: gatePolicy(manifest, "tikv", operations), ...approvalOf(operations) };
}

/** What the gate that sets root's password gets. There is none unless a password is wanted and TiDB runs. */
export function passwordInputs(
    { manifest }: RenderedCluster,
    operations: OperationsArgs | undefined,
): Pick<PasswordProgramInputs, "policy" | "hasServers"> | undefined {
    const { spec } = manifest;
    return createsPassword(spec) && runs(spec, "tidb")
        ? { policy: gatePolicy(manifest, "tidb", operations), hasServers: (spec.tidb?.replicas ?? 0) > 0 }
        : undefined;
}

/** What the last gate gets: the members that run. */
export function readyInputs(
    cluster: RenderedCluster,
    operations: OperationsArgs | undefined,
): Pick<ReadyProgramInputs, "members" | "failovers" | "wantedTemplates" | "approval" | "lostNodes" | "onDestroy"> {
    const { manifest, members } = cluster;
    const { spec } = manifest;
    const failovers = failoversOf(manifest, operations);
    return {
        ...lastBackupOf(cluster, operations),
        ...approvalOf(operations),
        ...lostOf(operations),
        failovers: Object.fromEntries(failovers),
        wantedTemplates: Object.fromEntries(
            failovers.map(([component]) => [component, members[component]?.facts.templateRevision]),
        ),
        members: inOrderOfGates(spec)
            .filter((member) => !isSuspended(spec, member))
            .map(({ component }) => ({
                component,
                replicas: (members[component] as RenderedMember).facts.replicas,
                policy: gatePolicy(manifest, component, operations),
                ...labelsOf(cluster, component),
                ...reclaimPolicyOf(spec, component),
            })),
    };
}

/** Rules refuse any other policy. Without one there is no such input, as in earlier versions. */
function reclaimPolicyOf(
    { pvReclaimPolicy }: TidbClusterSpec,
    component: Component,
): { reclaimPolicy?: ReclaimPolicy } {
    return (pvReclaimPolicy === "Retain" || pvReclaimPolicy === "Delete") && topology[component].hasReclaimPolicy
        ? { reclaimPolicy: pvReclaimPolicy }
        : {};
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

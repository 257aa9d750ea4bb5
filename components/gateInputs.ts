import type {
    ClusterProgramInputs,
    GateProgramInputs,
    LostNodesProgramInputs,
    PasswordProgramInputs,
    ReadyProgramInputs,
    RecoveryProgramInputs,
    SettingsProgramInputs,
    SuspendProgramInputs,
} from "../provider/gates/inputs";
import { configEffects } from "../provider/lifecycle/configEffects";
import { memberLifecycles } from "../provider/lifecycle/members/memberLifecycles";
import type { FailoverPolicy } from "../provider/lifecycle/vocabulary/memberFailover";
import type { UnattendedFailovers } from "../provider/lifecycle/vocabulary/ownership";
import type { Unused } from "../provider/lifecycle/walks/mayLeave";
import { type Component, topology } from "../topology/members";
import { onDestroyInputs } from "./backup/onDestroy";
import { failoverPolicy } from "./failoverPolicy";
import { gatePolicy, leavingPolicy } from "./gatePolicy";
import type { RenderedMember } from "./kubernetes/member";
import { members as memberTable, membersOf } from "./members";
import { defaultRecoverySeconds, type OperationsArgs, type UnsafeRecoveryArgs } from "./operations";
import type { RenderedCluster } from "./render";
import type { TidbClusterManifest } from "./spec";
import { inOrderOfGates, isHeld, isSuspended } from "./suspension";
import { createsPassword } from "./tidb/rootPassword";

/**
 * What each gate gets from a cluster's manifest. The component passes it on as Outputs, and `pulumi-tidb plan` as it is, so
 * both see the same plan.
 */

/** What the ClusterGate gets: the members and how they may leave. `components` is known in every preview. */
export function clusterInputs(
    { manifest, members }: RenderedCluster,
    operations: OperationsArgs | undefined,
): Pick<ClusterProgramInputs, "components" | "memberReplicas" | "suspended" | "unattended" | "unused" | "policy"> {
    const { spec } = manifest;
    const suspended = membersOf(spec).filter((member) => isSuspended(spec, member));
    return {
        components: membersOf(spec).map(({ component }) => component),
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
        { failover, policy: gatePolicy(manifest, component, operations), ...drainOf(operations) },
    ]);
    return unattended.length === 0 ? {} : { unattended: Object.fromEntries(unattended) as UnattendedFailovers };
}

function failoversOf(
    manifest: TidbClusterManifest,
    operations: OperationsArgs | undefined,
): (readonly [Component, FailoverPolicy])[] {
    return membersOf(manifest.spec).flatMap(({ component }) => {
        const policy = failoverPolicy(manifest, component, operations);
        return policy ? [[component, policy] as const] : [];
    });
}

/** What the gate before a member's StatefulSet gets. */
export function scaleInputs(
    { manifest, members }: RenderedCluster,
    component: Component,
    operations: OperationsArgs | undefined,
): ReturnType<typeof memberInputs> & Pick<GateProgramInputs, "wantedSpread" | "recoveryMode"> {
    const cluster = { manifest, members };
    const { facts } = members[component] as RenderedMember;
    const spread = facts.spread();
    const { templateRevision } = facts;
    const when = operations?.placement === "now" ? "now" : "with-changes";
    return {
        ...memberInputs(cluster, component, operations),
        // Without constraints a gate's inputs are those of earlier versions.
        ...(spread.revision === "" ? {} : { wantedSpread: { spread, templateRevision, when } }),
        ...(manifest.spec.recoveryMode && topology[component].inRecovery ? { recoveryMode: true } : {}),
    };
}

/** What both gates of a member get. */
function memberInputs(
    { manifest, members }: RenderedCluster,
    component: Component,
    operations: OperationsArgs | undefined,
): Pick<
    GateProgramInputs,
    "component" | "desiredReplicas" | "policy" | "failover" | "fixed" | "approval" | "lostNodes"
> {
    const { replicas, fixed } = (members[component] as RenderedMember).facts;
    const policy = gatePolicy(manifest, component, operations);
    const failover = failoverPolicy(manifest, component, operations);
    return {
        component,
        desiredReplicas: replicas,
        policy,
        ...(failover ? { failover } : {}),
        fixed,
        ...approvalOf(operations),
        ...lostOf(operations),
    };
}

/** Without lost nodes a gate's inputs are those of earlier versions. */
function lostOf({ lostNodes = [] }: OperationsArgs = {}): { lostNodes?: readonly string[] } {
    return lostNodes.length === 0 ? {} : { lostNodes };
}

/** By default a gate's inputs are those of earlier versions. */
function drainOf({ drain }: OperationsArgs = {}): { drain?: "off" } {
    return drain === "off" ? { drain } : {};
}

/** Without approval a gate's inputs are those of earlier versions. */
function approvalOf({ approval }: OperationsArgs = {}): Pick<GateProgramInputs, "approval"> {
    return approval === undefined ? {} : { approval };
}

/** What the gate after a member's StatefulSet gets. */
export function rolloutInputs(
    cluster: RenderedCluster,
    component: Component,
    operations: OperationsArgs | undefined,
): ReturnType<typeof memberInputs> &
    Pick<
        GateProgramInputs,
        | "templateRevision"
        | "version"
        | "tag"
        | "pdTemplateRevision"
        | "pdSettings"
        | "isNamedOnline"
        | "config"
        | "settings"
        | "configFiles"
        | "drain"
        | "onDestroy"
    > {
    const { facts } = cluster.members[component] as RenderedMember;
    const { comparesVersions, restartsAfter } = memberLifecycles[component];
    return {
        ...memberInputs(cluster, component, operations),
        ...drainOf(operations),
        ...(topology[component].hasLeaders ? lastBackupOf(cluster, operations) : {}),
        templateRevision: facts.templateRevision,
        tag: facts.version,
        ...(comparesVersions ? { version: facts.version } : {}),
        ...(restartsAfter === undefined ? {} : { pdTemplateRevision: runningPdRevision(cluster) }),
        ...pdSettingsOf(cluster, component, operations),
        config: facts.config(),
        ...onlineInputs(cluster, component, operations),
        ...(facts.isNamedOnline() ? { isNamedOnline: true } : {}),
    };
}

/** What the gate before a member's ConfigMap gets, which sets settings on running servers; undefined if there is no such gate. */
export function settingsInputs(
    { manifest, members }: RenderedCluster,
    component: Component,
    operations: OperationsArgs | undefined,
): Pick<SettingsProgramInputs, "component" | "policy" | "approval" | "settings" | "configFiles"> | undefined {
    const online = onlineInputs({ manifest, members }, component, operations);
    const policy = gatePolicy(manifest, component, operations);
    return online && { component, policy, ...approvalOf(operations), ...online };
}

/** Without `operations.rollout.online`, and for other members, a gate's inputs are those of earlier versions. */
function onlineInputs(
    { members }: RenderedCluster,
    component: Component,
    operations: OperationsArgs | undefined,
): Pick<SettingsProgramInputs, "settings" | "configFiles"> | undefined {
    const { facts } = members[component] as RenderedMember;
    const isSettable = configEffects[component]?.setOnline !== undefined;
    return operations?.rollout?.online === true && isSettable
        ? { settings: facts.settings(), configFiles: facts.configKeys }
        : undefined;
}

/** What the gate of a suspended member gets. */
export function suspendInputs(
    { manifest }: RenderedCluster,
    component: Component,
    operations: OperationsArgs | undefined,
): Pick<SuspendProgramInputs, "component" | "policy" | "approval" | "recoveryMode"> {
    return {
        component,
        policy: gatePolicy(manifest, component, operations),
        ...approvalOf(operations),
        ...(isHeld(manifest.spec, memberTable[component]) ? { recoveryMode: true } : {}),
    };
}

/** What the gate that recovers from the loss of stores gets. There is none without `operations.unsafeRecovery`. */
export function recoveryInputs(
    { manifest }: Pick<RenderedCluster, "manifest">,
    { failedStores, neverComeBack, timeoutSeconds = defaultRecoverySeconds }: UnsafeRecoveryArgs,
    operations: OperationsArgs | undefined,
): Pick<RecoveryProgramInputs, "failedStores" | "neverComeBack" | "timeoutSeconds" | "policy" | "approval"> {
    const policy = gatePolicy(manifest, "tikv", operations);
    return { failedStores, neverComeBack, timeoutSeconds, policy, ...approvalOf(operations) };
}

/** What the gate that gives up volumes on nodes that are gone gets. There is none without `operations.lostNodes`. */
export function lostNodesInputs(
    { manifest }: Pick<RenderedCluster, "manifest">,
    nodes: readonly string[],
    operations: OperationsArgs | undefined,
): Pick<LostNodesProgramInputs, "nodes" | "policy" | "approval"> {
    return { nodes, policy: gatePolicy(manifest, "tikv", operations), ...approvalOf(operations) };
}

/** What the gate that sets root's password gets. */
export function passwordInputs(
    { manifest }: RenderedCluster,
    operations: OperationsArgs | undefined,
): Pick<PasswordProgramInputs, "policy" | "hasServers"> {
    return {
        policy: gatePolicy(manifest, "tidb", operations),
        hasServers: (manifest.spec.tidb?.replicas ?? 0) > 0,
    };
}

/** What the last gate gets: the members that run. */
export function readyInputs(
    cluster: RenderedCluster,
    operations: OperationsArgs | undefined,
): Pick<ReadyProgramInputs, "members" | "failovers" | "approval" | "lostNodes" | "onDestroy"> {
    const { manifest, members } = cluster;
    const { spec } = manifest;
    return {
        ...lastBackupOf(cluster, operations),
        ...approvalOf(operations),
        ...lostOf(operations),
        failovers: Object.fromEntries(failoversOf(manifest, operations)),
        members: inOrderOfGates(spec)
            .filter((member) => !isSuspended(spec, member))
            .map(({ component }) => ({
                component,
                replicas: (members[component] as RenderedMember).facts.replicas,
                policy: gatePolicy(manifest, component, operations),
            })),
    };
}

function lastBackupOf(
    { manifest }: RenderedCluster,
    operations: OperationsArgs | undefined,
): Pick<ReadyProgramInputs, "onDestroy"> {
    const { onDestroy } = operations?.backup ?? {};
    return onDestroy ? { onDestroy: onDestroyInputs(manifest, onDestroy) } : {};
}

/** Whether root's password is set: TiDB must run for it. */
export function hasPasswordGate(spec: TidbClusterManifest["spec"]): boolean {
    return createsPassword(spec) && runs(spec, "tidb");
}

function runs(spec: TidbClusterManifest["spec"], component: Component): boolean {
    return membersOf(spec).some((member) => member.component === component && !isSuspended(spec, member));
}

function runningPdRevision({ manifest, members }: RenderedCluster): string | undefined {
    return runs(manifest.spec, "pd") ? members.pd?.facts.templateRevision : undefined;
}

/** Only a member whose plan tells of PD's limits gets them. By default its inputs are those of earlier versions. */
function pdSettingsOf(
    cluster: RenderedCluster,
    component: Component,
    operations: OperationsArgs | undefined,
): Pick<GateProgramInputs, "pdSettings"> {
    const { manifest } = cluster;
    const looks = memberLifecycles[component].planLooks?.(gatePolicy(manifest, component, operations)) ?? [];
    const pdSettings =
        looks.includes("leader-limits") && runs(manifest.spec, "pd")
            ? onlineInputs(cluster, "pd", operations)
            : undefined;
    return pdSettings ? { pdSettings } : {};
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

import type { GateProgramInputs, SettingsProgramInputs, SuspendProgramInputs } from "../../provider/gates/inputs";
import { configEffects } from "../../provider/lifecycle/configEffects";
import { memberLifecycles } from "../../provider/lifecycle/members/memberLifecycles";
import { type Component, topology } from "../../topology/members";
import { failoverPolicy } from "../failoverPolicy";
import { gatePolicy } from "../gatePolicy";
import type { RenderedMember } from "../kubernetes/member";
import { members as memberTable } from "../members";
import type { OperationsArgs } from "../operations";
import type { RenderedCluster } from "../render";
import { isHeld } from "../suspension";
import { labelsOf } from "./labelSources";
import { approvalOf, drainOf, growthOf, lastBackupOf, lostOf, runs } from "./ofOperations";

/**
 * What the gates of a member get from the cluster's manifest. The component passes it on as Outputs, and `pulumi-tidb plan` as it is, so
 * both see the same plan.
 */

/** What the gate before a member's StatefulSet gets. */
export function scaleInputs(
    { manifest, members }: RenderedCluster,
    component: Component,
    operations: OperationsArgs | undefined,
): ReturnType<typeof memberInputs> &
    Pick<GateProgramInputs, "wantedSpread" | "wantedTemplate" | "labels" | "recoveryMode" | "growth"> {
    const cluster = { manifest, members };
    const { facts } = members[component] as RenderedMember;
    const spread = facts.spread();
    const { templateRevision } = facts;
    const when = operations?.placement === "now" ? "now" : "with-changes";
    const inputs = memberInputs(cluster, component, operations);
    return {
        ...inputs,
        ...(topology[component].engine === undefined ? {} : labelsOf(cluster, component)),
        ...(inputs.failover ? { wantedTemplate: templateRevision } : {}),
        ...growthOf(component, operations),
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
        | "configUpdateStrategy"
        | "config"
        | "settings"
        | "configFiles"
        | "drain"
        | "onDestroy"
    > {
    const { facts } = cluster.members[component] as RenderedMember;
    const { comparesVersions, looks } = memberLifecycles[component];
    return {
        ...memberInputs(cluster, component, operations),
        ...drainOf(operations),
        ...(topology[component].hasLeaders ? lastBackupOf(cluster, operations) : {}),
        templateRevision: facts.templateRevision,
        tag: facts.version,
        ...(comparesVersions ? { version: facts.version } : {}),
        ...(looks.rollout.includes("leadership") ? { pdTemplateRevision: runningPdRevision(cluster) } : {}),
        ...pdSettingsOf(cluster, component, operations),
        config: facts.config(),
        ...onlineInputs(cluster, component, operations),
        ...(facts.isNamedOnline() ? { isNamedOnline: true } : {}),
        configUpdateStrategy: facts.configUpdateStrategy(),
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

import { type Component, components, topology } from "../../topology/members";
import type { FixedFields } from "../lifecycle/vocabulary/fixedFields";
import { type LookOptions, noLook, type OwnPart, type PdPart } from "../lifecycle/vocabulary/look";
import type { GateProgramInputs, SettingsProgramInputs } from "./inputs";
import { dependsOnBackups } from "../lifecycle/stages/runningBackups";
import { memberLifecycles } from "../lifecycle/members/memberLifecycles";

/** What Kubernetes alone knows of a member: enough to see whether there is anything to do. */
export function glance(component: Component): LookOptions {
    return { ...noLook, components: [component] };
}

/** The same for its number of replicas: one that is restored last also waits for TiKV. */
export function glanceForScale(component: Component): LookOptions {
    const beside: Component[] = topology[component].inRecovery === "restored-last" ? ["tikv"] : [];
    return { ...noLook, components: [component, ...beside] };
}

/** What to observe for a rollout of the member. */
export function lookForRollout(component: Component): LookOptions {
    return lookForReady([component]);
}

/**
 * What to observe for the plan of a rollout: besides what a rollout needs, what the plan says that it changes.
 * @param decidesByRevision whether the revisions decide which pods restart: the live template is not the wanted one, or its controller has not
 * seen it.
 */
export function lookForRolloutPlan(
    { component, policy }: Pick<GateProgramInputs, "component" | "policy">,
    decidesByRevision: boolean,
): LookOptions {
    const look = lookForRollout(component);
    const more = memberLifecycles[component].planLooks?.(policy) ?? [];
    return {
        ...look,
        pd: [...look.pd, ...more],
        revisions: decidesByRevision ? "needed" : "for-words",
        ...(dependsOnBackups([{ kind: "restart" }], component) ? { backups: true } : {}),
    };
}

/** What to observe for the growth of volumes with their use, besides their sizes: the disks that PD reports. */
export function lookForUse(look: LookOptions): LookOptions {
    return { ...look, pd: withId(["stores"]) };
}

/** What to observe for scaling the member. */
export function lookForScale(component: Component): LookOptions {
    const { looks } = memberLifecycles[component];
    const glanced = glanceForScale(component);
    return {
        ...glanced,
        components: [...glanced.components, ...(looks.dependants ?? [])],
        pd: withId(looks.scale),
        ...asksOf([component]),
    };
}

/** What to observe where a member is scaled and rolled out: what either needs. */
export function lookForBoth(rollout: LookOptions, scale: LookOptions): LookOptions {
    return {
        ...scale,
        ...rollout,
        components: [...new Set([...rollout.components, ...scale.components])],
        pd: [...new Set([...rollout.pd, ...scale.pd])],
    };
}

/** What to observe for the plan of scaling the member: also the backups that hold a removal back. */
export function lookForScalePlan(component: Component): LookOptions {
    return {
        ...lookForScale(component),
        ...(dependsOnBackups([{ kind: "remove" }], component) ? { backups: true } : {}),
    };
}

/** What to observe for the failover of the member, besides what scaling needs. */
export function lookForFailover(component: Component): LookOptions {
    const look = lookForScale(component);
    const { looks = [], asksStatus = false } = memberLifecycles[component].failover ?? {};
    return { ...look, deaths: true, pd: withId([...look.pd, ...looks]), status: asksStatus ? [component] : [] };
}

/** What to observe for the failover of the member where pods may be given up with their nodes instead. */
export function lookForFailoverOrLoss(component: Component): LookOptions {
    const look = lookForFailover(component);
    return { ...look, pd: withId([...look.pd, ...lossParts]), volumePlaces: true };
}

/** @returns the same options, but also finding claims by the names of these templates, whatever their labels are. */
export function withClaims(look: LookOptions, component: Component, { claims }: FixedFields): LookOptions {
    return { ...look, claimTemplates: { [component]: claims.map(({ name }) => name) } };
}

/** @returns the same options, but also reading the sizes of the claims, if the member has any. */
export function withSizes(look: LookOptions, { claims }: FixedFields): LookOptions {
    return claims.length > 0 ? { ...look, claimStates: true } : look;
}

/** What to observe for the state of the whole cluster: few calls to PD. */
export function lookForState(components: readonly Component[]): LookOptions {
    return { ...noLook, components, pd: together(components, (component) => memberLifecycles[component].looks.state) };
}

/** What to observe for the plan of the last gate: also which labels of stores say where they are, if there are stores. */
export function lookForReadyPlan(components: readonly Component[]): LookOptions {
    const look = lookForState(components);
    return look.pd.includes("stores") ? { ...look, pd: [...look.pd, "location-labels"] } : look;
}

/**
 * What to observe to show a cluster's status: what `lookForState` does, and PD's leader, stores and evictions, the pods' status
 * pages, and, for drawings, the zones of the pods. Their nodes then also tell whether they are being emptied.
 */
export function lookForStatus(components: readonly Component[], withPd: boolean, zones: boolean): LookOptions {
    const { pd } = lookForState(components);
    const { status, asks } = lookForReady(components);
    // Without stores, nobody has removed one.
    const removed: PdPart[] = pd.includes("stores") ? ["tombstones"] : [];
    const own = ["health", "leader", "stores", "placement", "evicted-stores", "log-backups", "cluster-id"] as const;
    const parts: PdPart[] = [...pd, ...removed, ...own];
    return {
        components,
        pd: withPd ? [...new Set(parts)] : [],
        status,
        claimStates: true,
        ...(asks === undefined ? {} : { asks }),
        ...(zones ? { zones, drains: true } : {}),
    };
}

/** What to observe while waiting for the whole cluster. */
export function lookForReady(components: readonly Component[]): LookOptions {
    return {
        components,
        pd: withId(together(components, (component) => memberLifecycles[component].looks.rollout)),
        status: components.filter((component) => memberLifecycles[component].statusPage !== undefined),
        ...asksOf(components),
    };
}

/** Whether root was given a password: one call to Kubernetes. */
export const lookAtPasswordSecret: LookOptions = { ...noLook, asks: ["password-secret"] };

/** What to observe for setting settings on running servers. If PD is one of them, also whether it is the cluster's own. */
export function lookForSettings({
    component,
    settings,
    configFiles,
}: Pick<SettingsProgramInputs, "component" | "settings" | "configFiles">): LookOptions {
    const { looks } = memberLifecycles[component];
    const look = { component, keys: Object.keys(settings), files: configFiles };
    return { ...glance(component), pd: withId(looks.settings ?? []), settings: look };
}

/** The key of the ConfigMap that has the configuration, of every member whose settings are set online. A sweep has no program to tell. */
export const settingsFiles: SettingsProgramInputs["configFiles"] = [{ key: "config-file", path: "" }];

/** What to observe for giving servers back what a run on record has changed. The keys on record are asked for in any case. */
export function lookForLeftSettings(component: Component): LookOptions {
    return lookForSettings({ component, settings: {}, configFiles: settingsFiles });
}

/** What to observe for an unsafe recovery from the loss of stores. Their regions are listed once the rest allows it. */
export const lookForRecovery: LookOptions = {
    ...noLook,
    components: components.filter((component) => topology[component].engine !== undefined),
    pd: withId(["unsafe-recovery", "leadership", "tombstones", "store-down-time"]),
};

const lossParts: readonly PdPart[] = ["leadership", "tombstones", "placement", "store-down-time", "unsafe-recovery"];

/** What to observe for giving up volumes on nodes that are gone: the members with data that is elsewhere too. */
export const lookForLostNodes: LookOptions = {
    ...noLook,
    components: ["pd", "tiflash", "tikv"],
    pd: withId(lossParts),
    volumePlaces: true,
};

/** What to observe for setting root's password. */
export const lookForPassword: LookOptions = { ...glance("tidb"), asks: ["password-secret", "root-login"] };

function asksOf(components: readonly Component[]): { asks?: readonly OwnPart[] } {
    const asks = components.flatMap((component) => memberLifecycles[component].asks ?? []);
    return asks.length === 0 ? {} : { asks };
}

/**
 * Adds what every step with PD needs: the cluster id, because a gate acts only on the cluster's own PD; and the stores and
 * members, because they show whether PD must be locked against other clusters. A plan without any step needs neither.
 */
export function withId(parts: readonly PdPart[]): readonly PdPart[] {
    return parts.length === 0 ? parts : [...new Set<PdPart>([...parts, "stores", "health", "cluster-id"])];
}

function together(components: readonly Component[], partsOf: (component: Component) => readonly PdPart[]): PdPart[] {
    return [...new Set(components.flatMap(partsOf))];
}

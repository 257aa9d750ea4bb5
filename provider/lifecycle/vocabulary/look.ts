import type { Component, Microservice } from "../../../topology/members";
import type { SpreadConstraint } from "./spread";

/** A part of PD's state. Each part takes one call, some take a few. */
export type PdPart =
    | "health"
    | "leader"
    /** The leader, since when it leads, whether PD has loaded its schedulers, and how many regions it knows. Read before and after all other parts. */
    | "leadership"
    | "ready-members"
    | "stores"
    | "tombstones"
    | "placement"
    /** Part of the placement, by one call instead of three. */
    | "location-labels"
    | "store-down-time"
    | "evicted-stores"
    | "persisted-evictions"
    | "leader-limits"
    | "region-status"
    /** The unsafe recovery that PD's leader runs, or ran last. */
    | "unsafe-recovery"
    /** BR's mark, by which TiKV recovers from snapshots of volumes. */
    | "snapshot-recovering"
    | Microservice
    | "pumps"
    /** Who holds PD's own locks: this package's key in PD's etcd, and PD's maintenance tasks. */
    | "locks"
    /** BR's log backups. */
    | "log-backups"
    | "cluster-id";

/** Regions to list: those with a missing, down or pending peer, or all with a peer on a store, or on any of several stores. */
export type RegionList = "short" | { ofStore: number } | { ofStores: readonly number[] };

/**
 * State that a member reports about itself, besides the health of its pods: TiCDC's captures; the Secret with root's
 * initial password; which password root can log in with; whether TiDB is being upgraded smoothly; and the labels of TiDB's servers.
 */
export type OwnPart = "captures" | "password-secret" | "root-login" | "upgrade-state" | "server-labels";

/** Something that a decision still needs and the shell must read before it asks again. */
export type Look =
    | { parts: readonly PdPart[] }
    | { asks: readonly OwnPart[] }
    | { ownLeadersOf: string }
    | { ownLeadersOfAll: readonly string[] }
    | { regions: RegionList }
    /** What tells whether pods of the member are dead. */
    | { deathsOf: Component; parts: readonly PdPart[]; status: boolean }
    /** Whether another node would take the pod of this name. */
    | { roomOf: string }
    /** The zones and labels of the pods' nodes. */
    | { zones: true }
    /** Which backups of the cluster run. */
    | { backups: true }
    /** Whether the claims' StorageClasses let them grow. */
    | { expansions: true }
    /** The volumes of these members. */
    | { volumesOf: readonly Component[] }
    /** The whole StatefulSets. */
    | { manifests: true }
    /** All that these options ask for, in place of what was asked before. */
    | { all: LookOptions };

/** Settings to ask a member for. Those on record are asked for too. */
export interface SettingsLook {
    readonly component: Component;
    readonly keys: readonly string[];
    /** The keys of the member's ConfigMap that contain its configuration, each with the prefix of its keys. */
    readonly files: readonly { readonly key: string; readonly path: string }[];
}

/** What to observe of the cluster. Each part adds calls to PD or to pods. */
export interface LookOptions {
    /** Members whose StatefulSet, pods and claims are read. */
    components: readonly Component[];
    /** Parts of PD's state to query. Empty if the API server's data suffices. */
    pd: readonly PdPart[];
    /** Members whose pods' status pages are queried. */
    status: readonly Component[];
    /** What else to query from the members themselves. Default: nothing. */
    asks?: readonly OwnPart[];
    /** TiKV pods to query for their store's leader count. Default: none. */
    ownLeadersOf?: readonly string[];
    /** Names of the claim templates in the program, by member, because claims are found by name. Default: those of the live StatefulSets. */
    claimTemplates?: Partial<Record<Component, readonly string[]>>;
    /** Regions to list. Default: none. */
    regions?: RegionList;
    /** Settings of a member to ask its ConfigMap and its running servers for. Default: none. */
    settings?: SettingsLook;
    /** Whether to read the node of every pod, for its zone and its labels. Nodes are cluster-wide, and one call each. Default: false. */
    zones?: boolean;
    /**
     * Whether to read, of each pod that is not Ready, for how long it is not, and the Ready condition of its node. One call for each
     * such node, and one for the time. Default: false.
     */
    deaths?: boolean;
    /** Whether to read the node of every pod, for whether it is being emptied. One call for each node. Default: false. */
    drains?: boolean;
    /**
     * Whether to read, of each claim whose pod is not Ready, the volume, and whether the node that it is on exists: a claim, a volume, a node
     * and a list each. Default: false.
     */
    volumePlaces?: boolean;
    /**
     * The pods of which to find out whether another node would take them. Lists the nodes, pods and volumes of the whole Kubernetes
     * cluster. Default: none.
     */
    rooms?: readonly string[];
    /** The constraints under which to find that out. Default: those of the live template. */
    roomsUnder?: readonly SpreadConstraint[];
    /**
     * Whether to list, of each member with a pod on another revision than the newest or with a template that the controller has not
     * seen, which templates the revisions have, and where the newest one differs. One call for each such member. `needed`: a decision depends on them, so they must be read unless the API
     * server refuses. `for-words`: if they cannot be read, they are not known. Default: they are not listed.
     */
    revisions?: "needed" | "for-words";
    /** Whether to read the spec and status of each claim: its phase, source, sizes and classes. Default: false. */
    claimStates?: boolean;
    /** Whether to read of each claim whether its StorageClass lets it grow: one call for each class. Default: false. */
    expansions?: boolean;
    /** Members of which to read the volume of each claim that is not released: one call each. Volumes are cluster-wide. Default: none. */
    volumesOf?: readonly Component[];
    /** Whether to keep of each StatefulSet the whole object, as far as it is needed to create it again. Default: false. */
    manifests?: boolean;
    /** Whether to list the pods of backups in the cluster's namespace. One call. Default: false. */
    backups?: boolean;
    /** Whether only words of a plan depend on the answers: an API server that does not give them may give others. Default: false. */
    isForWords?: true;
}

/**
 * @returns the options extended by what a decision needs.
 * @throws Error if that was already included: asking for it again would loop forever.
 */
export function lookCloser(look: LookOptions, at: Look): LookOptions {
    const closer = added(look, at);
    if (closer === undefined) {
        throw new Error(
            `${JSON.stringify(at)} was requested but is missing from the observation: this is a bug in pulumi-tidb`,
        );
    }
    return closer;
}

/** @returns the options extended by what a decision needs; undefined if that was already included. */
export function added(look: LookOptions, at: Look): LookOptions | undefined {
    if ("all" in at) {
        return covers(look, at.all) ? undefined : at.all;
    }
    if ("deathsOf" in at) {
        const status = at.status && !look.status.includes(at.deathsOf) ? [...look.status, at.deathsOf] : look.status;
        const pd = [...new Set([...look.pd, ...at.parts])];
        return look.deaths === true ? undefined : { ...look, deaths: true, pd, status };
    }
    if ("roomOf" in at) {
        const { rooms = [] } = look;
        return rooms.includes(at.roomOf) ? undefined : { ...look, rooms: [...rooms, at.roomOf] };
    }
    if ("zones" in at) {
        return look.zones === true ? undefined : { ...look, zones: true };
    }
    if ("manifests" in at) {
        return look.manifests === true ? undefined : { ...look, manifests: true };
    }
    if ("expansions" in at) {
        return look.expansions === true ? undefined : { ...look, expansions: true };
    }
    if ("volumesOf" in at) {
        const { volumesOf = [] } = look;
        const more = at.volumesOf.filter((one) => !volumesOf.includes(one));
        return more.length === 0 ? undefined : { ...look, volumesOf: [...volumesOf, ...more] };
    }
    if ("backups" in at) {
        return look.backups === true ? undefined : { ...look, backups: true };
    }
    if ("asks" in at) {
        const { asks = [] } = look;
        const more = at.asks.filter((one) => !asks.includes(one));
        return more.length === 0 ? undefined : { ...look, asks: [...asks, ...more] };
    }
    if ("parts" in at) {
        const parts = at.parts.filter((part) => !look.pd.includes(part));
        return parts.length === 0 ? undefined : { ...look, pd: [...look.pd, ...parts] };
    }
    if ("ownLeadersOf" in at || "ownLeadersOfAll" in at) {
        const { ownLeadersOf: asked = [] } = look;
        const wanted = "ownLeadersOf" in at ? [at.ownLeadersOf] : at.ownLeadersOfAll;
        const more = wanted.filter((one) => !asked.includes(one));
        return more.length === 0 ? undefined : { ...look, ownLeadersOf: [...asked, ...more] };
    }
    return JSON.stringify(look.regions) === JSON.stringify(at.regions) ? undefined : { ...look, regions: at.regions };
}

/** @returns whether an observation with the one options has all that is observed with the others. */
export function covers(one: LookOptions, others: LookOptions): boolean {
    return (
        others.pd.every((part) => one.pd.includes(part)) &&
        (others.ownLeadersOf ?? []).every((pod) => one.ownLeadersOf?.includes(pod)) &&
        (others.regions === undefined || JSON.stringify(one.regions) === JSON.stringify(others.regions)) &&
        restOf(one) === restOf(others)
    );
}

function restOf(look: LookOptions): string {
    return JSON.stringify({ ...look, pd: [], ownLeadersOf: undefined, regions: undefined });
}

/** What can be asked for after everything else, because none of it depends on what else was asked at the same time. */
type Further = Pick<LookOptions, "pd" | "regions" | "backups"> & { readonly ownLeadersOf: readonly string[] };

/** @returns what an observation with the first options still lacks for the others; `undefined` if everything must be asked. */
export function lookedFurther(one: LookOptions, others: LookOptions): Further | undefined {
    const rest = (look: LookOptions) => restOf({ ...look, backups: undefined });
    const pd = others.pd.filter((part) => !one.pd.includes(part));
    // The leadership is read around all other parts; who is ready depends on which pods were restarted.
    return rest(one) !== rest(others) || pd.includes("leadership") || pd.includes("ready-members")
        ? undefined
        : {
              pd,
              regions: JSON.stringify(one.regions) === JSON.stringify(others.regions) ? undefined : others.regions,
              backups: others.backups === true && one.backups !== true,
              ownLeadersOf: (others.ownLeadersOf ?? []).filter((pod) => !one.ownLeadersOf?.includes(pod)),
          };
}

/** @returns the members to read. TiKV's tell for how long PD's leader must have led, whichever member the question is about. */
export function membersToRead({ components, pd }: LookOptions): readonly Component[] {
    return pd.includes("leadership") ? [...new Set<Component>([...components, "tikv"])] : components;
}

/** Options that observe nothing. */
export const noLook: LookOptions = { components: [], pd: [], status: [] };

import type { Component, Microservice } from "../../../topology/members";

/** A part of what PD knows; one call each, some a few. */
export type PdPart =
    | "health"
    | "leader"
    /** Who leads, since when, whether PD has loaded its schedulers, and how many regions it knows; read before and after the rest. */
    | "leadership"
    | "ready-members"
    | "stores"
    | "tombstones"
    | "placement"
    | "evicted-stores"
    | "persisted-evictions"
    | "region-status"
    | Microservice
    | "pumps"
    | "cluster-id";

/** Regions to list: those that PD counts as short of something, or all that have a peer on a store. */
export type RegionList = "short" | { ofStore: number };

/**
 * What a member knows of itself, beside whether each of its pods is well: TiCDC's captures; the Secret with root's first
 * password, and with what root can log in.
 */
export type OwnPart = "captures" | "password-secret" | "root-login";

/** What a decision lacks, and the shell must look at before it asks again. */
export type Look = { parts: readonly PdPart[] } | { ownLeadersOf: string } | { regions: RegionList };

/** How closely the cluster is looked at. Each part adds calls to PD or to pods. */
export interface LookOptions {
    /** Members whose StatefulSet, pods and claims are read. */
    components: readonly Component[];
    /** What to ask PD for; nothing, where the API server alone decides. */
    pd: readonly PdPart[];
    /** Members each of whose pods is asked itself whether it is well. */
    status: readonly Component[];
    /** What else to ask members themselves. Default: nothing. */
    asks?: readonly OwnPart[];
    /** Pods of TiKV that are asked how many leaders their store has. Default: none. */
    ownLeadersOf?: readonly string[];
    /** Names of the claim templates that the program wants, by member: claims are found by their names. Default: those of the live StatefulSets. */
    claimTemplates?: Partial<Record<Component, readonly string[]>>;
    /** Regions to list. Default: none. */
    regions?: RegionList;
}

/**
 * @returns the look with what a decision lacked.
 * @throws Error where it was looked at already: what is asked for twice would be asked for without end.
 */
export function lookCloser(look: LookOptions, at: Look): LookOptions {
    const closer = added(look, at);
    if (closer === undefined) {
        throw new Error(
            `${JSON.stringify(at)} was asked for and is not in what was observed: this is a fault of pulumi-tidb`,
        );
    }
    return closer;
}

function added(look: LookOptions, at: Look): LookOptions | undefined {
    if ("parts" in at) {
        const parts = at.parts.filter((part) => !look.pd.includes(part));
        return parts.length === 0 ? undefined : { ...look, pd: [...look.pd, ...parts] };
    }
    if ("ownLeadersOf" in at) {
        const asked = look.ownLeadersOf ?? [];
        return asked.includes(at.ownLeadersOf) ? undefined : { ...look, ownLeadersOf: [...asked, at.ownLeadersOf] };
    }
    return JSON.stringify(look.regions) === JSON.stringify(at.regions) ? undefined : { ...look, regions: at.regions };
}

/** A look at nothing. */
export const noLook: LookOptions = { components: [], pd: [], status: [] };

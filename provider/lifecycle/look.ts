import type { Component, Microservice } from "./observation";

/** A part of what PD knows; one call each, of a microservice two. */
export type PdPart =
    | "health"
    | "leader"
    | "ready-members"
    | "stores"
    | "tombstones"
    | "max-replicas"
    | "tiflash-replicas"
    | "evicted-stores"
    | Microservice
    | "pumps"
    /** Asked once of each connection. */
    | "cluster-id"
    | "regions-at-risk";

/**
 * What a member knows of itself, beside whether each of its pods is well: TiCDC's captures; the Secret with root's first
 * password, and with what root can log in.
 */
export type OwnPart = "captures" | "password-secret" | "root-login";

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
}

/** A look at nothing. */
export const noLook: LookOptions = { components: [], pd: [], status: [] };

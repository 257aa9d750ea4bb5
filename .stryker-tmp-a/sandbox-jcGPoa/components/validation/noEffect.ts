import type { SpecProblem } from "../problem";
import type { TiflashSpec } from "../tiflash/spec";
import type { TikvSpec } from "../tikv/spec";
import { shown } from "./path";

/** A field that does nothing here, and why. */
export interface NoEffect {
    /** Path below the member or the cluster. */
    readonly field: string;
    /** What the user said; undefined, and a value that asks for nothing, needs no warning. */
    readonly value: unknown;
    /** Why it does nothing. */
    readonly why: string;
}

/** Warns of each field that asks for something and does nothing. */
export function noEffectProblems(field: string, fields: readonly NoEffect[]): SpecProblem[] {
    return fields
        .filter(({ value }) => asksForSomething(value))
        .map(({ field: name, value, why }) => ({
            field: `${field}.${name}`,
            found: shown(value),
            expected: "nothing",
            message: `${field}.${name}: ${shown(value)} has no effect: ${why}`,
            severity: "warning",
        }));
}

function asksForSomething(value: unknown): boolean {
    return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** Why fields of failover do nothing. */
export const noFailover = "failover is not part of this version";

/** What a member whose pods are stores, TiKV or TiFlash, may say to no effect. */
export function storeNoEffects(spec: TikvSpec | TiflashSpec): NoEffect[] {
    return [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version win" },
        { field: "privileged", value: spec.securityContext && spec.privileged, why: "securityContext wins" },
        { field: "maxFailoverCount", value: spec.maxFailoverCount, why: noFailover },
        { field: "recoverFailover", value: spec.recoverFailover, why: noFailover },
        { field: "failover", value: spec.failover, why: noFailover },
    ];
}

/** Why fields of volume replacement do nothing. */
export const noVolumeReplacement = "volumes are not replaced by this version";

/** Why kernel parameters of a member are not set by an init container. */
export const noSysctlInit = "tidb-operator sets kernel parameters of PD, TiKV, TiDB and TiFlash only";

/** Why what belongs to certificates of members does nothing. */
export const noClusterTls = "spec.tlsCluster.enabled is not set";

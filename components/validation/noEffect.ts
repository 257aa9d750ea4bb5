import type { SpecProblem } from "../problem";
import type { TiflashSpec } from "../tiflash/spec";
import type { TikvSpec } from "../tikv/spec";
import { shown } from "./path";

/** A field that has no effect, and why. */
export interface NoEffect {
    /** Path in the spec of the member or the cluster. */
    readonly field: string;
    /** The user's value. Undefined, false, 0 and empty values cause no warning. */
    readonly value: unknown;
    /** Why the field has no effect. */
    readonly why: string;
}

/** Warns about each field that is set and has no effect. */
export function noEffectProblems(field: string, fields: readonly NoEffect[]): SpecProblem[] {
    return fields
        .filter(({ value }) => isSet(value))
        .map(({ field: name, value, why }) => ({
            field: `${field}.${name}`,
            found: shown(value),
            expected: "nothing",
            message: `${field}.${name}${typeof value === "object" ? "" : `: ${shown(value)}`} has no effect: ${why}`,
            severity: "warning",
        }));
}

function isSet(value: unknown): boolean {
    return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

/** Fields of TiKV and TiFlash, whose pods are stores, that have no effect. */
export function storeNoEffects(spec: TikvSpec | TiflashSpec): NoEffect[] {
    return [
        { field: "image", value: spec.baseImage && spec.image, why: "baseImage and version take precedence" },
        {
            field: "privileged",
            value: spec.securityContext && spec.privileged,
            why: "securityContext takes precedence",
        },
    ];
}

/** Why a member has no init container that sets kernel parameters. */
export const noSysctlInit = "tidb-operator sets kernel parameters of PD, TiKV, TiDB and TiFlash only";

/** Why the fields for the certificates of members have no effect. */
export const noClusterTls = "spec.tlsCluster.enabled is not set";

import { shortDigest } from "./shortDigest";

/** A `topologySpreadConstraint` of a pod, with the fields of Kubernetes. */
export interface SpreadConstraint {
    maxSkew: number;
    minDomains?: number;
    nodeTaintsPolicy?: string;
    topologyKey: string;
    whenUnsatisfiable: string;
    labelSelector?: object;
}

/** The constraints that this package adds to a member's pod template. None where the spec has its own. */
export interface Spread {
    /** Digest of the constraints; empty if there are none. */
    revision: string;
    constraints: SpreadConstraint[];
}

/** No constraints of ours. */
export const noSpread: Spread = { revision: "", constraints: [] };

/** @returns the constraints with their digest. */
export function spreadOf(constraints: SpreadConstraint[]): Spread {
    return constraints.length === 0 ? noSpread : { revision: shortDigest(JSON.stringify(constraints)), constraints };
}

const separator = "+";

/** @returns the digest of a pod template with constraints of ours. Without them it is the template's own digest. */
export function revisionWith(templateRevision: string, { revision }: Pick<Spread, "revision">): string {
    return revision === "" ? templateRevision : `${templateRevision}${separator}${revision}`;
}

/** @returns the two parts of such a digest. */
export function revisionParts(templateRevision: string): { template: string; spread: string } {
    const [template, spread = ""] = templateRevision.split(separator);
    return { template, spread };
}

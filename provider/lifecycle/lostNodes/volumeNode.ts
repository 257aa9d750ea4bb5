import type { Volume } from "../diagnosis/objects";

/** The label by which a volume is tied to a node. */
export const hostnameLabel = "kubernetes.io/hostname";

/**
 * @returns the only node that a volume can be used on: each term of its affinity asks for that host name. Undefined if there may be
 * another one. A path on a node without an affinity starts empty on any node.
 */
export function nodeOfVolume({ spec }: Volume): string | undefined {
    const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    const names = terms.map(({ matchExpressions = [] }) => {
        const hosts = matchExpressions.filter(({ key, operator }) => key === hostnameLabel && operator === "In");
        return hosts.find(({ values }) => values?.length === 1)?.values?.[0];
    });
    return names.every((name) => name !== undefined && name === names[0]) ? names[0] : undefined;
}

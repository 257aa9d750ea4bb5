import type { Fact } from "../vocabulary/evidence";
import type { Observation } from "../vocabulary/observation";
import type { Refusal } from "../vocabulary/ownership";

/** The members whose host names PD has. */
export const listedByPd = ["pd", "tikv", "tiflash"] as const;

/**
 * Refuses another `spec.clusterDomain` while PD lists this cluster's pods under the earlier one: the gates would take them for those of a
 * twin in another Kubernetes cluster. A name without a domain resolves only here, so a domain may be added.
 * Before the change nothing of the cluster is under the new domain: what PD lists there is a twin's, and would count as the cluster's own.
 * @param before the domain of the last update; empty for none.
 * @returns the refusal; what PD has not said; undefined if the domain may be used.
 */
export function refuseDomain(
    observation: Observation,
    before: string,
    domain: string | undefined,
): { refused: Refusal } | { lacks: string } | undefined {
    const { members, stores } = observation.pd;
    if (!members.known || !stores.known) {
        const { why } = (members.known ? stores : members) as Extract<Fact<unknown>, { known: false }>;
        return { lacks: `PD's members and stores are not known: ${why}` };
    }
    const listed = [...members.value, ...stores.value];
    const old = listed.flatMap(({ otherDomain }) => (otherDomain?.domain === before && before ? [otherDomain] : []));
    const twins = listed.flatMap(({ podName, domain: of }) => (of !== undefined && of === domain ? [podName] : []));
    if (old.length === 0 && twins.length > 0) {
        const reason = `found ${domain}, expected ${before || "none"}: PD already lists ${namesOf(twins)} under it, so they are another cluster's. Set it back`;
        return { refused: { property: "spec.clusterDomain", reason } };
    }
    const [first] = old;
    if (first === undefined) {
        return undefined;
    }
    const names = namesOf(old.map(({ podName }) => podName));
    return {
        refused: {
            property: "spec.clusterDomain",
            reason: `found ${domain || "none"}, expected ${first.domain}, under which PD lists ${names}: with another domain they would count as another cluster's. Set it back. To change it, let a second TidbCluster join this one (spec.cluster), scale that out, and scale this one in`,
        },
    };
}

function namesOf(pods: readonly (string | undefined)[]): string {
    return [...new Set(pods)].sort().join(", ");
}

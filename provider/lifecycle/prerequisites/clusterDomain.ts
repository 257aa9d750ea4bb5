import { podIndexOf } from "../vocabulary/podIndex";
import type { Fact } from "../vocabulary/evidence";
import type { Observation, OtherDomain } from "../vocabulary/observation";
import type { Refusal } from "../vocabulary/ownership";

/** The members whose host names PD has. */
export const listedByPd = ["pd", "tikv", "tiflash"] as const;

/**
 * Refuses another `spec.clusterDomain` while PD lists this cluster's pods under the earlier one: the gates would take them for those of a
 * twin in another Kubernetes cluster. A name without a domain resolves only here, so a domain may be added.
 * @returns the refusal; what PD has not said; undefined if the domain may be used.
 */
export function refuseDomain(
    observation: Observation,
    domain: string | undefined,
): { refused: Refusal } | { lacks: string } | undefined {
    const { members, stores } = observation.pd;
    if (!members.known || !stores.known) {
        const { why } = (members.known ? stores : members) as Extract<Fact<unknown>, { known: false }>;
        return { lacks: `PD's members and stores are not known: ${why}` };
    }
    const listed = [...members.value, ...stores.value].flatMap(({ otherDomain }) => otherDomain ?? []);
    const foreign = listed.filter((one) => isOurs(observation, one));
    const [first] = foreign;
    if (first === undefined) {
        return undefined;
    }
    const names = [...new Set(foreign.map(({ podName }) => podName))].sort().join(", ");
    return {
        refused: {
            property: "spec.clusterDomain",
            reason: `found ${domain || "none"}, expected ${first.domain}, under which PD lists ${names}: with another domain they would count as another cluster's. Set it back. To change it, let a second TidbCluster join this one (spec.cluster), scale that out, and scale this one in`,
        },
    };
}

/** The pod is here, and PD lists nothing else for it. A twin in another Kubernetes cluster is listed besides our own. */
function isOurs(observation: Observation, { podName }: OtherDomain): boolean {
    return listedByPd.some((component) => {
        const { pods, pdMembers, stores } = podIndexOf(observation, component);
        return pods.has(podName) && !pdMembers.has(podName) && !stores.has(podName);
    });
}

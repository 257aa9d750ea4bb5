import { type Component, components } from "../../../topology/members";
import type { Refusal } from "../vocabulary/ownership";
import { type DeployedMembers, type SeenMembers, seenOf, verbOf } from "./seenVersions";

const cannotSwitch =
    "PD keeps the addresses of its members with http or https, and members with TLS and members without it cannot reach each other: " +
    "TLS cannot be switched on or off in a cluster that has run " +
    "(https://github.com/pingcap/tidb-operator/issues/5700, https://github.com/tikv/pd/issues/2996)";

function sign(tls: boolean | undefined, where: string): { tls: boolean; where: string } | undefined {
    return tls === undefined ? undefined : { tls, where };
}

/**
 * Refuses to switch `spec.tlsCluster` in a cluster that has run: the first PD that restarts does not find the others again, and
 * PD loses its quorum with the second. Where some pods run with TLS and some without, a switch has begun already, and the
 * program may go either way.
 *
 * @param asked the members that the program asks for.
 * @param wanted `spec.tlsCluster.enabled`.
 * @param before what the last update deployed: the only evidence about a member without pods and StatefulSet.
 */
export function tlsChange(
    asked: readonly Component[],
    wanted: boolean,
    live: SeenMembers,
    before: DeployedMembers,
): Refusal[] {
    const wasHealthy = live.pdClusterId !== undefined;
    const seen = components
        .filter((component) => asked.includes(component))
        .flatMap((component) =>
            seenOf(live.members[component], wasHealthy, before[component], {
                pod: (pod) => sign(pod.clusterTls, `${pod.name} ${verbOf(pod)}`),
                statefulSet: ({ name, clusterTls }) => sign(clusterTls, `StatefulSet ${name} is`),
                update: ({ tls }) => sign(tls, "the last update was"),
            }),
        );
    if (seen.length === 0 || seen.some(({ tls }) => tls === wanted)) {
        return [];
    }
    const found = `found ${wanted}, but ${seen[0].where} ${wanted ? "without" : "with"} TLS`;
    const next = `Set it to ${!wanted}. For a cluster ${wanted ? "with" : "without"} TLS, create a new one and move the data, with BR or TiCDC`;
    return [{ property: "spec.tlsCluster.enabled", reason: `${found}. ${cannotSwitch}. ${next}` }];
}

import type { Component } from "../../../topology/members";
import type { Refusal } from "../vocabulary/ownership";
import { type DeployedMembers, type SeenMembers, seenOf, verbOf } from "./seenVersions";
import { type Notice, noticesOf } from "../vocabulary/notices";

const field = "spec.tlsCluster.enabled";
const cannotSwitch =
    "PD keeps the addresses of its members with http or https, and members with TLS and members without it cannot reach each other: " +
    "TLS cannot be switched on or off in a cluster that has run " +
    "(https://github.com/pingcap/tidb-operator/issues/5700, https://github.com/tikv/pd/issues/2996)";

function sign(tls: boolean | undefined, where: string): { tls: boolean; where: string } | undefined {
    return tls === undefined ? undefined : { tls, where };
}

/** What an update does with TLS between members. */
export interface TlsChange {
    refused: Refusal[];
    warnings: Notice[];
    /** What the warnings put at risk, in short: for the summary of the plan. */
    risks: string[];
}

const mayNotFindMembers = "PD may not find its members, because TLS may be switched";

/** The members that show whether the cluster uses TLS, the surest first. Others mount another member's certificate. */
const witnesses: readonly Component[] = ["pd", "tikv", "tidb"];

/**
 * Refuses to switch `spec.tlsCluster` in a cluster that has been healthy: the first PD that restarts does not find the others
 * again, and PD loses its quorum with the second. If pods of PD differ, a switch has begun already, and the program may go
 * either way. A cluster that was never healthy may switch, with a
 * warning. If PD starts on volumes of an earlier cluster, what their claims record counts; if they record nothing, it is a warning.
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
): TlsChange {
    const wasHealthy = live.pdClusterId !== undefined;
    const seen =
        witnesses
            .filter((component) => asked.includes(component))
            .map((component) =>
                seenOf(live.members[component], wasHealthy, before[component], {
                    pod: (pod) => sign(pod.clusterTls, `${pod.name} ${verbOf(pod)}`),
                    statefulSet: ({ name, clusterTls }) => sign(clusterTls, `StatefulSet ${name} is`),
                    update: ({ tls }) => sign(tls, "the last update was"),
                }),
            )
            .find((signs) => signs.length > 0) ?? [];
    const claims = (live.members.pd?.claims ?? []).filter(({ released, terminating }) => !released && !terminating);
    if (seen.length === 0 && claims.length > 0 && (live.members.pd?.pods ?? []).length === 0) {
        const recorded = claims.filter(({ tls }) => tls !== undefined);
        if (recorded.some(({ tls }) => tls === wanted)) {
            return { refused: [], warnings: [], risks: [] };
        }
        if (recorded.length > 0) {
            const found = `found ${wanted}, but claim ${recorded[0].name} was last used ${wanted ? "without" : "with"} TLS`;
            const next = `Set it to ${!wanted}. If the data is no longer needed, delete all claims of the earlier cluster first`;
            return {
                refused: [{ property: field, reason: `${found}. ${cannotSwitch}. ${next}` }],
                warnings: [],
                risks: [],
            };
        }
        return {
            refused: [],
            warnings: noticesOf(
                "tls-not-compared",
                unknown(
                    wanted,
                    claims.map(({ name }) => name),
                ),
            ),
            risks: [mayNotFindMembers],
        };
    }
    if (seen.length === 0 || seen.some(({ tls }) => tls === wanted)) {
        return { refused: [], warnings: [], risks: [] };
    }
    const found = `found ${wanted}, but ${seen[0].where} ${wanted ? "without" : "with"} TLS`;
    if (!wasHealthy) {
        const next = `The cluster was never healthy, so this is tried. If PD does not become Ready, destroy the cluster, delete its claims, and deploy it again`;
        const warnings = noticesOf("tls-switched", `${field}: ${found}. ${cannotSwitch}. ${next}`);
        return { refused: [], warnings, risks: [mayNotFindMembers] };
    }
    const next = `Set it to ${!wanted}. For a cluster ${wanted ? "with" : "without"} TLS, create a new one and move the data, with BR or TiCDC`;
    return { refused: [{ property: field, reason: `${found}. ${cannotSwitch}. ${next}` }], warnings: [], risks: [] };
}

function unknown(wanted: boolean, claims: readonly string[]): string {
    const named = claims.length === 1 ? `claim ${claims[0]}` : `claims ${claims.join(", ")}`;
    return `${field}: found ${wanted}; PD starts on the data of ${named}, and nothing shows whether the cluster that wrote it used TLS. PD finds its members again only with the same setting. If it does not become Ready, change the setting back, then run \`pulumi up\` again`;
}

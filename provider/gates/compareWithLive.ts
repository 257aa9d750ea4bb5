import type { Component } from "../../topology/members";
import type { GatePorts } from "../cluster/gatePorts";
import { tlsChange } from "../lifecycle/prerequisites/clusterTls";
import { versionChanges } from "../lifecycle/prerequisites/downgrade";
import { leftClaims } from "../lifecycle/prerequisites/leftClaims";
import { type DeployedMembers, isLeftOver } from "../lifecycle/prerequisites/seenVersions";
import { memberLifecycles } from "../lifecycle/members/memberLifecycles";
import { refusedReplicas } from "../lifecycle/walks/keptVolumes";
import { refusedRecovery } from "../lifecycle/walks/recoveryMode";
import { noLook } from "../lifecycle/vocabulary/look";
import { describeRefusals, type Refusal } from "../lifecycle/vocabulary/ownership";
import { GateError } from "./gateError";
import { type ClusterProgramInputs, type PrerequisiteInputs, unknownPath } from "./inputs";
import type { MemberRisk } from "../lifecycle/walks/warnedRisks";
import type { Notice } from "../lifecycle/vocabulary/notices";

/** What the comparison with what runs finds. */
interface Comparison {
    refused: Refusal[];
    warnings: Notice[];
    /** What the warnings put at risk, in short. */
    risks: string[];
    /** The same of single members. */
    memberRisks: MemberRisk[];
}

/**
 * Compares the program with what runs, in the update and before it changes anything, if its check could not.
 * @throws GateError if the program goes back to an earlier version, switches TLS, or restores a cluster that is there.
 * @throws KubernetesApiError if the members cannot be read.
 */
export async function compareInUpdate(
    { namespace, cluster, memberReplicas, prerequisites }: ClusterProgramInputs,
    ports: GatePorts,
): Promise<void> {
    const { comparesWith } = prerequisites ?? {};
    if (!prerequisites || !comparesWith) {
        return;
    }
    const { refused, warnings } = await compareWithLive(prerequisites, memberReplicas, comparesWith, ports);
    warnings.forEach((warning) => ports.progress.warn(warning));
    if (refused.length > 0) {
        throw new GateError({
            code: "program-refused",
            step: "compare-versions",
            target: `${namespace}/${cluster}`,
            seen: describeRefusals(refused),
            next: "nothing was done: correct the program, then run `pulumi up` again",
        });
    }
}

/** @returns what the versions and TLS of the program change about what runs, and about what used the volumes, and which volumes are there already. */
export async function compareWithLive(
    { members: wanted, claimTemplates, allowDowngrade, traits, recoveryMode }: PrerequisiteInputs,
    memberReplicas: ClusterProgramInputs["memberReplicas"],
    before: DeployedMembers,
    ports: GatePorts,
): Promise<Comparison> {
    // A preview may not know a number yet, and a state of an earlier build has none.
    const replicasOf = (component: string): number | undefined => {
        const replicas: unknown = (memberReplicas as Record<string, unknown> | undefined)?.[component];
        return typeof replicas === "number" ? replicas : undefined;
    };
    const known = Object.entries(wanted)
        .filter(([, member]) => unknownPath(member) === undefined)
        .map(([name, member]) => [name as Component, { ...member, replicas: replicasOf(name) }] as const);
    const names = known.map(([component]) => component);
    const seen = await ports.look({ ...noLook, components: names, claimTemplates });
    const asked = Object.fromEntries(known) as PrerequisiteInputs["members"];
    const versions = versionChanges(asked, seen, before, allowDowngrade);
    const tls = tlsChange(names, traits.includes("tls"), seen, before);
    const left = leftClaims(asked, seen, before, recoveryMode);
    // The members' own gates see it too, but in a first deployment only after PD was created.
    const tooFew = known.flatMap(([component, { replicas }]) => {
        const isLeft = replicas !== undefined && isLeftOver(seen.members[component], before[component]);
        const change = isLeft ? refusedReplicas(seen, { component, replicas }) : undefined;
        const { field = component } = memberLifecycles[component];
        return change ? [{ property: `spec.${field}.${change.field}`, reason: change.reason }] : [];
    });
    return {
        refused: [
            ...tls.refused,
            ...versions.refused,
            ...tooFew,
            ...(recoveryMode ? refusedRecovery(seen, before.tikv) : []),
        ],
        warnings: [...tls.warnings, ...versions.warnings, ...left.warnings],
        risks: [...tls.risks, ...left.risks],
        memberRisks: versions.risks,
    };
}

import { topology } from "../topology/members";
import type { PrerequisiteInputs } from "../provider/gates/inputs";
import { requiredCertificates } from "./certificates";
import { hasDiscovery } from "./cluster";
import type { KubernetesObject } from "./kubernetes/object";
import type { KubernetesFields } from "./kubernetes/pod";
import { stableDigest } from "./kubernetes/templateRevision";
import { membersOf } from "./members";
import type { OperationsArgs } from "./operations";
import type { RenderedCluster } from "./render";
import type { TidbClusterSpec } from "./spec";
import { isSuspended } from "./suspension";
import { podNeeds } from "./podNeeds";
import { createsPassword } from "./tidb/rootPassword";
import { versionFieldOf } from "./validation/versionTags";

/** @returns what the checks before an update depend on, as far as the manifest and `operations` say it. */
export function prerequisiteInputs(
    cluster: RenderedCluster,
    operations: OperationsArgs | undefined,
): Pick<
    PrerequisiteInputs,
    | "members"
    | "claimTemplates"
    | "objects"
    | "traits"
    | "certificates"
    | "storageClasses"
    | "podNeeds"
    | "risks"
    | "recoveryMode"
    | "allowDowngrade"
> {
    const { manifest, members, risks = [] } = cluster;
    const { spec } = manifest;
    const wanted = membersOf(spec).flatMap((member) => {
        const facts = members[member.component]?.facts;
        return facts === undefined
            ? []
            : [
                  [
                      member.component,
                      {
                          version: facts.version,
                          versionField: versionFieldOf(member.specOf(spec) ?? {}, member.pathIn(spec)),
                          templateRevision: facts.templateRevision,
                          runs: !isSuspended(spec, member),
                      },
                  ],
              ];
    });
    const certificates = requiredCertificates(manifest).map(({ secretName, commonName }) => ({
        secretName,
        commonName,
    }));
    const suspended: string[] = membersOf(spec)
        .filter((member) => isSuspended(spec, member))
        .map(({ component }) => component);
    return {
        members: Object.fromEntries(wanted) as PrerequisiteInputs["members"],
        claimTemplates: Object.fromEntries(
            Object.entries(members).map(([component, { facts }]) => [
                component,
                facts.fixed.claims.map(({ name }) => name),
            ]),
        ),
        objects: stableDigest(operations?.placement === undefined ? members : [members, operations.placement]),
        traits: [
            ...(spec.tlsCluster?.enabled ? (["tls"] as const) : []),
            ...(createsPassword(spec) ? (["password"] as const) : []),
            ...(hasDiscovery(manifest) ? (["discovery"] as const) : []),
            ...(spec.ticdc ? (["ticdc"] as const) : []),
            ...(operations?.rollout?.online ? (["online"] as const) : []),
            ...(operations?.disruptionBudgets === "gates" ? (["budgets"] as const) : []),
            ...((operations?.lostNodes ?? []).length > 0 ? (["lost-nodes"] as const) : []),
            ...(operations?.backup?.beforeUpgrade || operations?.backup?.onDestroy ? (["backup"] as const) : []),
            ...(takesReclaimPolicy(spec) ? (["reclaim-policy"] as const) : []),
        ],
        ...(certificates.length > 0 ? { certificates } : {}),
        storageClasses: Object.fromEntries(
            Object.entries(members)
                .filter(([component]) => !suspended.includes(component))
                .map(([component, { statefulSet }]) => [component, classesOf(statefulSet)]),
        ),
        podNeeds: podNeeds(cluster),
        ...(risks.length > 0 ? { risks: [...risks] } : {}),
        ...(spec.recoveryMode ? { recoveryMode: true } : {}),
        allowDowngrade: operations?.allowDowngrade ?? false,
    };
}

function takesReclaimPolicy(spec: TidbClusterSpec): boolean {
    const isTaken = membersOf(spec).some(({ component }) => topology[component].hasReclaimPolicy);
    return spec.pvReclaimPolicy !== undefined && isTaken;
}

/** The classes that claims name; null for those that name none. */
function classesOf({ spec }: KubernetesObject): (string | null)[] {
    const { volumeClaimTemplates = [] } = spec as { volumeClaimTemplates?: KubernetesFields[] };
    return volumeClaimTemplates.map((claim) => (claim.spec as { storageClassName?: string }).storageClassName ?? null);
}

import { type Permission, permissionsOf } from "../../topology/permissions";
import type { AccessAnswer } from "../cluster/accessReview";
import type { GatePorts } from "../cluster/gatePorts";
import { asRules, permissionsNeeded, type UpdateKind } from "../lifecycle/prerequisites/permissionsNeeded";
import type { Refusal } from "../lifecycle/vocabulary/ownership";
import type { ClusterProgramInputs, PrerequisiteInputs } from "./inputs";
import type { Notice } from "../lifecycle/vocabulary/notices";

/**
 * Asks which permissions the update lacks, and warns of those that it may not need.
 *
 * @param isGrantedLater whether what the cluster depends on may still grant them.
 * @returns the refusal, if there is one; `granted-later` if only what the cluster depends on can prevent it.
 */
export async function deniedPermissions(
    kind: UpdateKind,
    { cluster, namespace }: ClusterProgramInputs,
    ports: GatePorts,
    { sharesUser }: PrerequisiteInputs,
    isGrantedLater: boolean,
    warn: (notice: Notice) => unknown,
): Promise<Refusal | "granted-later" | undefined> {
    const answer = await ports.access.review(permissionsNeeded(permissionsOf(cluster), kind));
    if (answer.notKnown !== undefined) {
        const message = `could not check whether the permissions suffice for this update: ${answer.notKnown}`;
        warn({ code: "permissions-not-checked", message });
    }
    const lacks = (denied: readonly Permission[], consequence: string) =>
        warn({
            code: "permission-missing",
            message: `${describeDenied(answer, denied, namespace)}\n${consequence}`,
        });
    const isSure = ({ byGates, verb }: Permission) => byGates || (sharesUser && verb !== "delete");
    // Otherwise a gate also marks claims as released.
    const isForRecords = ({ resource, verb }: Permission) =>
        resource === "persistentvolumeclaims" && verb === "patch" && !kind.changesReplicas;
    const forRecords = answer.denied.filter(isForRecords);
    const forJournal = answer.denied.filter(({ isForJournal }) => isForJournal);
    const forVolumes = answer.denied.filter(({ isClusterWide }) => isClusterWide);
    const others = answer.denied.filter((one) => !isForRecords(one) && !one.isForJournal && !one.isClusterWide);
    const sure = others.filter(isSure);
    const unsure = others.filter((one) => !isSure(one));
    if (forRecords.length > 0) {
        const without =
            "The update goes on without it, but does not record on the volume claims which version used them";
        lacks(forRecords, without);
    }
    if (forJournal.length > 0) {
        const without =
            "The update goes on without it, but writes no Events, or nothing into the cluster's journal, which `pulumi-tidb timeline` shows";
        lacks(forJournal, without);
    }
    if (forVolumes.length > 0) {
        const without = "The update goes on without it, and volumes do not get the program's pvReclaimPolicy";
        lacks(forVolumes, without);
    }
    if (unsure.length > 0) {
        const except = sharesUser
            ? "The Kubernetes provider needs this if the update deletes or replaces such an object"
            : "The Kubernetes provider needs this. If it uses another user, ignore this warning";
        lacks(unsure, except);
    }
    if (sure.length > 0 && isGrantedLater) {
        const unless = "The update fails unless something that the TidbCluster depends on grants this";
        lacks(sure, unless);
        return "granted-later";
    }
    return sure.length === 0 ? undefined : { property: accessFields, reason: describeDenied(answer, sure, namespace) };
}

/** The fields of the program that decide which user works on the cluster. */
const accessFields = "kubeconfig, context";

function describeDenied({ user }: AccessAnswer, denied: readonly Permission[], namespace: string): string {
    const role = denied.some(({ isClusterWide }) => isClusterWide) ? "ClusterRole" : `Role in namespace ${namespace}`;
    return `${user} lacks permissions that this update needs. Grant them by a ${role}, or use another kubeconfig or context:\n${asRules(denied).join("\n")}`;
}

import { topology } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { claimName } from "../../../topology/podNames";
import { claimsInWords } from "../prerequisites/downgrade";
import { notAsked } from "../vocabulary/evidence";
import type { Look } from "../vocabulary/look";
import type { Memory } from "../vocabulary/memory";
import type { Move, Problem } from "../vocabulary/move";
import type { Observation, ObservedClaim } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import { waitOrFail } from "../vocabulary/waitOrFail";

/**
 * The restore of a cluster from snapshots of volumes (`spec.recoveryMode`). BR sets PD's mark `snapshot-recovering`, makes the volumes,
 * brings the data of all stores to one point in time, and clears the mark. While it is set, a TiKV that starts takes over the cluster id of
 * a new PD. Facts from tidb-operator pkg/manager/member and pkg/backup/restore; pingcap/tidb br/pkg/task/restore_ebs_meta.go and
 * restore_data.go; tikv/tikv components/snap_recovery.
 */

type Lacking = { look: Look } | { lacks: string; advice: string };

const markName = "PD's mark snapshot-recovering";
const again = "then run `pulumi up` again";
const finish = `let BR bring the data to one point in time (br restore data), which clears it, ${again}`;

/** @returns whether the member was to recover from snapshots, and the program says that it is over. */
export function recoveryEnds({ members }: Observation, { component, restoredClaims }: MemberTarget): boolean {
    return restoredClaims === undefined && members[component]?.statefulSet?.recovers === true;
}

/** @returns why the change of `spec.recoveryMode` is refused; undefined if it is not. */
export function refuseRecovery(observation: Observation, target: MemberTarget): string | undefined {
    const { component, restoredClaims } = target;
    const { statefulSet } = observation.members[component] ?? {};
    if (restoredClaims && statefulSet && !statefulSet.recovers && topology[component].inRecovery === "restored") {
        return `found true, expected false: ${statefulSet.name} was deployed without it, and BR would rewrite the data of its stores. Restore into a cluster of another name`;
    }
    const { snapshotRecovering } = observation.pd;
    return recoveryEnds(observation, target) && snapshotRecovering.known && snapshotRecovering.value
        ? `found false, expected true while ${markName} is set: ${finish}`
        : undefined;
}

/** @returns the problem with a member that must not run during the restore, and was deployed before; undefined if it was not. */
export function deployedBeforeRecovery(
    { cluster, members }: Observation,
    { component }: Pick<MemberTarget, "component">,
): Problem | undefined {
    const { statefulSet, pods = [] } = members[component] ?? {};
    return statefulSet === undefined && pods.length === 0
        ? undefined
        : {
              step: "recovery-mode",
              target: memberName(cluster, component),
              seen: `found true, expected false while ${memberName(cluster, component)} is deployed: it would be taken down, and BR would rewrite the data that it serves`,
              next: "restore into a cluster of another name; or suspend all members first, and replace their claims",
          };
}

/** @returns what a member of a cluster that is being restored waits for, before pods are created or the restore is over; undefined if for nothing. */
export function lacksInRecovery(
    observation: Observation,
    target: MemberTarget,
    coming: readonly number[],
): Lacking | undefined {
    const { component, restoredClaims } = target;
    if (restoredClaims === undefined ? !recoveryEnds(observation, target) : coming.length === 0) {
        return undefined;
    }
    const lacks = lackingClaims(observation, target, coming);
    if (lacks !== "") {
        const advice = `make them from the snapshots, ${again}. A missing claim would be created empty, and its store would have no data`;
        return { lacks, advice };
    }
    const { snapshotRecovering: mark, stores } = observation.pd;
    if (mark === notAsked || stores === notAsked) {
        return { look: { parts: ["snapshot-recovering", "stores"] } };
    }
    const unknown = mark.known ? stores : mark;
    if (!mark.known || !stores.known) {
        const what = mark.known ? "PD's stores are" : `${markName} is`;
        return { lacks: `${what} not known: ${unknown.known ? "" : unknown.why}`, advice: "check the PD pods" };
    }
    if (mark.value) {
        const needsNone = restoredClaims === undefined || topology[component].inRecovery === "restored-last";
        return needsNone ? { lacks: `${markName} is set, so BR has not finished`, advice: finish } : undefined;
    }
    const isNewPd = !stores.value.some(({ engine }) => engine === "tikv");
    return restoredClaims !== undefined && topology[component].inRecovery === "restored" && isNewPd
        ? {
              lacks: `PD is new and ${markName} is not set, so TiKV would refuse to join it`,
              advice: `let BR set it (br restore full --type=aws-ebs --prepare), ${again}; or restore PD's volumes too`,
          }
        : undefined;
}

/** @returns the next move while the member waits for the restore; undefined if it does not. */
export function nextRecoveryModeMove(
    observation: Observation,
    target: MemberTarget,
    coming: readonly number[],
    memory: Memory,
): Move | undefined {
    const lacking = lacksInRecovery(observation, target, coming);
    if (lacking === undefined) {
        return undefined;
    }
    return "look" in lacking
        ? { kind: "look", at: lacking.look }
        : waitOrFail(observation, target, memory, {
              step: "recovery-mode",
              target: memberName(observation.cluster, target.component),
              ...lacking,
          });
}

/** The claims that are not there or may be empty, in words. One that waits for its pod is not empty if it names a snapshot. */
function lackingClaims(
    { cluster, members }: Observation,
    { component, restoredClaims = [] }: MemberTarget,
    coming: readonly number[],
): string {
    const claims = new Map((members[component]?.claims ?? []).map((claim) => [claim.name, claim]));
    const lacking = new Map<string, string[]>();
    for (const ordinal of coming) {
        for (const template of restoredClaims) {
            const name = claimName(template, cluster, component, ordinal);
            const trouble = troubleOf(claims.get(name));
            if (trouble !== undefined) {
                lacking.set(trouble, [...(lacking.get(trouble) ?? []), name]);
            }
        }
    }
    return [...lacking].map(([trouble, names]) => `${claimsInWords(names)}: ${trouble}`).join("; ");
}

function troubleOf(claim: ObservedClaim | undefined): string | undefined {
    if (claim === undefined) {
        return "missing";
    }
    if (claim.released || claim.terminating) {
        return "being deleted";
    }
    const { phase = "not known", hasSource = false } = claim.state ?? {};
    return phase === "Bound" || (phase === "Pending" && hasSource) ? undefined : phase;
}

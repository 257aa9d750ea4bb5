import { components, topology } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { claimName } from "../../../topology/podNames";
import { claimsInWords } from "../prerequisites/downgrade";
import { bothKnown, notAsked } from "../vocabulary/evidence";
import type { Look } from "../vocabulary/look";
import type { Memory } from "../vocabulary/memory";
import type { Move, Problem } from "../vocabulary/move";
import type { Observation, ObservedClaim } from "../vocabulary/observation";
import type { Refusal } from "../vocabulary/ownership";
import type { MemberTarget } from "../vocabulary/target";
import { type Wait, waitOrFail } from "../vocabulary/waitOrFail";

/**
 * The restore of a cluster from snapshots of volumes (`spec.recoveryMode`). BR sets PD's mark `snapshot-recovering`, makes the volumes,
 * brings the data of all stores to one point in time, and clears the mark. While it is set, a TiKV that starts takes over the cluster id of
 * a new PD. Facts from tidb-operator pkg/manager/member and pkg/backup/restore; pingcap/tidb br/pkg/task/restore_ebs_meta.go and
 * restore_data.go; tikv/tikv components/snap_recovery.
 */

interface Lacking {
    readonly lacks: string;
    readonly advice: string;
    /** Whether a preview refuses it. Default: the update waits for it. */
    readonly refuses?: boolean;
}

const step = "recovery-mode";
const markName = "PD's mark snapshot-recovering";
const restore = "br restore full --type=aws-ebs";
const elsewhere = "restore into a cluster of another name";
const suspendFirst = `${elsewhere}, or suspend what is deployed first`;

/** @returns the refusal of a program that has `spec.recoveryMode` on, or off. */
export function refusalInRecovery({ lacks, advice }: Lacking, isOn: boolean): Refusal {
    return { property: "spec.recoveryMode", reason: `found ${isOn}, expected ${!isOn}: ${lacks}. Next: ${advice}` };
}

/**
 * @returns why a cluster that is there is not restored, with all reasons at once. On volumes that were not made from the snapshots, BR deletes what is
 * newer than its backup.
 * @param before what the last update deployed of TiKV: a suspended member has no StatefulSet that shows it.
 */
export function refusedRecovery(observation: Observation, before: { readonly recovers?: true } | undefined): Refusal[] {
    const { cluster, members, pdClusterId } = observation;
    const { statefulSet, claims } = members.tikv ?? {};
    const wasUsed = pdClusterId !== undefined || claims?.some(({ version }) => version !== undefined);
    // Without claims it was not looked at.
    const isOld = statefulSet ? !statefulSet.recovers : claims && before && !before.recovers && wasUsed;
    const running = components.flatMap((component) =>
        topology[component].inRecovery === "held" ? (deployedBeforeRecovery(observation, { component }) ?? []) : [],
    );
    const reasons = [
        ...(isOld ? [notRecovering(memberName(cluster, "tikv"))] : []),
        ...running.map(({ lacks }) => lacks),
    ];
    const advice = isOld ? elsewhere : suspendFirst;
    return reasons.length === 0 ? [] : [refusalInRecovery({ lacks: reasons.join(", and "), advice }, true)];
}

function notRecovering(name: string): string {
    return `${name} is not in recovery`;
}

/** @returns whether the member was to recover from snapshots, and the program says that it is over. */
export function recoveryEnds({ members }: Observation, { component, restoredClaims }: MemberTarget): boolean {
    return restoredClaims === undefined && members[component]?.statefulSet?.recovers === true;
}

/** Whether the member comes last in a restore that TiKV is still in, although the program says that it is over. */
function comesEarly({ members }: Observation, { component, restoredClaims }: MemberTarget): boolean {
    return (
        topology[component].inRecovery === "restored-last" &&
        restoredClaims === undefined &&
        members.tikv?.statefulSet?.recovers === true
    );
}

/** @returns what is wrong with a member that must not run during the restore; undefined if it is not there. */
export function deployedBeforeRecovery(
    { cluster, members }: Observation,
    { component }: Pick<MemberTarget, "component">,
): (Lacking & Problem) | undefined {
    const { statefulSet, pods = [] } = members[component] ?? {};
    const target = memberName(cluster, component);
    const [lacks, advice] = [`${target} is deployed`, suspendFirst];
    return statefulSet === undefined && pods.length === 0
        ? undefined
        : { code: step, step, target, lacks, advice, seen: lacks, next: advice };
}

/** @returns what a member of a cluster that is being restored waits for, before pods are created or the restore is over; undefined if for nothing. */
export function lacksInRecovery(
    observation: Observation,
    target: MemberTarget,
    coming: readonly number[],
): Lacking | { look: Look } | undefined {
    const { component, restoredClaims } = target;
    const { statefulSet } = observation.members[component] ?? {};
    const recovers = restoredClaims !== undefined && topology[component].inRecovery === "restored";
    if (recovers && statefulSet && !statefulSet.recovers) {
        return { lacks: notRecovering(statefulSet.name), advice: elsewhere, refuses: true };
    }
    const refuses = recoveryEnds(observation, target) || (coming.length > 0 && comesEarly(observation, target));
    if (!refuses && (restoredClaims === undefined || coming.length === 0)) {
        return undefined;
    }
    const claims = lackingClaims(observation, target, coming);
    if (claims.length > 0) {
        const lacks = `not there yet: ${claimsInWords(claims)}`;
        return { lacks, advice: "make them from the snapshots: a missing one is created empty" };
    }
    const { snapshotRecovering, stores } = observation.pd;
    const both = bothKnown(snapshotRecovering, stores);
    if (both === notAsked) {
        return { look: { parts: ["snapshot-recovering", "stores"] } };
    }
    if (!both.known) {
        return { lacks: `${markName}, or its stores, not known: ${both.why}`, advice: "check the PD pods" };
    }
    const [isMarked, all] = both.value;
    if (isMarked === recovers || (!isMarked && all.some(({ engine }) => engine === "tikv"))) {
        return undefined;
    }
    return isMarked
        ? { lacks: `${markName} is set`, advice: `let BR finish: ${restore}`, refuses }
        : {
              lacks: `${markName} is not set, and PD is new: TiKV would not join it`,
              advice: `let BR set it: ${restore} --prepare; or restore PD's volumes too`,
          };
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
    if ("look" in lacking) {
        return { kind: "look", at: lacking.look };
    }
    const asked: Wait = { step, target: memberName(observation.cluster, target.component), ...lacking };
    const move = waitOrFail(observation, target, memory, asked);
    return move.kind === "wait"
        ? { ...move, waitingFor: `${lacking.lacks}; for spec.recoveryMode, ${lacking.advice}` }
        : move;
}

/** The claims that are not there or may be empty, with why. One that waits for its pod is not empty if it names a snapshot. */
function lackingClaims(
    { cluster, members }: Observation,
    { component, restoredClaims = [] }: MemberTarget,
    coming: readonly number[],
): string[] {
    const claims = new Map((members[component]?.claims ?? []).map((claim) => [claim.name, claim]));
    return coming
        .flatMap((ordinal) => restoredClaims.map((template) => claimName(template, cluster, component, ordinal)))
        .flatMap((name) => {
            const trouble = troubleOf(claims.get(name));
            return trouble === undefined ? [] : [`${name} (${trouble})`];
        });
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

import { type Cause, describeCause } from "../../provider/lifecycle/diagnosis/cause";
import { expiringCertificates, unknownCertificates } from "../../provider/lifecycle/diagnosis/certificates";
import { diagnosePod, unknownOf } from "../../provider/lifecycle/diagnosis/diagnosePod";
import type { DiagnosisFacts } from "../../provider/lifecycle/diagnosis/facts";
import { notGuaranteed } from "../../provider/lifecycle/diagnosis/guaranteed";
import { deletedInWords } from "../../provider/lifecycle/walks/volumesStay";
import { suspendedFinding } from "../../topology/readyCondition";
import { growthWords } from "../claimStatus";
import type { ClaimStatus, ClusterStatus } from "../clusterStatus";
import { olderRevision } from "../conditions";
import { lastInWords } from "../lastOperation";
import { evictionWords } from "../statusWords";
import { isToGo } from "../memberHealth";
import { leftInWords, podsBeyond, stalePods, versionsInWords } from "../unfinishedUpdate";
import type { ClusterDiagnosis, Problem } from "./clusterDiagnosis";
import { heldPods, heldUpdates, onOlderRevision } from "./heldPods";
import { type NoticeCode, noticesOf } from "../../provider/lifecycle/vocabulary/notices";

/**
 * Returns what is wrong with a cluster.
 * @param status what its status shows: nothing of it is said twice.
 * @param guaranteed whether the user wants Guaranteed pods.
 */
export function assembleDiagnosis(status: ClusterStatus, facts: DiagnosisFacts, guaranteed: boolean): ClusterDiagnosis {
    const going = status.members.flatMap(({ pods }) => pods.filter(isToGo)).map(({ name }) => name);
    const ofPods = facts.pods
        .filter(({ name }) => !going.includes(name))
        .flatMap((pod) => diagnosePod(pod).map((cause) => ({ pod: pod.name, cause })));
    const others = [
        ...expiringCertificates(facts.certificates, Date.parse(status.at)),
        ...notGuaranteed(facts.pods, guaranteed),
    ].map((cause) => ({ pod: undefined, cause }));
    const growths = stuckGrowths(status);
    const explained = ofPods.map(({ pod }) => pod);
    const ofHeld = heldPods(status, explained);
    const held = [...ofHeld, ...heldUpdates(status, ofHeld)];
    const losing = losingVolumes(status);
    const problems = [...together([...ofPods, ...growths, ...others]), ...losing, ...held];
    const unwanted = [...missingPods(status), ...status.members.flatMap(podsBeyond)];
    const findings = withoutCause(status, [
        ...explained,
        ...ofHeld.flatMap(({ pods }) => pods.filter((pod) => unwanted.includes(pod))),
    ]);
    const notKnown = [
        ...new Set([
            ...status.notKnown,
            ...facts.unread,
            ...unknownOf(facts.pods).map(({ what, why }) => `${what}: ${why}`),
            ...unknownCertificates(facts.certificates),
        ]),
    ];
    const { name, namespace, kubernetes, at, isPaused } = status;
    const said = saidByProblems(status, held);
    const remarks = [
        ...noticesOf("suspended", ...suspendedMembers(status)),
        ...status.remarks.filter(({ code }) => !said.includes(code)),
        ...noticesOf("eviction-left", ...leftEvictions(status)),
    ];
    const mayBeUnfinished = leftInWords(status) !== undefined;
    const isWell = problems.length === 0 && findings.length === 0 && notKnown.length === 0;
    return {
        name,
        namespace,
        kubernetes,
        at,
        isWell,
        isPaused,
        mayBeUnfinished,
        problems,
        findings,
        remarks,
        notKnown,
    };
}

/** The pods that run on a claim that somebody has deleted, and may be well until they stop. */
function losingVolumes({ members }: ClusterStatus): Problem[] {
    return members
        .flatMap(({ pods }) => pods)
        .flatMap(({ name, losesVolumes }) =>
            losesVolumes === null
                ? []
                : {
                      reason: "VolumeBeingDeleted",
                      pods: [name],
                      of: losesVolumes.claims,
                      cause: deletedInWords(losesVolumes.claims),
                      evidence: null,
                      fix: losesVolumes.next,
                      needsChange: true,
                  },
        );
}

/** The volumes that do not grow to the size that their claims request. A growth that makes progress is no problem. */
function stuckGrowths({ members }: ClusterStatus): { pod: string; cause: Cause }[] {
    return members
        .flatMap(({ pods }) => pods)
        .flatMap(({ name: pod, claims }) =>
            claims.flatMap((claim) => {
                const what = growthWords(claim);
                const { trouble = null, isRefused = false, needsStart = false } = claim.growth ?? {};
                const isStuck = trouble !== null || isRefused || needsStart;
                return what === undefined || !isStuck ? [] : [{ pod, cause: causeOf(claim, what) }];
            }),
        );
}

function causeOf({ name: of, size, growth }: ClaimStatus, what: string): Cause {
    const evidence = growth?.trouble;
    const back = `request ${size} again in the program and in the claim: Kubernetes allows it while the volume has not grown`;
    const fix = growth?.needsStart
        ? "set that size in the program and run `pulumi up`: it restarts the pod, as some drivers enlarge a file system only then"
        : growth?.isRefused
          ? back
          : `correct what the driver names, such as a quota, and it is tried again; or ${back}`;
    return {
        ...{ of, reason: "VolumeNotEnlarged", what, fix },
        ...(evidence ? { evidence } : {}),
        ...(growth?.isRefused ? { final: { afterSeconds: Infinity } } : {}),
    };
}

/** Members that the program suspends: nothing is wrong with them, and nothing serves. */
function suspendedMembers({ members }: ClusterStatus): string[] {
    const findings = suspendedFindings(members);
    const isWhole = findings.length > 0 && findings.length === members.length;
    return isWhole ? [suspendedFinding("", true)] : findings;
}

function suspendedFindings(members: ClusterStatus["members"]): string[] {
    return members.filter(({ isSuspended }) => isSuspended).map(({ title }) => suspendedFinding(title, false));
}

/** The notes of the status that problems say too. */
function saidByProblems({ unfinished, members }: ClusterStatus, held: readonly Problem[]): NoticeCode[] {
    const isIn = (words?: string) => words !== undefined && held.some(({ cause }) => cause.includes(words));
    const notes: [NoticeCode, boolean][] = [
        ["claim-deleted", true],
        ["operation-unfinished", unfinished !== null && isIn(lastInWords(unfinished))],
        ["versions-differ", isIn(versionsInWords(members))],
        ["older-revision", isIn(onOlderRevision)],
    ];
    return notes.flatMap(([code, isSaid]) => (isSaid ? [code] : []));
}

function missingPods({ members }: ClusterStatus): string[] {
    const missing = members.flatMap(({ pods }) => pods.filter(({ phase }) => phase === "missing"));
    return missing.map(({ name }) => name);
}

/** Evictions that no run is known to need, and those by PD itself. A status lists all of them in a part of its own. */
function leftEvictions({ operation, evictions, at }: ClusterStatus): string[] {
    const isAtWork = operation !== null && !operation.isOverdue;
    return (isAtWork ? evictions.filter(({ byPd }) => byPd !== null) : evictions).map((one) => {
        const next =
            one.record === null
                ? one.byPd === null
                    ? ""
                    : ": no other store is restarted until PD ends it. Check that store's disk and network"
                : ": if no update is under way, the next `pulumi up` or a sweep ends it; a `pulumi up` that its preview refuses does not";
        return `eviction of ${evictionWords(one, at)}${next}`;
    });
}

/** Pods of one template often have the same cause. The name of a claim is all that differs then. */
function together(all: readonly { pod: string | undefined; cause: Cause }[]): Problem[] {
    const groups = new Map<string, { pods: string[]; of: string[]; cause: Cause }>();
    for (const { pod, cause } of all) {
        const key = `${cause.reason} ${cause.what.replaceAll(cause.of, "")} ${cause.fix.replaceAll(cause.of, "")}`;
        const group = groups.get(key) ?? { pods: [], of: [], cause };
        group.pods.push(...(pod === undefined ? [] : [pod]));
        group.of.push(cause.of);
        groups.set(key, group);
    }
    return [...groups.values()].map(({ pods, of, cause }) => ({
        reason: cause.reason,
        pods,
        of,
        cause: cause.what,
        evidence: cause.evidence ?? null,
        fix: cause.fix,
        needsChange: cause.final !== undefined,
    }));
}

/**
 * What the status finds of pods for which nothing shows a cause. A suspended member is as the program wants it, and pods of an older
 * revision are a problem of their own.
 */
function withoutCause({ checks, members }: ClusterStatus, explained: readonly string[]): string[] {
    const stale = members.flatMap(stalePods).map(olderRevision);
    const isExplained = (finding: string) =>
        stale.includes(finding) ||
        explained.some((pod) => finding.split(/[\s:;,()]+/).includes(pod)) ||
        [...suspendedFindings(members), suspendedFinding("", true)].includes(finding);
    const found = checks
        .filter(({ result }) => result === "failed")
        .flatMap(({ findings }) => findings)
        .filter((finding) => !isExplained(finding));
    const silent = members
        .filter(({ isSuspended }) => !isSuspended)
        .flatMap(({ pods }) => pods)
        .filter(
            ({ name, phase }) =>
                phase !== "ready" && ![...found].some((one) => isAbout(one, name)) && !explained.includes(name),
        )
        .map(
            ({ name, phase, notReady }) =>
                `${name} ${phase === "missing" ? "does not exist" : `is ${phase}`}${notReady === null ? "" : `: ${notReady}`}`,
        );
    return [...new Set([...found, ...silent])];
}

function isAbout(finding: string, pod: string): boolean {
    return finding.split(/[\s:;,()]+/).includes(pod);
}

/** Returns a problem's cause with its evidence, on one line. */
export function problemWords({ cause, evidence }: Problem): string {
    return describeCause({ what: cause, ...(evidence === null ? {} : { evidence }) });
}

import { counted } from "../provider/lifecycle/vocabulary/counted";
import { stateInWords } from "../provider/lifecycle/stages/stores";
import { listed } from "./listed";
import type { Component } from "../topology/members";
import {
    type Condition,
    readyAsWanted,
    readyReasons,
    type ReadyReason,
    suspendedFinding,
} from "../topology/readyCondition";
import type { Check, ClusterStatus, MemberStatus, PodStatus, StoreStatus } from "./clusterStatus";
import { podGroups } from "./statusWords";
import { storeWords } from "./storeStatus";
import { podsBeyond } from "./unfinishedUpdate";

/** What one check finds of a member: what is wrong, and what is not known. */
interface Findings {
    readonly wrong: readonly string[];
    readonly unknown: readonly string[];
}

interface Rule {
    readonly reason: Exclude<ReadyReason, "Ready">;
    readonly claim: string;
    readonly finds: (member: MemberStatus, status: Seen) => Findings;
}

type Seen = Pick<ClusterStatus, "members" | "stores" | "discovery">;

/** What is checked for each reason, in TiDB Operator's order. */
const rules: readonly Rule[] = [
    { reason: "StatefulSetNotUpToDate", claim: "newest revision everywhere", finds: staleTemplate },
    { reason: "PDUnhealthy", claim: "PD healthy", finds: unhealthyPods },
    { reason: "TiKVStoreNotUp", claim: "TiKV's stores Up", finds: storesNotUp },
    { reason: "TiDBUnhealthy", claim: "TiDB healthy", finds: unhealthyPods },
    { reason: "TiFlashStoreNotUp", claim: "TiFlash's stores Up", finds: storesNotUp },
    { reason: "TiCDCCaptureNotReady", claim: "TiCDC's captures ready", finds: unhealthyPods },
    { reason: "TiProxyUnhealthy", claim: "TiProxy healthy", finds: unhealthyPods },
];

/**
 * Returns what holds while no member has a StatefulSet or a note in the Lease. TiDB Operator gives such a cluster the reason
 * `StatefulSetNotUpToDate` too (`allStatefulSetsAreUpToDate`).
 */
export function nothingDeployed({ discovery }: Pick<ClusterStatus, "discovery">): string {
    const exists = discovery === null ? "only its Lease exists" : "only its Lease and discovery exist";
    return `nothing is deployed yet: ${exists}; the run that deploys it may not have come further`;
}

/** Returns the result of each check. */
export function checksOf(status: Seen): Check[] {
    return rules.map(({ reason, claim, finds }) => {
        if (status.members.length === 0 && reason === "StatefulSetNotUpToDate") {
            return { reason, claim, result: "failed", findings: [nothingDeployed(status)] };
        }
        const of: readonly Component[] = readyReasons[reason];
        const members = status.members.filter(({ component }) => of.includes(component));
        const all = members.map((member) => finds(member, status));
        // A member that the program no longer has may have left stores in PD.
        const left = finds === storesNotUp && members.length === 0 ? storesWithoutPod(of[0], [], status) : [];
        const wrong = [...all.flatMap((one) => one.wrong), ...left];
        const unknown = all.flatMap((one) => one.unknown);
        const result =
            wrong.length > 0 ? "failed" : unknown.length > 0 ? "not known" : members.length === 0 ? "absent" : "passed";
        return { reason, claim, result, findings: wrong.length > 0 ? wrong : unknown };
    });
}

/**
 * Returns the condition `Ready`: the first check that fails decides, as in TiDB Operator. If none fails, but not everything is
 * known, the condition is `Unknown`, with the reason of the first check that is not known.
 * @param silent the stores that PD does not hear of and that no pod of the cluster runs. Default: none.
 * @param unwanted what no check counts and is not as wanted, as `unwantedPods` says it. Default: nothing.
 * @param left what shows that an update is unfinished, as `leftInWords` says it. Default: nothing.
 */
export function readyCondition(
    checks: readonly Check[],
    silent: readonly StoreStatus[] = [],
    unwanted: readonly string[] = [],
    left?: string,
): Condition {
    const failed = checks.find(({ result }) => result === "failed");
    const unknown = checks.find(({ result }) => result === "not known");
    const decides = failed ?? unknown;
    const others = shortened(silent.map((store) => `${storeWords(store)} is ${stateInWords(store)}`));
    const but = [
        ...(unwanted.length === 0 ? [] : [shortened(unwanted)]),
        ...(silent.length === 0 ? [] : [`of stores that it does not have, ${others}`]),
        ...(left === undefined ? [] : [left]),
    ];
    const holds = unwanted.length === 0 ? readyAsWanted.message : "no check fails";
    return decides === undefined
        ? { ...readyAsWanted, message: but.length === 0 ? holds : `${holds}, but ${but.join("; ")}` }
        : {
              type: "Ready",
              status: failed === undefined ? "Unknown" : "False",
              reason: decides.reason,
              message: shortened(decides.findings),
          };
}

/**
 * Returns which pods are not as wanted although no check may count that, one line for those with the same words. TiDB Operator asks PD
 * for the state of a store, and calls a cluster Ready as long as PD says Up: for a while also of a pod whose node is gone.
 */
export function unwantedPods({ members, discovery }: Pick<ClusterStatus, "members" | "discovery">): string[] {
    const pods = podGroups({ members }).map(({ pods: names, words }) => `${names}: ${words}`);
    const isServed = discovery === null || discovery.ready >= discovery.wanted;
    return isServed ? pods : [...pods, `Discovery: ${discovery.ready} of ${discovery.wanted} pods are Ready`];
}

/** How many findings a message has: a cluster of a thousand stores that PD does not list would fill a page. */
const mostFindings = 3;

/** Returns findings in one line, which is cut if there are many. */
export function shortened(findings: readonly string[]): string {
    const more = findings.length - mostFindings;
    return [...findings.slice(0, mostFindings), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/**
 * TiDB Operator compares the StatefulSet's current revision with its update revision. Kubernetes never advances the current
 * revision of a StatefulSet with `updateStrategy: OnDelete`, so here the pods' own revisions count.
 */
function staleTemplate({ title, replicas, revision, pods, isSuspended }: MemberStatus): Findings {
    if (replicas === null) {
        // Of pods that do not exist, the other checks tell.
        const isOrphaned = !isSuspended && pods.some(({ phase }) => phase === "ready" || phase === "not ready");
        const orphaned = `${title} has pods, but no StatefulSet: \`pulumi up --refresh\` creates it again`;
        return { wrong: isOrphaned ? [orphaned] : [], unknown: [] };
    }
    if (revision === null) {
        return { wrong: [`the controller of ${title}'s StatefulSet has not seen its newest template`], unknown: [] };
    }
    return {
        wrong: pods.filter(({ isUpToDate }) => isUpToDate === false).map(({ name }) => olderRevision(name)),
        unknown: pods
            .filter(({ phase, isUpToDate }) => phase !== "missing" && isUpToDate === null)
            .map(({ name }) => `the revision of ${name} is not known`),
    };
}

/** Returns what a check finds of a pod that does not run the newest revision. */
export function olderRevision(pod: string): string {
    return `${pod} runs an older revision`;
}

function unhealthyPods(member: MemberStatus, { members }: Seen): Findings {
    const { title, wanted, pods, isSuspended } = member;
    if (isSuspended) {
        const whole = members.every((one) => one.isSuspended);
        const stopping = pods.filter(({ phase }) => phase !== "missing").map(({ name }) => `${name} still exists`);
        return { wrong: [suspendedFinding(title, whole), ...stopping], unknown: [] };
    }
    const needed = pods.slice(0, wanted);
    return {
        wrong: [
            ...needed.flatMap(wrongWith),
            ...podsBeyond(member).map(
                (name) =>
                    `${name} is to leave: since the last update ${counted(wanted, "pod")} ${wanted === 1 ? "is" : "are"} wanted`,
            ),
        ],
        unknown: unknownOf(needed),
    };
}

function wrongWith({ name, phase, trouble }: PodStatus): string[] {
    if (phase === "missing") {
        return [`${name} does not exist`];
    }
    return trouble.known && trouble.value !== null ? [`${name}: ${trouble.value}`] : [];
}

/** One line for each reason: if PD does not answer, it is the same for all pods. */
function unknownOf(pods: readonly PodStatus[]): string[] {
    const byReason = new Map<string, string[]>();
    for (const { name, phase, trouble } of pods) {
        if (phase !== "missing" && !trouble.known) {
            byReason.set(trouble.why, [...(byReason.get(trouble.why) ?? []), name]);
        }
    }
    return [...byReason].map(([why, names]) => `the health of ${listed(names)} is not known: ${why}`);
}

function storesNotUp(member: MemberStatus, seen: Seen): Findings {
    const { wrong, unknown } = unhealthyPods(member, seen);
    const names = member.pods.map(({ name }) => name);
    return { wrong: [...wrong, ...storesWithoutPod(member.component, names, seen)], unknown };
}

/** A store counts as long as PD lists it, also without a pod: its data has not moved. */
function storesWithoutPod(component: Component, pods: readonly string[], { stores }: Seen): string[] {
    return (stores.known ? stores.value : [])
        .filter(({ own, engine, pod }) => own && engine === component && !pods.includes(pod))
        .map(({ id, pod, state }) => `store ${id} is ${stateInWords({ state })}, and its pod ${pod} does not exist`);
}

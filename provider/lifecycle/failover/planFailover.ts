import { memberName } from "../../../topology/names";
import { memberLifecycles } from "../members/memberLifecycles";
import { type Notice, noticesOf } from "../vocabulary/notices";
import type { Observation } from "../vocabulary/observation";
import type { MemberTarget } from "../vocabulary/target";
import type { DueStep } from "../dryRun/planSteps";
import { type Dead, findDead } from "./findDead";
import { noteFailure, unreplaced } from "./failoverMoves";
import type { FailoverPolicy } from "../vocabulary/memberFailover";
import { withFailure, withoutFailures, withReplacement } from "../vocabulary/actions/failures";
import { failuresOf, withReplacements } from "./records";
import { areAllBack, isOver, keepsReplacements, targetNow } from "./recovery";

/** What a failover will do, as data. */
export interface FailoverPlan {
    readonly steps: readonly DueStep[];
    /** What the user should know although nothing follows from it. */
    readonly remarks: readonly Notice[];
    /** What the program asks for and no failure on record answers to. */
    readonly warnings: readonly Notice[];
    /** The seconds after which the next one is dead if it stays as it is. Default: none is about to be. */
    readonly dueInSeconds?: number | undefined;
    /** The pods whose failures are forgotten: they are back, and no replacement is there. */
    readonly forgotten: readonly string[];
    /** The observation with the records as they will be after the steps. */
    readonly foreseen: Observation;
    /** The member with the number of replicas that it is to have then. */
    readonly target: MemberTarget;
}

/** What a plan leaves out. */
export interface FailoverLimits {
    /** Pods that start empty before: they are not replaced. Default: none. */
    readonly givenUp?: readonly string[];
    /** The only pods whose replacement may begin: those that the plan of this run has shown. Default: all that are dead. */
    readonly planned?: readonly string[];
    /** Whether replacements go once their failover is over. Default: yes. */
    readonly mayRecover?: boolean;
}

/**
 * Plans the failover of one member from an observation that has `LookOptions.deaths` and what the member's failover looks at.
 * @param target the member as the program asks for it, without replacements.
 */
export function planFailover(
    seen: Observation,
    target: MemberTarget,
    policy: FailoverPolicy,
    { givenUp = [], planned, mayRecover = true }: FailoverLimits = {},
): FailoverPlan {
    const { component } = target;
    const open = unreplaced(seen, target, policy);
    const forgotten = open.flatMap(({ is, failure }) => (is === "alive" && !seen.pdTrouble ? [failure.pod] : []));
    const observation = { ...seen, records: withoutFailures(seen.records, component, forgotten) };
    const {
        toReplace: dead,
        kept,
        dueInSeconds,
    } = observation.pdTrouble ? { toReplace: [], kept: [] } : findDead(observation, target, policy);
    const toReplace = dead.filter(
        ({ view: { podName } }) => !givenUp.includes(podName) && planned?.includes(podName) !== false,
    );
    const recorded = failuresOf(observation, target);
    let { records } = observation;
    const steps = toReplace.map((dead, index) => {
        const { pod, failure } = noteFailure(dead, recorded.length + index);
        records = withFailure(records, component, pod, { ...failure, counts: true });
        return replaceStep(dead, failure.replacedBy);
    });
    // What an earlier run has begun goes on.
    const begun = open.filter(({ is, failure }) => is === "dead" && !failure.counts);
    for (const { failure } of begun) {
        records = withReplacement(records, component, failure.pod);
    }
    const foreseen = { ...observation, records };
    return {
        steps: [
            ...begun.map(({ view, failure }) =>
                replaceStep({ view, why: "an earlier run has begun" }, failure.replacedBy),
            ),
            ...steps,
        ],
        remarks: [
            ...noticesOf("not-replaced", ...kept.map(({ words }) => words)),
            ...noticesOf("failover-open", ...whatIsBack(observation, target, policy)),
        ],
        warnings: noticesOf("failover-uid-unknown", ...unknownUid(observation, target, policy)),
        dueInSeconds,
        forgotten,
        foreseen,
        target: mayRecover ? targetNow(foreseen, target, policy) : withReplacements(foreseen, target),
    };
}

function replaceStep({ view, why }: Dead, replacedBy: string): DueStep {
    const { failover } = memberLifecycles[view.target.component];
    return {
        kind: "replace",
        component: view.target.component,
        target: view.podName,
        why: `${failover?.named(view) ?? view.podName} is dead: ${why}`,
        lastly: `add ${replacedBy}`,
        waitsFor: `${replacedBy} is Ready, ${failover?.waitsFor ?? "healthy"}`,
        seconds: failover?.replacementSeconds ?? 30,
        risk: () => failover?.risk?.(view),
    };
}

/** What the user is to decide, or is told, about a failover of which all are back. */
function whatIsBack(observation: Observation, target: MemberTarget, policy: FailoverPolicy): string[] {
    const { component } = target;
    const failures = failuresOf(observation, target);
    const uid = observation.records.failovers?.[component]?.uid;
    if (failures.length === 0 || uid === undefined) {
        return [];
    }
    const pods = failures.map(({ pod, replacedBy }) => `${replacedBy} for ${pod}`).join(", ");
    const of = `failover ${uid} of ${memberName(observation.cluster, component)} (${pods})`;
    if (isOver(observation, target, policy)) {
        const why = areAllBack(observation, target, policy) ? "all are back" : "their removal has begun";
        return [`${of} is over: ${why}, so the replacements are removed`];
    }
    const { failover, field = component } = memberLifecycles[component];
    if (!areAllBack(observation, target, policy)) {
        return [`${of} goes on until all are back`];
    }
    const keeps = keepsReplacements(observation, target);
    if (keeps !== undefined) {
        return [`${of}: all are back, and the replacements stay: ${keeps}`];
    }
    return failover?.recovers === "by-itself"
        ? []
        : [
              `${of}: all are back. Set spec.${field}.failover.recoverByUID to ${JSON.stringify(uid)}, or spec.${field}.recoverFailover to true, to remove the replacements`,
          ];
}

/** Without a failure on record, nobody can tell a typing error from the UID of a failover that is over. */
function unknownUid({ records }: Observation, { component }: MemberTarget, { recoverByUid }: FailoverPolicy): string[] {
    const uid = records.failovers?.[component]?.uid;
    const { field = component } = memberLifecycles[component];
    return uid === undefined || recoverByUid === undefined || recoverByUid === uid
        ? []
        : [
              `spec.${field}.failover.recoverByUID: found ${JSON.stringify(recoverByUid)}, which no failure has: the failover on record is ${JSON.stringify(uid)}`,
          ];
}

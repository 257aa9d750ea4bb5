import { isDeepStrictEqual } from "node:util";
import { memberName } from "../../topology/names";
import type { Component } from "../../topology/members";
import type { GatePorts } from "../cluster/gatePorts";
import { betweenUpdates } from "../lifecycle/failover/replicasMove";
import { withReplacements } from "../lifecycle/failover/records";
import { describeAction, isBookkeeping } from "../lifecycle/vocabulary/actions";
import type { Observation } from "../lifecycle/vocabulary/observation";
import type { MemberNote, UnattendedFailover } from "../lifecycle/vocabulary/ownership";
import type { ProblemCode } from "../lifecycle/vocabulary/problemCodes";
import type { MemberTarget } from "../lifecycle/vocabulary/target";
import { mayHaveTakenBackRemoval } from "../lifecycle/walks/scale";
import { GateError } from "./gateError";
import type { Notice } from "../lifecycle/vocabulary/notices";

/** What all runs of the controller share: nobody waits for them, and no program says what is wanted. */

/** A little longer than the lock of a dead run lasts. */
const lockPatienceMilliseconds = 20_000;
/** How long it waits with the lock for the effect of a step, such as the end of a pod. */
export const longestWaitMilliseconds = 10_000;

/** A member that the controller looks after while no `pulumi up` runs. */
export interface UnattendedMember {
    readonly component: Component;
    /** What the last update noted of it. */
    readonly note: MemberNote & { readonly unattended: UnattendedFailover };
}

/** What came of it. */
export interface UnattendedWork {
    /** What was done, one line each, which the log has already. Empty if nothing was due. */
    readonly done: readonly string[];
    /** What the user should know although nothing follows from it: what would be done, and what keeps it. */
    readonly remarks: readonly Notice[];
    /** The seconds after which more is due if nothing changes. Default: not known, or never. */
    readonly dueInSeconds?: number | undefined;
}

/** Nothing was due, and there is nothing to say. */
export const noWork: UnattendedWork = { done: [], remarks: [] };

/** Returns the StatefulSet's name if the member runs as its last update has noted it; undefined if nothing may be concluded from the note. */
export function runningMember(observation: Observation, member: UnattendedMember): string | undefined {
    const live = observation.members[member.component]?.statefulSet;
    const runs = live !== undefined && !live.terminating && isNotedStill(observation, member);
    return runs ? memberName(observation.cluster, member.component) : undefined;
}

/** Whether the program still wants what the plan was made from, as far as its last update has noted it. */
export function isNotedStill({ isPaused, notes }: Observation, { component, note }: UnattendedMember): boolean {
    return !isPaused && isDeepStrictEqual(notes?.[component], note);
}

/** Why nothing is done although something is due: what an update has begun, only `pulumi up` ends or undoes. */
export function whyNothing(observation: Observation, target: MemberTarget): string | undefined {
    return (
        (observation.records.unsafeRecovery?.begun === undefined
            ? undefined
            : "an unsafe recovery was begun, which PD's leader alone knows, and its end is not on record: run `pulumi up`") ??
        betweenUpdates(observation, target) ??
        (mayHaveTakenBackRemoval(observation, withReplacements(observation, target))
            ? "a removal was begun and has not ended: run `pulumi up`"
            : undefined)
    );
}

/**
 * Ports of a run that nobody waits for: it gives way to every other run, and ends when it is asked to.
 * @param whys why anything is done, one line each. The log has them once, before the first action.
 * @param did is told each action that was taken, in words, except bookkeeping.
 */
export function unattendedPorts(
    ports: GatePorts,
    { kind, name, whys }: { readonly kind: string; readonly name: string; readonly whys: readonly string[] },
    isInterrupted: () => boolean,
    did: (action: string) => void,
): GatePorts {
    const { progress } = ports;
    const untold = [...whys];
    const began = ports.now();
    let isEnding = false;
    const failure = (code: ProblemCode, seen: string) => ({
        code,
        step: kind,
        target: name,
        seen,
        next: "nothing: the controller looks again, and goes on from what it sees then",
    });
    return {
        ...ports,
        progress: {
            ...progress,
            info: (message) => [...untold.splice(0), message].forEach((line) => progress.info(line)),
        },
        look: (...asked) => {
            // Once: what the run ends by, such as its evictions, it looks at afterwards.
            if (isEnding || !isInterrupted()) {
                return ports.look(...asked);
            }
            isEnding = true;
            return Promise.reject(new GateError(failure("interrupted", "the controller ends, or another one leads")));
        },
        perform: async (action) => {
            await ports.perform(action);
            if (!isBookkeeping(action)) {
                did(describeAction(action));
            }
        },
        tryLock: async (lease, operation) => {
            const answer = await ports.tryLock(lease, operation);
            if (!("lock" in answer) && ports.now() - began > lockPatienceMilliseconds) {
                throw new GateError(
                    failure("cluster-busy", `${answer.heldBy} works on the cluster (${answer.operation})`),
                );
            }
            return answer;
        },
    };
}

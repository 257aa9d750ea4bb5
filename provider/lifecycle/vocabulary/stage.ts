import { podName } from "../../../topology/podNames";
import type { EndedBy } from "./endedBy";
import type { Fact } from "./evidence";
import { notAsked } from "./evidence";
import { isLastWait, mayAct, type Memory, steadySince, waitingSince, waitKey } from "./memory";
import type { Action } from "./actions";
import type { Move } from "./move";
import type {
    Observation,
    ObservedClaim,
    ObservedMember,
    ObservedPd,
    ObservedPdMember,
    ObservedPod,
    ObservedStore,
} from "./observation";
import type { Look } from "./look";
import type { Condition } from "./problemCodes";
import { claimsAt, type PodIndex, podIndexOf } from "./podIndex";
import type { MemberTarget } from "./target";

/** A pod with everything known about it. The input of a stage. */
export interface PodView {
    readonly observation: Observation;
    readonly target: MemberTarget;
    readonly member: ObservedMember;
    readonly ordinal: number;
    readonly podName: string;
    readonly pod?: ObservedPod;
    readonly pd: ObservedPd;
    /** Its members in PD: more than one if an earlier one never started. */
    readonly pdMembers: readonly ObservedPdMember[];
    readonly pdMember?: ObservedPdMember;
    /** Stores that PD lists under its address. More than one is an error that this package cannot resolve. */
    readonly stores: readonly ObservedStore[];
    /** Its store, if PD lists exactly one. */
    readonly store?: ObservedStore;
    /** Whether no pod of the rollout restarts or moves after this one. Default: one does. */
    readonly isLast?: boolean;
}

/**
 * The result of checking a stage: it holds; something must be read first; a description of what is missing, with the
 * remaining count; or the condition was found but must be found again until it has held for some seconds.
 */
export type Finding =
    | true
    | { look: Look }
    | { lacks: string; left?: number }
    /**
     * `at`: when the condition was queried, by the run's own clock; the answer came between then and now. Default: now. The seconds count
     * from the first answer, at the latest time it can be from, to the last query. `needsLock`: no other run may act meanwhile.
     */
    | { lacks: string; steadyFor: number; at?: number; needsLock?: true };

/** How long to wait without progress, counted from when the stage was first seen not to hold, by this run's own clock. */
export interface StageTimeout {
    seconds: number;
    /** What happens after the timeout. */
    then: "fail" | "go-on";
    /** Stages with the same name here share one timeout. Default: the stage's name. */
    as?: string;
}

/**
 * A named condition that a pod must meet. A walk goes through a pod's stages in order, and the first that does not hold
 * decides what happens now. Conditions depend only on the cluster's state, so the next run continues where a killed one
 * stopped.
 */
export interface Stage {
    /** Name in plans and progress, and the code of the failure after its timeout: `other-stores-up`, `leaders-evicted`, … */
    name: Condition;
    holds(view: PodView): Finding;
    /** The action that brings the condition about. Without one, the stage only waits. */
    act?(view: PodView): Action | undefined;
    /** The timeout. Default: it fails after `podReadyTimeoutSeconds`. */
    timeout?(view: PodView): StageTimeout;
    /**
     * A stage that cannot hold while this one does not. If the run has just waited for that one, and it has not held since, the wait for it
     * goes on instead: its deadline stays. Default: none.
     */
    partOf?: Stage;
    /** What alone can end a wait for it. Default: not known, so everything is asked again. */
    endedBy?(view: PodView): EndedBy | undefined;
    /** Whether PD, or a process that has just started, may bring the condition about without any step of ours. Default: not that it is known. */
    heals?(view: PodView): boolean;
    /** What may hold up a wait that has made no progress for ten minutes. Only of a stage whose finding counts what is left. Default: nothing is said. */
    stalled?(view: PodView): string | undefined;
    /** What the user can do after the timeout. */
    advice: string | ((view: PodView) => string);
}

/** After this long without progress a wait says what may hold it up. */
const stalledAfterMilliseconds = 600_000;

/** @returns what ends a wait for the pod's store: what PD reports of that store. */
export function endedByStore({ store }: PodView): EndedBy | undefined {
    return store && { storeIds: [store.id] };
}

/** A view of a pod. What a stage does not ask for is not looked up: most walks only pass most pods. */
class SeenPod implements PodView {
    constructor(
        readonly observation: Observation,
        readonly target: MemberTarget,
        readonly ordinal: number,
        readonly isLast: boolean,
        private readonly index: PodIndex,
        private found?: readonly ObservedStore[],
    ) {}

    get member(): ObservedMember {
        const { component } = this.target;
        return this.observation.members[component] ?? { component, pods: [], claims: [] };
    }

    get podName(): string {
        return (this.index.names[this.ordinal] ??= podName(
            this.observation.cluster,
            this.target.component,
            this.ordinal,
        ));
    }

    get pod(): ObservedPod | undefined {
        return this.index.pods.get(this.podName);
    }

    get pd(): ObservedPd {
        return this.observation.pd;
    }

    get pdMembers(): readonly ObservedPdMember[] {
        return this.index.pdMembers.get(this.podName) ?? none;
    }

    get pdMember(): ObservedPdMember | undefined {
        return this.pdMembers.find((one) => one.name !== "") ?? this.pdMembers[0];
    }

    get stores(): readonly ObservedStore[] {
        return (this.found ??= this.index.stores.get(this.podName) ?? none);
    }

    get store(): ObservedStore | undefined {
        const { stores } = this;
        return stores.length === 1 ? stores[0] : undefined;
    }
}

const none: readonly never[] = [];

/** @param isLast whether no pod of the rollout restarts or moves after this one. Default: one does. */
export function viewOf(observation: Observation, target: MemberTarget, ordinal: number, isLast = false): PodView {
    return new SeenPod(observation, target, ordinal, isLast, podIndexOf(observation, target.component));
}

/** @returns the claims of the pod's ordinal. */
export function claimsOf(view: PodView): readonly ObservedClaim[] {
    return claimsAt(view.member.claims, view.ordinal);
}

/** @returns the pod's claims that are on record: a pod made again since has others. */
export function claimsOnRecord(view: PodView, recorded: readonly { readonly uid: string }[]): ObservedClaim[] {
    const uids = new Set(recorded.map(({ uid }) => uid));
    return claimsOf(view).filter(({ uid }) => uids.has(uid));
}

/** @returns the pods that the program wants, by ordinal, also those that do not exist yet. */
export function viewsOf(observation: Observation, target: MemberTarget): PodView[] {
    const index = podIndexOf(observation, target.component);
    const views: PodView[] = [];
    for (let ordinal = 0; ordinal < target.replicas; ordinal++) {
        views.push(new SeenPod(observation, target, ordinal, false, index));
    }
    return views;
}

/** @returns the finding for a fact that is not known: a request to read it if that was not done yet, otherwise the reason. */
export function lacksFact(fact: Extract<Fact<unknown>, { known: false }>, what: string, look?: Look): Finding {
    return fact === notAsked && look ? { look } : { lacks: `${what} not known: ${fact.why}` };
}

/**
 * @returns what to do for a pod: the first stage that does not hold decides. `undefined` if all of them hold.
 */
export function firstUnfinished(stages: readonly Stage[], view: PodView, memory: Memory): Move | undefined {
    return walkStages(stages, view, memory).move;
}

/** @returns the move of `firstUnfinished`, and the keys of the waits that are over, which must be watched on to stay so. */
export function walkStages(
    stages: readonly Stage[],
    view: PodView,
    memory: Memory,
): { readonly move?: Move; readonly passed: readonly string[] } {
    const passed: string[] = [];
    const overdue = new Map<Stage, string>();
    for (const [index, stage] of stages.entries()) {
        const finding = stage.holds(view);
        if (finding === true) {
            continue;
        }
        if ("look" in finding) {
            return { move: { kind: "look", at: finding.look }, passed };
        }
        const move = moveOf(stage, view, finding, memory);
        if (move) {
            // The passed stages stay timed out while a later stage is waited for.
            const before = passed.length > 0 ? { passed } : {};
            if (move.kind === "act") {
                const held = stages.slice(0, index).map((one) => overdue.get(one) ?? one.name);
                return { move: { ...move, ...before, ...(held.length > 0 ? { held } : {}) }, passed };
            }
            return { move: move.kind === "wait" ? { ...move, ...before } : move, passed };
        }
        passed.push(waitKey(stageTimeout(stage, view).as ?? stage.name, view.podName));
        if (!("steadyFor" in finding)) {
            overdue.set(stage, `${stage.name} (its time was over: ${finding.lacks})`);
        }
    }
    return { passed };
}

/** @returns the timeout of the stage. */
export function stageTimeout({ timeout }: Stage, view: PodView): StageTimeout {
    return timeout?.(view) ?? { seconds: view.target.policy.podReadyTimeoutSeconds, then: "fail" };
}

function adviceOn({ advice }: Stage, view: PodView): string {
    return typeof advice === "string" ? advice : advice(view);
}

function moveOf(
    stage: Stage,
    view: PodView,
    finding: Exclude<Finding, true | { look: Look }>,
    memory: Memory,
): Move | undefined {
    const { now } = view.observation;
    const { partOf } = stage;
    if (partOf !== undefined && isLastWait(memory, partOf.name, view.podName, now)) {
        const whole = partOf.holds(view);
        if (whole !== true && "lacks" in whole) {
            return moveOf(partOf, view, whole, memory);
        }
    }
    const { lacks } = finding;
    const isSteady = "steadyFor" in finding;
    const timeout = stageTimeout(stage, view);
    const waitAs = timeout.as ?? stage.name;
    const steadyAt = isSteady ? (finding.at ?? now) : undefined;
    const steadyUntil =
        steadyAt === undefined || !isSteady
            ? undefined
            : steadySince(memory, waitAs, view.podName, now) + finding.steadyFor * 1000;
    if (steadyAt !== undefined && steadyUntil !== undefined && steadyAt >= steadyUntil) {
        return undefined;
    }
    // A deadline after which the walk goes on was set by the user. Progress does not extend it.
    const left = isSteady || timeout.then === "go-on" ? undefined : finding.left;
    const since = waitingSince(memory, waitAs, view.podName, now, left);
    // What only has to stay as it is gets the time for that, and once more for a break.
    const least = isSteady && timeout.then === "fail" ? 2 * finding.steadyFor : 0;
    const until = since + Math.max(timeout.seconds, least) * 1000;
    if (now >= until) {
        if (timeout.then === "go-on") {
            return undefined;
        }
        const seen = timeout.seconds === 0 ? lacks : `${lacks}, for ${Math.round((now - since) / 1000)} s`;
        return {
            kind: "fail",
            problem: { code: stage.name, step: stage.name, target: view.podName, seen, next: adviceOn(stage, view) },
        };
    }
    const action = isSteady ? undefined : stage.act?.(view);
    if (action && mayAct(memory, action, now)) {
        return { kind: "act", action, step: stage.name, target: view.podName, ...(timeout.as ? { waitAs } : {}) };
    }
    const as = timeout.as ? { waitAs } : {};
    const isStalled = left !== undefined && now - since >= stalledAfterMilliseconds;
    const why = isStalled ? stage.stalled?.(view) : undefined;
    const stalled = isStalled ? `; no progress for 10 min${why === undefined ? "" : `: ${why}`}` : "";
    const wait = { step: stage.name, target: view.podName, ...as, waitingFor: `${lacks}${stalled}`, since, until };
    const advice = adviceOn(stage, view);
    const endedBy = stage.endedBy?.(view);
    const goesOnAt = steadyUntil ?? (timeout.then === "go-on" ? until : undefined);
    return {
        kind: "wait",
        ...wait,
        ...(goesOnAt === undefined ? {} : { goesOnAt }),
        ...(isSteady && finding.needsLock ? { needsLock: true } : {}),
        ...(left === undefined ? {} : { left }),
        ...(isSteady ? { steadyAt } : {}),
        ...(advice === "" ? {} : { next: advice }),
        ...(endedBy === undefined ? {} : { endedBy }),
        ...(stage.heals?.(view) ? { heals: true } : {}),
    };
}

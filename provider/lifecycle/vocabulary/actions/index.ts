import type { Observation } from "../observation";
import type { OperationRecords } from "../operationRecords";
import type { ActionClients } from "./actionClients";
import {
    type ActionKind,
    type ActionObject,
    type BegunWait,
    type KindsOf,
    podObject,
    type StepKind,
    type ClientNotice,
} from "./actionKind";
import { type BatchAction, batchActions } from "./batches";
import { type ClaimAction, claimActions } from "./claims";
import { type EvictionAction, evictionActions } from "./evictions";
import { type FailureAction, failureActions } from "./failures";
import { type HandOverAction, handOverActions } from "./handOver";
import { type LabelAction, labelActions } from "./labels";
import { type LimitAction, limitActions } from "./leaderLimits";
import { type PdLeaderAction, pdLeaderActions } from "./pdLeader";
import { type PodAction, podActions } from "./pods";
import { type RemakeAction, remakeActions } from "./remakeSet";
import { type ReclaimAction, reclaimActions } from "./reclaimPolicy";
import { type RemovalAction, removalActions } from "./removals";
import { type PasswordAction, passwordActions } from "./rootPassword";
import { type SettingsAction, settingsActions } from "./settings";
import { type UpgradeAction, upgradeActions } from "./smoothUpgrade";
import { type StatefulSetAction, statefulSetActions } from "./statefulSets";
import { type RecoveryAction, recoveryActions } from "./unsafeRecovery";

export type { ServerLabelSet, StoreLabelSet } from "./labels";
export type { StatefulSetReplicas } from "./actionClients";
export type { StepKind } from "./actionKind";

/**
 * A change that a gate makes. A gate is a Pulumi resource that checks the live cluster, plans steps, and carries them out
 * when it is safe. Actions are taken one at a time, each after a fresh observation.
 */
export type Action =
    | BatchAction
    | ClaimAction
    | EvictionAction
    | FailureAction
    | HandOverAction
    | LabelAction
    | LimitAction
    | PasswordAction
    | PdLeaderAction
    | PodAction
    | ReclaimAction
    | RecoveryAction
    | RemakeAction
    | RemovalAction
    | SettingsAction
    | StatefulSetAction
    | UpgradeAction;

/** Every kind of action. */
const actions: KindsOf<Action> = {
    ...batchActions,
    ...claimActions,
    ...evictionActions,
    ...failureActions,
    ...handOverActions,
    ...labelActions,
    ...limitActions,
    ...passwordActions,
    ...pdLeaderActions,
    ...podActions,
    ...reclaimActions,
    ...recoveryActions,
    ...remakeActions,
    ...removalActions,
    ...settingsActions,
    ...statefulSetActions,
    ...upgradeActions,
};

/** The compiler cannot see from the union that an action's kind takes that kind of action. */
const kindOf = (action: Action) => actions[action.do] as ActionKind<Action>;

/** @returns the description of the action for progress messages and errors. */
export function describeAction(action: Action): string {
    return kindOf(action).describe(action);
}

/** @returns a key that is the same for the same action on the same target, whatever its counts are. */
export function actionKey(action: Action): string {
    return `${action.do} ${kindOf(action).on(action)}`;
}

/** @returns the Kubernetes objects that the action concerns; none if it concerns the cluster as a whole. */
export function objectsOf(action: Action): readonly ActionObject[] {
    const given = kindOf(action).objects?.(action);
    if (given !== undefined) {
        return given;
    }
    if ("claims" in action) {
        return action.claims.map(({ name, uid }) => ({ kind: "PersistentVolumeClaim", name, uid }));
    }
    return "pod" in action
        ? [podObject(action.pod)]
        : "secret" in action
          ? [{ kind: "Secret", name: action.secret }]
          : [];
}

/** @returns whether the action only updates this package's own records. */
export function isBookkeeping(action: Action): boolean {
    return kindOf(action).isBookkeeping ?? false;
}

/** @returns whether the log says that the action is taken. */
export function isTold(action: Action): boolean {
    return !isBookkeeping(action) || kindOf(action).isTold === true;
}

/** @returns whether the action records what runs, which nothing else waits for. */
export function isNote(action: Action): boolean {
    return kindOf(action).isNote ?? false;
}

/** @returns whether PD, or the server, may refuse the action without harm. */
export function isOptional(action: Action): boolean {
    return kindOf(action).isOptional ?? false;
}

/** @returns whether a refusal by PD is only for now. */
export function isTriedAgain(action: Action): boolean {
    return kindOf(action).isTriedAgain ?? false;
}

/** @returns whether the action is part of a step that a person consents to. */
export function needsConsent(action: Action): boolean {
    return !(kindOf(action).needsNoConsent?.(action) ?? false);
}

/** @returns whether the action carries out what the plan removes. */
export function isEndOfPlan(action: Action): boolean {
    return kindOf(action).isEndOfPlan ?? false;
}

/** @returns the wait that starts when the action is taken. */
export function beginsWait(action: Action): BegunWait | undefined {
    return kindOf(action).beginsWait;
}

/** @returns the records to write before the action, so the next run knows of it even if this one dies. */
export function recordsBefore(records: OperationRecords, action: Action, now: number): OperationRecords {
    return kindOf(action).before?.(records, action, now) ?? records;
}

/** @returns the records to write if PD refuses the action: what it did not take was not begun. */
export function recordsRefused(records: OperationRecords, action: Action): OperationRecords {
    return kindOf(action).refused?.(records, action) ?? records;
}

/** @returns the records to write after the action. */
export function recordsAfter(records: OperationRecords, action: Action, now: number): OperationRecords {
    return kindOf(action).after?.(records, action, now) ?? records;
}

/** @returns the cluster once the action has had its effect, if nothing else happens to it. */
export function foresee(seen: Observation, action: Action): Observation {
    const begun = recordsBefore(seen.records, action, seen.now);
    const after = kindOf(action).foresee?.({ ...seen, records: begun }, action) ?? seen;
    return { ...after, records: recordsAfter(begun, action, seen.now) };
}

/** @returns how long the action takes until it has had its effect, by a rule of thumb, in seconds. */
export function secondsOf(action: Action, seen: Observation): number {
    return kindOf(action).seconds?.(action, seen) ?? 0;
}

/** @returns the description of the action in the step of a pod; undefined if it only keeps records. */
export function inStep(action: Action, pod: string): string | undefined {
    const { inStep: words, isBookkeeping: isHidden } = kindOf(action);
    return words !== undefined ? words(action, pod) : isHidden ? undefined : describeAction(action);
}

/** @returns what clients of the cluster notice of the action; undefined if it is nothing. */
export function noticeOf(action: Action): ClientNotice | undefined {
    return kindOf(action).clients?.(action);
}

/** @returns the kind of step that the action makes of what is done with its pod; undefined if it is part of another step. */
export function stepOf(action: Action): StepKind | undefined {
    return kindOf(action).step?.(action);
}

/** Carries the action out. What only changes the records is carried out by writing them. */
export async function performAction(action: Action, clients: ActionClients): Promise<void> {
    await kindOf(action).perform?.(action, clients);
}

import type { Action } from "./move";
import type { OperationRecords } from "./observation";
import {
    withEvictionBegun,
    withEvictionNoted,
    withLimitsSet,
    withoutBatch,
    withoutEviction,
    withoutRaisedLimits,
    withoutRecoveryBegun,
    withoutRemoval,
    withoutSettings,
    withRecoveryBegun,
    withRecoveryFinished,
    withRemoval,
    withSettings,
} from "./records";
import { withFailure, withoutFailures, withReplacement } from "./failoverRecords";
import { withLostVolumes, withoutLostVolumes } from "./lostVolumes";

/** What an action does to the records on the Lease. */
interface RecordChanges<One extends Action> {
    /** Returns the records to write before the action, so the next run knows of it even if this one dies. Default: unchanged. */
    before?(records: OperationRecords, action: One, now: number): OperationRecords;
    /** Returns the records to write if PD refuses the action. Default: unchanged. */
    refused?(records: OperationRecords, action: One): OperationRecords;
    /** Returns the records to write after the action. Default: unchanged. */
    after?(records: OperationRecords, action: One, now: number): OperationRecords;
}

/** Of every kind of action that changes them. */
const changes: { readonly [Do in Action["do"]]?: RecordChanges<Extract<Action, { do: Do }>> } = {
    "transfer-leader": {
        before: (records, { unpauses }) =>
            (unpauses ?? []).reduce((noted, id) => withEvictionNoted(noted, id, { unpaused: true }), records),
    },
    "begin-eviction": {
        before: withEvictionBegun,
    },
    "end-eviction": {
        after: (records, { storeId, under }, now) =>
            withEvictionNoted(records, storeId, { endedAt: now, endedUnder: under }),
    },
    "note-eviction-gone": {
        after: (records, { storeId }) => withEvictionNoted(records, storeId, { isGone: true }),
    },
    "forget-eviction": {
        after: (records, { storeId }) => withoutEviction(records, storeId),
    },
    "remove-store": {
        before: (records, action, now) => (action.isLost ? records : withRemoval(records, action.storeId, action, now)),
    },
    "forget-removal": {
        after: (records, { of }) => withoutRemoval(records, of),
    },
    "remove-member": {
        before: (records, action, now) =>
            action.isDead ? records : withRemoval(records, action.memberId, action, now),
    },
    "set-settings": {
        before: (records, { component, record }) => withSettings(records, component, record),
    },
    "forget-settings": {
        after: (records, { component }) => withoutSettings(records, component),
    },
    "raise-limits": {
        before: (records, { record }) => ({ ...records, raisedLimits: record }),
        after: (records, { record, changes }) => withLimitsSet(records, record, changes),
    },
    "put-back-limits": {
        after: (records, { returned }) => withoutRaisedLimits(records, returned),
    },
    "forget-limits": {
        after: (records, { returned }) => withoutRaisedLimits(records, returned),
    },
    "start-upgrade": {
        before: (records, { from, to }, now) => ({ ...records, smoothUpgrade: { begunAt: now, from, to } }),
    },
    "forget-upgrade": {
        after: ({ smoothUpgrade: _, ...records }) => records,
    },
    "begin-batch": {
        before: (records, { component, stores }, now) => ({ ...records, batch: { component, stores, begunAt: now } }),
    },
    "forget-batch": {
        after: withoutBatch,
    },
    "note-failure": {
        before: (records, { component, pod, failure }) => withFailure(records, component, pod, failure),
    },
    "count-replacement": {
        after: (records, { component, pod }) => withReplacement(records, component, pod),
    },
    "forget-failures": {
        after: (records, { component, pods }) => withoutFailures(records, component, pods),
    },
    "note-lost-volumes": {
        before: (records, { pod, lost }) => withLostVolumes(records, pod, lost),
    },
    "forget-lost-volumes": {
        after: (records, { pod }) => withoutLostVolumes(records, pod),
    },
    "remove-failed-stores": {
        before: (records, { stores, risk }, now) => withRecoveryBegun(records, { stores, risk }, now),
        refused: (records, { stores }) => withoutRecoveryBegun(records, stores),
    },
    "forget-recovery": {
        after: (records, { stores }) => withoutRecoveryBegun(records, stores),
    },
    "note-recovery-finished": {
        after: (records, { stores }) => withRecoveryFinished(records, stores),
    },
};

const changesOf = (action: Action) => changes[action.do] as RecordChanges<Action> | undefined;

/** @returns the records to write before the action, so the next run knows of it even if this one dies. */
export function recordsBefore(records: OperationRecords, action: Action, now: number): OperationRecords {
    return changesOf(action)?.before?.(records, action, now) ?? records;
}

/** @returns the records to write if PD refuses the action: what it did not take was not begun. */
export function recordsRefused(records: OperationRecords, action: Action): OperationRecords {
    return changesOf(action)?.refused?.(records, action) ?? records;
}

/** @returns the records to write after the action. */
export function recordsAfter(records: OperationRecords, action: Action, now: number): OperationRecords {
    return changesOf(action)?.after?.(records, action, now) ?? records;
}

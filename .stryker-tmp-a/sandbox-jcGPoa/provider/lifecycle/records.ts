import type { Action } from "./move";
import type { OperationRecords } from "./observation";

/** Records that must be written before the action is taken, so that a run that dies in between leaves no trace unseen. */
export function recordsBefore(records: OperationRecords, action: Action, now: number): OperationRecords {
    if (action.do === "begin-eviction") {
        const known = records.evictions[action.storeId];
        const before = known && known.endedAt === undefined ? known.leadersBefore : 0;
        const leadersBefore = Math.max(before, action.leaders);
        return withEviction(records, action.storeId, { pod: action.pod, begunAt: now, leadersBefore });
    }
    if (action.do === "transfer-leader" && action.unpauses !== undefined) {
        const known = records.evictions[action.unpauses];
        return known ? withEviction(records, action.unpauses, { ...known, unpaused: true }) : records;
    }
    if (action.do === "remove-store" || action.do === "remove-member") {
        const of = action.do === "remove-store" ? action.storeId : action.member || action.memberId;
        const removal = records.removals[of] ?? { pod: action.pod, begunAt: now };
        return { ...records, removals: { ...records.removals, [of]: removal } };
    }
    return records;
}

/** Records once the action has been taken. */
export function recordsAfter(records: OperationRecords, action: Action, now: number): OperationRecords {
    switch (action.do) {
        case "end-eviction": {
            const known = records.evictions[action.storeId];
            return known
                ? withEviction(records, action.storeId, { ...known, endedAt: now, endedUnder: action.under })
                : records;
        }
        case "note-eviction-gone": {
            const known = records.evictions[action.storeId];
            return known ? withEviction(records, action.storeId, { ...known, isGone: true }) : records;
        }
        case "forget-eviction":
            return { ...records, evictions: without(records.evictions, String(action.storeId)) };
        case "forget-removal":
            return { ...records, removals: without(records.removals, action.of) };
        case "begin-eviction":
        case "remove-store":
        case "bring-store-back":
        case "note-pd":
        case "begin-shutdown":
        case "resign-owner":
        case "drain-capture":
        case "close-pump":
        case "transfer-leader":
        case "transfer-primary":
        case "delete-pod":
        case "remove-member":
        case "release-claims":
        case "delete-claims":
        case "delete-stateful-set":
        case "make-password-secret":
        case "set-password":
        case "note-password":
            return records;
    }
}

function withEviction(
    records: OperationRecords,
    storeId: number,
    record: OperationRecords["evictions"][string],
): OperationRecords {
    return { ...records, evictions: { ...records.evictions, [storeId]: record } };
}

function without<T>(entries: Record<string, T>, key: string): Record<string, T> {
    return Object.fromEntries(Object.entries(entries).filter(([one]) => one !== key));
}

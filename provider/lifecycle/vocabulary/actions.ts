import type { Action } from "./move";
import type { OperationRecords } from "./observation";
import { withEvictionBegun, withEvictionNoted, withoutEviction, withoutRemoval, withRemoval } from "./records";

/** What is to be said of one kind of action. Who carries it out is in `provider/cluster/perform.ts`. */
interface ActionKind<One extends Action> {
    /** The action in words, for progress and errors. */
    describe(action: One): string;
    /** What it is done to: the same for the same action on the same target, whatever its counts are. */
    on(action: One): string | number;
    /** Whether it only tidies this package's own records. Default: false. */
    readonly isBookkeeping?: true;
    /** Whether its effect is waited for from then on, not from when it was first wanted. Default: false. */
    readonly beginsWait?: true;
    /** Records that are written before it is taken, so that a run that dies in between leaves no trace unseen. Default: as they are. */
    before?(records: OperationRecords, action: One, now: number): OperationRecords;
    /** Records once it has been taken. Default: as they are. */
    after?(records: OperationRecords, action: One, now: number): OperationRecords;
}

/** Every kind of action. */
const actions: { readonly [Do in Action["do"]]: ActionKind<Extract<Action, { do: Do }>> } = {
    "transfer-leader": {
        describe: ({ from, to, unpauses }) =>
            `transfer PD's leadership from ${from} to ${to}` +
            (unpauses === undefined
                ? ""
                : `, because PD keeps leaders away from store ${unpauses} though its eviction has ended`),
        on: ({ from, unpauses }) => (unpauses === undefined ? from : `${from} ${unpauses}`),
        before: (records, { unpauses }) =>
            unpauses === undefined ? records : withEvictionNoted(records, unpauses, { unpaused: true }),
    },
    "transfer-primary": {
        describe: ({ service, from, to }) => `transfer the primary of ${service} from ${from.name} to ${to}`,
        on: ({ from }) => from.uid,
    },
    "begin-eviction": {
        describe: ({ leaders, storeId, pod }) => `evict ${leaders} leaders from store ${storeId} (${pod})`,
        on: ({ storeId }) => storeId,
        beginsWait: true,
        before: withEvictionBegun,
    },
    "end-eviction": {
        describe: ({ storeId, pod }) => `end the eviction of store ${storeId} (${pod})`,
        on: ({ storeId }) => storeId,
        after: (records, { storeId, under }, now) =>
            withEvictionNoted(records, storeId, { endedAt: now, endedUnder: under }),
    },
    "note-eviction-gone": {
        describe: ({ storeId }) => `note that PD has let go of the eviction of store ${storeId}`,
        on: ({ storeId }) => storeId,
        isBookkeeping: true,
        after: (records, { storeId }) => withEvictionNoted(records, storeId, { isGone: true }),
    },
    "forget-eviction": {
        describe: ({ storeId }) => `forget the finished eviction of store ${storeId}`,
        on: ({ storeId }) => storeId,
        isBookkeeping: true,
        after: (records, { storeId }) => withoutEviction(records, storeId),
    },
    "delete-pod": {
        describe: ({ pod, leaders }) =>
            leaders === undefined ? `restart ${pod}` : `restart ${pod}, which holds ${leaders} leaders`,
        on: ({ uid }) => uid,
    },
    "remove-store": {
        describe: ({ storeId, pod, regions }) =>
            `take store ${storeId} (${pod}, ${regions} regions) out of the cluster`,
        on: ({ storeId }) => storeId,
        before: (records, { storeId, pod }, now) => withRemoval(records, storeId, pod, now),
    },
    "bring-store-back": {
        describe: ({ storeId, pod }) => `bring store ${storeId} (${pod}) back Up`,
        on: ({ storeId }) => storeId,
    },
    "forget-removal": {
        describe: ({ of }) => `forget the finished removal of ${of}`,
        on: ({ of }) => of,
        isBookkeeping: true,
        after: (records, { of }) => withoutRemoval(records, of),
    },
    "remove-member": {
        describe: ({ member, memberId, pod }) =>
            member === ""
                ? `remove the PD member of ${pod} that never started (id ${memberId})`
                : `remove PD member ${member}`,
        on: ({ memberId }) => memberId,
        before: (records, { member, memberId, pod }, now) => withRemoval(records, member || memberId, pod, now),
    },
    "release-claims": {
        describe: ({ claims }) => `mark ${namesOf(claims)} as given up`,
        on: ({ claims }) => uidsOf(claims),
    },
    "delete-claims": {
        describe: ({ claims }) => `delete ${namesOf(claims)}, given up by an earlier scale-in`,
        on: ({ claims }) => uidsOf(claims),
    },
    "note-pd": {
        describe: ({ clusterId }) => `note PD's cluster id ${clusterId}`,
        on: ({ clusterId }) => clusterId,
        isBookkeeping: true,
    },
    "begin-shutdown": {
        describe: ({ pod }) => `note that the shutdown of ${pod} has begun`,
        on: ({ uid }) => uid,
        isBookkeeping: true,
    },
    "resign-owner": {
        describe: ({ pod }) => `have ${pod} give up the ownership of TiCDC`,
        on: ({ uid }) => uid,
    },
    "drain-capture": {
        describe: ({ pod }) => `have the tables of ${pod} moved to other captures`,
        on: ({ uid }) => uid,
    },
    "close-pump": {
        describe: ({ pod }) => `take the pump of ${pod} offline`,
        on: ({ uid }) => uid,
    },
    "delete-stateful-set": {
        describe: ({ name }) => `delete StatefulSet ${name} and its pods`,
        on: ({ uid }) => uid,
    },
    "make-password-secret": {
        describe: ({ secret }) => `make Secret ${secret} with a random password`,
        on: ({ secret }) => secret,
    },
    "set-password": {
        describe: ({ secret, pod }) => `set root's password to that in Secret ${secret}, through ${pod}`,
        on: ({ secret }) => secret,
    },
    "note-password": {
        describe: ({ secret, how }) =>
            `note on Secret ${secret} that root has ${how === "set" ? "its password" : "another password"}`,
        on: ({ secret }) => secret,
        isBookkeeping: true,
    },
};

/** An action's kind takes that kind of action, which the compiler cannot see from a union. */
const kindOf = (action: Action) => actions[action.do] as ActionKind<Action>;

/** @returns the action in words, for progress and errors. */
export function describeAction(action: Action): string {
    return kindOf(action).describe(action);
}

/** @returns the same text for the same action on the same target, whatever its counts are. */
export function actionKey(action: Action): string {
    return `${action.do} ${kindOf(action).on(action)}`;
}

/** @returns whether the action only tidies this package's own records. */
export function isBookkeeping(action: Action): boolean {
    return kindOf(action).isBookkeeping ?? false;
}

/** @returns whether the effect of the action is waited for from then on. */
export function beginsWait(action: Action): boolean {
    return kindOf(action).beginsWait ?? false;
}

/** Records that must be written before the action is taken, so that a run that dies in between leaves no trace unseen. */
export function recordsBefore(records: OperationRecords, action: Action, now: number): OperationRecords {
    return kindOf(action).before?.(records, action, now) ?? records;
}

/** Records once the action has been taken. */
export function recordsAfter(records: OperationRecords, action: Action, now: number): OperationRecords {
    return kindOf(action).after?.(records, action, now) ?? records;
}

const namesOf = (claims: readonly { name: string }[]) => claims.map(({ name }) => name).join(", ");
const uidsOf = (claims: readonly { uid: string }[]) => claims.map(({ uid }) => uid).join(" ");

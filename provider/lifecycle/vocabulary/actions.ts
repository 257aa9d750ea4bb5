import type { Action } from "./move";
import type { OperationRecords } from "./observation";
import {
    storesInWords,
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
import { entriesOf, limitsInWords } from "./leaderLimits";
import { setsInWords } from "./settings";
import { withFailure, withoutFailures, withReplacement } from "./failoverRecords";
import { withLostVolumes, withoutLostVolumes } from "./lostVolumes";
import { counted } from "./counted";

/** A Kubernetes object that an action concerns. */
export interface ActionObject {
    readonly kind: "Pod" | "StatefulSet" | "PersistentVolumeClaim" | "Secret";
    readonly name: string;
    /** Default: that of the object with this name. */
    readonly uid?: string;
}

/** One kind of action, as data. `provider/cluster/perform.ts` carries it out. */
interface ActionKind<One extends Action> {
    /** Describes the action in progress messages and errors. */
    describe(action: One): string;
    /** Identifies the target. The same action on the same target gives the same value, whatever its counts are. */
    on(action: One): string | number;
    /** The objects that it concerns. Default: its pod, its claims or its Secret; otherwise the cluster as a whole. */
    objects?(action: One): readonly ActionObject[];
    /** Whether the action only updates this package's own records. Default: false. */
    readonly isBookkeeping?: true;
    /**
     * Whether it records what runs, which nothing else waits for. A run takes it before it stops, and goes on without it if
     * the API server refuses it. Default: false.
     */
    readonly isNote?: true;
    /**
     * Whether it may be taken without consent where `operations.approval` asks for it: it ends or undoes what an earlier
     * step began, or only keeps records. Default: never.
     */
    needsNoConsent?(action: One): boolean;
    /** Whether PD may refuse it without harm: then the run goes on without it. Default: false. */
    readonly isOptional?: true;
    /** Whether the wait for its effect starts when the action is taken, not when it was first wanted. Default: false. */
    readonly beginsWait?: true;
    /** Returns the records to write before the action, so the next run knows of it even if this one dies. Default: unchanged. */
    before?(records: OperationRecords, action: One, now: number): OperationRecords;
    /** Returns the records to write if PD refuses the action. Default: unchanged. */
    refused?(records: OperationRecords, action: One): OperationRecords;
    /** Returns the records to write after the action. Default: unchanged. */
    after?(records: OperationRecords, action: One, now: number): OperationRecords;
}

/** Every kind of action. */
const actions: { readonly [Do in Action["do"]]: ActionKind<Extract<Action, { do: Do }>> } = {
    "transfer-leader": {
        describe: ({ from, to, unpauses }) =>
            `transfer PD's leadership from ${from} to ${to}` +
            (unpauses === undefined
                ? ""
                : `, because PD still keeps leaders away from store ${unpauses[0]} although its eviction has ended`),
        on: ({ from, unpauses }) => (unpauses === undefined ? from : `${from} ${unpauses[0]}`),
        objects: ({ from }) => [pod(from)],
        before: (records, { unpauses }) =>
            (unpauses ?? []).reduce((noted, id) => withEvictionNoted(noted, id, { unpaused: true }), records),
        needsNoConsent: ({ unpauses }) => unpauses !== undefined,
    },
    "transfer-primary": {
        describe: ({ service, from, to }) => `transfer the primary of ${service} from ${from.name} to ${to}`,
        on: ({ from }) => from.uid,
        objects: ({ from }) => [pod(from.name)],
    },
    "begin-eviction": {
        describe: ({ leaders, storeId, pod }) => `evict ${counted(leaders, "leader")} from store ${storeId} (${pod})`,
        on: ({ storeId }) => storeId,
        beginsWait: true,
        before: withEvictionBegun,
    },
    "end-eviction": {
        describe: ({ storeId, pod }) => `end the eviction of store ${storeId} (${pod})`,
        on: ({ storeId }) => storeId,
        after: (records, { storeId, under }, now) =>
            withEvictionNoted(records, storeId, { endedAt: now, endedUnder: under }),
        needsNoConsent: () => true,
    },
    "note-eviction-gone": {
        describe: ({ storeId }) => `record that PD has dropped the eviction of store ${storeId}`,
        on: ({ storeId }) => storeId,
        isBookkeeping: true,
        after: (records, { storeId }) => withEvictionNoted(records, storeId, { isGone: true }),
        needsNoConsent: () => true,
    },
    "forget-eviction": {
        describe: ({ storeId }) => `delete the record of the finished eviction of store ${storeId}`,
        on: ({ storeId }) => storeId,
        isBookkeeping: true,
        after: (records, { storeId }) => withoutEviction(records, storeId),
        needsNoConsent: () => true,
    },
    "delete-pod": {
        describe: ({ pod, leaders, isDead, leaves, lost }) => {
            if (lost !== undefined) {
                return `delete ${pod}, whose volumes are gone with node ${lost}`;
            }
            const does = leaves === undefined ? `restart ${pod}` : `move ${pod} away from node ${leaves}`;
            return isDead
                ? `delete ${pod}, whose PD member failed`
                : leaders === undefined
                  ? does
                  : `${does}, which holds ${counted(leaders, "leader")}`;
        },
        on: ({ uid }) => uid,
    },
    "remove-store": {
        describe: ({ storeId, pod, regions }) =>
            `remove store ${storeId} (${pod}, ${counted(regions, "region")}) from the cluster`,
        on: ({ storeId }) => storeId,
        before: (records, { storeId, pod, isLost }, now) =>
            isLost ? records : withRemoval(records, storeId, pod, now),
    },
    "bring-store-back": {
        describe: ({ storeId, pod }) => `set store ${storeId} (${pod}) Up again`,
        on: ({ storeId }) => storeId,
        needsNoConsent: () => true,
    },
    "forget-removal": {
        describe: ({ of }) => `delete the record of the finished removal of ${of}`,
        on: ({ of }) => of,
        isBookkeeping: true,
        after: (records, { of }) => withoutRemoval(records, of),
        needsNoConsent: () => true,
    },
    "remove-member": {
        describe: ({ member, memberId, pod, isDead }) =>
            isDead
                ? `remove PD member ${member} (id ${memberId}) of ${pod}, which failed`
                : member === ""
                  ? `remove the PD member of ${pod} that never started (id ${memberId})`
                  : `remove PD member ${member}`,
        on: ({ memberId }) => memberId,
        before: (records, { member, memberId, pod, isDead }, now) =>
            isDead ? records : withRemoval(records, member || memberId, pod, now),
    },
    "release-claims": {
        describe: ({ claims }) => `mark ${namesOf(claims)} as released`,
        on: ({ claims }) => uidsOf(claims),
    },
    "keep-claims": {
        describe: ({ claims }) => `mark ${namesOf(claims)} as kept: no longer released`,
        on: ({ claims }) => uidsOf(claims),
        needsNoConsent: () => true,
    },
    "delete-claims": {
        describe: ({ claims, ofDead }) =>
            `delete ${namesOf(claims)}, ${ofDead === undefined ? "released by an earlier scale-in" : `of the failed ${ofDead}`}`,
        on: ({ claims }) => uidsOf(claims),
    },
    "note-pd": {
        describe: ({ clusterId }) => `record PD's cluster id ${clusterId}`,
        on: ({ clusterId }) => clusterId,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "note-version": {
        describe: ({ version, claims }) => `record ${version} on ${namesOf(claims)}`,
        on: ({ version, tls, claims }) => `${version}${tls ? " with TLS" : ""} ${uidsOf(claims)}`,
        isBookkeeping: true,
        isNote: true,
        needsNoConsent: () => true,
    },
    "begin-shutdown": {
        describe: ({ pod }) => `record that the shutdown of ${pod} has begun`,
        on: ({ uid }) => uid,
        isBookkeeping: true,
    },
    "forget-shutdown": {
        describe: ({ pod }) => `delete the record that the shutdown of ${pod} has begun`,
        on: ({ uid }) => uid,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "resign-owner": {
        describe: ({ pod }) => `move the ownership of TiCDC away from ${pod}`,
        on: ({ uid }) => uid,
    },
    "drain-capture": {
        describe: ({ pod }) => `move the tables of ${pod} to other captures`,
        on: ({ uid }) => uid,
    },
    "close-pump": {
        describe: ({ pod }) => `take the pump of ${pod} offline`,
        on: ({ uid }) => uid,
    },
    "delete-stateful-set": {
        describe: ({ name }) => `delete StatefulSet ${name} and its pods`,
        on: ({ uid }) => uid,
        objects: ({ name, uid }) => [{ kind: "StatefulSet", name, uid }],
    },
    "set-replicas": {
        describe: ({ from: { name, replicas: before }, replicas }) =>
            `scale StatefulSet ${name} from ${before} to ${replicas}`,
        on: ({ from: { uid }, replicas }) => `${uid} ${replicas}`,
        objects: ({ from: { name, uid } }) => [{ kind: "StatefulSet", name, uid }],
    },
    "give-replicas-back": {
        describe: ({ from: { name } }) =>
            `give the number of replicas of StatefulSet ${name} back to Pulumi's field manager`,
        on: ({ from: { uid } }) => uid,
        objects: () => [],
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "make-password-secret": {
        describe: ({ secret }) => `create Secret ${secret} with a random password`,
        on: ({ secret }) => secret,
    },
    "set-password": {
        describe: ({ secret, pod }) => `set root's password to the one in Secret ${secret}, through ${pod}`,
        on: ({ secret }) => secret,
    },
    "note-password": {
        describe: ({ secret, how }) =>
            `record on Secret ${secret} that root has ${how === "set" ? "this password" : "a different password"}`,
        on: ({ secret }) => secret,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "set-settings": {
        describe: ({ sets }) => `set ${setsInWords(sets)}`,
        on: ({ component, sets }) => `${component} ${setsInWords(sets)}`,
        objects: ({ sets }) => sets.flatMap(({ server, uid }) => (uid === undefined ? [] : [{ ...pod(server), uid }])),
        before: (records, { component, record }) => withSettings(records, component, record),
    },
    "forget-settings": {
        describe: ({ component }) => `delete the record of the settings of ${component} that were changed`,
        on: ({ component }) => component,
        isBookkeeping: true,
        after: (records, { component }) => withoutSettings(records, component),
        needsNoConsent: () => true,
    },
    "raise-limits": {
        describe: ({ changes, pod }) => `raise ${limitsInWords(changes)} while leaders of ${pod} move`,
        on: ({ pod, changes }) => `${pod} ${entriesOf(changes).map(([name]) => name)}`,
        isOptional: true,
        before: (records, { record }) => ({ ...records, raisedLimits: record }),
        after: (records, { record, changes }) => withLimitsSet(records, record, changes),
        // The restart that they return after was consented to.
        needsNoConsent: ({ returning }) => returning === true,
    },
    "put-back-limits": {
        describe: ({ changes }) => `put back ${limitsInWords(changes)}`,
        on: ({ changes }) =>
            entriesOf(changes)
                .map(([name, { to }]) => `${name} ${to}`)
                .join(" "),
        isOptional: true,
        after: (records, { returned }) => withoutRaisedLimits(records, returned),
        needsNoConsent: () => true,
    },
    "forget-limits": {
        describe: () => `delete the record of raised limits of PD`,
        on: () => "",
        isBookkeeping: true,
        after: (records, { returned }) => withoutRaisedLimits(records, returned),
        needsNoConsent: () => true,
    },
    "start-upgrade": {
        describe: ({ from, to, pod }) =>
            `start TiDB's smooth upgrade from ${from} to ${to} through ${pod}: the DDL statements of users are paused`,
        on: ({ from, to }) => `${from} ${to}`,
        before: (records, { from, to }, now) => ({ ...records, smoothUpgrade: { begunAt: now, from, to } }),
    },
    "finish-upgrade": {
        describe: ({ pod }) => `finish TiDB's smooth upgrade through ${pod}: the DDL statements of users go on`,
        on: () => "",
        needsNoConsent: () => true,
    },
    "forget-upgrade": {
        describe: () => "delete the record of TiDB's smooth upgrade, which is finished",
        on: () => "",
        isBookkeeping: true,
        after: ({ smoothUpgrade: _, ...records }) => records,
        needsNoConsent: () => true,
    },
    "begin-batch": {
        describe: ({ stores }) => `begin a batch: restart ${Object.keys(stores).join(", ")} side by side`,
        on: ({ stores }) => Object.keys(stores).join(" "),
        objects: ({ stores }) => Object.keys(stores).map(pod),
        isBookkeeping: true,
        before: (records, { component, stores }, now) => ({ ...records, batch: { component, stores, begunAt: now } }),
        needsNoConsent: () => true,
    },
    "forget-batch": {
        describe: ({ pods }) => `delete the record of the batch of ${pods.join(", ")}`,
        on: ({ pods }) => pods.join(" "),
        objects: () => [],
        isBookkeeping: true,
        after: withoutBatch,
        needsNoConsent: () => true,
    },
    "note-failure": {
        describe: ({ pod, failure }) => `record that ${pod} is dead and that ${failure.replacedBy} replaces it`,
        on: ({ pod, failure }) => `${pod} ${failure.podUid}`,
        objects: ({ pod: name, failure }) => [{ ...pod(name), uid: failure.podUid }],
        before: (records, { component, pod, failure }) => withFailure(records, component, pod, failure),
    },
    "count-replacement": {
        describe: ({ pod }) => `record that the replacement of ${pod} may start`,
        on: ({ pod }) => pod,
        isBookkeeping: true,
        after: (records, { component, pod }) => withReplacement(records, component, pod),
        needsNoConsent: () => true,
    },
    "forget-failures": {
        describe: ({ pods }) => `delete the record of the failure of ${pods.join(", ")}`,
        on: ({ pods }) => pods.join(" "),
        objects: () => [],
        isBookkeeping: true,
        after: (records, { component, pods }) => withoutFailures(records, component, pods),
        needsNoConsent: () => true,
    },
    "note-lost-volumes": {
        describe: ({ pod, lost: { node } }) =>
            `record that the volumes of ${pod} on node ${node}, which is gone, are given up`,
        on: ({ pod, lost: { podUid } }) => `${pod} ${podUid}`,
        before: (records, { pod, lost }) => withLostVolumes(records, pod, lost),
    },
    "forget-lost-volumes": {
        describe: ({ pod }) => `delete the record that volumes of ${pod} are given up`,
        on: ({ pod }) => pod,
        isBookkeeping: true,
        after: (records, { pod }) => withoutLostVolumes(records, pod),
        needsNoConsent: () => true,
    },
    "remove-failed-stores": {
        describe: ({ stores }) => `begin PD's unsafe recovery from the loss of ${storesInWords(stores)}`,
        on: ({ stores }) => stores.join(" "),
        before: (records, { stores, risk }, now) => withRecoveryBegun(records, { stores, risk }, now),
        refused: (records, { stores }) => withoutRecoveryBegun(records, stores),
    },
    "forget-recovery": {
        describe: ({ stores }) =>
            `delete the record that an unsafe recovery from the loss of ${storesInWords(stores)} was begun: PD has given it up`,
        on: ({ stores }) => stores.join(" "),
        isBookkeeping: true,
        after: (records, { stores }) => withoutRecoveryBegun(records, stores),
        needsNoConsent: () => true,
    },
    "note-recovery-finished": {
        describe: ({ stores, report }) =>
            `record that PD's unsafe recovery from the loss of ${storesInWords(stores)} has finished (${report})`,
        on: ({ stores }) => stores.join(" "),
        isBookkeeping: true,
        after: (records, { stores }) => withRecoveryFinished(records, stores),
        needsNoConsent: () => true,
    },
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
    return "pod" in action ? [pod(action.pod)] : "secret" in action ? [{ kind: "Secret", name: action.secret }] : [];
}

/** @returns whether the action only updates this package's own records. */
export function isBookkeeping(action: Action): boolean {
    return kindOf(action).isBookkeeping ?? false;
}

/** @returns whether the action records what runs, which nothing else waits for. */
export function isNote(action: Action): boolean {
    return kindOf(action).isNote ?? false;
}

/** @returns whether PD may refuse the action without harm. */
export function isOptional(action: Action): boolean {
    return kindOf(action).isOptional ?? false;
}

/** @returns whether the action is part of a step that a person consents to. */
export function needsConsent(action: Action): boolean {
    return !(kindOf(action).needsNoConsent?.(action) ?? false);
}

/** @returns whether the wait for the action's effect starts when the action is taken. */
export function beginsWait(action: Action): boolean {
    return kindOf(action).beginsWait ?? false;
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

const pod = (name: string): ActionObject => ({ kind: "Pod", name });
const namesOf = (claims: readonly { name: string }[]) => claims.map(({ name }) => name).join(", ");
const uidsOf = (claims: readonly { uid: string }[]) => claims.map(({ uid }) => uid).join(" ");

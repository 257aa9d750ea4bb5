import { bookkeeping } from "./bookkeeping";
import {
    type ActionKind,
    type ActionKinds,
    type BegunWait,
    type ActionObject,
    namesOf,
    podObject,
    uidsOf,
} from "./actionKind";
import type { Action, ServerLabelSet, StoreLabelSet } from "./move";
import { storesInWords } from "./records";
import { entriesOf, limitsInWords } from "./leaderLimits";
import { inWords, setsInWords } from "./settings";
import { counted } from "./counted";

/** More stores are only counted: each is a step of the plan. */
const mostStores = 3;

function labelSetsInWords(sets: readonly (StoreLabelSet | ServerLabelSet)[]): string {
    const of = (set: StoreLabelSet | ServerLabelSet) =>
        "storeId" in set ? `store ${set.storeId} (${set.pod})` : set.pod;
    return sets.length > mostStores
        ? `of ${sets.length} ${"storeId" in sets[0] ? "stores" : "servers"}, from their nodes`
        : sets.map((set) => `${inWords(set.labels)} of ${of(set)}`).join("; ");
}

/** Every kind of action. */
const actions: ActionKinds = {
    ...bookkeeping,
    "transfer-leader": {
        describe: ({ from, to, unpauses }) =>
            `transfer PD's leadership from ${from} to ${to}` +
            (unpauses === undefined
                ? ""
                : `, because PD still keeps leaders away from store ${unpauses[0]} although its eviction has ended`),
        on: ({ from, unpauses }) => (unpauses === undefined ? from : `${from} ${unpauses[0]}`),
        objects: ({ from }) => [podObject(from)],
        needsNoConsent: ({ unpauses }) => unpauses !== undefined,
    },
    "transfer-primary": {
        describe: ({ service, from, to }) => `transfer the primary of ${service} from ${from.name} to ${to}`,
        on: ({ from }) => from.uid,
        objects: ({ from }) => [podObject(from.name)],
    },
    "begin-eviction": {
        describe: ({ leaders, storeId, pod }) => `evict ${counted(leaders, "leader")} from store ${storeId} (${pod})`,
        on: ({ storeId }) => storeId,
        beginsWait: "its own",
    },
    "end-eviction": {
        describe: ({ storeId, pod }) => `end the eviction of store ${storeId} (${pod})`,
        on: ({ storeId }) => storeId,
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
        beginsWait: "pod-available",
    },
    "remove-store": {
        describe: ({ storeId, pod, regions }) =>
            `remove store ${storeId} (${pod}, ${counted(regions, "region")}) from the cluster`,
        on: ({ storeId }) => storeId,
    },
    "bring-store-back": {
        describe: ({ storeId, pod }) => `set store ${storeId} (${pod}) Up again`,
        on: ({ storeId }) => storeId,
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
        isTriedAgain: true,
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
        // Pods are added, as by Pulumi, which needs no consent either.
        needsNoConsent: ({ from, replicas }) => replicas > from.replicas,
        isEndOfPlan: true,
        on: ({ from: { uid }, replicas }) => `${uid} ${replicas}`,
        objects: ({ from: { name, uid } }) => [{ kind: "StatefulSet", name, uid }],
    },
    "make-password-secret": {
        describe: ({ secret }) => `create Secret ${secret} with a random password`,
        on: ({ secret }) => secret,
    },
    "set-password": {
        describe: ({ secret, pod }) => `set root's password to the one in Secret ${secret}, through ${pod}`,
        on: ({ secret }) => secret,
    },
    "set-settings": {
        describe: ({ sets }) => `set ${setsInWords(sets)}`,
        on: ({ component, sets }) => `${component} ${setsInWords(sets)}`,
        objects: ({ sets }) =>
            sets.flatMap(({ server, uid }) => (uid === undefined ? [] : [{ ...podObject(server), uid }])),
    },
    "set-store-labels": {
        describe: ({ sets }) => `set labels in PD: ${labelSetsInWords(sets)}`,
        on: ({ sets }) => JSON.stringify(sets),
        objects: ({ sets }) => sets.map(({ pod }) => podObject(pod)),
        // It tells PD where a store is, as the operator does. Where the store runs was consented to, or is none of the program's.
        needsNoConsent: () => true,
        // PD takes no other labels than its location labels where `strictly-match-label` is set. The operator goes on, too.
        isOptional: true,
    },
    "set-server-labels": {
        describe: ({ sets }) => `set labels of TiDB: ${labelSetsInWords(sets)}`,
        on: ({ sets }) => JSON.stringify(sets),
        objects: ({ sets }) => sets.map(({ pod, uid }) => ({ ...podObject(pod), uid })),
        needsNoConsent: () => true,
        isOptional: true,
    },
    "raise-limits": {
        describe: ({ changes, pod }) => `raise ${limitsInWords(changes)} while leaders of ${pod} move`,
        on: ({ pod, changes }) => `${pod} ${entriesOf(changes).map(([name]) => name)}`,
        isOptional: true,
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
        needsNoConsent: () => true,
    },
    "start-upgrade": {
        describe: ({ from, to, pod }) =>
            `start TiDB's smooth upgrade from ${from} to ${to} through ${pod}: the DDL statements of users are paused`,
        on: ({ from, to }) => `${from} ${to}`,
    },
    "finish-upgrade": {
        describe: ({ pod }) => `finish TiDB's smooth upgrade through ${pod}: the DDL statements of users go on`,
        on: () => "",
        needsNoConsent: () => true,
    },
    "note-failure": {
        describe: ({ pod, failure }) => `record that ${pod} is dead and that ${failure.replacedBy} replaces it`,
        on: ({ pod, failure }) => `${pod} ${failure.podUid}`,
        objects: ({ pod: name, failure }) => [{ ...podObject(name), uid: failure.podUid }],
    },
    "note-lost-volumes": {
        describe: ({ pod, lost: { node } }) =>
            `record that the volumes of ${pod} on node ${node}, which is gone, are given up`,
        on: ({ pod, lost: { podUid } }) => `${pod} ${podUid}`,
    },
    "remove-failed-stores": {
        describe: ({ stores }) => `begin PD's unsafe recovery from the loss of ${storesInWords(stores)}`,
        on: ({ stores }) => stores.join(" "),
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

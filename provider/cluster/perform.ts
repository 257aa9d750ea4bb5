import { type Action, performAction } from "../lifecycle/vocabulary/actions";
import type { ActionClients } from "../lifecycle/vocabulary/actions/actionClients";
import type { PdClient } from "../pd";
import type { Captures } from "./captures";
import { changeLimits } from "./changeLimits";
import type { ClusterId } from "./clusterId";
import { inGroups } from "./inGroups";
import type { KubernetesApi } from "./kubernetesApi";
import type { Microservices } from "./microservices";
import type { OnlineSettings } from "./onlineSettings";
import type { PdConnection } from "./pdConnection";
import type { Pumps } from "./pumps";
import type { RootPassword } from "./rootPassword";
import type { GuardedLock } from "./sharedLock";
import type { TidbLabels } from "./tidbLabels";
import type { TidbUpgrade } from "./tidbUpgrade";

/** How many servers get their labels side by side. PD changes one store at a time. */
const labelledAtOnce = 8;

/** The clients that carry out actions. */
export interface Performers {
    api: Pick<KubernetesApi, "guardedBy">;
    pd: Pick<PdConnection, "ask">;
    microservices: Pick<Microservices, "transferPrimary">;
    captures: Pick<Captures, "resignOwner" | "drain">;
    pumps: Pick<Pumps, "close">;
    rootPassword: Pick<RootPassword, "makeSecret" | "set" | "note">;
    settings: Pick<OnlineSettings, "set">;
    tidbUpgrade: Pick<TidbUpgrade, "start" | "finish">;
    tidbLabels: Pick<TidbLabels, "set">;
}

/**
 * Carries out an action.
 * @param assertAllowed throws if the lock was not renewed a moment ago, or if the observation is stale. Every transport calls it again in the
 * last moment before a change leaves: a login or a connection can take longer than the lock lasts.
 */
export async function perform(
    action: Action,
    performers: Performers,
    { namespace }: Pick<ClusterId, "namespace">,
    lock: Pick<GuardedLock, "notePd" | "endMaintenance" | "noteEndOfPd">,
    assertAllowed: () => void,
): Promise<void> {
    assertAllowed();
    await performAction(action, guardedClients(performers, namespace, lock, assertAllowed));
}

function guardedClients(
    { api, pd, microservices, captures, pumps, rootPassword, settings, tidbUpgrade, tidbLabels }: Performers,
    namespace: string,
    lock: Pick<GuardedLock, "notePd" | "endMaintenance" | "noteEndOfPd">,
    mayAct: () => void,
): ActionClients {
    const call = (does: (client: PdClient) => Promise<void>) => pd.ask((client) => does(client.guardedBy(mayAct)));
    const kubernetes = api.guardedBy(mayAct);
    return {
        pd: {
            transferLeader: (to) => call((client) => client.transferLeader(to)),
            beginLeaderEviction: (storeId) => call((client) => client.beginLeaderEviction(storeId)),
            endLeaderEviction: (storeId) => call((client) => client.endLeaderEviction(storeId)),
            deleteStore: (storeId) => call((client) => client.deleteStore(storeId)),
            setStoreUp: (storeId) => call((client) => client.setStoreUp(storeId)),
            setStoreLabels: (storeId, labels) => call((client) => client.setStoreLabels(storeId, labels)),
            deleteMemberById: (memberId) => call((client) => client.deleteMemberById(memberId)),
            removeFailedStores: (stores, seconds) => call((client) => client.removeFailedStores(stores, seconds)),
            changeLimits: (changes) => call((client) => changeLimits(client, changes)),
        },
        kubernetes: {
            deletePod: (pod, uid, version) => kubernetes.deletePod(namespace, pod, uid, version),
            noteShutdown: (pod, uid, isBegun) =>
                kubernetes.noteShutdown(namespace, pod, uid, isBegun ? new Date() : null),
            releaseClaim: (claim, uid, id) => kubernetes.releaseClaim(namespace, claim, uid, new Date(), id),
            keepClaim: (claim, uid) => kubernetes.releaseClaim(namespace, claim, uid, null),
            resizeClaim: (claim, uid, size, grown) =>
                kubernetes.resizeClaim(
                    ...([namespace, claim, uid, size] as const),
                    grown && { at: new Date().toISOString(), ...grown },
                ),
            modifyClaim: (claim, uid, attributesClass) =>
                kubernetes.modifyClaim(namespace, claim, uid, attributesClass),
            deleteClaim: (claim, uid, version) => kubernetes.deleteClaim(namespace, claim, uid, version),
            noteOutdated: (claim, uid, parts) => kubernetes.noteOutdated(namespace, claim, uid, parts),
            noteVersion: (claim, uid, version, tls) => kubernetes.noteVersion(namespace, claim, uid, version, tls),
            setReclaimPolicy: (volume, policy) => kubernetes.setReclaimPolicy(volume, policy),
            deleteStatefulSet: (name, uid) => kubernetes.deleteStatefulSet(namespace, name, uid),
            remakeStatefulSet: (name, uid, manifest) => kubernetes.remakeStatefulSet(namespace, name, uid, manifest),
            keepStatefulSet: (name, uid) => kubernetes.keepStatefulSet(namespace, name, uid),
            setReplicas: (from, replicas) => kubernetes.setReplicas(namespace, from, replicas),
            giveReplicasBack: (from) => kubernetes.giveReplicasBack(namespace, from),
        },
        microservices: {
            transferPrimary: (service, from, to) => microservices.transferPrimary(service, from, to, mayAct),
        },
        captures: {
            resignOwner: (of) => captures.resignOwner(of, mayAct),
            drain: (of, capture) => captures.drain(of, capture, mayAct),
        },
        pumps: { close: (of, nodeId) => pumps.close(of, nodeId, mayAct) },
        rootPassword: {
            makeSecret: () => rootPassword.makeSecret(mayAct),
            set: (through) => rootPassword.set(through, mayAct),
            note: (how) => rootPassword.note(how, new Date(), mayAct),
        },
        settings: { set: (component, sets) => settings.set(component, sets, mayAct) },
        tidb: {
            startUpgrade: (through) => tidbUpgrade.start(through, mayAct),
            finishUpgrade: (through) => tidbUpgrade.finish(through, mayAct),
            setLabels: (of, labels) => tidbLabels.set(of, labels, mayAct),
        },
        lock: {
            notePd: (clusterId) => lock.notePd(clusterId),
            endMaintenance: () => lock.endMaintenance(mayAct),
            noteEndOfPd: () => {
                lock.noteEndOfPd();
            },
        },
        eachTried,
    };
}

/** Does the work for each thing, also after one has failed. @throws the first error. */
async function eachTried<T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> {
    const results = await inGroups(things, labelledAtOnce, (thing) =>
        work(thing).then(
            () => undefined,
            (error: unknown) => ({ error }),
        ),
    );
    const failed = results.find((one) => one !== undefined);
    if (failed) {
        throw failed.error;
    }
}

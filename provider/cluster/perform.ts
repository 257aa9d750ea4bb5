import type { Action } from "../lifecycle/vocabulary/move";
import type { PdClient } from "../pd";
import type { Captures } from "./captures";
import { changeLimits } from "./changeLimits";
import { inGroups } from "./inGroups";
import type { KubernetesApi } from "./kubernetesApi";
import type { Microservices } from "./microservices";
import type { OnlineSettings } from "./onlineSettings";
import type { PdConnection } from "./pdConnection";
import type { Pumps } from "./pumps";
import type { RootPassword } from "./rootPassword";
import type { TidbLabels } from "./tidbLabels";
import type { TidbUpgrade } from "./tidbUpgrade";
import type { GuardedLock } from "./sharedLock";
import type { ClusterId } from "./clusterId";

/** How many stores get their labels side by side. PD changes one at a time. */
const storesAtOnce = 8;

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
    { api: unguarded, pd, microservices, captures, pumps, rootPassword, settings, tidbUpgrade, tidbLabels }: Performers,
    { namespace }: Pick<ClusterId, "namespace">,
    lock: Pick<GuardedLock, "notePd" | "endMaintenance" | "noteEndOfPd">,
    assertAllowed: () => void,
): Promise<void> {
    const callPd = (call: (client: PdClient) => Promise<void>) =>
        pd.ask((client) => call(client.guardedBy(assertAllowed)));
    const api = unguarded.guardedBy(assertAllowed);
    assertAllowed();
    switch (action.do) {
        case "transfer-leader":
            return callPd((client) => client.transferLeader(action.to));
        case "transfer-primary":
            return microservices.transferPrimary(action.service, action.from, action.to, assertAllowed);
        case "begin-eviction":
            return callPd((client) => client.beginLeaderEviction(action.storeId));
        case "end-eviction":
            return callPd((client) => client.endLeaderEviction(action.storeId));
        case "remove-store":
            return callPd((client) => client.deleteStore(action.storeId));
        case "bring-store-back":
            return callPd((client) => client.setStoreUp(action.storeId));
        case "remove-member":
            // By id: another member may have the name by now, and a member that never started has no name.
            return callPd((client) => client.deleteMemberById(action.memberId));
        case "remove-failed-stores":
            return callPd((client) => client.removeFailedStores(action.stores, action.timeoutSeconds));
        case "begin-shutdown":
            return api.noteShutdown(namespace, action.pod, action.uid, new Date());
        case "forget-shutdown":
            return api.noteShutdown(namespace, action.pod, action.uid, null);
        case "resign-owner":
            return captures.resignOwner({ name: action.pod, uid: action.uid }, assertAllowed);
        case "drain-capture":
            return captures.drain({ name: action.pod, uid: action.uid }, action.capture, assertAllowed);
        case "close-pump":
            return pumps.close({ name: action.pod, uid: action.uid }, action.nodeId, assertAllowed);
        case "delete-pod":
            return api.deletePod(namespace, action.pod, action.uid, action.resourceVersion);
        case "release-claims":
            await Promise.all(
                action.claims.map(({ name, uid }) =>
                    api.releaseClaim(namespace, name, uid, new Date(), action.storeOrMember),
                ),
            );
            return;
        case "keep-claims":
            await Promise.all(action.claims.map(({ name, uid }) => api.releaseClaim(namespace, name, uid, null)));
            return;
        case "delete-claims":
            await Promise.all(
                action.claims.map(({ name, uid, resourceVersion }) =>
                    api.deleteClaim(namespace, name, uid, resourceVersion),
                ),
            );
            return;
        case "note-version":
            await Promise.all(
                action.claims.map(({ name, uid }) => api.noteVersion(namespace, name, uid, action.version, action.tls)),
            );
            return;
        case "delete-stateful-set":
            if (!action.endsPd) {
                return api.deleteStatefulSet(namespace, action.name, action.uid);
            }
            await lock.endMaintenance(assertAllowed);
            await api.deleteStatefulSet(namespace, action.name, action.uid);
            lock.noteEndOfPd();
            return;
        case "set-replicas":
            return api.setReplicas(namespace, action.from, action.replicas);
        case "give-replicas-back":
            return api.giveReplicasBack(namespace, action.from);
        case "make-password-secret":
            return rootPassword.makeSecret(assertAllowed);
        case "set-password":
            return rootPassword.set({ name: action.pod, uid: action.uid }, assertAllowed);
        case "note-password":
            return rootPassword.note(action.how, new Date(), assertAllowed);
        case "note-pd":
            return lock.notePd(action.clusterId);
        case "raise-limits":
        case "put-back-limits":
            return pd.ask((client) => changeLimits(client.guardedBy(assertAllowed), action.changes));
        case "set-store-labels":
            return eachTried(action.sets, ({ storeId, labels }) =>
                callPd((client) => client.setStoreLabels(storeId, labels)),
            );
        case "set-server-labels":
            return eachTried(action.sets, ({ pod, uid, labels }) =>
                tidbLabels.set({ name: pod, uid }, labels, assertAllowed),
            );
        case "set-settings":
            return settings.set(action.component, action.sets, assertAllowed);
        case "start-upgrade":
            return tidbUpgrade.start({ name: action.pod, uid: action.uid }, assertAllowed);
        case "finish-upgrade":
            return tidbUpgrade.finish({ name: action.pod, uid: action.uid }, assertAllowed);
        case "forget-upgrade":
        case "forget-settings":
        case "note-eviction-gone":
        case "forget-eviction":
        case "forget-limits":
        case "forget-removal":
        case "begin-batch":
        case "forget-batch":
        case "note-failure":
        case "count-replacement":
        case "forget-failures":
        case "note-lost-volumes":
        case "forget-lost-volumes":
        case "forget-recovery":
        case "note-recovery-finished":
            return;
    }
}

/** Does the work for each thing, also after one has failed. @throws the first error. */
async function eachTried<T>(things: readonly T[], work: (thing: T) => Promise<unknown>): Promise<void> {
    const results = await inGroups(things, storesAtOnce, (thing) =>
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

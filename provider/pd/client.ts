import { askPd, hasNoRules, isUnknownMember, isRemoved, isUnknown, type OnRefusal } from "./askPd";
import type { PdCall } from "./call";
import { pdCalls } from "./calls";
import { askEtcd } from "./etcd";
import * as lock from "./etcdLock";
import { beginLeaderEviction, endLeaderEviction } from "./eviction";
import { createLeadershipReader } from "./leadership";
import { logBackups } from "./logBackups";
import { beginMaintenance, endMaintenance, maintenanceTasks } from "./maintenance";
import type { PdRegionCheck, PdRegionStatus } from "./model";
import type { PdClientOptions } from "./options";
import * as read from "./parse";
import type { PdClient } from "./pdClient";
import { PdError } from "./pdError";
import { ownEvictions } from "./ownEvictions";
import { evictedStores, persistedEvictions } from "./persistedEvictions";
import { parsePlacementRules } from "./placementRules";
import { parseRegionCount, parseRegions, regionChecks } from "./regions";
import { leavesCounting, parseRegionStatus } from "./regionStatus";
import { parseUnsafeRecovery } from "./unsafeRecovery";
import { createTransport, type PdTransport } from "./transport";

/**
 * Creates a client for the PD of one cluster. Sends nothing until the first call.
 * @throws Error if there is no endpoint, if an address is invalid, or if TLS is given for an `http` address
 * @example
 * const pd = createPdClient({ endpoints: [{ name: "basic-pd-0", url: "http://127.0.0.1:2379" }] });
 * const stores = await pd.stores();
 * pd.close();
 */
export function createPdClient(options: PdClientOptions): PdClient {
    return clientOver(createTransport(options));
}

function clientOver(transport: PdTransport): PdClient {
    const ask = <T, E = never>(call: PdCall, parse: (body: string) => T, onRefusal?: OnRefusal<E>) =>
        askPd(transport, call, parse, onRefusal);
    const change = (call: PdCall, isDone: OnRefusal<void>["when"] = () => false) =>
        ask(call, read.parseAcknowledgement, { when: isDone, result: undefined });

    const members = async () => {
        const found = await ask(pdCalls.members, read.parseMembers);
        if (found.leader) {
            transport.prefer(found.leader);
        }
        return found;
    };

    const countRegionsInCheck = (kind: PdRegionCheck) => ask(pdCalls.regionsInCheck(kind), parseRegionCount);
    const countChecked = async (): Promise<PdRegionStatus> => {
        const [missPeer, downPeer, pendingPeer] = await Promise.all(regionChecks.map(countRegionsInCheck));
        return { missPeer, downPeer, pendingPeer };
    };

    return {
        get calls() {
            return transport.calls;
        },
        guardedBy: (assertAllowed) => clientOver(transport.guardedBy(assertAllowed)),
        clusterId: () => ask(pdCalls.clusterId, read.parseClusterId),
        health: () => ask(pdCalls.health, read.parseHealth),
        members,
        leadership: createLeadershipReader(transport, members),
        transferLeader: (toMemberName) => change(pdCalls.transferLeader(toMemberName)),
        resignLeader: () => change(pdCalls.resignLeader),
        deleteMember: (name) => change(pdCalls.deleteMember(name), isUnknown),
        deleteMemberById: (id) => change(pdCalls.deleteMemberById(id), isUnknownMember),
        schedulers: () => ask(pdCalls.schedulers, read.parseSchedulers),
        regionCount: () => ask(pdCalls.regionCount, read.parseRegionStats),
        async regionStatus() {
            const { leader } = await members();
            const read = (body: string) => (leavesCounting(body) ? ("uncounted" as const) : parseRegionStatus(body));
            const status = leader && (await ask(pdCalls.metrics(transport.nameOf(leader)), read));
            return status === "uncounted" ? countChecked() : status;
        },
        regionsShortOf: (kind) => ask(pdCalls.regionsInCheck(kind), parseRegions),
        regionsOfStore: (id) => ask(pdCalls.regionsOfStore(id), parseRegions),
        stores: () => ask(pdCalls.stores, read.parseStores),
        tombstoneStores: () => ask(pdCalls.tombstoneStores, read.parseStores),
        store: (id) => ask(pdCalls.store(id), read.parseStore, { when: isUnknown, result: undefined }),
        deleteStore: (id) => change(pdCalls.deleteStore(id), isRemoved),
        setStoreUp: (id) => change(pdCalls.setStoreUp(id)),
        setStoreLabels: (id, labels) => change(pdCalls.setStoreLabels(id, labels)),
        snapshotRecovering: () => ask(pdCalls.snapshotRecovering, read.parseMark),
        unsafeRecovery: () => ask(pdCalls.unsafeRecovery, parseUnsafeRecovery),
        removeFailedStores: (stores, timeoutSeconds) => change(pdCalls.removeFailedStores(stores, timeoutSeconds)),
        placementRules: () => ask(pdCalls.placementRules, parsePlacementRules, { when: hasNoRules, result: undefined }),
        replication: () => ask(pdCalls.replication, read.parseReplication),
        lowSpaceRatio: () => ask(pdCalls.scheduleConfig, read.parseLowSpaceRatio),
        storeDownTime: () => ask(pdCalls.scheduleConfig, read.parseStoreDownTime),
        evictedStores: () => evictedStores(transport),
        ownEvictions: () => ownEvictions(transport),
        persistedEvictions: () => persistedEvictions(transport),
        async leaderLimits() {
            const [limit, batch] = await Promise.all([
                ask(pdCalls.scheduleConfig, read.parseLeaderScheduleLimit),
                ask(pdCalls.evictedStores, read.parseEvictionBatch, { when: isUnknown, result: undefined }),
            ]);
            return { "leader-schedule-limit": limit, ...(batch === undefined ? {} : { batch }) };
        },
        setEvictionBatch: (batch) => change(pdCalls.setEvictionBatch(batch), isUnknown),
        beginLeaderEviction: (storeId) => beginLeaderEviction(transport, storeId),
        endLeaderEviction: (storeId) => endLeaderEviction(transport, storeId),
        countRegionsInCheck,
        async memberReady(memberName) {
            try {
                return await ask(pdCalls.memberReady(memberName), () => true, { when: isUnknown, result: true });
            } catch (error) {
                // The member answered that it is not ready.
                if (error instanceof PdError && error.status !== undefined && error.status >= 500) {
                    return false;
                }
                throw error;
            }
        },
        serviceMembers: (service) =>
            ask(pdCalls.serviceMembers(service), read.parseServiceMembers, { when: isUnknown, result: [] }),
        servicePrimary: (service) =>
            ask(pdCalls.servicePrimary(service), read.parseServicePrimary, { when: isUnknown, result: undefined }),
        transferPrimary: (service, toName) => change(pdCalls.transferPrimary(service, toName)),
        pumps: () => askEtcd(transport, pdCalls.pumps, read.parsePumps),
        maintenanceTasks: () => maintenanceTasks(transport),
        beginMaintenance: (task) => beginMaintenance(transport, task),
        endMaintenance: (task) => endMaintenance(transport, task),
        grantLease: (ttlSeconds) => lock.grantLease(transport, ttlSeconds),
        keepLeaseAlive: (leaseId) => lock.keepLeaseAlive(transport, leaseId),
        revokeLease: (leaseId) => lock.revokeLease(transport, leaseId),
        putIfAbsent: (key, value, leaseId) => lock.putIfAbsent(transport, key, value, leaseId),
        readKey: (key) => lock.readKey(transport, key),
        logBackups: () => logBackups(transport),
        config: () => ask(pdCalls.config, read.parseConfig),
        setConfig: (items) => change(pdCalls.setConfig(items)),
        version: () => ask(pdCalls.version, read.parseVersion),
        close: () => transport.close(),
    };
}

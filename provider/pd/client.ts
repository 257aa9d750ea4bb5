import { answer, hasNoRules, isAbsent, isNotBootstrapped, isRemoved, isUnknown, type Instead } from "./answer";
import type { PdCall } from "./call";
import { pdCalls } from "./calls";
import { beginLeaderEviction, endLeaderEviction, evictedStores } from "./eviction";
import { beginMaintenance, endMaintenance } from "./maintenance";
import type { PdClient, PdClientOptions } from "./model";
import * as read from "./parse";
import { PdError } from "./pdError";
import { createTransport } from "./transport";

/**
 * Makes a client for the PD of one cluster. Sends nothing yet.
 * @throws Error where there is no endpoint, an address is none, or TLS is given for one without TLS
 * @example
 * const pd = createPdClient({ endpoints: [{ name: "basic-pd-0", url: "http://127.0.0.1:2379" }] });
 * const stores = await pd.stores();
 * pd.close();
 */
export function createPdClient(options: PdClientOptions): PdClient {
    const transport = createTransport(options);
    const ask = <T, E = never>(call: PdCall, parse: (body: string) => T, instead?: Instead<E>) =>
        answer(transport, call, parse, instead);
    const tell = (call: PdCall, doneWhen: Instead<void>["when"] = () => false) =>
        ask(call, read.parseAcknowledgement, { when: doneWhen, give: undefined });

    return {
        get calls() {
            return transport.calls;
        },
        clusterId: () => ask(pdCalls.clusterId, read.parseClusterId),
        health: () => ask(pdCalls.health, read.parseHealth),
        async members() {
            const members = await ask(pdCalls.members, read.parseMembers);
            if (members.leader) {
                transport.prefer(members.leader);
            }
            return members;
        },
        transferLeader: (toMemberName) => tell(pdCalls.transferLeader(toMemberName)),
        resignLeader: () => tell(pdCalls.resignLeader),
        deleteMember: (name) => tell(pdCalls.deleteMember(name), isUnknown),
        stores: () => ask(pdCalls.stores, read.parseStores, { when: isNotBootstrapped, give: [] }),
        tombstoneStores: () => ask(pdCalls.tombstoneStores, read.parseStores, { when: isNotBootstrapped, give: [] }),
        store: (id) => ask(pdCalls.store(id), read.parseStore, { when: isAbsent, give: undefined }),
        deleteStore: (id) => tell(pdCalls.deleteStore(id), isRemoved),
        setStoreUp: (id) => tell(pdCalls.setStoreUp(id)),
        tiflashReplicas: () => ask(pdCalls.placementRules, read.parseTiflashReplicas, { when: hasNoRules, give: 0 }),
        replication: () => ask(pdCalls.replication, read.parseReplication),
        evictedStores: () => evictedStores(transport),
        beginLeaderEviction: (storeId) => beginLeaderEviction(transport, storeId),
        endLeaderEviction: (storeId) => endLeaderEviction(transport, storeId),
        regionsInCheck: (kind) => ask(pdCalls.regionsInCheck(kind), read.parseRegionCount),
        async memberReady(memberName) {
            try {
                return await ask(pdCalls.memberReady(memberName), () => true, { when: isUnknown, give: true });
            } catch (error) {
                // The member answered, and its answer is that it is not ready.
                if (error instanceof PdError && error.status !== undefined && error.status >= 500) {
                    return false;
                }
                throw error;
            }
        },
        serviceMembers: (service) =>
            ask(pdCalls.serviceMembers(service), read.parseServiceMembers, { when: isUnknown, give: [] }),
        servicePrimary: (service) =>
            ask(pdCalls.servicePrimary(service), read.parseServicePrimary, { when: isUnknown, give: undefined }),
        transferPrimary: (service, toName) => tell(pdCalls.transferPrimary(service, toName)),
        pumps: () => ask(pdCalls.pumps, read.parsePumps),
        beginMaintenance: (task) => beginMaintenance(transport, task),
        endMaintenance: (task) => endMaintenance(transport, task),
        version: () => ask(pdCalls.version, read.parseVersion),
        close: () => transport.close(),
    };
}

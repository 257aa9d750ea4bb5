import { type Component, engineOf, type Microservice } from "../../topology/members";
import { headlessServiceName } from "../../topology/names";
import { podOrdinal } from "../../topology/podNames";
import { podInDomain, podOfHost, podOfMemberName } from "../lifecycle/vocabulary/identity";
import type {
    ObservedPdMember,
    ObservedPump,
    ObservedRegion,
    ObservedStore,
    OtherDomain,
} from "../lifecycle/vocabulary/observation";
import type { PdMember, PdMemberHealth, PdPump, PdRegion, PdStore } from "../pd";
import type { ClusterId } from "./clusterId";

/** @returns what decisions need of a store. A store is own only if its whole address belongs to a pod of the cluster. */
export function observeStore(store: PdStore, id: ClusterId): ObservedStore {
    const host = hostOf(store.address);
    const engine = engineOf(store.labels);
    const service = headlessServiceName(id.cluster, engine);
    const podName = podOfHost(host, service, id);
    return {
        id: store.id,
        podName: podName ?? host.split(".")[0],
        address: store.address,
        own: podOrdinal(podName, id.cluster, engine) !== undefined,
        ...(podName === undefined ? otherDomainOf([host], service, id, engine) : domainOf([host], service, id)),
        engine,
        state: store.state,
        labels: store.labels,
        leaderCount: { reported: store.leaderCount },
        regionCount: store.regionCount,
        lastHeartbeat: store.lastHeartbeat?.getTime(),
        startedAt: store.startedAt?.getTime(),
        ...(store.version === undefined ? {} : { version: store.version }),
        pendingPeers: store.pendingPeerCount,
        ...(store.isBusy || store.slowScore
            ? { slow: { score: store.slowScore ?? 0, isBusy: store.isBusy ?? false } }
            : {}),
        ...(store.capacityBytes === undefined ? {} : { capacityBytes: store.capacityBytes }),
        ...(store.availableBytes === undefined ? {} : { availableBytes: store.availableBytes }),
        ...(store.usedBytes === undefined ? {} : { usedBytes: store.usedBytes }),
    };
}

/**
 * @returns what decisions need of a pump. A pump registers its short name, which resolves only to pods of its own
 * namespace, unless other Kubernetes clusters must find it (components/pump/startScript.ts).
 */
export function observePump({ nodeId, host: address, state }: PdPump, id: ClusterId): ObservedPump {
    const host = hostOf(address);
    const full = host.split(".").length === 2 ? `${host}.${id.namespace}.svc` : host;
    const podName = podOfHost(full, headlessServiceName(id.cluster, "pump"), id);
    const own = podOrdinal(podName, id.cluster, "pump") !== undefined;
    return { nodeId, podName: podName ?? host.split(".")[0], own, state };
}

/**
 * @returns what decisions need of a PD member. It runs in a pod of this cluster if its name says so and its peer URL, which must
 * have been asked for, does not contradict; or if it has no name yet and its peer URL says so.
 */
export function observeMember(
    { name, memberId, peerUrls, version }: PdMember,
    health: readonly PdMemberHealth[],
    id: ClusterId,
): ObservedPdMember {
    const service = headlessServiceName(id.cluster, "pd");
    const hosts = peerUrls.map(hostOf);
    const byHost = hosts.map((host) => podOfHost(host, service, id)).find((pod) => pod !== undefined);
    const contradicts = byHost === undefined && hosts.some((host) => host.split(".")[3] === "svc");
    const byName = contradicts || hosts.length === 0 ? undefined : podOfMemberName(name, service, id);
    const found = name === "" ? byHost : byName;
    const podName = podOrdinal(found, id.cluster, "pd") === undefined ? undefined : found;
    const own = health.find((one) => one.memberId === memberId);
    const other: { otherDomain?: OtherDomain } =
        podName === undefined ? otherDomainOf([...hosts, name], service, id, "pd") : {};
    return {
        name,
        memberId,
        healthy: own?.healthy ?? false,
        ...(own === undefined ? { lacksHealth: true as const } : {}),
        podName,
        ...other,
        ...(podName === undefined ? {} : domainOf(hosts, service, id)),
        ...(version === undefined ? {} : { version }),
        // Our start scripts advertise the pod's own name.
        ...(podName === undefined && hosts.length > 0 && other.otherDomain === undefined
            ? { isElsewhere: true as const }
            : {}),
    };
}

function domainOf(hosts: readonly string[], service: string, id: ClusterId): { domain?: string } {
    const domain = hosts.map((host) => podInDomain(host, service, id)?.domain).find(Boolean);
    return domain === undefined ? {} : { domain };
}

/** @returns the pod of this cluster that one of the hosts names under another domain, if one does. */
function otherDomainOf(
    hosts: readonly string[],
    service: string,
    id: ClusterId,
    component: Component,
): { otherDomain?: OtherDomain } {
    const named = hosts
        .map((host) => podInDomain(host, service, id))
        .find((one) => podOrdinal(one?.podName, id.cluster, component) !== undefined);
    return named === undefined || named.domain === (id.domain ?? "") ? {} : { otherDomain: named };
}

/** @returns the pod of this cluster that runs a microservice's server; `undefined` for a server elsewhere. */
export function podOfServer(address: string, service: Microservice, id: ClusterId): string | undefined {
    const podName = podOfHost(hostOf(address), headlessServiceName(id.cluster, service), id);
    return podOrdinal(podName, id.cluster, service) === undefined ? undefined : podName;
}

/** @returns what decisions about majorities need of a region. */
export function observeRegion({ id, peers, startKey, endKey, approximateMebibytes }: PdRegion): ObservedRegion {
    return {
        id,
        peers: peers.map(({ storeId, role, isPending, isDown, isWitness }) => ({
            storeId,
            role,
            isBehind: isPending || isDown,
            ...(isWitness ? { isWitness } : {}),
        })),
        ...(startKey === undefined || endKey === undefined ? {} : { keys: { start: startKey, end: endKey } }),
        ...(approximateMebibytes === undefined ? {} : { mebibytes: approximateMebibytes }),
    };
}

/** @returns the host of `host:port` or of a URL. */
export function hostOf(address: string): string {
    return address
        .replace(/^[a-z]+:\/\//, "")
        .replace(/[/?#].*$/, "")
        .replace(/:\d+$/, "");
}

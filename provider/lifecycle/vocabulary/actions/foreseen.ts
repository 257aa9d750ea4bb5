import { imageTag } from "../../../../topology/imageVersion";
import { type Engine, topology } from "../../../../topology/members";
import { claimName, podOrdinal } from "../../../../topology/podNames";
import type { ClaimState } from "../claimState";
import { known, mapFact } from "../evidence";
import type { FixedClaim } from "../fixedFields";
import { claimsAt, podIndexOf } from "../podIndex";
import type {
    Observation,
    ObservedCaptures,
    ObservedClaim,
    ObservedMember,
    ObservedMicroservice,
    ObservedPd,
    ObservedPdMember,
    ObservedPod,
    ObservedPump,
    ObservedStore,
} from "../observation";

/** What a cluster looks like once an action has had its effect, if nothing else happens to it. */

/** The source of facts that are foreseen. */
export const foreseen = "what the plan foresees";

/** @returns the observation with a part of PD's state changed; one that is not known stays so. */
export function withPd(seen: Observation, change: (pd: ObservedPd) => Partial<ObservedPd>): Observation {
    return { ...seen, pd: { ...seen.pd, ...change(seen.pd) } };
}

/** @returns the observation with PD's stores changed. */
export function withStores(
    seen: Observation,
    change: (stores: readonly ObservedStore[]) => ObservedStore[],
): Observation {
    return withPd(seen, ({ stores }) => ({ stores: mapFact(stores, change) }));
}

/** @returns the observation with the member changed that has the pod, the claim or the StatefulSet. */
export function withMember(
    seen: Observation,
    isIt: (member: ObservedMember) => boolean,
    change: (member: ObservedMember) => ObservedMember,
): Observation {
    const found = Object.values(seen.members).find(isIt);
    return found === undefined ? seen : { ...seen, members: { ...seen.members, [found.component]: change(found) } };
}

/** @returns the observation with a pod changed. */
export function withPod(seen: Observation, name: string, change: (pod: ObservedPod) => ObservedPod): Observation {
    return withMember(
        seen,
        ({ component }) => podIndexOf(seen, component).pods.has(name),
        (member) => ({ ...member, pods: member.pods.map((pod) => (pod.name === name ? change(pod) : pod)) }),
    );
}

/** @returns the observation with claims changed; those for which nothing is returned are gone. */
export function withClaims(
    seen: Observation,
    claims: readonly { readonly uid: string }[],
    change: (claim: ObservedMember["claims"][number], member: ObservedMember) => ObservedMember["claims"],
): Observation {
    const uids = new Set(claims.map(({ uid }) => uid));
    return withMember(
        seen,
        (member) => member.claims.some(({ uid }) => uids.has(uid)),
        (member) => ({
            ...member,
            claims: member.claims.flatMap((claim) => (uids.has(claim.uid) ? change(claim, member) : [claim])),
        }),
    );
}

/** @returns a claim's state once its volume and file system have the size, which is what it requests by default. */
export function grownTo(state: ClaimState | undefined, size = state?.requested): ClaimState | undefined {
    return state && { ...state, requested: size, capacity: size, resize: undefined };
}

/** PD spreads leaders over all other stores. Over so many, each store's part is small, and a plan of 1,000 stores changes few stores at a time. */
const mostShares = 50;

/**
 * @param leaders the leaders that the store has then.
 * @returns the stores once PD has moved leaders to the store, or away from it: over others of the engine that are Up, those that PD lists after it first.
 */
export function withLeaders(
    stores: readonly ObservedStore[],
    storeId: number,
    leaders: number,
    isEvicted: (storeId: number) => boolean,
): ObservedStore[] {
    const at = stores.findIndex(({ id }) => id === storeId);
    const others: number[] = [];
    for (let next = 1; at !== -1 && next < stores.length && others.length < mostShares; next++) {
        const index = (at + next) % stores.length;
        const { id, engine, state } = stores[index];
        if (engine === stores[at].engine && state === "Up" && !isEvicted(id)) {
            others.push(index);
        }
    }
    const all = [...stores];
    if (others.length > 0) {
        const withCount = (index: number, count: number) => {
            all[index] = { ...stores[index], leaderCount: { reported: count } };
        };
        const change = stores[at].leaderCount.reported - leaders;
        others.forEach((index, rank) => {
            const more = rank < Math.abs(change % others.length) ? Math.sign(change) : 0;
            const share = Math.trunc(change / others.length) + more;
            withCount(index, Math.max(0, stores[index].leaderCount.reported + share));
        });
        withCount(at, leaders);
    }
    return all;
}

/** @returns whether the pod's node does not answer: until it is back, the pod neither starts nor goes. */
export function isOnSilentNode({ node, container }: ObservedPod): boolean {
    return node !== undefined && !container.known;
}

/** @returns the pods once the others have stopped. */
export function scaledTo(replicas: number, pods: readonly ObservedPod[]): ObservedPod[] {
    return pods.flatMap((pod) =>
        pod.ordinal < replicas ? [pod] : isOnSilentNode(pod) ? [{ ...pod, terminating: true }] : [],
    );
}

/**
 * @returns the observation once the StatefulSet has made the pod, or made it again, on its newest revision: it is Ready, and what it runs serves
 * and is known to PD.
 */
export function withPodStarted(seen: Observation, member: ObservedMember, ordinal: number, name: string): Observation {
    const { now } = seen;
    const before = podIndexOf(seen, member.component).pods.get(name);
    const pod = startedPod(before, member, ordinal, name, now);
    const pods = before
        ? member.pods.map((one) => (one === before ? pod : one))
        : [...member.pods, pod].sort((a, b) => a.ordinal - b.ordinal);
    const claims = claimsOfStarted(seen, member, ordinal, before);
    const { captures, podStatus, podVersions, tidbUpgrade } = seen;
    const tag = pod.image === undefined ? undefined : imageTag(pod.image);
    return {
        ...seen,
        members: { ...seen.members, [member.component]: { ...member, pods, claims } },
        pd: pdWith(seen.pd, member, pod, now),
        ...(podStatus && podStatus[name] !== null ? { podStatus: { ...podStatus, [name]: null } } : {}),
        ...(podVersions && tag ? { podVersions: { ...podVersions, [name]: tag } } : {}),
        ...(captures && member.component === "ticdc" ? { captures: withCapture(captures, name, tag) } : {}),
        ...(tidbUpgrade && member.component === "tidb"
            ? {
                  tidbUpgrade: mapFact(tidbUpgrade, (one) =>
                      isBefore(seen, one.pod, ordinal) ? one : { ...one, pod: name, uid: pod.uid },
                  ),
              }
            : {}),
    };
}

/** @returns whether the pod of TiDB is asked before the one of that ordinal: the first one that answers is asked. */
function isBefore({ cluster }: Observation, pod: string, ordinal: number): boolean {
    return (podOrdinal(pod, cluster, "tidb") ?? ordinal) < ordinal;
}

/** The claims once a pod has started: a new one of each template that has none, and of which it had no volume before. */
function claimsOfStarted(
    { cluster }: Observation,
    { claims, statefulSet, component }: ObservedMember,
    ordinal: number,
    before: ObservedPod | undefined,
): ObservedClaim[] {
    const templateOf = new Map(
        statefulSet?.fixed.claims.map((one) => [claimName(one.name, cluster, component, ordinal), one]),
    );
    const own = claimsAt(claims, ordinal);
    const there = new Set(own.map(({ name }) => name));
    const lacks = ({ name }: FixedClaim) => before === undefined || before.volumes?.includes(name) === false;
    const added = [...templateOf].filter(([name, template]) => !there.has(name) && lacks(template));
    return added.length === 0 && !own.some(({ terminating, state }) => terminating || state?.resize !== undefined)
        ? claims
        : [
              ...claims.map((claim) => (own.includes(claim) ? startedClaim(claim, templateOf.get(claim.name)) : claim)),
              ...added.map(([name, template]) => newClaim(name, ordinal, template)),
          ];
}

function newClaim(name: string, ordinal: number, { storage, storageClass }: FixedClaim): ObservedClaim {
    const state = { phase: "Bound", hasSource: false, requested: storage, capacity: storage, storageClass };
    return { name, uid: `${name}+`, resourceVersion: "", ordinal, released: false, terminating: false, state };
}

/** A new claim takes the place of a deleted one, and the node enlarges the file system of one whose volume has grown. */
function startedClaim(claim: ObservedClaim, template: FixedClaim | undefined): ObservedClaim {
    if (claim.terminating) {
        const storageClass = template?.storageClass || claim.state?.storageClass;
        const state = grownTo(claim.state, template?.storage);
        return {
            ...{ ...claim, uid: `${claim.uid}+`, terminating: false, released: false, releasedId: undefined },
            ...{ outdated: undefined, state: state && { ...state, storageClass } },
        };
    }
    return claim.state?.resize?.of === "file-system" ? { ...claim, state: grownTo(claim.state) } : claim;
}

function startedPod(
    before: ObservedPod | undefined,
    { statefulSet, component }: ObservedMember,
    ordinal: number,
    name: string,
    now: number,
): ObservedPod {
    return {
        name,
        ordinal,
        uid: `${before?.uid ?? name}+`,
        resourceVersion: "",
        revision: statefulSet?.updateRevision ?? before?.revision,
        image: statefulSet?.image ?? before?.image,
        clusterTls: statefulSet?.clusterTls ?? before?.clusterTls,
        volumes: statefulSet?.fixed.claims.map((one) => one.name),
        node: before?.node ?? `a node for ${component}`,
        zone: before?.zone,
        nodeLabels: before?.nodeLabels,
        ...(before?.drain ? { drain: known({ isDrained: false }, foreseen, now) } : {}),
        ready: true,
        readySince: 0,
        createdAt: now,
        seenSince: now,
        container: known({ is: "running", startedAt: now }, foreseen, now),
        terminating: false,
    };
}

function pdWith(pd: ObservedPd, { component }: ObservedMember, { name }: ObservedPod, now: number): ObservedPd {
    const { engine } = topology[component];
    const members = component === "pd" ? mapFact(pd.members, (list) => withHealthy(list, name)) : pd.members;
    const readyMembers =
        component === "pd"
            ? mapFact(pd.readyMembers, (list) => (list.includes(name) ? list : [...list, name]))
            : pd.readyMembers;
    const buried = pd.tombstones.known ? pd.tombstones.value : [];
    const stores = mapFact(pd.stores, (list) => (engine ? withStoreRunning(list, buried, engine, name, now) : list));
    const pumps = mapFact(pd.pumps, (list) => {
        const isIts = (pump: ObservedPump) => pump.own && pump.podName === name;
        const isNew = component === "pump" && !list.some(isIts);
        return [
            ...list.map((pump) => (isIts(pump) ? { ...pump, state: "online" } : pump)),
            ...(isNew ? [{ nodeId: `of ${name}`, podName: name, own: true, state: "online" }] : []),
        ];
    });
    const microservices = Object.fromEntries(
        Object.entries(pd.microservices).map(([service, fact]) => [
            service,
            service === component ? mapFact(fact, (one) => withServer(one, name)) : fact,
        ]),
    );
    return { ...pd, members, readyMembers, stores, pumps, microservices };
}

/**
 * What PD keeps of a store stays: one that is removed is not Up because its process runs.
 * @param buried stores that are gone: PD gives no id twice.
 */
function withStoreRunning(
    list: readonly ObservedStore[],
    buried: readonly ObservedStore[],
    engine: Engine,
    podName: string,
    now: number,
): ObservedStore[] {
    const isIts = (store: ObservedStore) => store.own && store.podName === podName;
    const lastHeartbeat = list.reduce((latest, { lastHeartbeat: at = 0 }) => Math.max(latest, at), 0);
    const running = { startedAt: now, lastHeartbeat, pendingPeers: 0 };
    const ended = ["Offline", "Tombstone"];
    const known = list.map((one) =>
        isIts(one) ? { ...one, ...running, state: ended.includes(one.state) ? one.state : "Up" } : one,
    );
    if (list.some(isIts)) {
        return known;
    }
    const other = list.find((one) => one.own && one.engine === engine);
    // A store that comes back gets the labels of its node again.
    const labels = buried.filter(isIts).at(-1)?.labels ?? other?.labels ?? {};
    const registered: ObservedStore = {
        ...{ ...other, labels, ...running, podName, engine, own: true, state: "Up" },
        id: 1 + Math.max(0, ...[...list, ...buried].map(({ id }) => id)),
        address: other?.address.replaceAll(other.podName, podName) ?? podName,
        leaderCount: { reported: 0 },
        regionCount: 0,
    };
    return [...known, registered];
}

function withServer(service: ObservedMicroservice, podName: string): ObservedMicroservice {
    const [other] = service.servers.filter((server) => server.podName !== undefined);
    const isListed = service.servers.some((server) => server.podName === podName);
    const asOther = (text: string) => (other?.podName ? text.replaceAll(other.podName, podName) : podName);
    const server = { name: asOther(other?.name ?? podName), address: asOther(other?.address ?? podName), podName };
    const servers = isListed ? service.servers : [...service.servers, server];
    return { ...service, servers, primary: service.primary ?? server };
}

/** A member that PD does not list yet joins it, with a name of the same form as the others. */
function withHealthy(list: readonly ObservedPdMember[], podName: string): ObservedPdMember[] {
    const healthy = list.map((one) => (one.podName === podName && one.name !== "" ? { ...one, healthy: true } : one));
    if (healthy.some((one) => one.podName === podName)) {
        return healthy;
    }
    const other = list.find((one) => one.name !== "" && one.podName !== undefined);
    const name = other?.name.replace(other.podName ?? "", podName) ?? podName;
    const ids = list.map(({ memberId }) => BigInt(memberId));
    const memberId = String(ids.reduce((most, id) => (id > most ? id : most), 0n) + 1n);
    return [...healthy, { name, memberId, podName, healthy: true }];
}

/** A capture has another id each time it starts, and its tables come later. */
function withCapture(captures: ObservedCaptures, podName: string, tag: string | undefined): ObservedCaptures {
    const { byPod, list } = captures;
    const before = byPod[podName];
    const [idBefore, version] =
        before !== undefined && "id" in before ? [before.id, before.version] : [undefined, undefined];
    const id = `${idBefore ?? podName}+`;
    const all = Array.isArray(list) ? list : [];
    const others = all.filter((one) => one.id !== idBefore);
    const isOwner = all.some((one) => one.id === idBefore && one.isOwner) || !others.some((one) => one.isOwner);
    return {
        ...captures,
        byPod: { ...byPod, [podName]: { id, version: tag ?? version ?? "" } },
        list: Array.isArray(list) ? [...others, { id, isOwner }] : list,
    };
}

import type { Microservice } from "../../topology/members";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { RegionList } from "../lifecycle/vocabulary/look";
import type {
    ObservedMicroservice,
    ObservedPdLocks,
    ObservedPlacement,
    ObservedPod,
    ObservedPump,
    ObservedStore,
    OwnEvictions,
    RegionStatus,
    ShortRegions,
} from "../lifecycle/vocabulary/observation";
import type { PdClient, PdMemberHealth, PdRegion, PdStore } from "../pd";
import { PdError } from "../pd/pdError";
import { regionChecks } from "../pd/regions";
import { hasSchedulers } from "./observeLeadership";
import { observePump, observeRegion, observeStore, podOfServer } from "./observeStores";
import { isOwnTask } from "./maintenanceTask";
import { pdLockKey } from "./pdLock";
import { readPdLockHolder } from "./pdLockHolder";
import { isNotBootstrapped } from "./pdQueries";
import type { ClusterId } from "./clusterId";

/** What the parts of an observation of PD need. */
interface PartLook {
    id: ClusterId;
    /** Whether no PD is on record yet. Only then can there be no store because none has ever started. */
    isFirstDeployment: boolean;
    now: () => number;
}

/** Calls PD, and returns `none` if PD answers that it is not bootstrapped: that is normal until the first store has started. */
async function unlessNone<T>(call: () => Promise<T>, none: T, { isFirstDeployment, now }: PartLook): Promise<Fact<T>> {
    try {
        return known(await call(), "PD", now());
    } catch (error) {
        if (!isNotBootstrapped(error)) {
            throw error;
        }
        return isFirstDeployment
            ? known(none, "PD", now())
            : notKnown(
                  "PD reports that no store has ever started, but this cluster had stores: it is not the cluster's PD",
              );
    }
}

export function askStores(call: () => Promise<PdStore[]>, look: PartLook): Promise<Fact<ObservedStore[]>> {
    return unlessNone(async () => (await call()).map((store) => observeStore(store, look.id)), [], look);
}

/** @returns whether PD has loaded its schedulers. A PD that no store has ever joined has none to load. */
export function askSchedulers(hasLoaded: () => Promise<boolean>, look: PartLook): Promise<Fact<boolean>> {
    return unlessNone(hasLoaded, false, look);
}

export function askRegionCount(client: PdClient, look: PartLook): Promise<Fact<number>> {
    return unlessNone(() => client.regionCount(), 0, look);
}

export async function askPlacement(client: PdClient): Promise<ObservedPlacement> {
    const [{ maxReplicas, locationLabels, isolationLabels }, rules, lowSpaceRatio] = await Promise.all([
        client.replication(),
        client.placementRules(),
        client.lowSpaceRatio(),
    ]);
    const copied = rules?.map((rule) => ({
        ...rule,
        constraints: rule.constraints.map((constraint) => ({ ...constraint, values: [...constraint.values] })),
    }));
    return {
        maxReplicas,
        rules: copied,
        ...(locationLabels.length > 0 ? { locationLabels } : {}),
        ...(isolationLabels ? { isolationLabels } : {}),
        ...(lowSpaceRatio === undefined ? {} : { lowSpaceRatio }),
    };
}

/**
 * PD's list of evictions is complete only once PD has loaded its schedulers. Before that there is no list (404), or it
 * lacks the evictions from before the election. The schedulers must be loaded both before and after the list is read,
 * because the leader may change meanwhile.
 */
export async function askEvictions(
    client: PdClient,
    hasLoaded: () => Promise<boolean>,
    look: PartLook,
): Promise<Fact<Evictions>> {
    const none: Evictions = { stores: [], own: { evictions: [], unreported: [] } };
    const answer = await unlessNone<Evictions & { isLoaded: boolean }>(
        async () => {
            const wasLoaded = await hasLoaded();
            const [stores = [], own] = await Promise.all([client.evictedStores(), client.ownEvictions()]);
            return { isLoaded: wasLoaded && (await hasSchedulers(client)), stores, own };
        },
        { ...none, isLoaded: true },
        look,
    );
    return answer.known && !answer.value.isLoaded
        ? notKnown("PD has not loaded its schedulers since its last election, so its evictions are not complete")
        : answer;
}

/** Stores under eviction, by the evict-leader scheduler and by PD itself. */
interface Evictions {
    readonly stores: readonly number[];
    readonly own: OwnEvictions;
}

export async function askRegionStatus(client: PdClient, { now }: PartLook): Promise<Fact<RegionStatus>> {
    const at = now();
    const status = await client.regionStatus();
    return status
        ? known({ ...status }, "PD's counts of regions", at)
        : notKnown("PD's leader does not report pd_regions_status yet");
}

export async function askRegions(client: PdClient, list: RegionList): Promise<ShortRegions> {
    if (list !== "short" && "ofStore" in list) {
        return { regions: (await client.regionsOfStore(list.ofStore)).map(observeRegion), ofStore: list.ofStore };
    }
    const lists = await Promise.all(
        list === "short"
            ? regionChecks.map((kind) => client.regionsShortOf(kind))
            : list.ofStores.map((id) => client.regionsOfStore(id)),
    );
    const byId = new Map<number, PdRegion>(lists.flat().map((region) => [region.id, region]));
    const regions = [...byId.values()].map(observeRegion);
    return list === "short" ? { regions } : { regions, ofStores: list.ofStores };
}

/**
 * Asks each restarted member itself, once the others report it healthy: before that its process may not serve yet. A
 * member that does not answer is not ready. That does not make PD as a whole unreachable.
 */
export async function askReadyMembers(
    client: PdClient,
    restarted: readonly ObservedPod[],
    health: Fact<readonly PdMemberHealth[]>,
    { now }: PartLook,
): Promise<Fact<string[]>> {
    if (!health.known) {
        return health;
    }
    const at = now();
    const healthy = health.value.filter((member) => member.healthy).map(({ name }) => name);
    const asked = restarted.filter((pod) =>
        healthy.some((name) => name === pod.name || name.startsWith(`${pod.name}.`)),
    );
    const answers = await Promise.allSettled(
        asked.map(async (pod) => ((await client.memberReady(pod.name)) ? pod.name : undefined)),
    );
    const ready = answers.flatMap((answer) => (answer.status === "fulfilled" && answer.value ? [answer.value] : []));
    return known(ready, "PD's members", at);
}

export async function askMicroservice(
    client: PdClient,
    service: Microservice,
    id: ClusterId,
): Promise<ObservedMicroservice> {
    const [servers, primary] = await Promise.all([client.serviceMembers(service), client.servicePrimary(service)]);
    const toServer = (address: string) => ({ address, podName: podOfServer(address, service, id) });
    return {
        servers: servers.map(({ name, address }) => ({ name, ...toServer(address) })),
        primary: primary === undefined ? undefined : toServer(primary),
    };
}

export async function askPumps(client: PdClient, id: ClusterId): Promise<ObservedPump[]> {
    return (await client.pumps()).map((pump) => observePump(pump, id));
}

export async function askLocks(client: PdClient, id: ClusterId): Promise<ObservedPdLocks> {
    const [key, tasks] = await Promise.all([readLockKey(client), client.maintenanceTasks()]);
    const holder = key && readPdLockHolder(key.value);
    return {
        key: key && {
            name: pdLockKey,
            holder: holder?.holder ?? `an unknown holder of ${pdLockKey} in PD's etcd`,
            operation: holder?.operation ?? key.value.slice(0, 80),
            own: holder?.namespace === id.namespace && holder.cluster === id.cluster,
            expires: key.leaseId !== undefined,
        },
        tasks: tasks.map((task) => ({
            name: `${task.type}/${task.id}`,
            description: task.description,
            own: isOwnTask(task, id),
        })),
    };
}

/** Reads the key of this package's lock. A PD that does not serve etcd over HTTP cannot be locked by it. */
async function readLockKey(client: PdClient) {
    try {
        return await client.readKey(pdLockKey);
    } catch (error) {
        if (error instanceof PdError && error.code === "PD_NO_GATEWAY") {
            return undefined;
        }
        throw error;
    }
}

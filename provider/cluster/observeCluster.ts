import type { Component } from "../../topology/members";
import { type Fact, notAsked, notKnown } from "../lifecycle/vocabulary/evidence";
import { type LookOptions, membersToRead } from "../lifecycle/vocabulary/look";
import {
    noRecords,
    type Observation,
    type ObservedHeartbeats,
    type ObservedMember,
    type ObservedPod,
    unreachablePd,
    unknownPd,
} from "../lifecycle/vocabulary/observation";
import type { RunningBackup } from "../lifecycle/vocabulary/runningBackup";
import type { Captures } from "./captures";
import { steadyNow } from "./clock";
import type { Asked } from "./gatePorts";
import type { LeadershipTracker } from "./leadershipTracker";
import { type LeaseView, readLease } from "./leaseView";
import type { ObservedApi } from "./observedApi";
import { askPd, type PdLook } from "./observePd";
import { isBadAnswer } from "./pdQueries";
import type { OnlineSettings } from "./onlineSettings";
import type { PdConnection } from "./pdConnection";
import type { PodPage, PodStatusPages } from "./podStatus";
import type { ReadyTracker } from "./readyTracker";
import type { RootPassword } from "./rootPassword";
import type { TidbLabels } from "./tidbLabels";
import type { TidbUpgrade } from "./tidbUpgrade";
import type { TikvStatus } from "./tikvStatus";
import type { ClusterId } from "./clusterId";

/** What an observation asks besides the API server. */
export interface Observers {
    pd: Pick<PdConnection, "ask" | "forget" | "canAskMembers">;
    watch: LeadershipTracker;
    ready: ReadyTracker;
    tikv: Pick<TikvStatus, "keepOnly" | "ownLeaders" | "heartbeats">;
    statusPages: Pick<PodStatusPages, "ask">;
    captures: Pick<Captures, "observe">;
    rootPassword: Pick<RootPassword, "observe">;
    settings: Pick<OnlineSettings, "observe">;
    tidbUpgrade: Pick<TidbUpgrade, "read">;
    tidbLabels: Pick<TidbLabels, "read">;
    /** @returns the backups of the cluster that run. @throws KubernetesApiError if the API server does not say it. */
    backups(this: void): Promise<RunningBackup[]>;
}

/** What this process makes of the Lease. */
export interface LeaseReader {
    /** Which other run operates the cluster. */
    operatedBy(this: void, lease: LeaseView): string | undefined;
    /** Who asked this process to stop. */
    stopRequest(this: void, lease: LeaseView | undefined): string | undefined;
}

type Members = Partial<Record<Component, ObservedMember>>;

/**
 * Observes the cluster. Kubernetes is read first, because what else to ask depends on it.
 * @throws KubernetesApiError if the API server does not answer
 */
export async function observeCluster(
    options: LookOptions,
    api: ObservedApi,
    id: ClusterId,
    observers: Observers,
    reader: LeaseReader,
    now: () => number = steadyNow,
    tellAsked?: (asked: Asked) => void,
): Promise<Observation> {
    const { ready } = observers;
    const at = now();
    tellAsked?.("the API server");
    const [read, lease] = await Promise.all([
        api.readMembers(id, membersToRead(options), options.claimTemplates ?? {}, now, options),
        readLease(api, id.namespace, id.cluster),
    ]);
    tellAsked?.("others");
    const tracked = read.map((member) => ({ ...member, pods: member.pods.map((pod) => ready.track(pod, at)) }));
    const asked = tracked.filter(({ component }) => options.components.includes(component));
    const members: Members = Object.fromEntries(asked.map((member) => [member.component, member]));
    const tikv = tracked.find(({ component }) => component === "tikv");
    const { asks = [], status, ownLeadersOf = [] } = options;
    const [pd, ownLeaders, pages, captures, rootPassword, tidbUpgrade, tidbServers, backups] = await Promise.all([
        observePd(options, members, id, lease, observers, now),
        askTikv(ownLeadersOf, members.tikv, observers),
        status.length > 0
            ? observers.statusPages.ask(read.filter(({ component }) => status.includes(component)))
            : undefined,
        asks.includes("captures") && members.ticdc ? observers.captures.observe(members.ticdc) : undefined,
        asks.includes("password-secret")
            ? observers.rootPassword.observe(asks.includes("root-login") ? (members.tidb?.pods ?? []) : undefined)
            : undefined,
        asks.includes("upgrade-state") && members.tidb ? observers.tidbUpgrade.read(members.tidb.pods) : undefined,
        asks.includes("server-labels") && members.tidb ? observers.tidbLabels.read(members.tidb.pods) : undefined,
        options.backups ? observers.backups() : undefined,
    ]);
    // Not beside the questions to PD: PD's settings are asked over the same connection, which those may open anew.
    const settings =
        options.settings &&
        (await observers.settings.observe(options.settings, members[options.settings.component], lease?.records));
    return {
        cluster: id.cluster,
        members,
        ...ofLease(lease, reader),
        ...pd,
        heartbeats: await askHeartbeats(options, tikv, pd, observers),
        ownLeaders,
        ...(pages ? ofPages(pages) : {}),
        captures,
        rootPassword,
        ...(settings ? { settings } : {}),
        ...(tidbUpgrade ? { tidbUpgrade } : {}),
        ...(tidbServers ? { tidbServers } : {}),
        ...(backups ? { backups } : {}),
        ...(api.mayLag ? { mayLag: true } : {}),
        now: now(),
    };
}

function ofPages(pages: Readonly<Record<string, PodPage>>): Pick<Observation, "podStatus" | "podVersions"> {
    const versions = Object.entries(pages).flatMap(([pod, { version }]) =>
        version === undefined ? [] : [[pod, version]],
    );
    return {
        podStatus: Object.fromEntries(Object.entries(pages).map(([pod, { trouble }]) => [pod, trouble])),
        ...(versions.length === 0 ? {} : { podVersions: Object.fromEntries(versions) as Record<string, string> }),
    };
}

/** @returns what an observation has from the Lease. */
export function ofLease(
    lease: LeaseView | undefined,
    { operatedBy, stopRequest }: LeaseReader,
): Pick<Observation, "records" | "pdClusterId" | "approvals" | "stopRequest" | "isPaused" | "notes" | "operatedBy"> {
    return {
        records: lease?.records ?? noRecords(),
        pdClusterId: lease?.pdClusterId,
        approvals: lease?.approvals && { ...lease.approvals, asOf: lease.asOf },
        stopRequest: stopRequest(lease),
        operatedBy: lease && operatedBy(lease),
        ...(lease?.isPaused ? { isPaused: true } : {}),
        ...(lease?.members ? { notes: lease.members } : {}),
    };
}

type PdObservation = Pick<Observation, "pd" | "pdTrouble">;

async function observePd(
    { pd: parts, regions, revisions }: LookOptions,
    { pd: pdMember }: Members,
    id: ClusterId,
    lease: LeaseView | undefined,
    { pd, watch }: Observers,
    now: () => number,
): Promise<PdObservation> {
    if (parts.length === 0 && regions === undefined) {
        return { pd: unknownPd() };
    }
    const update = pdMember?.statefulSet?.updateRevision;
    // Where the program takes an update back, the pods that it had not reached are the ones that need no restart.
    const isRestarted = (pod: ObservedPod) => revisions === "needed" || pod.revision === update;
    const restarted = pdMember?.pods.filter((pod) => pod.ready && !pod.terminating && isRestarted(pod));
    const look: PdLook = {
        parts,
        regions,
        id,
        restarted: pd.canAskMembers ? restarted : undefined,
        // A cluster without a Lease is not a new one: the Lease is created before everything else.
        isFirstDeployment: lease !== undefined && lease.pdClusterId === undefined,
        watch,
        now,
    };
    try {
        const { pd: seen, badAnswer } = await pd.ask((client) => askPd(client, look), pdMember?.pods);
        return badAnswer ? { pd: seen, pdTrouble: { why: badAnswer.message, isFinal: true } } : { pd: seen };
    } catch (error) {
        watch.reset();
        pd.forget();
        return unreachablePd((error as Error).message, isBadAnswer(error));
    }
}

/** @returns how many leaders the stores of these pods say that they have. */
export function askTikv(
    names: readonly string[],
    tikv: ObservedMember | undefined,
    observers: { readonly tikv: Pick<TikvStatus, "keepOnly" | "ownLeaders"> },
): Promise<Record<string, Fact<number>>> | Record<string, Fact<number>> {
    if (!tikv) {
        return Object.fromEntries(
            names.map((name) => [name, notKnown(`the pods of TiKV were not read, and ${name} is one of them`)]),
        );
    }
    observers.tikv.keepOnly(tikv.pods);
    return observers.tikv.ownLeaders(names, tikv.pods);
}

/** Asks how often stores report to PD: how long PD's leader must have led depends on it. Asked only with the leadership. */
function askHeartbeats(
    { pd: parts }: LookOptions,
    tikv: ObservedMember | undefined,
    { pd }: PdObservation,
    observers: Observers,
): Promise<Fact<ObservedHeartbeats>> | Fact<ObservedHeartbeats> {
    if (!tikv || !parts.includes("leadership")) {
        return notAsked;
    }
    // If the stores are not known, some may belong to others.
    const hasForeign = !pd.stores.known || pd.stores.value.some(({ own, engine }) => !own && engine === "tikv");
    return observers.tikv.heartbeats(tikv.pods, hasForeign);
}

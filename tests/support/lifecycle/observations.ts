import { type Fact, known, notAsked, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { FixedClaim, StatefulSetManifest } from "../../../provider/lifecycle/vocabulary/fixedFields";
import { emptyMemory } from "../../../provider/lifecycle/vocabulary/memory";
import { type LeaderLimits, limitsInWords } from "../../../provider/lifecycle/vocabulary/leaderLimits";
import { inWords, setsInWords } from "../../../provider/lifecycle/vocabulary/settings";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import {
    noRecords,
    type Observation,
    type ObservedCaptures,
    type ObservedClaim,
    type ObservedHeartbeats,
    type ObservedLeadership,
    type ObservedPd,
    type ObservedPdLocks,
    type ObservedPdMember,
    type ObservedPlacement,
    type ObservedPod,
    type ObservedRecovery,
    type ObservedRegion,
    type ObservedStore,
    type RegionStatus,
    unreachablePd,
} from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy, type GatePolicy, type MemberTarget } from "../../../provider/lifecycle/vocabulary/target";
import type { Component } from "../../../topology/members";

/** The time of every observation. */
export const now = 1_700_000_000_000;
/** The creation time of everything in an observation: an hour earlier. */
export const longAgo = now - 3_600_000;

/** How a row's cluster deviates from a healthy one with three PD, four TiKV and two TiDB pods, none of them stale. */
export interface Deviation {
    replicas?: number;
    /** The replicas of the live StatefulSet. */
    live?: number;
    /** The ordinals whose pods still run the old revision. */
    stale?: number[];
    pods?: Record<number, Partial<ObservedPod> | undefined>;
    claims?: ObservedClaim[];
    /** Those of the live StatefulSet. Default: none. */
    claimTemplates?: FixedClaim[];
    /** Ordinals beyond the live replicas whose pods are still stopping. */
    leavingPods?: number[];
    settled?: boolean;
    unhealthy?: number[];
    notReadyMembers?: number[];
    /** Ordinals that have pods but are not members of PD. */
    notMembers?: number[];
    /** PD's leader: the ordinal of its pod, or its name as PD lists it; null for none. Default: pod 0. */
    leader?: number | string | null;
    stores?: Record<number, Partial<ObservedStore> | undefined>;
    moreStores?: ObservedStore[];
    tombstones?: ObservedStore[];
    evicted?: number[];
    /** Stores that PD evicts by itself, because they are slow. */
    slow?: number[];
    /** PD does not report which these are. */
    isSlowUnreported?: boolean;
    /** The counts of PD's gauge; null if its lines are absent. Default: all zero. */
    regions?: Partial<RegionStatus> | null;
    /** Regions listed with a missing, down or pending peer. Default: not requested. */
    shortRegions?: ObservedRegion[];
    /** Regions of stores. Default: not requested. */
    regionsOf?: { stores: number[]; regions: ObservedRegion[] };
    /** PD's unsafe recovery. Default: none. */
    recovery?: Partial<ObservedRecovery>;
    /** PD's mark snapshot-recovering. Default: not requested. */
    mark?: boolean;
    maxReplicas?: number;
    /** `schedule.low-space-ratio` of PD. Default: not known. */
    lowSpaceRatio?: number;
    /** PD's location labels. Default: none. */
    locationLabels?: string[];
    /** Default: disabled. */
    rules?: ObservedPlacement["rules"];
    /** How PD's leadership deviates from one held for an hour; null if it is not known. */
    leadership?: Partial<ObservedLeadership> | null;
    /** Stores whose eviction PD keeps in its etcd; null if that cannot be read. Default: those that it lists. */
    persisted?: number[] | null;
    /** Leaders that stores report, by ordinal; null if the store does not answer. Default: not requested. */
    ownLeaders?: Record<number, number | null>;
    heartbeats?: ObservedHeartbeats;
    /** The backups that run; null if they were not requested. Default: none runs. */
    backups?: Observation["backups"] | null;
    /** PD's limits of moving leaders; null if PD did not report them. Default: not requested. */
    limits?: LeaderLimits | null;
    /** Parts of PD's state that are not known. */
    unknown?: (keyof ObservedPd)[];
    /** Parts of PD's state that were not requested. */
    notAsked?: (keyof ObservedPd)[];
    /** Additional PD members. */
    moreMembers?: ObservedPdMember[];
    records?: Observation["records"];
    /** TiDB's servers with their labels. Default: not requested. */
    tidbServers?: Observation["tidbServers"];
    tidb?: Record<number, string>;
    /** TiFlash stores, if the target is TiFlash: like `stores`. */
    tiflash?: Record<number, Partial<ObservedStore> | undefined>;
    /** TiFlash replicas of a table; null if PD did not report them. Default: 1. */
    tiflashReplicas?: number | null;
    /** What unhealthy pods report about themselves. */
    trouble?: Record<number, string>;
    /** The ordinal of a microservice's primary. Null if there is none. Default: 0. */
    primary?: number | null;
    /** The ordinals of a microservice that PD does not list. */
    notRegistered?: number[];
    /** Whether a microservice's servers have no names, as before version 8.3.0. */
    nameless?: boolean;
    /** The pump's state by ordinal. Null if there is none. Default: online. */
    pumps?: Record<number, string | null>;
    podManagementPolicy?: string;
    /** How TiCDC deviates from a healthy one, in which all captures are known and pod 0 is the owner. */
    captures?: Partial<ObservedCaptures> & { owner?: number | null };
    /** Version that the pods should run. */
    version?: string;
    /** Who holds PD's own locks. Default: nobody. */
    locks?: Partial<ObservedPdLocks>;
    pdSilent?: boolean;
    /** Whether the server that answers is not a PD. */
    pdIsNone?: boolean;
    policy?: Partial<GatePolicy>;
}

/** The default number of pods by member; any other member has two. */
const sizes = { pd: 3, tikv: 4, ticdc: 3 };

/** The stores of pods 0, 1, 2, 3 have the ids 10, 11, 12, 13. */
export function storeOf(ordinal: number, more: Partial<ObservedStore> = {}): ObservedStore {
    return {
        id: 10 + ordinal,
        podName: `basic-tikv-${ordinal}`,
        address: `basic-tikv-${ordinal}.basic-tikv-peer.tidb.svc:20160`,
        own: true,
        engine: "tikv",
        state: "Up",
        labels: {},
        leaderCount: { reported: 500 },
        regionCount: 1500,
        lastHeartbeat: now - 1000,
        startedAt: longAgo,
        pendingPeers: 0,
        ...more,
    };
}

/** The TiFlash stores of pods 0 and 1 have the ids 20 and 21. */
export function tiflashStoreOf(ordinal: number, more: Partial<ObservedStore> = {}): ObservedStore {
    const pod = { id: 20 + ordinal, podName: `basic-tiflash-${ordinal}`, engine: "tiflash" } as const;
    return storeOf(ordinal, { ...pod, leaderCount: { reported: 0 }, labels: { engine: "tiflash" }, ...more });
}

/** The domain under which PD knows the pods of a cluster whose `spec.clusterDomain` was changed. */
const formerDomain = "old.example";
const slowStores = "evict-slow-store-scheduler";

/** The store of the pod, as PD lists it once the cluster has another domain. */
export function movedStoreOf(ordinal: number, more: Partial<ObservedStore> = {}): ObservedStore {
    const podName = `basic-tikv-${ordinal}`;
    const address = `${podName}.basic-tikv-peer.tidb.svc.${formerDomain}:20160`;
    return storeOf(ordinal, { address, own: false, otherDomain: { podName, domain: formerDomain }, ...more });
}

/** The member of the pod, with the id that it has in an observation, as PD lists it once the cluster has another domain. */
export function movedMemberOf(ordinal: number, more: Partial<ObservedPdMember> = {}): ObservedPdMember {
    const podName = `basic-pd-${ordinal}`;
    const name = `${podName}.basic-pd-peer.tidb.svc.${formerDomain}`;
    const otherDomain = { podName, domain: formerDomain };
    return { name, memberId: String(100 + ordinal), healthy: true, otherDomain, ...more };
}

/** A record of our eviction of store 10 + ordinal. */
export function evicting(ordinal: number, more: object = {}): Observation["records"] {
    const record = { pod: `basic-tikv-${ordinal}`, begunAt: now - 60_000, leadersBefore: 500, ...more };
    return { evictions: { [10 + ordinal]: record }, removals: {} };
}

/** Records with limits of PD that were raised for pod 3. Default: the limit that a run has raised from 4 to 64. */
export function raised(
    limits: NonNullable<Observation["records"]["raisedLimits"]>["limits"] = {
        "leader-schedule-limit": { before: 4, to: 64, isSet: true },
    },
    records: Observation["records"] = noRecords(),
): Observation["records"] {
    return { ...records, raisedLimits: { begunAt: now - 60_000, pod: "basic-tikv-3", limits } };
}

/** @returns the observation of a healthy cluster with the row's deviation, and the target of its member */
export function observed(component: Component, row: Deviation): { observation: Observation; target: MemberTarget } {
    const live = row.live ?? row.replicas ?? (sizes as Partial<Record<Component, number>>)[component] ?? 2;
    const target: MemberTarget = {
        component,
        replicas: row.replicas ?? live,
        templateRevision: "new-template",
        version: row.version,
        // Tables of other rules are about PD's own rate.
        policy: { ...defaultPolicy, evictionWindow: false, ...row.policy },
    };
    const ordinals = range(live);
    const members = range(component === "pd" ? live : sizes.pd).filter((one) => !row.notMembers?.includes(one));
    const stores = range(component === "tikv" ? live : sizes.tikv);
    const observation: Observation = {
        now,
        cluster: "basic",
        ...(row.backups === null ? {} : { backups: row.backups ?? [] }),
        heartbeats: row.heartbeats ? known(row.heartbeats, "basic-tikv-0", now) : notKnown("no store was asked"),
        ownLeaders: Object.fromEntries(
            Object.entries(row.ownLeaders ?? {}).map(([one, count]) => [
                `basic-tikv-${one}`,
                count === null ? notKnown("it does not answer") : known(count, `basic-tikv-${one}`, now),
            ]),
        ),
        members: {
            [component]: {
                component,
                statefulSet: {
                    name: `basic-${component}`,
                    uid: `set-${component}`,
                    terminating: false,
                    replicas: live,
                    updateRevision: "new",
                    settled: row.settled ?? true,
                    templateRevision: "new-template",
                    fixed: {
                        podManagementPolicy: row.podManagementPolicy ?? "Parallel",
                        serviceName: "",
                        claims: row.claimTemplates ?? [],
                    },
                    ...(row.claimTemplates ? { manifest: manifestOf(row.claimTemplates) } : {}),
                },
                pods: [
                    ...ordinals.flatMap((ordinal) => podOf(component, ordinal, row) ?? []),
                    ...(row.leavingPods ?? []).flatMap(
                        (ordinal) => podOf(component, ordinal, { pods: { [ordinal]: { terminating: true } } }) ?? [],
                    ),
                ],
                claims: row.claims ?? [],
            },
        },
        pd: pdOf(component, row, ordinals, members, stores),
        records: row.records ?? noRecords(),
        podStatus: Object.fromEntries(
            ordinals.map((one) => [`basic-${component}-${one}`, row.trouble?.[one] ?? row.tidb?.[one] ?? null]),
        ),
        captures: capturesOf(ordinals, row.captures),
        ...(row.tidbServers ? { tidbServers: row.tidbServers } : {}),
    };
    const silence = row.pdIsNone ? unreachablePd("a web server answers", true) : unreachablePd("PD answers 500");
    return { observation: row.pdSilent || row.pdIsNone ? { ...observation, ...silence } : observation, target };
}

function manifestOf(claims: readonly FixedClaim[]): StatefulSetManifest {
    const templates = claims.map(({ name, storage }) => ({
        metadata: { name },
        spec: { resources: { requests: { storage } } },
    }));
    return { spec: { volumeClaimTemplates: templates } };
}

function pdOf(
    component: Component,
    row: Deviation,
    ordinals: number[],
    members: number[],
    stores: number[],
): ObservedPd {
    const fromPd = <T>(value: T): Fact<T> => known(value, "PD", now);
    const listed = [
        ...stores.flatMap((one) => listedStore(row.stores, one, storeOf)),
        ...(component === "tiflash" ? ordinals : []).flatMap((one) => listedStore(row.tiflash, one, tiflashStoreOf)),
        ...(row.moreStores ?? []),
    ];
    const evicted = row.evicted ?? [];
    const pd: ObservedPd = {
        clusterId: notAsked,
        members: fromPd([
            ...members.map((one) => ({
                name: `basic-pd-${one}`,
                memberId: String(100 + one),
                podName: `basic-pd-${one}`,
                healthy: !row.unhealthy?.includes(one),
            })),
            ...(row.moreMembers ?? []),
        ]),
        leader: fromPd(leaderOf(row)),
        leadership:
            row.leadership === null
                ? notKnown("PD has no leader")
                : fromPd({
                      leader: `basic-pd-${row.leader ?? 0}`,
                      term: "7",
                      heldFor: 3_600_000,
                      since: longAgo,
                      isSteady: true,
                      hasSchedulers: true,
                      regionCount: listed.reduce((sum, { leaderCount }) => sum + leaderCount.reported, 0),
                      ...row.leadership,
                  }),
        readyMembers: fromPd(
            members.filter((one) => !row.notReadyMembers?.includes(one)).map((one) => `basic-pd-${one}`),
        ),
        stores: fromPd(listed),
        tombstones: fromPd(row.tombstones ?? []),
        storeDownTime: fromPd(1_800_000),
        placement: fromPd({
            maxReplicas: row.maxReplicas ?? 3,
            ...(row.lowSpaceRatio === undefined ? {} : { lowSpaceRatio: row.lowSpaceRatio }),
            ...(row.locationLabels ? { locationLabels: row.locationLabels } : {}),
            rules: row.rules ?? (row.tiflashReplicas === null ? [] : [tiflashRule(row.tiflashReplicas ?? 1)]),
        }),
        locationLabels: fromPd(row.locationLabels ?? []),
        evictedStores:
            row.leadership?.hasSchedulers === false ? notKnown("PD has not loaded its schedulers") : fromPd(evicted),
        ownEvictions: fromPd({
            evictions: (row.slow ?? []).map((storeId) => ({ storeId, scheduler: slowStores, recoverySeconds: 1800 })),
            unreported: row.isSlowUnreported ? [slowStores] : [],
        }),
        persistedEvictions:
            row.persisted === null ? notKnown("PD's etcd cannot be read") : fromPd(row.persisted ?? evicted),
        leaderLimits:
            row.limits === undefined
                ? notAsked
                : row.limits === null
                  ? notKnown("PD did not answer")
                  : fromPd(row.limits),
        regionStatus:
            row.regions === null
                ? notKnown("PD's gauge has no lines")
                : fromPd({ missPeer: 0, downPeer: 0, pendingPeer: 0, ...row.regions }),
        shortRegions: row.shortRegions
            ? fromPd({ regions: row.shortRegions })
            : row.regionsOf
              ? fromPd({ regions: row.regionsOf.regions, ofStores: row.regionsOf.stores })
              : notAsked,
        unsafeRecovery: fromPd({ stage: "none", report: "No on-going recovery.", ...row.recovery }),
        snapshotRecovering: row.mark === undefined ? notAsked : fromPd(row.mark),
        pumps: fromPd(
            ordinals
                .filter((one) => row.pumps?.[one] !== null)
                .map((one) => ({
                    nodeId: `basic-pump-${one}:8250`,
                    podName: `basic-pump-${one}`,
                    own: true,
                    state: row.pumps?.[one] ?? "online",
                })),
        ),
        locks: fromPd({ tasks: [], ...row.locks }),
        microservices: {
            [component]: fromPd({
                servers: ordinals
                    .filter((one) => !row.notRegistered?.includes(one))
                    .map((one) => ({
                        name: row.nameless ? "" : `basic-${component}-${one}`,
                        ...serverOf(component, one),
                    })),
                primary: row.primary === null ? undefined : serverOf(component, row.primary ?? 0),
            }),
        },
    };
    const unknown = (row.unknown ?? []).map((part) => [part, notKnown("PD did not answer")]);
    const skipped = (row.notAsked ?? []).map((part) => [part, notAsked]);
    return { ...pd, ...(Object.fromEntries([...unknown, ...skipped]) as Partial<ObservedPd>) };
}

function leaderOf({ leader = 0 }: Deviation): string | undefined {
    return typeof leader === "number" ? `basic-pd-${leader}` : (leader ?? undefined);
}

function listedStore(
    rows: Deviation["stores"],
    ordinal: number,
    make: (ordinal: number, more?: Partial<ObservedStore>) => ObservedStore,
): ObservedStore[] {
    return rows && ordinal in rows && !rows[ordinal] ? [] : [make(ordinal, rows?.[ordinal])];
}

/** The rule that TiDB writes for a table with this number of TiFlash replicas. */
function tiflashRule(count: number): NonNullable<ObservedPlacement["rules"]>[number] {
    const constraints = [{ key: "engine", op: "in" as const, values: ["tiflash"] }];
    return { group: "tiflash", id: "table-1-r", role: "learner", count, constraints, startKey: "a", endKey: "b" };
}

function capturesOf(ordinals: number[], { owner = 0, ...more }: NonNullable<Deviation["captures"]> = {}) {
    return {
        byPod: Object.fromEntries(
            ordinals.map((one) => [`basic-ticdc-${one}`, { id: `capture-${one}`, version: "v8.5.3" }]),
        ),
        list: ordinals.map((one) => ({ id: `capture-${one}`, isOwner: one === owner })),
        tablesLeft: {},
        ...more,
    };
}

function serverOf(component: Component, ordinal: number): { address: string; podName: string } {
    const podName = `basic-${component}-${ordinal}`;
    return { address: `http://${podName}.basic-${component}-peer.tidb.svc:2379`, podName };
}

function podOf(component: Component, ordinal: number, row: Deviation): ObservedPod | undefined {
    const more = row.pods?.[ordinal];
    if (row.pods && ordinal in row.pods && more === undefined) {
        return undefined;
    }
    return {
        name: `basic-${component}-${ordinal}`,
        ordinal,
        uid: `uid-${ordinal}`,
        resourceVersion: "1",
        container: known({ is: "running", startedAt: longAgo }, "the API server", now),
        revision: row.stale?.includes(ordinal) ? "old" : "new",
        ready: true,
        readySince: longAgo,
        createdAt: longAgo,
        terminating: false,
        ...more,
    };
}

function range(count: number): number[] {
    return Array.from({ length: count }, (_, index) => index);
}

/** @returns a short description of the move: `restart basic-pd-2`, `wait other-stores-up basic-tikv-3`, `done`, … A failure has its code. */
export function inShort(move: Move): string {
    switch (move.kind) {
        case "done":
            return "done";
        case "look":
            return `look ${JSON.stringify(move.at).replace(/[{}"]/g, "")}`;
        case "wait":
            return `wait ${move.step} ${move.target}`;
        case "fail": {
            const { code, step, target } = move.problem;
            return `fail ${step} ${target}${code === step ? "" : ` [${code}]`}`;
        }
        case "act": {
            const { action } = move;
            switch (action.do) {
                case "delete-pod":
                    return `restart ${action.pod}`;
                case "transfer-leader":
                    return `transfer-leader to ${action.to}`;
                case "transfer-primary":
                    return `transfer-primary of ${action.service} to ${action.to}`;
                case "remove-member":
                    return `remove-member ${action.member}`;
                case "note-pd":
                    return `note-pd ${action.clusterId}`;
                case "note-version":
                    return `note-version ${action.version} ${action.claims.map((claim) => claim.name).join(" ")}`;
                case "start-upgrade":
                case "finish-upgrade":
                case "begin-shutdown":
                case "forget-shutdown":
                case "resign-owner":
                case "drain-capture":
                case "close-pump":
                    return `${action.do} ${action.pod}`;
                case "forget-removal":
                    return `forget-removal ${action.of}`;
                case "forget-remake":
                    return `forget-remake ${action.name}`;
                case "remake-stateful-set":
                    return `recreate ${action.becomes.name}`;
                case "modify-claims":
                    return `modify ${action.claims.map(({ name, to }) => `${name} ${to}`).join(" ")}`;
                case "grow-claims":
                    return `grow ${action.claims.map(({ name, to }) => `${name} ${to}`).join(" ")}`;
                case "release-claims":
                case "keep-claims":
                case "delete-claims":
                    return `${action.do} ${action.claims.map((claim) => claim.name).join(" ")}`;
                case "mark-outdated":
                    return action.claims.map(({ name, parts }) => `${parts.join("+") || "no"} mark ${name}`).join(", ");
                case "end-replacement":
                    return `end-replacement ${action.component}`;
                case "set-reclaim-policy":
                    return `set-reclaim-policy ${action.policy} ${action.claims.map(({ name }) => name).join(" ")}`;
                case "set-replicas":
                case "add-spares":
                    return `${action.do} ${action.from.name} ${action.replicas}`;
                case "forget-upgrade":
                    return action.do;
                case "give-replicas-back":
                    return `give-replicas-back ${action.from.name}`;
                case "delete-stateful-set":
                    return `delete-stateful-set ${action.name}`;
                case "make-password-secret":
                case "set-password":
                    return `${action.do} ${action.secret}`;
                case "note-password":
                    return `note-password ${action.how}`;
                case "set-settings":
                    return `set ${setsInWords(action.sets)}`;
                case "set-store-labels":
                case "set-server-labels":
                    return `label ${action.sets.map(({ pod, labels }) => `${pod} ${inWords(labels)}`).join("; ")}`;
                case "note-failure":
                case "count-replacement":
                    return `${action.do} ${action.pod}`;
                case "forget-failures":
                    return `forget-failures ${action.pods.join(" ")}`;
                case "raise-limits":
                case "put-back-limits":
                    return `${action.do} ${limitsInWords(action.changes)}`;
                case "begin-batch":
                    return `begin-batch ${Object.keys(action.stores).join(" ")}`;
                case "forget-batch":
                    return `forget-batch ${action.pods.join(" ")}`;
                case "forget-limits":
                    return action.do;
                case "forget-settings":
                    return `forget-settings ${action.component}`;
                case "note-lost-volumes":
                case "forget-lost-volumes":
                    return `${action.do} ${action.pod}`;
                case "remove-failed-stores":
                case "forget-recovery":
                case "note-recovery-finished":
                    return `${action.do} ${action.stores.join(" ")}`;
                case "begin-eviction":
                case "end-eviction":
                case "note-eviction-gone":
                case "forget-eviction":
                case "remove-store":
                case "bring-store-back":
                    return `${action.do} ${action.storeId}`;
            }
        }
    }
}

/** A claim of the pod with that ordinal. */
export function claimOf(component: Component, ordinal: number, more: Partial<ObservedClaim> = {}): ObservedClaim {
    const name = `${component}-basic-${component}-${ordinal}`;
    const identity = { name, uid: `claim-${ordinal}`, resourceVersion: "1" };
    return { ...identity, ordinal, released: false, terminating: false, ...more };
}

export { emptyMemory };

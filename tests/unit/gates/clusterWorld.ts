import type { LeaseView } from "../../../provider/cluster/leaseNotes";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import type { GatePorts, HeldLock } from "../../../provider/cluster/gatePorts";
import { known, notAsked, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { StepNeeds } from "../../../provider/lifecycle/vocabulary/lock";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import {
    noRecords,
    nothingObserved,
    type Observation,
    type ObservedMember,
    unknownPd,
} from "../../../provider/lifecycle/vocabulary/observation";
import { type ClusterOwner, describeRefusals } from "../../../provider/lifecycle/vocabulary/ownership";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { type Component, components } from "../../../topology/members";
import { memberName } from "../../../topology/names";
import { type Deviation, now, observed } from "../../support/lifecycle/observations";
import { grantedAccess } from "../../support/gates/grantedAccess";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { ofCluster } from "../../support/gates/worldOf";
import { refusedAt } from "../../support/gates/refusedAt";
import type { Notice } from "../../../provider/lifecycle/vocabulary/notices";

export const owner: ClusterOwner = {
    stack: "acme/shop/prod",
    urn: "urn:pulumi:prod::shop::tidb:index:TidbCluster::basic",
    name: "basic",
    namespace: "tidb",
};
export const other: ClusterOwner = { ...owner, stack: "acme/shop/copy" };

/** A cluster behind ports: what is seen of it, and what was done with it, in order. */
export interface ClusterWorld extends GateWorld {
    /** Members as they are seen; one that is not here is not there. */
    live: Partial<Record<Component, Deviation & { suspended?: boolean }>>;
    lease: LeaseView | undefined;
    /** The backups that run. Default: none. */
    backups?: Observation["backups"];
    /** Why Kubernetes cannot be asked. */
    failure?: Error;
    /** Until when somebody else has the lock. */
    heldUntil: number;
    /** What an action changes in what is seen. */
    changes(action: Action): void;
    /** Told of each step that asks whether the lock is still held. */
    confirmed(needs: StepNeeds): void;
    done: string[];
    looks: LookOptions[];
    warnings: Notice[];
    time: number;
}

export function clusterWorld(more: Partial<ClusterWorld> = {}): ClusterWorld {
    const world: ClusterWorld = {
        live: { pd: {}, tikv: {}, tidb: {} },
        lease: leaseOf(),
        heldUntil: 0,
        changes: () => undefined,
        confirmed: () => undefined,
        done: [],
        looks: [],
        warnings: [],
        time: now,
        plans: new Map(),
        progress: () => progress,
        tryAccess: () => Promise.resolve(),
        open: () => Promise.resolve(ports),
        ...more,
    };
    const progress = {
        info: (message: string) => void world.done.push(message),
        warn: (notice: Notice) => void world.warnings.push(notice),
        status: () => undefined,
        note: () => undefined,
    };
    const lock: HeldLock = {
        confirmHeld: (needs) => Promise.resolve(world.confirmed(needs)),
        noteOwner: (noted, domain = "", sqlEndpoint = world.lease?.sqlEndpoint) =>
            change(
                { owner: noted, domain, ...(sqlEndpoint === undefined ? {} : { sqlEndpoint }) },
                `owner ${noted?.stack}`,
            ),
        noteMembers: (noted) =>
            change({ members: noted, isPaused: undefined }, `members ${Object.keys(noted ?? {}).join(" ")}`),
        describe: () => undefined,
        keepRecords: (records) => change({ records }, "records"),
        takeConsent: () => Promise.reject(new Error("this gate needs no consent")),
        release: () => Promise.resolve(void world.done.push("release")),
    };
    const change = (what: Partial<LeaseView>, said: string): Promise<void> => {
        world.lease = { ...world.lease!, ...what };
        world.done.push(said);
        return Promise.resolve();
    };
    const ports: GatePorts = {
        now: () => world.time,
        sleep: (milliseconds) => Promise.resolve(void (world.time += milliseconds)),
        lease: () => (world.failure ? Promise.reject(world.failure) : Promise.resolve(world.lease)),
        look: (options) => {
            world.looks.push(options);
            return world.failure ? Promise.reject(world.failure) : Promise.resolve(seen(world, options));
        },
        perform: (action) => {
            world.done.push(action.do);
            scaled(world, action);
            world.changes(action);
            return Promise.resolve();
        },
        tryLock: () => {
            if (world.time < world.heldUntil) {
                return Promise.resolve({ heldBy: "ben@build", operation: "roll out", expiresAt: world.heldUntil });
            }
            world.done.push("lock");
            return Promise.resolve({ lock });
        },
        noteApprovalWait: () => Promise.reject(new Error("this gate needs no consent")),
        noteFirstRevision: () => Promise.reject(new Error("this gate needs no consent")),
        notePause: () => change({ isPaused: true }, "pause"),
        access: grantedAccess,
        journal: noJournal,
        progress,
    };
    return world;
}

/** The StatefulSet's controller removes and makes pods as it is told to. */
function scaled(world: ClusterWorld, action: Action): void {
    const component = components.find(
        (one) => action.do === "set-replicas" && action.from.name === memberName("basic", one),
    );
    if (action.do === "set-replicas" && component !== undefined) {
        world.live[component] = { ...world.live[component], live: action.replicas };
    }
}

/** Has the cluster answer otherwise through some of its ports. */
export function changePorts(world: GateWorld, change: (ports: GatePorts) => Partial<GatePorts>): void {
    const { open } = world;
    world.open = async (...how) => {
        const ports = await open(...how);
        return { ...ports, ...change(ports) };
    };
}

/** Somebody has set a member's number of replicas by hand, until a gate sets it or takes the field over. @param by the field manager; null: nobody has. */
export function scaledByHand(world: ClusterWorld, component: Component, by: string | null = "kubectl"): void {
    let scaledBy = by ?? undefined;
    const { changes } = world;
    world.changes = (action) => {
        changes(action);
        scaledBy = action.do === "set-replicas" || action.do === "give-replicas-back" ? undefined : scaledBy;
    };
    changePorts(world, ({ look }) => ({
        look: async (...how) => {
            const seen = await look(...how);
            const member = seen.members[component];
            const statefulSet = member?.statefulSet && {
                ...member.statefulSet,
                ...(scaledBy === undefined ? {} : { scaledBy }),
            };
            return member ? { ...seen, members: { ...seen.members, [component]: { ...member, statefulSet } } } : seen;
        },
    }));
}

/** @returns as what the lock was asked for, in order. */
export function watchLocks(world: GateWorld): string[] {
    const said: string[] = [];
    changePorts(world, ({ tryLock }) => ({
        tryLock: (lease, what) => {
            said.push(what);
            return tryLock(lease, what);
        },
    }));
    return said;
}

export function leaseOf(more: Partial<LeaseView> = {}): LeaseView {
    const members = { pd: { replicas: 3 }, tikv: { replicas: 4 }, tidb: { replicas: 2 } };
    return {
        uid: "lease-1",
        resourceVersion: "1",
        lock: {},
        records: noRecords(),
        owner,
        members,
        domain: "",
        ...more,
    };
}

function seen(
    world: ClusterWorld,
    { components, pd, status, ownLeadersOf = [], backups, asks }: LookOptions,
): Observation {
    const rows = components.map((component) => [component, world.live[component]] as const);
    const members = rows.map(([component, row]): ObservedMember => {
        const member = row && observed(component, row).observation.members[component];
        return row?.suspended
            ? { component, pods: [], claims: member?.claims ?? [] }
            : (member ?? { component, pods: [], claims: [] });
    });
    const first = components[0] ?? (world.live.tikv && "tikv");
    const asked = pd.length > 0 && first ? observed(first, world.live[first] ?? {}).observation : undefined;
    return {
        ...nothingObserved("basic", world.time),
        members: Object.fromEntries(members.map((member) => [member.component, member])),
        pd: asked
            ? {
                  ...asked.pd,
                  ...(pd.includes("stores") ? {} : { stores: notAsked, notKnown }),
                  leaderLimits:
                      pd.includes("leader-limits") && asked.pd.leaderLimits === notAsked
                          ? notKnown("PD did not answer")
                          : asked.pd.leaderLimits,
              }
            : unknownPd(),
        pdTrouble: asked?.pdTrouble,
        ownLeaders: (ownLeadersOf.length > 0 && asked?.ownLeaders) || {},
        podStatus:
            status.length === 0
                ? undefined
                : (Object.assign(
                      {},
                      ...status.map((one) => observed(one, world.live[one] ?? {}).observation.podStatus),
                  ) as Observation["podStatus"]),
        ...(backups ? { backups: world.backups ?? [] } : {}),
        // Without a row about them, TiDB lists no server.
        tidbServers: world.live.tidb?.tidbServers ?? known([], "basic-tidb-0", world.time),
        ...(asks?.includes("upgrade-state")
            ? { tidbUpgrade: known({ state: "normal", pod: "basic-tidb-0", uid: "uid-0" }, "basic-tidb-0", world.time) }
            : {}),
        captures: first && observed(first, world.live[first] ?? {}).observation.captures,
        records: world.lease?.records ?? noRecords(),
        pdClusterId: world.lease?.pdClusterId,
        ...(world.lease?.approvals ? { approvals: world.lease.approvals } : {}),
        ...(world.lease?.isPaused ? { isPaused: true } : {}),
        ...(world.lease?.members ? { notes: world.lease.members } : {}),
    };
}

/** What the program tells the gate of a cluster with PD, TiKV and TiDB. */
export function told(more: Record<string, unknown> = {}): Record<string, unknown> {
    return {
        ...ofCluster,
        policy: defaultPolicy,
        owner,
        deployed: { name: "basic", namespace: "tidb" },
        components: ["pd", "tikv", "tidb"],
        memberReplicas: { pd: 3, tikv: 4, tidb: 2 },
        unused: {},
        gate: "cluster",
        statusUrn: "urn",
        ...more,
    };
}

/** What Pulumi's state has after an update that asked for this. */
export function deployed(more: Record<string, unknown> = {}): Record<string, unknown> {
    return { ...told(more), replicas: 0, plan: [], deferred: "" };
}

/** Plans as the cluster's gate does, and keeps its warnings. @returns also the fields and objects that are refused, and the words. */
export async function checked(world: ClusterWorld, news: object, olds: Record<string, unknown> = deployed()) {
    const { inputs, refused, warnings } = await createClusterGate(world).planOf(olds, told({ ...news }));
    world.warnings.push(...warnings);
    return {
        inputs,
        plan: inputs.plan as string[],
        refused: refused && refusedAt(refused),
        why: describeRefusals(refused ?? []),
    };
}

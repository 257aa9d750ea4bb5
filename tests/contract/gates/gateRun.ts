import { setTimeout as pause } from "node:timers/promises";
import { Captures } from "../../../provider/cluster/captures";
import { steadyNow, sleepAwareClock } from "../../../provider/cluster/clock";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { ReadyTracker } from "../../../provider/cluster/readyTracker";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import type { Observers } from "../../../provider/cluster/observeCluster";
import { MaintenanceTask, maintenanceTaskId } from "../../../provider/cluster/maintenanceTask";
import { PdConnection } from "../../../provider/cluster/pdConnection";
import { PdGuards } from "../../../provider/cluster/pdGuards";
import { PdLock } from "../../../provider/cluster/pdLock";
import type { Performers } from "../../../provider/cluster/perform";
import { ClusterSession } from "../../../provider/cluster/session";
import { SharedLock } from "../../../provider/cluster/sharedLock";
import { TikvStatus } from "../../../provider/cluster/tikvStatus";
import { createGate } from "../../../provider/gates/gate";
import type { GateProgramInputs } from "../../../provider/gates/inputs";
import type { GatePorts, Progress } from "../../../provider/cluster/gatePorts";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import type { Action } from "../../../provider/lifecycle/vocabulary/move";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import * as client from "../../../provider/pd";
import type { PlayedPods } from "./playedPods";
import type { PlayedTikv } from "./playedTikv";
import type { ClusterId } from "../../../provider/cluster/clusterId";
import type { PdAccess } from "../../../provider/cluster/pdAccess";
import type { Gate } from "../../../provider/gates/gateDefinition";

/** What a gate runs on, and who runs it. */
export interface GateRunOptions {
    readonly id: ClusterId;
    /** As the locks show it: a process of its own. */
    readonly holder: string;
    /** Addresses of PD's members. */
    readonly members: readonly string[];
    readonly pods: PlayedPods;
    readonly tikv: PlayedTikv;
    readonly progress: Progress;
    /** Told of each action right before it is taken; it is taken once this has settled. */
    readonly before: (action: Action) => Promise<void>;
}

/** A rollout of TiKV by the real gate, with everything that a process has of its own. */
export interface GateRun {
    /** Settled when the gate has ended. Never for one that was killed. */
    readonly ended: Promise<void>;
    /** As kill -9 of its process: nothing that it asks is answered any more, and nothing more is sent. */
    kill(): void;
}

/** Starts the gate's effect, as an update of Pulumi's does. */
export function startGate(options: GateRunOptions): GateRun {
    const { id, pods, members } = options;
    const lifeline = new Lifeline();
    const ports = sessionOf(options, lifeline).ports(options.progress);
    const watched: GatePorts = {
        ...ports,
        perform: async (action) => {
            await options.before(action);
            await ports.perform(action);
        },
    };
    const gate: Gate = createGate(rolloutGateDefinition, {
        plans: new Map(),
        progress: () => options.progress,
        tryAccess: () => Promise.resolve(),
        open: () => Promise.resolve(watched),
    });
    const inputs: GateProgramInputs = {
        ...id,
        access: {},
        leaseUid: pods.lease.lease.metadata!.uid!,
        pd: pdAccess(id, members),
        component: "tikv",
        desiredReplicas: pods.revisions.length,
        policy: defaultPolicy,
        fixed: { podManagementPolicy: "Parallel", serviceName: `${id.cluster}-tikv-peer`, claims: [] },
        gate: "tikv-rollout",
        statusUrn: "",
    };
    const news = { ...inputs, replicas: inputs.desiredReplicas, plan: ["restart"], deferred: "" };
    return { ended: gate.update("", {}, news).then(() => undefined), kill: () => lifeline.cut() };
}

function pdAccess({ namespace, cluster, instance }: ClusterId, members: readonly string[]): PdAccess {
    return { namespace, cluster, instance, tls: false, address: members.join(",") };
}

/** A session as provider/cluster/session.ts assembles it, with played pods for Kubernetes and a holder of its own. */
function sessionOf({ id, holder, pods, tikv, members }: GateRunOptions, lifeline: Lifeline): ClusterSession {
    const api = lifeline.calls(pods.api);
    const connection = new PdConnection(api, notPlayed, pdAccess(id, members), notPlayed, () => client);
    const pd = {
        ask: lifeline.call<PdConnection["ask"]>((call) => connection.ask(call)),
        forget: () => connection.forget(),
        canAskMembers: connection.canAskMembers,
    };
    const sleepAwareNow = sleepAwareClock();
    const pdLock = new PdLock(pd, { holder, namespace: id.namespace, cluster: id.cluster }, sleepAwareNow);
    const guards = new PdGuards(pdLock, new MaintenanceTask(maintenanceTaskId(id), pd));
    const pages = {
        keepOnly: () => undefined,
        call: lifeline.call(async (pod: { name: string }, { path }: { path: string }) => {
            await Promise.resolve();
            return tikv.page(pods.storeOf(pod.name), path);
        }),
    };
    const observers: Observers = {
        pd,
        watch: new LeadershipTracker(),
        ready: new ReadyTracker(),
        tikv: new TikvStatus(pages, steadyNow),
        statusPages: notPlayed,
        backups: () => Promise.resolve([]),
        captures: new Captures(notPlayed),
        rootPassword: notPlayed,
        settings: notPlayed,
        tidbUpgrade: notPlayed,
    };
    const performers: Performers = {
        api,
        pd,
        microservices: notPlayed,
        captures: notPlayed,
        pumps: notPlayed,
        rootPassword: notPlayed,
        settings: notPlayed,
        tidbUpgrade: notPlayed,
    };
    const lock = new SharedLock(api, id, guards, holder, steadyNow, sleepAwareNow);
    const session = Object.create(ClusterSession.prototype) as ClusterSession;
    // Nobody watches, reviews permissions or reads a journal here: each look asks everything.
    const watch = { changes: 0, sleep: (milliseconds: number) => pause(milliseconds) };
    const reads = { for: () => api };
    const journal = { port: () => noJournal };
    const access = notPlayed;
    Object.assign(session, { api, id, observers, performers, lock, sleepAwareNow, watch, reads, journal, access });
    return session;
}

/** Stands for what a rollout of TiKV asks nobody of. */
const notPlayed = new Proxy({} as never, {
    get: (_, property) => {
        throw new Error(`${String(property)} is not played: a rollout of TiKV was expected not to ask for it`);
    },
});

/** Leads from one process to the world, until it is cut. */
class Lifeline {
    private isCut = false;

    cut(): void {
        this.isCut = true;
    }

    /** @returns the call; once the line is cut it neither begins nor returns. */
    call<Call extends (...args: never[]) => Promise<unknown>>(call: Call): Call {
        const led = async (...args: never[]) => {
            await this.whileThere();
            try {
                return await call(...args);
            } finally {
                await this.whileThere();
            }
        };
        return led as Call;
    }

    calls(api: KubernetesApi): KubernetesApi {
        const names = Object.keys(api) as (keyof KubernetesApi)[];
        return Object.fromEntries(names.map((name) => [name, this.call(api[name] as never)])) as never;
    }

    private whileThere(): Promise<void> {
        return this.isCut ? new Promise(() => undefined) : Promise.resolve();
    }
}

import { setTimeout as pause } from "node:timers/promises";
import { Captures } from "../../../provider/cluster/captures";
import { steadyNow, sleepAwareClock } from "../../../provider/cluster/clock";
import type { ClusterId } from "../../../provider/cluster/clusterId";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { ReadyTracker } from "../../../provider/cluster/readyTracker";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import type { Observers } from "../../../provider/cluster/observeCluster";
import { MaintenanceTask, maintenanceTaskId } from "../../../provider/cluster/maintenanceTask";
import type { PdAccess } from "../../../provider/cluster/pdAccess";
import { PdConnection } from "../../../provider/cluster/pdConnection";
import { PdGuards } from "../../../provider/cluster/pdGuards";
import { PdLock } from "../../../provider/cluster/pdLock";
import type { Performers } from "../../../provider/cluster/perform";
import { ClusterSession } from "../../../provider/cluster/session";
import { SharedLock } from "../../../provider/cluster/sharedLock";
import { TikvStatus } from "../../../provider/cluster/tikvStatus";
import * as client from "../../../provider/pd";

export function pdAccess({ namespace, cluster, instance }: ClusterId, members: readonly string[]): PdAccess {
    return { namespace, cluster, instance, tls: false, address: members.join(",") };
}

/** What a session runs on, and who runs it. */
export interface PlayedSession {
    readonly id: ClusterId;
    /** As the locks show it: a process of its own. */
    readonly holder: string;
    /** Addresses of PD's members. */
    readonly members: readonly string[];
    readonly api: KubernetesApi;
    /** What the status port of a TiKV pod answers. */
    readonly page: (pod: string, path: string) => { status: number; text: string };
}

/** A session as provider/cluster/session.ts assembles it, with a played Kubernetes and a holder of its own. */
export function sessionOf(
    { id, holder, api: played, page, members }: PlayedSession,
    lifeline: Lifeline,
): ClusterSession {
    const api = lifeline.calls(played);
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
            return page(pod.name, path);
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
        tidbLabels: notPlayed,
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
        tidbLabels: notPlayed,
    };
    const lock = new SharedLock(api, id, guards, holder, steadyNow, sleepAwareNow);
    const session = Object.create(ClusterSession.prototype) as ClusterSession;
    // Nobody watches, reviews permissions or reads a journal here: each look asks everything.
    const watch = { changes: 0, known: () => undefined, sleep: (milliseconds: number) => pause(milliseconds) };
    const reads = { for: () => api };
    const journal = { port: () => noJournal };
    const access = notPlayed;
    Object.assign(session, { api, id, observers, performers, lock, sleepAwareNow, watch, reads, journal, access });
    return session;
}

/** Stands for what nobody is asked for. */
const notPlayed = new Proxy({} as never, {
    get: (_, property) => {
        throw new Error(`${String(property)} is not played: it was expected not to be asked for`);
    },
});

/** Leads from one process to the world, until it is cut. */
export class Lifeline {
    private isCut = false;

    cut(): void {
        this.isCut = true;
    }

    /** @returns the call; once the line is cut it neither begins nor returns. @param guard throws if it must not be sent. */
    call<Call extends (...args: never[]) => Promise<unknown>>(call: Call, guard: () => void = () => undefined): Call {
        const led = async (...args: never[]) => {
            await this.whileThere();
            guard();
            try {
                return await call(...args);
            } finally {
                await this.whileThere();
            }
        };
        return led as Call;
    }

    calls(api: KubernetesApi, guard?: () => void): KubernetesApi {
        const names = Object.keys(api) as (keyof KubernetesApi)[];
        const led = Object.fromEntries(names.map((name) => [name, this.call(api[name] as never, guard)]));
        return { ...led, guardedBy: (check: () => void) => this.calls(api, check) } as never;
    }

    private whileThere(): Promise<void> {
        return this.isCut ? new Promise(() => undefined) : Promise.resolve();
    }
}

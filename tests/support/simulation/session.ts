import { sleepAwareClock } from "../../../provider/cluster/clock";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import { noteApprovalWait, noteFirstRevision, notePause } from "../../../provider/cluster/leaseNotes";
import { readLease } from "../../../provider/cluster/leaseView";
import { type LeaseReader, observeCluster, type Observers } from "../../../provider/cluster/observeCluster";
import { NarrowLooks } from "../../../provider/cluster/narrowLooks";
import { ObservationAge } from "../../../provider/cluster/observationAge";
import { MaintenanceTask, maintenanceTaskId } from "../../../provider/cluster/maintenanceTask";
import { PdGuards } from "../../../provider/cluster/pdGuards";
import { PdLock } from "../../../provider/cluster/pdLock";
import { perform, type Performers } from "../../../provider/cluster/perform";
import { ReadyTracker } from "../../../provider/cluster/readyTracker";
import { type GuardedLock, SharedLock } from "../../../provider/cluster/sharedLock";
import { UnchangedReads } from "../../../provider/cluster/watch/unchangedReads";
import { TikvStatus } from "../../../provider/cluster/tikvStatus";
import type { GatePorts, HeldLock } from "../../../provider/cluster/gatePorts";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import { noteAction } from "./faults";
import { createModelKubernetesApi } from "./kubernetesApi";
import { createModelPdClient } from "./pdClient";
import type { SimulatedProcess } from "./process";
import { createModelPages } from "./statusPages";
import { at } from "./truth";
import { createModelWatch } from "./watch";
import type { Kubernetes, World } from "./world";
import type { ClusterId } from "../../../provider/cluster/clusterId";
import { grantedAccess } from "../gates/grantedAccess";

/** What a run of the model did. */
export interface RunActivity {
    actions: number;
    messages: string[];
}

/**
 * @returns the ports for the gates of one process: the real locks, looks and requests of `provider/cluster`, on the
 * model's Kubernetes, PD and stores. The process can be interrupted at each change of the world.
 */
export function createModelSession(
    world: World,
    cluster: Kubernetes,
    process: SimulatedProcess,
    activity: RunActivity,
): () => GatePorts {
    const { namespace, name, domain } = cluster;
    const id: ClusterId = { namespace, cluster: name, instance: name, domain };
    const api = createModelKubernetesApi(world, cluster, process);
    const client = createModelPdClient(world, process);
    const pd: Observers["pd"] & Performers["pd"] = {
        ask: (call) => call(client),
        forget: () => undefined,
        canAskMembers: cluster.key === "ours",
    };
    const reads = new UnchangedReads(api, createModelWatch(world, cluster));
    const { holder } = process;
    const sleepAwareNow = sleepAwareClock(process.now, process.wall, process.up);
    const pdLock = new PdLock(pd, { holder, namespace, cluster: name }, sleepAwareNow);
    const guards = new PdGuards(pdLock, new MaintenanceTask(maintenanceTaskId(id), pd));
    const shared = new SharedLock(api, id, guards, holder, process.now, sleepAwareNow);
    const pages = createModelPages(world, cluster, process);
    const none = {} as never;
    const observers: Observers = {
        pd,
        watch: new LeadershipTracker(),
        ready: new ReadyTracker(),
        tikv: new TikvStatus(pages.tikv, process.now),
        statusPages: pages.status,
        backups: () => Promise.resolve([]),
        captures: none,
        rootPassword: none,
        settings: none,
        tidbUpgrade: pages.tidbUpgrade,
        tidbLabels: pages.tidbLabels,
    };
    const performers: Performers = {
        api,
        pd,
        microservices: none,
        captures: none,
        pumps: none,
        rootPassword: none,
        settings: none,
        tidbUpgrade: pages.tidbUpgrade,
        tidbLabels: pages.tidbLabels,
    };
    return () => {
        const age = new ObservationAge(sleepAwareNow);
        // With few stores, about as long as with 1,000.
        const narrow = new NarrowLooks(pd, id, process.now, 10_000);
        const leaseReader: LeaseReader = {
            operatedBy: (one) => shared.operatedBy(one),
            stopRequest: () => shared.stopRequest({ stopRequest: process.isStopRequested ? { by: "ben" } : undefined }),
        };
        let held: GuardedLock | undefined;
        let usedEarlierAnswers = false;
        return {
            now: process.now,
            sleep: (milliseconds) => process.sleep(milliseconds),
            lease: () => readLease(api, namespace, name),
            look: (options, lag) => {
                const isCloser = lag?.isCloser === true;
                const look = async () => {
                    const began = world.now;
                    const reading = reads.for(options, lag !== undefined && !isCloser);
                    const seen =
                        (await narrow.look(options, lag?.endedBy, reading, leaseReader)) ??
                        narrow.keep(
                            options,
                            reading,
                            await observeCluster(options, reading, id, observers, leaseReader, process.now),
                        );
                    process.lookedAt = began;
                    usedEarlierAnswers = reading.mayLag === true;
                    process.lookHadPd = seen.pd.stores.known || seen.pd.members.known;
                    return seen;
                };
                return age.measure(look, isCloser ? () => narrow.closer(options, observers) : undefined);
            },
            perform: (action) =>
                process.change(() => {
                    activity.actions += 1;
                    noteAction(world, action.do);
                    world.log.push(`${at(world)} ${holder} ${JSON.stringify(action)}`);
                    if (usedEarlierAnswers) {
                        world.violations.push(`${action.do} was decided from earlier answers`);
                    }
                    if (!held) {
                        throw new Error("the lock is not held");
                    }
                    const lock = held;
                    const assertMay = () => {
                        lock.assertFresh();
                        age.assertRecent(lock.needs.usesPd);
                    };
                    return perform(action, performers, id, lock, assertMay);
                }),
            tryLock: async (lease, operation) => {
                const answer = await process.change(() => shared.tryTake(lease, operation));
                if (!("lock" in answer)) {
                    return answer;
                }
                held = answer.lock;
                return { lock: interruptible(answer.lock, process) };
            },
            noteApprovalWait: (of, wait) =>
                process.change(() =>
                    noteApprovalWait(api, namespace, name, { by: holder, of }, wait, () => process.now()),
                ),
            noteFirstRevision: (component, first) =>
                process.change(() => noteFirstRevision(api, namespace, name, component, first)),
            notePause: () => process.change(() => notePause(api, namespace, name)),
            access: grantedAccess,
            journal: noJournal,
            progress: {
                info: (message) => activity.messages.push(`info ${message}`),
                warn: ({ message }) => activity.messages.push(`warn ${message}`),
                status: (message) => activity.messages.push(`status ${message}`),
                note: (message) => activity.messages.push(`note ${message}`),
            },
        };
    };
}

/** The lock, with its writes as changes at which a run can be interrupted. */
function interruptible(lock: HeldLock, process: SimulatedProcess): HeldLock {
    return {
        ...lock,
        keepRecords: (records) => process.change(() => lock.keepRecords(records)),
        takeConsent: (...taken) => process.change(() => lock.takeConsent(...taken)),
        release: () => process.change(() => lock.release()),
    };
}

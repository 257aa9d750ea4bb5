import type { ClusterName } from "../provider/cluster/controllerCalls";
import { renewEveryMilliseconds } from "../provider/lifecycle/vocabulary/lock";
import { ClusterWorker, type WorkerPorts } from "./clusterWorker";
import type { Leadership } from "./leadership";

/** How often the controller looks for clusters that have come or gone. */
const findEveryMilliseconds = 30_000;
/** If the loop has not run for so long, the process is unhealthy; if no renewal was answered for so long, it is not ready. */
const silentAfterMilliseconds = 60_000;

/** A namespace whose clusters the controller looks after; undefined: all namespaces. */
export type WatchedNamespace = string | undefined;

/** @returns the clusters to look after. @param only the only ones of their namespaces; of a namespace without one, all. */
export function watchedOf(found: readonly ClusterName[], only: readonly ClusterName[]): ClusterName[] {
    return found.filter(({ namespace, cluster }) => {
        const names = only.filter((one) => one.namespace === namespace);
        return names.length === 0 || names.some((one) => one.cluster === cluster);
    });
}

/** What the controller uses. */
export interface ControllerPorts extends WorkerPorts {
    readonly leadership: Pick<Leadership, "isLeader" | "renew" | "release">;
    /** Each is listed for itself: one that cannot be listed does not hide the others. */
    readonly namespaces: readonly WatchedNamespace[];
    findClusters(namespace: WatchedNamespace): Promise<readonly ClusterName[]>;
    /** Pauses; ends early when the controller is asked to stop. */
    sleep(milliseconds: number): Promise<void>;
    /** Whether the controller was asked to stop. */
    isStopped(): boolean;
}

/** A controller: looks at every cluster again and again while it leads. */
export class Controller {
    private readonly loops = new Map<string, Promise<void>>();
    private readonly workers = new Map<string, ClusterWorker>();
    private readonly found = new Map<WatchedNamespace, readonly ClusterName[]>();
    private wanted = new Map<string, ClusterName>();
    private aliveAt: number;
    private renewedAt: number;
    private readonly lastProblems = new Map<string, string>();
    private wasLeader = false;

    constructor(private readonly ports: ControllerPorts) {
        this.aliveAt = ports.now();
        this.renewedAt = ports.now();
    }

    /** Why the process should be restarted; undefined if it works. An API server that does not answer is no reason. */
    unhealthy(): string | undefined {
        const seconds = Math.round((this.ports.now() - this.aliveAt) / 1000);
        return seconds * 1000 > silentAfterMilliseconds ? `the loop has not run for ${seconds} s` : undefined;
    }

    /** Why it cannot do its work yet; undefined if it can, also if another controller leads. */
    unready(): string | undefined {
        if (this.found.size === 0) {
            return "the clusters have not been listed yet";
        }
        const seconds = Math.round((this.ports.now() - this.renewedAt) / 1000);
        return seconds * 1000 > silentAfterMilliseconds
            ? `the controller's Lease could be neither read nor renewed for ${seconds} s`
            : undefined;
    }

    /** Runs until it is asked to stop. Rounds that have begun are waited for. */
    async run(): Promise<void> {
        const { sleep, isStopped, leadership, now } = this.ports;
        let foundAt = -Infinity;
        while (!isStopped()) {
            this.aliveAt = now();
            const isRenewed = await this.attempt("renew", () => leadership.renew());
            this.renewedAt = isRenewed ? now() : this.renewedAt;
            this.tellLeadership();
            if (isRenewed && now() - foundAt >= findEveryMilliseconds) {
                await this.find();
                foundAt = this.found.size > 0 ? now() : foundAt;
            }
            this.begin();
            await sleep(renewEveryMilliseconds);
        }
        await Promise.all(this.loops.values());
        await leadership.release();
    }

    /** @returns whether it succeeded. A problem is told once, until it changes or ends. */
    private async attempt(what: string, work: () => Promise<void>): Promise<boolean> {
        try {
            await work();
            this.lastProblems.delete(what);
            return true;
        } catch (error) {
            const { message } = error as Error;
            if (message !== this.lastProblems.get(what)) {
                this.ports.log.error(message);
            }
            this.lastProblems.set(what, message);
            return false;
        }
    }

    /** A namespace that cannot be listed keeps the clusters that were found in it last. */
    private async find(): Promise<void> {
        const { namespaces, findClusters, log } = this.ports;
        await Promise.all(
            namespaces.map((namespace) =>
                this.attempt(`find ${namespace ?? ""}`, async () => {
                    this.found.set(namespace, await findClusters(namespace));
                }),
            ),
        );
        const before = this.wanted;
        this.wanted = new Map([...this.found.values()].flat().map((name) => [keyOf(name), name]));
        for (const [key, name] of this.wanted) {
            if (!before.has(key)) {
                log.info("found this cluster", { ...name });
            }
        }
        for (const [key, name] of before) {
            if (!this.wanted.has(key)) {
                log.info("this cluster is gone", { ...name });
                this.forget(key, name);
            }
        }
    }

    private forget(key: string, name: ClusterName): void {
        this.workers.delete(key);
        this.ports.certificates?.rest(name);
        this.ports.metrics.forget(name);
    }

    private tellLeadership(): void {
        const { leadership, metrics, log } = this.ports;
        const { isLeader } = leadership;
        metrics.leads(isLeader);
        if (isLeader !== this.wasLeader) {
            log.info(isLeader ? "this controller leads" : "this controller no longer leads");
            this.wasLeader = isLeader;
        }
    }

    /** Begins a loop for each cluster that has none. A loop ends by itself when its cluster or the leadership is gone. */
    private begin(): void {
        if (!this.ports.leadership.isLeader) {
            return;
        }
        for (const [key, name] of this.wanted) {
            if (!this.loops.has(key)) {
                const loop = this.follow(key, name).finally(() => this.loops.delete(key));
                this.loops.set(key, loop);
            }
        }
    }

    private async follow(key: string, name: ClusterName): Promise<void> {
        const { sleep, random, pace, metrics } = this.ports;
        const worker = this.workers.get(key) ?? new ClusterWorker(name, this.ports);
        this.workers.set(key, worker);
        const isOver = (): boolean =>
            this.ports.isStopped() || !this.ports.leadership.isLeader || !this.wanted.has(key);
        // Clusters that are found together are not looked at together.
        await sleep(pace.every * random());
        while (!isOver()) {
            await sleep(await worker.round(isOver));
        }
        if (this.wanted.has(key)) {
            this.ports.certificates?.rest(name);
            metrics.rest(name);
        } else {
            // Its last round may have told Prometheus of it again.
            this.forget(key, name);
        }
    }
}

function keyOf({ namespace, cluster }: ClusterName): string {
    return `${namespace}/${cluster}`;
}

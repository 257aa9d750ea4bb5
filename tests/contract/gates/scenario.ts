import { setTimeout as pause } from "node:timers/promises";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import { leaseAnnotations } from "../../../topology/annotations";
import { type ElectionSample, takeSample } from "../pd/electionSample";
import { type RealPd, startPd } from "../pd/realPd";
import { type GateRun, type GateRunOptions, startGate } from "./gateRun";
import { PlayedPods } from "./playedPods";
import { type PlayedTikv, type PlayedTikvOptions, startTikv } from "./playedTikv";
import type { ClusterId } from "../../../provider/cluster/clusterId";

/** A cluster on the PD. */
export interface PlayedCluster {
    readonly id: ClusterId;
    readonly replicas: number;
    /** How many of its pods run the old revision. */
    readonly stale: number;
}

export const basic: ClusterId = { namespace: "tidb", cluster: "basic", instance: "basic" };
export const other: ClusterId = { namespace: "elsewhere", cluster: "other", instance: "other" };

/** An action that a gate took, and what PD said and the stores knew right before. */
export interface Taken {
    readonly by: string;
    readonly action: Action;
    /** Seconds since the scenario began. */
    readonly at: number;
    readonly sample: ElectionSample;
}

/** Three real PD members, played stores and their pods, and all that gates did on them. */
export class Scenario {
    readonly taken: Taken[] = [];
    readonly samples: ElectionSample[] = [];
    /** What a user would have read. */
    readonly told: string[] = [];
    private readonly runs: GateRun[] = [];
    private readonly began = performance.now();
    private isClosed = false;
    private failure: Error | undefined;
    private sampling: Promise<void> = Promise.resolve();

    private constructor(
        readonly pd: RealPd,
        readonly tikv: PlayedTikv,
        readonly pods: readonly PlayedPods[],
        private readonly clusters: readonly PlayedCluster[],
    ) {}

    static async begin(
        pdServer: string,
        clusters: readonly PlayedCluster[],
        tikvOptions: Omit<PlayedTikvOptions, "hosts">,
    ): Promise<Scenario> {
        const pd = await startPd(pdServer, 3);
        let tikv: PlayedTikv | undefined;
        try {
            tikv = await startTikv(pd, { ...tikvOptions, hosts: clusters.flatMap(hostsOf) });
            const pods: PlayedPods[] = [];
            let next = 1;
            for (const { id, replicas, stale } of clusters) {
                const stores = Array.from({ length: replicas }, () => next++);
                pods.push(new PlayedPods(id, stores, stale, tikv));
            }
            const annotations = { [leaseAnnotations.pdClusterId]: await pd.client.clusterId() };
            pods.forEach(({ lease }) => lease.patch({ metadata: { annotations } }));
            return new Scenario(pd, tikv, pods, clusters);
        } catch (error) {
            tikv?.close();
            await pd.close();
            throw error;
        }
    }

    /** Seconds since the scenario began. */
    get now(): number {
        return Math.round((performance.now() - this.began) / 100) / 10;
    }

    /** Starts a run of the gate on one of the clusters. @param before told of each action, as `GateRunOptions.before`. */
    run(holder: string, index = 0, before: GateRunOptions["before"] = () => Promise.resolve()): GateRun {
        const say = (kind: string) => (message: string) => this.told.push(`${this.now} ${holder} ${kind}: ${message}`);
        let last = "";
        const run = startGate({
            id: this.clusters[index].id,
            holder,
            members: this.pd.endpoints.map(({ url }) => url),
            pods: this.pods[index],
            tikv: this.tikv,
            progress: {
                info: say("info"),
                warn: ({ message }) => say("warn")(message),
                note: say("note"),
                status: (message) => {
                    const words = message.replace(/[\d.:]+/g, "#");
                    if (words !== last) {
                        last = words;
                        say("status")(message);
                    }
                },
            },
            before: async (action) => {
                await before(action);
                const at = this.now;
                this.taken.push({ by: holder, action, at, sample: await this.sample() });
            },
        });
        this.runs.push(run);
        run.ended.catch((error: Error) => {
            this.failure = error;
            say("fails")(error.message);
        });
        return run;
    }

    /** Compares what PD says with the truth about twice a second, until the scenario is closed. */
    keepSampling(): void {
        const work = async () => {
            while (!this.isClosed) {
                this.samples.push(await this.sample());
                await pause(400);
            }
        };
        this.sampling = work();
    }

    sample(): Promise<ElectionSample> {
        return takeSample({ client: this.pd.client, leaders: this.tikv.leaders }, this.now);
    }

    /** Waits for something. @throws Error where it does not come, or a run of the gate has failed. */
    async until<T>(what: string, find: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
        for (const end = performance.now() + 120_000; performance.now() < end;) {
            const found = await find();
            if (found) {
                return found;
            }
            if (this.failure) {
                throw this.failure;
            }
            await pause(50);
        }
        throw new Error(`${what}: not within 120 s`);
    }

    /** Waits until a store's eviction was begun and about a third of its leaders have gone. */
    async untilLeadersLeave(store: number): Promise<void> {
        await this.until(`leaders leave store ${store}`, () => {
            const begun = this.taken.find(({ action }) => action.do === "begin-eviction" && action.storeId === store);
            return begun && this.tikv.leaders()[store] < begun.sample.truth[store] * 0.7;
        });
    }

    async close(): Promise<void> {
        this.isClosed = true;
        this.runs.forEach((run) => run.kill());
        await this.sampling;
        this.tikv.close();
        await this.pd.close();
    }
}

function hostsOf({ id: { cluster, namespace }, replicas }: PlayedCluster): string[] {
    const service = `${cluster}-tikv-peer.${namespace}.svc`;
    return Array.from({ length: replicas }, (_, ordinal) => `${cluster}-tikv-${ordinal}.${service}`);
}

import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { createConnection, type Connection } from "mysql2/promise";
import type { SandboxOptions } from "pulumi-tidb-sandbox";
import type { PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import { assertOk, assertUnchanged, until } from "../e2e/expect";
import { version } from "./clusterSpec";
import { type Figures, showFigures } from "./figures";
import { type LivingPods, watchLivingPods } from "./livingPods";
import {
    type Answer,
    answerMilliseconds,
    type Ask,
    type LeadersAtStop,
    leadersByRaft,
    regionIds,
    stopsOf,
} from "./raftState";
import { isReady, openRealCluster, type RealCluster, whyNoRealCluster } from "./realCluster";
import { assertNothingLost, assertServed, type Bank, openBank, statementMilliseconds } from "./workload";

/** The cluster of a file of tests, once it is open. */
export interface RealSuite {
    readonly real: RealCluster;
    /** Undefined before the first deployment, and where TiDB is simulated. */
    readonly bank: Bank | undefined;
    /** Sends a GET request to any PD that is Ready. @throws unless it answers with JSON */
    pd<T>(path: string): Promise<T>;
    /** Sends a GET request to the status port of a TiKV. @throws unless it answers with JSON */
    tikv<T>(pod: string, path: string): Promise<T>;
    /** The pods of a component. */
    pods(component: string): Promise<k8s.V1Pod[]>;
    /** Connects to a TiDB that is Ready, as a Service does. @throws if none is */
    connect(): Promise<Connection>;
}

/** How a file of tests defines its tests. */
export interface RealTests {
    suite(): RealSuite;
    /** Deploys the cluster, opens the bank, and checks that leaders are counted right. */
    deployment(run: () => Promise<PulumiRun | void>): void;
    /** Runs an operation while clients work, and checks what they saw. @param stopped how many TiKVs it stops */
    operation(name: string, stopped: number, run: () => Promise<PulumiRun | void>): void;
}

/** What a file of tests needs. */
export interface RealSuiteOptions {
    namespace: string;
    sandbox?: SandboxOptions;
    /** Why it cannot run, where a real cluster is not enough. */
    whyNot?: string;
    /** Makes the namespace and what is in it before the first deployment. @returns how members with TLS are asked; undefined without TLS */
    open(real: RealCluster): Promise<Ask | undefined>;
}

const ports = { pd: 2379, status: 20180, sql: 4000 };

/** Describes tests on real processes, which are skipped and say why where there are none. */
export function describeOnRealCluster(
    title: string,
    { namespace, sandbox, whyNot, open }: RealSuiteOptions,
    define: (tests: RealTests) => void,
): void {
    const why = whyNoRealCluster() ?? whyNot;
    describe(`${title}${why === undefined ? "" : ` (${why})`}`, function () {
        this.timeout(1_200_000);
        const figures: Figures[] = [];
        const looks: LeadersAtStop[] = [];
        let real: RealCluster;
        let living: LivingPods;
        let bank: Bank | undefined;
        let secureAsk: Ask | undefined;

        before(async function () {
            if (why !== undefined) {
                this.skip();
            }
            real = await openRealCluster(sandbox);
            secureAsk = await open(real);
            living = await watchLivingPods(real.sandbox.kubeconfig, namespace, `${componentLabel}=tikv`);
            real.own?.processes?.beforeStop(look);
        });
        after(async () => {
            if (figures.length > 0) {
                showFigures(title, figures, { version, at: new Date().toISOString() });
            }
            await living?.stop();
            await real?.close();
        });
        define({ suite: () => ({ real, bank, pd, tikv, pods, connect }), deployment, operation });

        function deployment(run: () => Promise<PulumiRun | void>): void {
            it("a first deployment", async () => {
                const began = Date.now();
                const deployed = await run();
                if (deployed !== undefined) {
                    assertOk(deployed);
                }
                const seconds = since(began);
                figures.push({
                    operation: "first deployment",
                    seconds,
                    clients: undefined,
                    audit: undefined,
                    stops: real.own && stopsOf(await living.gone(), looks),
                });
                if (real.own !== undefined) {
                    // The processes share one machine, on which every store is slow now and then: PD would hold an operation for half an hour.
                    const scheduler = "/pd/api/v1/schedulers/evict-slow-store-scheduler";
                    assert.equal((await ask(await urlOfPd(scheduler), "DELETE")).status, 200);
                }
                if (real.own === undefined || (await real.reach(namespace, "demo-tidb-0", ports.sql)) !== undefined) {
                    bank = await openBank(connect);
                }
                const again = await run();
                if (again !== undefined) {
                    assertUnchanged(again);
                }
            });

            it("at rest, TiKVs lead as many regions as PD has, by the question that is asked at each stop", async () => {
                await until(
                    "all regions are led",
                    async () => {
                        const ids = regionIds(await ask(await urlOfPd("/pd/api/v1/regions")));
                        return (await leadersNow()) === ids.length ? true : undefined;
                    },
                    120_000,
                );
            });
        }

        function operation(name: string, stopped: number, run: () => Promise<PulumiRun | void>): void {
            it(name, async () => {
                const clients = bank?.serve();
                const earlier = new Set((await living.gone()).map(({ uid }) => uid));
                const looksBefore = looks.length;
                const began = Date.now();
                const [outcome] = await Promise.allSettled([run()]);
                const figure: Figures = {
                    operation: name,
                    seconds: since(began),
                    clients: await clients?.stop(),
                    audit: undefined,
                    stops: undefined,
                };
                figures.push(figure);
                const gone = (await living.gone()).filter(({ uid }) => !earlier.has(uid));
                if (real.own !== undefined) {
                    figure.stops = stopsOf(gone, looks);
                }
                figure.audit = await bank?.audit();
                if (outcome.status === "rejected") {
                    throw outcome.reason;
                }
                if (outcome.value !== undefined) {
                    assertOk(outcome.value);
                }
                if (figure.clients !== undefined && figure.audit !== undefined) {
                    assertServed(figure.clients);
                    assertNothingLost(figure.audit);
                }
                assert.equal(gone.length, stopped, `TiKVs that were stopped: ${gone.map(({ pod }) => pod).join(", ")}`);
                if (figure.stops !== undefined) {
                    assertLookedAt(looks.slice(looksBefore), gone);
                    assert.deepEqual(
                        figure.stops.filter(({ leaders }) => leaders !== 0),
                        [],
                        "no TiKV led a region when it was stopped",
                    );
                }
            });
        }

        async function look({ metadata }: k8s.V1Pod, address: string): Promise<void> {
            const { name: pod = "", uid = "", labels = {} } = metadata ?? {};
            if (labels[componentLabel] === "tikv") {
                const status = `${scheme()}://${address}:${ports.status}`;
                looks.push({ pod, uid, ...(await leadersByRaft(ask, await urlOfPd(""), status)) });
            }
        }

        async function leadersNow(): Promise<number> {
            const names = (await pods("tikv")).map(({ metadata }) => metadata?.name ?? "");
            const counts = names.map(async (name) => leadersByRaft(ask, await urlOfPd(""), await urlOfTikv(name, "")));
            return (await Promise.all(counts)).reduce((sum, { leaders }) => sum + leaders, 0);
        }

        function ask(...question: Parameters<Ask>): Promise<Answer> {
            return (secureAsk ?? plainAsk)(...question);
        }

        function scheme(): string {
            return secureAsk === undefined ? "http" : "https";
        }

        async function pods(component: string): Promise<k8s.V1Pod[]> {
            const all = await real.kubernetes.pods(namespace);
            return all.filter(({ metadata }) => metadata?.labels?.[componentLabel] === component);
        }

        async function urlOfPd(path: string): Promise<string> {
            const { host, port } = await until("a PD is Ready", async () => {
                const pod = (await pods("pd")).find(isReady);
                return pod && real.reach(namespace, pod.metadata?.name ?? "", ports.pd);
            });
            return `${scheme()}://${host}:${port}${path}`;
        }

        async function urlOfTikv(pod: string, path: string): Promise<string> {
            const at = await real.reach(namespace, pod, ports.status);
            return `${scheme()}://${at?.host}:${at?.port}${path}`;
        }

        async function pd<T>(path: string): Promise<T> {
            return json<T>(await urlOfPd(path));
        }

        async function tikv<T>(pod: string, path: string): Promise<T> {
            return json<T>(await urlOfTikv(pod, path));
        }

        async function json<T>(url: string): Promise<T> {
            const { status, body } = await ask(url);
            assert.equal(status, 200, `${url}: ${body.slice(0, 100)}`);
            return JSON.parse(body) as T;
        }

        async function connect(): Promise<Connection> {
            const ready = (await pods("tidb")).filter(isReady);
            const pod = ready[Math.floor(Math.random() * ready.length)];
            const at = await real.reach(namespace, pod?.metadata?.name ?? "", ports.sql);
            if (at === undefined) {
                throw new Error("no TiDB is Ready");
            }
            const connection = await createConnection({ ...at, user: "root", connectTimeout: statementMilliseconds });
            connection.on("error", () => undefined); // The statement that it interrupts reports it.
            return connection;
        }
    });
}

const componentLabel = "app.kubernetes.io/component";

async function plainAsk(...[url, method]: Parameters<Ask>): Promise<Answer> {
    const answer = await fetch(url, { method, signal: AbortSignal.timeout(answerMilliseconds) });
    return { status: answer.status, body: await answer.text() };
}

function assertLookedAt(looks: readonly LeadersAtStop[], gone: readonly { uid: string }[]): void {
    const uids = (all: readonly { uid: string }[]): string[] => all.map(({ uid }) => uid).sort();
    assert.deepEqual(uids(looks), uids(gone), "the TiKVs that were looked at are those that were stopped");
}

function since(began: number): number {
    return (Date.now() - began) / 1000;
}

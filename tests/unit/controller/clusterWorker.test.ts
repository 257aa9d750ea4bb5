import * as assert from "node:assert/strict";
import { ClusterWorker, type ControllerAction, type WorkerPorts } from "../../../controller/clusterWorker";
import { controllerLog } from "../../../controller/controllerLog";
import { ControllerMetrics } from "../../../controller/controllerMetrics";
import { NoSuchCluster } from "../../../provider/cluster/noSuchCluster";
import type { ClusterStatus } from "../../../status/clusterStatus";
import { pinnedWords } from "../../support/pinned";
import { healthy, now, statusOf } from "../status/seenCluster";
import { seriesOf } from "./seriesOf";

const name = { namespace: "tidb", cluster: "basic" };
const well = (): Promise<ClusterStatus> => Promise.resolve(statusOf(healthy({})));
const down = (): Promise<ClusterStatus> =>
    Promise.resolve(statusOf(healthy({ stores: { "basic-tikv-0": { state: "Down" } } })));
const fails = (message: string) => (): Promise<ClusterStatus> => Promise.reject(new Error(message));
const nothing = (): boolean => false;

/** A worker that reads what is given, look by look. */
function workerOf(
    reads: (() => Promise<ClusterStatus>)[],
    actions: ControllerAction[] = [],
    time: () => number = () => now,
) {
    const lines: string[] = [];
    const metrics = new ControllerMetrics(false);
    const ports: WorkerPorts = {
        read: () => (reads.length > 1 ? reads.shift() : reads[0])?.() ?? well(),
        actions,
        log: controllerLog(
            "text",
            (line) => lines.push(line.slice(line.indexOf(" ") + 1)),
            () => now,
        ),
        metrics,
        pace: { every: 10_000, longest: 300_000 },
        now: time,
        machineTime: () => now + 3_000,
        random: () => 0.5,
    };
    return { worker: new ClusterWorker(name, ports), lines, metrics };
}

const sweepOf = (act: ControllerAction["act"]): ControllerAction => ({ kind: "sweep", act });

const actionsOf = async (metrics: ControllerMetrics) =>
    seriesOf(await metrics.text(), "pulumi_tidb_cluster_actions_total");
const gone = () => Promise.reject(new NoSuchCluster("tidb", "basic", "https://k8s.example:6443"));

describe("a controller's worker for one cluster", () => {
    const told =
        (reads: (() => Promise<ClusterStatus>)[], act: ControllerAction["act"] = () => Promise.resolve([])) =>
        async () => {
            let time = now;
            const { worker, lines } = workerOf([...reads], [sweepOf(act)], () => time);
            for (let round = 0; round < reads.length; round += 1) {
                time += await worker.round(nothing);
            }
            return lines.join("\n");
        };
    let acted = 0;
    pinnedWords("controller-cluster", {
        "a store goes Down": told([well, well, down]),
        "a look fails, and succeeds again": told([fails("no answer"), fails("no answer"), well]),
        "an action fails, and succeeds again": told([well, well, well, well], () => {
            acted += 1;
            return acted === 1 ? Promise.reject(new Error("PD refused")) : Promise.resolve([]);
        }),
        "the cluster is destroyed": told([well, gone, gone]),
        "the cluster was never there": told([gone]),
    });

    it("tells the condition at the first look, and afterwards only what changes", async () => {
        const { worker, lines } = workerOf([well, well, down]);
        await worker.round(nothing);
        assert.equal(lines.splice(0).length, 1);
        await worker.round(nothing);
        assert.equal(lines.length, 0);
        await worker.round(nothing);
        assert.ok(lines.some((line) => line.includes("store 10 (basic-tikv-0)")));
    });

    it("does what else is due if one kind of action fails", async () => {
        const failing: ControllerAction = { kind: "failover", act: () => Promise.reject(new Error("403 for tikv")) };
        let swept = 0;
        const { worker, lines } = workerOf([well], [failing, sweepOf(() => Promise.resolve([`${(swept += 1)}`]))]);
        await worker.round(nothing);
        assert.equal(swept, 1);
        assert.ok(lines.includes("error tidb/basic: 403 for tikv"));
    });

    it("waits longer after each failure, and as usual after the next success", async () => {
        const { worker } = workerOf([fails("no answer"), fails("no answer"), well]);
        const waits = [await worker.round(nothing), await worker.round(nothing), await worker.round(nothing)];
        assert.deepEqual(waits, [20_000, 40_000, 10_000]);
    });

    it("looks earlier if something is due earlier, never later for that, and not for an action that failed", async () => {
        const dueIn = (...seconds: number[]) =>
            sweepOf((_name, _seen, _isInterrupted, lookAgainIn) => {
                seconds.forEach((one) => lookAgainIn(one));
                return Promise.resolve([]);
            });
        assert.equal(await workerOf([well], [dueIn(7), dueIn(3, 60)]).worker.round(nothing), 3_000);
        assert.equal(await workerOf([well], [dueIn(60)]).worker.round(nothing), 10_000);
        const failing = sweepOf((_name, _seen, _isInterrupted, lookAgainIn) => {
            lookAgainIn(3);
            return Promise.reject(new Error("403"));
        });
        assert.equal(await workerOf([well], [failing]).worker.round(nothing), 10_000);
    });

    it("does not put off a replacement that is due in 3 s because another kind of action keeps failing", async () => {
        let tried = 0;
        const due: ControllerAction = {
            kind: "failover",
            act: (_name, _seen, _isInterrupted, lookAgainIn) => {
                tried += 1;
                lookAgainIn(3);
                return Promise.resolve([]);
            },
        };
        const failing = sweepOf(() =>
            Promise.reject(new Error("nothing was removed, because not everything is known")),
        );
        const { worker } = workerOf([well], [failing, due]);
        for (let round = 0; round < 6; round += 1) {
            assert.equal(await worker.round(nothing), 3_000);
        }
        assert.equal(tried, 6);
    });

    it("tells a failure once, and its end", async () => {
        const { worker, lines } = workerOf([fails("no answer"), fails("no answer"), well]);
        await worker.round(nothing);
        await worker.round(nothing);
        assert.deepEqual(lines.splice(0), ["error tidb/basic: no answer"]);
        await worker.round(nothing);
        assert.ok(lines.at(-1)?.startsWith("info "));
    });

    it("tells that a cluster is destroyed, which is no error, unless it was never there", async () => {
        const { worker, lines } = workerOf([well, gone, gone]);
        await worker.round(nothing);
        lines.splice(0);
        await worker.round(nothing);
        await worker.round(nothing);
        assert.deepEqual([lines.length, lines[0].split(" ")[0]], [1, "info"]);
        const never = workerOf([gone]);
        await never.worker.round(nothing);
        assert.deepEqual([never.lines.length, never.lines[0].split(" ")[0]], [1, "error"]);
    });

    it("acts on what it has seen, and counts what was done, which the action has told", async () => {
        const seen: ClusterStatus[] = [];
        const act = sweepOf((_, status) => {
            seen.push(status);
            return Promise.resolve(["ended an eviction"]);
        });
        const { worker, lines, metrics } = workerOf([down], [act]);
        await worker.round(nothing);
        assert.equal(seen[0]?.conditions[0]?.reason, "TiKVStoreNotUp");
        assert.ok(!lines.join("\n").includes("ended an eviction"));
        assert.deepEqual(await actionsOf(metrics), { 'kind="sweep",result="success"': 1 });
    });

    it("does not act on what it could not read", async () => {
        const act = sweepOf(() => Promise.reject(new Error("it acted")));
        const { worker, lines } = workerOf([fails("no answer")], [act]);
        await worker.round(nothing);
        assert.deepEqual(lines, ["error tidb/basic: no answer"]);
    });

    it("does not begin an action once it no longer leads", async () => {
        const act = sweepOf(() => Promise.reject(new Error("it acted")));
        const { worker, lines } = workerOf([well], [act]);
        await worker.round(() => true);
        assert.deepEqual(
            lines.filter((line) => line.startsWith("error")),
            [],
        );
    });

    it("counts an action that failed, tells it once, and tries it again after 20 s, 40 s and so on", async () => {
        let time = now;
        const tried: number[] = [];
        const act = sweepOf(() => {
            tried.push((time - now) / 1000);
            return time < now + 140_000 ? Promise.reject(new Error("PD refused")) : Promise.resolve([]);
        });
        const { worker, lines, metrics } = workerOf([well], [act], () => time);
        while (time < now + 200_000) {
            time += await worker.round(nothing);
        }
        assert.deepEqual(tried, [0, 20, 60, 140, 150, 160, 170, 180, 190]);
        assert.deepEqual(
            lines.slice(1).map((line) => line.split(" ")[0]),
            ["error", "info"],
        );
        assert.equal((await actionsOf(metrics))['kind="sweep",result="failure"'], 3);
    });

    it("takes a run for dead only if it has not renewed its lock while this controller watched it, whatever its clock says", async () => {
        const overdue: (boolean | undefined)[] = [];
        const act = sweepOf((_, { operation }) => {
            overdue.push(operation?.isOverdue);
            return Promise.resolve([]);
        });
        for (const clockBehind of [60_000, -3_600_000]) {
            let time = now;
            const lockOf = (renewedAt: number) => () =>
                Promise.resolve(
                    statusOf(
                        healthy({ lease: { lock: { holder: "ana@laptop", renewedAt: renewedAt - clockBehind } } }),
                    ),
                );
            const renewed = [0, 10_000, 20_000].map((at) => lockOf(now + at));
            const killed = lockOf(now + 20_000);
            const { worker } = workerOf([...renewed, killed, killed], [act], () => time);
            for (let round = 0; round < 5; round += 1) {
                await worker.round(nothing);
                time += 10_000;
            }
            assert.deepEqual(overdue.splice(0), [false, false, false, false, true]);
        }
    });

    it("gives Prometheus the condition, and why the cluster is stuck", async () => {
        const { worker, metrics } = workerOf([down]);
        await worker.round(nothing);
        const text = await metrics.text();
        const labels = 'namespace="tidb",cluster="basic"';
        for (const [line, value] of [
            [`pulumi_tidb_cluster_condition{${labels},condition="Ready",status="True"}`, 0],
            [`pulumi_tidb_cluster_condition{${labels},condition="Ready",status="False"}`, 1],
            [`pulumi_tidb_cluster_stuck{${labels},reason="NobodyWorksOnIt"}`, 0],
            [`pulumi_tidb_cluster_last_look_timestamp_seconds{${labels}}`, now / 1000 + 3],
            [`pulumi_tidb_cluster_looks_total{${labels},result="success"}`, 1],
        ] as const) {
            assert.ok(text.includes(`${line} ${value}\n`), `found no line ${line} ${value} in\n${text}`);
        }
    });
});

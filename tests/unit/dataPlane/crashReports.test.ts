import * as assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { crashReports } from "../../../sandbox/dataPlane/crashReports";
import { type OwnContainer, statusWith } from "../../../sandbox/dataPlane/kubernetes/containerCrashes";
import type { PodObservation } from "../../../sandbox/dataPlane/model/cluster";
import { settledCluster } from "../../../sandbox/dataPlane/settledCluster";
import { observeContainer } from "../../../provider/cluster/containerState";

const now = new Date("2026-11-26T12:00:00Z");

function running(name: string): V1ContainerStatus {
    const startedAt = new Date("2026-11-26T11:00:00Z");
    return {
        name,
        image: "i",
        imageID: "i",
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt } },
    };
}

function podOf(...containerStatuses: V1ContainerStatus[]): V1Pod {
    return { spec: { nodeName: "node-1", containers: [] }, status: { phase: "Running", containerStatuses } };
}

interface Written {
    conditions: { type: string; status: string; reason: string | null }[];
    containerStatuses: V1ContainerStatus[];
}

const write = (pod: V1Pod, refused?: string) => statusWith(pod, "tikv", refused, now) as Written | undefined;
const conditionsOf = (written?: Written) => written?.conditions.map(({ type, status }) => [type, status]);

describe("the status of a pod whose process does not start", () => {
    it("has the container as a kubelet writes it after a crash, and the pod as not Ready", () => {
        const written = write(podOf(running("log"), running("tikv")), "duplicated store address");
        const [log, tikv] = written?.containerStatuses ?? [];
        assert.deepEqual(log, running("log"));
        assert.deepEqual([tikv.ready, tikv.started, tikv.restartCount], [false, false, 1]);
        assert.deepEqual(tikv.state, { waiting: { reason: "CrashLoopBackOff", message: "duplicated store address" } });
        assert.equal(tikv.lastState?.terminated?.exitCode, 1);
        assert.deepEqual(conditionsOf(written), [
            ["Ready", "False"],
            ["ContainersReady", "False"],
        ]);
    });

    it("is what gates take for a container that has stopped", () => {
        const node = { status: { conditions: [{ type: "Ready", status: "True" }] } };
        const crashed = podOf(...(write(podOf(running("tikv")), "why")?.containerStatuses ?? []));
        const fact = observeContainer(crashed, "tikv", node, 0);
        assert.deepEqual(fact.known && fact.value, { is: "stopped" });
    });

    it("is written once for each reason, and not for a container that has not begun", () => {
        const crashed = podOf(...(write(podOf(running("tikv")), "why")?.containerStatuses ?? []));
        assert.equal(write(crashed, "why"), undefined);
        assert.equal(write(crashed, "another")?.containerStatuses[0].state?.waiting?.message, "another");
        assert.equal(write(podOf(running("tikv"))), undefined);
        assert.equal(write(podOf(), "why"), undefined);
    });

    it("is Ready again when the process starts, unless another container is not", () => {
        const crashed = write(podOf(running("log"), running("tikv")), "why")?.containerStatuses ?? [];
        const again = write(podOf(...crashed));
        assert.deepEqual(again?.containerStatuses[1].state, { running: { startedAt: now } });
        assert.deepEqual(conditionsOf(again), [
            ["Ready", "True"],
            ["ContainersReady", "True"],
        ]);
        assert.equal(again?.conditions[0].reason, null);
        const log = { ...running("log"), ready: false };
        assert.equal(write(podOf(log, crashed[1]))?.conditions[0].status, "False");
    });
});

describe("the reports of processes that do not start", () => {
    it("are made until the pod shows what the model says, one at a time, and again after a failure", async () => {
        const { state } = settledCluster();
        const name = "basic-tikv-2";
        const pods = new Map<string, PodObservation>([...state.pods].map(([key, pod]) => [key, { ...pod }]));
        const reported: OwnContainer[] = [];
        const logged: string[] = [];
        let problem: Error | undefined = new Error("refused");
        const crashes = {
            report: (one: OwnContainer) => {
                reported.push(one);
                return problem ? Promise.reject(problem) : Promise.resolve();
            },
        };
        const report = crashReports({ state, pods, crashes, log: (line) => logged.push(line) });
        report();
        assert.equal(reported.length, 0);
        const pod = state.pods.get(name)!;
        pod.refused = "why";
        report();
        report();
        const expected = { namespace: "default", pod: name, uid: pod.uid, component: "tikv", refused: "why" };
        assert.deepEqual(reported, [expected]);
        await sleep(150);
        assert.match(logged.join(), /^cannot write the status of pod default\/basic-tikv-2, retrying: Error: refused$/);
        problem = undefined;
        report();
        assert.equal(reported.length, 2);
        pods.set(name, { ...pod, backsOff: "why" });
        await sleep(150);
        report();
        assert.equal(reported.length, 2);
        pod.refused = undefined;
        report();
        assert.equal(reported.at(-1)?.refused, undefined);
        assert.equal(reported.length, 3);
        pods.set(name, { ...pod, uid: "successor", backsOff: "why" });
        await sleep(150);
        report();
        assert.equal(reported.length, 3, "the model has not seen that pod run");
    });
});

import * as assert from "node:assert/strict";
import type { CoreV1Event, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { runOperation } from "../../../provider/gates/loop";
import type { PodFacts } from "../../../provider/lifecycle/diagnosis/facts";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import { nextRolloutMove } from "../../../provider/lifecycle/walks/rollout";
import { record } from "../../support/gates/recordedPorts";
import { type Deviation, now, observed } from "../../support/lifecycle/observations";
import { eventOf, factsOf, forbidden, podOf, seen, statusOf, unscheduled } from "../lifecycle/diagnosis/podFacts";
import { repeats } from "../../support/repeats";
import { isFailure } from "../../support/failsWith";

const waits = (reason: string, message: string): Partial<V1Pod["status"]> & object => ({
    containerStatuses: [statusOf({ state: { waiting: { reason, message } } })],
});
const missing = podOf(waits("ErrImagePull", "manifest unknown"));
const denied = podOf(waits("ErrImagePull", "denied"));
const backOff = "container tikv (pingcap/tikv:v8.5.3) is in ErrImagePull: manifest unknown";
const troubled: Partial<ObservedPod> = { ready: false, trouble: backOff, readySince: undefined };

interface Run {
    /** What is read of basic-tikv-3 at a time, in seconds since the run began. */
    facts: (seconds: number, name: string) => Partial<PodFacts> & { pod: V1Pod | undefined };
    cluster?: Deviation;
    pod?: (seconds: number) => Partial<ObservedPod> | undefined;
    end?: "available" | "all-well";
    canDiagnose?: boolean;
    component?: "tikv" | "pd";
    /** The run has deleted basic-tikv-3 at this time. */
    deleted?: (seconds: number) => unknown;
}

/** Rolls out TiKV until the run ends. @returns when it ended, how, and what was read and said meanwhile. */
async function rollout({
    facts,
    cluster = {},
    pod = () => troubled,
    end = "all-well",
    canDiagnose = true,
    component = "tikv",
    deleted = () => {},
}: Run) {
    const ports = record();
    const read: number[] = [];
    const said = new Set<string>();
    let uids = new Map<string, string>();
    const { target } = observed(component, cluster);
    const seconds = () => Math.round((ports.time - now) / 1000);
    ports.look = () => {
        const pods = { 3: pod(seconds()), ...cluster.pods };
        const { observation } = observed(component, { ...cluster, pods });
        uids = new Map(observation.members[component]?.pods.map(({ name, uid }) => [name, uid]));
        return Promise.resolve({ ...observation, now: ports.time });
    };
    ports.sleep = (milliseconds) => Promise.resolve(void (ports.time += Math.max(milliseconds, 500)));
    ports.progress.status = (message) => void said.add(message);
    if (canDiagnose) {
        ports.diagnose = ({ pods }) => {
            read.push(seconds());
            const found = pods.map(({ name }) => {
                const one = facts(seconds(), name);
                const metadata = { ...one.pod?.metadata, name, uid: uids.get(name) };
                return factsOf(undefined, { ...one, name, pod: one.pod && { ...one.pod, metadata } });
            });
            return Promise.resolve({ pods: found, certificates: [], unread: [] });
        };
    }
    const { perform } = ports;
    ports.perform = (action) => {
        if (action.do === "delete-pod") {
            deleted(seconds());
        }
        return perform(action);
    };
    let error: unknown;
    await runOperation(
        {
            description: "roll out basic-tikv",
            look: { components: [component], pd: [], status: [] },
            next: (observation, memory) => nextRolloutMove(observation, target, memory, end),
        },
        ports,
    ).catch((thrown: unknown) => (error = thrown));
    const warned = ports.done.filter((one) => one.startsWith("warn "));
    return { seconds: seconds(), error, read, warned, said: [...said].join("\n") };
}

const image = "pingcap/tikv:v8.5.3";
/** The code of a wait that ended by its cause, and what waited for which pod. */
const lost = "pod-cannot-recover";
const available = { step: "pod-available", target: "basic-tikv-3" };

describe("a wait for a pod that is not right", () => {
    it("ends soon with cause and fix if that cannot come right by itself", async () => {
        const { error, seconds } = await rollout({ facts: () => ({ pod: missing }) });
        isFailure(error, lost, { ...available, names: [image, "manifest unknown"] });
        assert.ok(seconds >= 35 && seconds < 45, `${seconds}`);
    });

    it("says the cause meanwhile, and what to do", async () => {
        const { said } = await rollout({ facts: () => ({ pod: missing }) });
        repeats(said, "basic-tikv-3", image, "manifest unknown");
    });

    it("goes on if that may come right, and says the cause when its time is over", async () => {
        const { error, seconds } = await rollout({ facts: () => ({ pod: denied }) });
        assert.ok(seconds >= 600, `${seconds}`);
        isFailure(error, "pod-available", { ...available, names: [image, "imagePullSecrets"] });
    });

    it("goes on naming the lost node when Kubernetes deletes the pod, and keeps its deadline", async () => {
        const lost = { status: { conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }] } };
        const refusal = "0/3 nodes are available: 3 node(s) didn't match PersistentVolume's node affinity.";
        const running = podOf({}, {}, { nodeName: "node-3" });
        const facts = (at: number) =>
            at < 300
                ? { pod: running, ownNode: seen(lost) }
                : at < 400
                  ? {
                        pod: { ...running, metadata: { ...running.metadata, deletionTimestamp: new Date(0) } },
                        ownNode: seen(lost),
                    }
                  : at < 480
                    ? { pod: undefined }
                    : { pod: unscheduled(refusal), volumeNode: { name: "node-3", node: seen(lost) } };
        const pod = (at: number): Partial<ObservedPod> | undefined => {
            const gone = { ready: false, readySince: undefined };
            return at < 300
                ? gone
                : at < 400
                  ? { ...gone, terminating: true }
                  : at < 480
                    ? undefined
                    : { ...gone, uid: "uid-33", trouble: `Unschedulable: ${refusal}` };
        };
        const { error, seconds, said } = await rollout({ facts, pod });
        const lines = said.split("\n").filter((line) => line.startsWith("waiting: basic-tikv-3 "));
        const stopping = lines.filter((line) => line.includes("is still stopping"));
        assert.ok(stopping.length > 0);
        assert.ok(lines.some((line) => line.includes("has not been created")));
        stopping.forEach((line) => repeats(line, "node-3"));
        repeats(lines.at(-1), "node-3", "`operations.lostNodes`");
        const deadlines = new Set(lines.map((line) => /fails at ([\d:]+)/.exec(line)?.[1]));
        assert.equal(deadlines.size, 1, [...deadlines].join());
        assert.ok(seconds >= 600 && seconds < 610, `${seconds}`);
        isFailure(error, "pod-available", { ...available, names: "node-3" });
    });

    describe("if the pod goes meanwhile,", () => {
        const starting: Partial<ObservedPod> = { ready: false, readySince: undefined };
        const run = (pod: Run["pod"], more: Partial<Run> = {}) =>
            rollout({ facts: () => ({ pod: undefined }), canDiagnose: false, pod, ...more });
        for (const [how, code, words, gone] of [
            ["it is missing", "pod-created", "it has not been created", undefined],
            ["it is stopping", "pod-stopped", "it is still stopping", { ...starting, terminating: true }],
        ] as const) {
            it(`goes on for the same pod to be Ready, and says since when that is missing: ${how}`, async () => {
                const { error, seconds, said } = await run((at) => (at < 597 ? starting : gone));
                assert.ok(seconds >= 600 && seconds < 605, `${seconds}`);
                isFailure(error, "pod-available", { ...available, names: ["is not Ready", words, "for 60"] });
                repeats(said, `is not Ready: ${words} (59`);
            });

            it(`has its full time if the pod had become Ready in between: ${how}`, async () => {
                const cluster = { pods: { 2: starting } };
                const pod = (at: number) => (at < 580 ? starting : at < 585 ? {} : gone);
                const { error, seconds } = await run(pod, { cluster });
                assert.ok(seconds >= 1_185 && seconds < 1_190, `${seconds}`);
                isFailure(error, code, { target: "basic-tikv-3", names: "for 60" });
            });
        }

        it("has its full time if the run itself has restarted the pod, for a template that came meanwhile", async () => {
            const crashing: Partial<ObservedPod> = {
                ...troubled,
                container: known({ is: "stopped" }, "its node", now),
            };
            const old: Partial<ObservedPod> = { ...crashing, revision: "basic-tikv-older" };
            const deletedAt: number[] = [];
            const pod = (at: number): Partial<ObservedPod> | undefined => {
                const since = at - (deletedAt.at(-1) ?? -Infinity);
                if (deletedAt.length > 0 && since < 5) {
                    return since < 3 ? { ...old, terminating: true } : undefined;
                }
                const uid = `uid-3${deletedAt.length}`;
                return deletedAt.length < 2
                    ? { ...(deletedAt.length === 0 || at >= 500 ? old : crashing), uid }
                    : { ...(since < 590 ? starting : {}), uid };
            };
            const { error, seconds } = await run(pod, { deleted: (at) => deletedAt.push(at) });
            assert.equal(error, undefined);
            const [first, second, ...others] = deletedAt;
            assert.ok(first < 10 && second >= 500 && second < 510 && others.length === 0, deletedAt.join());
            assert.ok(seconds >= second + 590, `${seconds}`);
        });
    });

    it("goes on if the cause was not found all the time", async () => {
        const { seconds } = await rollout({
            facts: (at) => ({ pod: Math.floor(at / 20) % 2 === 0 ? missing : denied }),
        });
        assert.ok(seconds >= 600, `${seconds}`);
    });

    it("ends as well as ever if the pod becomes Ready", async () => {
        const { error } = await rollout({ facts: () => ({ pod: missing }), pod: (at) => (at < 30 ? troubled : {}) });
        assert.equal(error, undefined);
    });

    it("begins anew with another pod of that name", async () => {
        const pod = (at: number) => ({ ...troubled, uid: `uid-3${Math.floor(at / 20)}` });
        const { seconds } = await rollout({ facts: () => ({ pod: missing }), pod });
        assert.ok(seconds >= 600, `${seconds}`);
    });

    it("does not end because of what was read of an earlier pod of that name", async () => {
        let readings = 0;
        const facts = () => {
            readings += 1;
            return { pod: missing };
        };
        // The last reading that the wait needs is of the pod before.
        const pod = (at: number) => (readings < 7 ? troubled : at < 45 ? { ...troubled, uid: "uid-33" } : {});
        assert.equal((await rollout({ facts, pod })).error, undefined);
    });

    it("does not end for a pod whose template is about to be replaced", async () => {
        // Nobody knows whether the containers of PD still run, so it is waited for PD's answer.
        const container = { known: false, why: "its node was not read" } as const;
        const pods = { 0: { ...troubled, container }, 1: { ...troubled, container }, 2: { ...troubled, container } };
        const run = (stale: number[]) =>
            rollout({
                facts: () => ({ pod: missing }),
                cluster: { pods, pdSilent: true, stale },
                component: "pd",
                pod: () => undefined,
            });
        const [old, newest] = [await run([0]), await run([])];
        isFailure(old.error, "pd-answers", { step: "pd-answers", names: ["basic-pd-0", image] });
        isFailure(newest.error, lost, { step: "pd-answers", target: "basic-pd-0" });
        assert.ok(newest.seconds < 45, `${newest.seconds}`);
    });

    describe("asks", () => {
        it("nothing for the first seconds", async () => {
            const { read } = await rollout({ facts: () => ({ pod: missing }), pod: (at) => (at < 5 ? troubled : {}) });
            assert.deepEqual(read, []);
        });

        it("nothing of a pod that starts as it should", async () => {
            const starting = { ready: false, readySince: undefined };
            const { read } = await rollout({ facts: () => ({ pod: denied }), pod: (at) => (at < 45 ? starting : {}) });
            assert.deepEqual(read, []);
        });

        it("twice a minute while nothing changes", async () => {
            const { read } = await rollout({ facts: () => ({ pod: denied }), pod: (at) => (at < 125 ? troubled : {}) });
            assert.equal(read.length, 4);
        });

        it("nothing where nothing can be asked", async () => {
            const { error } = await rollout({ facts: () => ({ pod: missing }), canDiagnose: false });
            isFailure(error, "pod-available", available);
        });
    });

    it("goes on without a diagnosis that fails, and warns of it once", async () => {
        const { error, warned, read } = await rollout({
            facts: () => {
                throw new Error("found no node of undefined");
            },
            pod: (at) => (at < 65 ? troubled : {}),
        });
        assert.equal(error, undefined);
        assert.ok(read.length > 1, "it is tried again");
        assert.deepEqual(warned, [
            "warn what keeps pods from being Ready is not known: the diagnosis failed: found no node of undefined",
        ]);
    });

    it("goes on if what was read makes no sense to it", async () => {
        const odd = [podOf({ containerStatuses: {} as never }), podOf(waits("ErrImagePull", 5 as never))];
        for (const pod of odd) {
            const { error, warned } = await rollout({
                facts: () => ({ pod }),
                pod: (at) => (at < 65 ? troubled : {}),
            });
            assert.equal(error, undefined);
            assert.equal(warned.length, 1);
        }
    });

    it("says what may not be read", async () => {
        const pod = unscheduled("0/3 nodes are available: 3 Insufficient cpu.", { cpu: "20" });
        const { said, error } = await rollout({ facts: () => ({ pod, nodes: forbidden, events: forbidden }) });
        repeats(said, "events of basic-tikv-3, nodes");
        isFailure(error, "pod-available", { ...available, names: "the API server answered 403" });
    });

    describe("that crashes", () => {
        const line = '[FATAL] [setup.rs:307] ["unknown configuration options: a.b"]';
        const crashed = (restartCount: number) =>
            podOf({
                containerStatuses: [
                    statusOf({
                        restartCount,
                        state: { waiting: { reason: "CrashLoopBackOff" } },
                        lastState: { terminated: { exitCode: 1, containerID: `containerd://${restartCount}` } },
                    }),
                ],
            });
        const logs = (text: string) => ({ tikv: seen([text]) });

        it("ends once it has refused its configuration twice", async () => {
            const facts = (at: number) => ({ pod: crashed(at < 50 ? 1 : 2), logs: logs(line) });
            const { error, seconds } = await rollout({ facts });
            isFailure(error, lost, { ...available, names: "unknown configuration options: a.b" });
            assert.ok(seconds >= 50 && seconds < 85, `${seconds}`);
        });

        it("goes on if it runs again: it may have another configuration by now", async () => {
            const again = podOf({
                containerStatuses: [
                    statusOf({
                        restartCount: 2,
                        state: { running: {} },
                        lastState: { terminated: { exitCode: 1, containerID: "containerd://1" } },
                    }),
                ],
            });
            const facts = (at: number) => ({ pod: at < 50 ? crashed(1) : again, logs: logs(line) });
            assert.ok((await rollout({ facts })).seconds >= 600);
        });

        it("ends if it has refused it again after it ran for a while", async () => {
            const runs = podOf({
                containerStatuses: [
                    statusOf({
                        restartCount: 2,
                        state: { running: {} },
                        lastState: { terminated: { exitCode: 1, containerID: "containerd://1" } },
                    }),
                ],
            });
            const facts = (at: number) => ({
                pod: at < 20 ? crashed(1) : at < 40 ? runs : crashed(2),
                logs: logs(line),
            });
            const { seconds } = await rollout({ facts });
            assert.ok(seconds >= 40 && seconds < 75, `${seconds}`);
        });

        it("goes on if it has refused it once, or says another thing each time", async () => {
            assert.ok((await rollout({ facts: () => ({ pod: crashed(1), logs: logs(line) }) })).seconds >= 600);
            const differs = (at: number) => ({ pod: crashed(at), logs: logs(line.replace("a.b", `a.b${at}`)) });
            assert.ok((await rollout({ facts: differs })).seconds >= 600);
        });
    });

    describe("that does not exist", () => {
        const refused = (count: number): CoreV1Event =>
            eventOf(
                "FailedCreate",
                'create Pod basic-tikv-3 in StatefulSet basic-tikv failed error: pods "basic-tikv-3" is forbidden: failed quota: compute: must specify limits.cpu for: tikv',
                { count },
            );
        const gone = { cluster: { pods: { 3: undefined } }, pod: () => undefined };

        it("ends once it was refused again", async () => {
            const facts = (at: number) => ({ pod: undefined, events: seen([refused(at < 30 ? 1 : 2)]) });
            const { error, seconds } = await rollout({ facts, ...gone });
            isFailure(error, lost, { ...available, step: "pod-created", names: ["compute", "limits.cpu"] });
            assert.ok(seconds >= 30 && seconds < 60, `${seconds}`);
        });

        it("goes on if the only refusal may be of an earlier template", async () => {
            const { seconds } = await rollout({
                facts: () => ({ pod: undefined, events: seen([refused(1)]) }),
                ...gone,
            });
            assert.ok(seconds >= 600, `${seconds}`);
        });
    });

    describe("of a first deployment, which needs some of the pods", () => {
        const all = { 0: troubled, 1: troubled, 2: troubled };
        const down = { state: "Down" } as const;
        const stores = { 0: down, 1: down, 2: down, 3: down };

        it("ends if none of them can become Ready", async () => {
            const run = await rollout({
                facts: () => ({ pod: missing }),
                cluster: { pods: all, stores },
                end: "available",
            });
            isFailure(run.error, lost, { step: "available", target: "basic-tikv-0", names: image });
            assert.ok(run.seconds < 45, `${run.seconds}`);
        });

        it("goes on if one of them may come right", async () => {
            const facts = (_at: number, name: string) => ({ pod: name === "basic-tikv-2" ? denied : missing });
            const run = await rollout({ facts, cluster: { pods: all, stores }, end: "available" });
            assert.ok(run.seconds >= 600, String(run.error));
        });

        it("goes on if one is Ready: the others may be enough", async () => {
            const pods = { ...all, 0: { ready: true } };
            const cluster = { pods, stores };
            const run = await rollout({ facts: () => ({ pod: missing }), cluster, end: "available" });
            assert.ok(run.seconds >= 600, String(run.error));
        });
    });
});

import type { V1ContainerState, V1ContainerStatus, V1Node, V1Pod, V1StatefulSet } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { type NodeAnswer, nodeToRead } from "../../../provider/cluster/containerState";
import { observePod, observeStatefulSet } from "../../../provider/cluster/observeObjects";
import { repeats } from "../../support/repeats";

const tikv = { cluster: "basic", component: "tikv" } as const;
const readyNode: V1Node = { status: { conditions: [{ type: "Ready", status: "True" }] } };
const deadNode: V1Node = {
    status: { conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }] },
};

function container(name: string, state: V1ContainerState | undefined, more: Partial<V1ContainerStatus> = {}) {
    return {
        name,
        image: `${name}:1`,
        imageID: "",
        ready: state?.running !== undefined,
        restartCount: 0,
        state,
        ...more,
    };
}

function podWith(
    status: V1Pod["status"],
    more: Partial<V1Pod["metadata"]> = {},
    nodeName: string | undefined = "node-1",
): V1Pod {
    const metadata = { name: "basic-tikv-2", uid: "1", resourceVersion: "77", ...more };
    return { metadata, spec: { containers: [], nodeName }, status };
}

const running = { running: { startedAt: new Date("2026-11-21T14:00:00Z") } };
const isReady = (status: "True" | "False") => ({ type: "Ready", status });
const crashed = { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s" } };

describe("a pod, as gates observe it", () => {
    const observe = (pod: V1Pod, node: Parameters<typeof observePod>[2] = readyNode) => observePod(pod, tikv, node, 5);
    const stateOf = (pod: V1Pod, node?: Parameters<typeof observePod>[2]) => {
        const fact = observe(pod, node)!.container;
        return fact.known ? fact.value.is : fact.why;
    };

    it("is created no later than its `createdAt`, so a heartbeat in the second before does not count", () => {
        const made = new Date("2026-11-21T14:00:10.950Z");
        const written = new Date("2026-11-21T14:00:10Z"); // As Kubernetes writes it: whole seconds, the rest cut off.
        const observed = observe(podWith({}, { creationTimestamp: written }));
        assert.ok(observed && observed.createdAt >= made.getTime());
        const lastHeartbeatOfItsForerunner = new Date("2026-11-21T14:00:10.800Z").getTime();
        assert.ok(lastHeartbeatOfItsForerunner < observed.createdAt);
    });

    it("has a shutdown of this package only if this package's field manager wrote the annotation", () => {
        const annotation = "tidb.pingcap.com/ticdc-graceful-shutdown-begin-time";
        const begun = (manager: string, written: string) =>
            observe(
                podWith(
                    {},
                    {
                        annotations: { [annotation]: "2026-11-21T14:00:00Z" },
                        managedFields: [
                            { manager: "kubelet", fieldsV1: { "f:status": {} } },
                            { manager, fieldsV1: { "f:metadata": { "f:annotations": { [`f:${written}`]: {} } } } },
                        ],
                    },
                ),
            );
        const shown = [begun("pulumi-tidb", annotation), begun("tidb-controller-manager", annotation)];
        assert.deepEqual(
            [...shown, begun("pulumi-tidb", "another")].map((pod) => pod?.ownShutdown ?? false),
            [true, false, false],
        );
    });

    it("has an ordinal only if its whole name fits; labels are not enough", () => {
        const labels = { "app.kubernetes.io/instance": "basic", "apps.kubernetes.io/pod-index": "2" };
        for (const name of [
            "basic-tikv-2-debug",
            "other-tikv-2",
            "my-basic-tikv-2",
            "basic-tikv-x-2",
            "basic-tikv-02",
        ]) {
            assert.equal(observe(podWith({}, { name, labels })), undefined, name);
        }
        assert.equal(observe(podWith({}, { labels: { "apps.kubernetes.io/pod-index": "0" } }))?.ordinal, 2);
    });

    it("has the resourceVersion at which it was seen, and is deleted at that one only", () => {
        assert.deepEqual([observe(podWith({}))?.uid, observe(podWith({}))?.resourceVersion], ["1", "77"]);
    });

    it("uses TLS between members if it mounts the member's certificate, and no other one", () => {
        const mounting = (secretName: string): V1Pod => {
            const pod = podWith({});
            return { ...pod, spec: { containers: [], volumes: [{ name: "certificate", secret: { secretName } }] } };
        };
        assert.equal(observe(mounting("basic-tikv-cluster-secret"))?.clusterTls, true);
        assert.equal(observe(mounting("basic-cluster-client-secret"))?.clusterTls, false);
        assert.equal(observe(podWith({}))?.clusterTls, false);
        const template = { spec: mounting("basic-tikv-cluster-secret").spec };
        const statefulSet = { spec: { template, selector: {}, serviceName: "basic-tikv-peer" } };
        assert.equal(observeStatefulSet(statefulSet, tikv).clusterTls, true);
    });

    it("was deployed in recovery mode if its template says so", () => {
        const of = (annotations?: Record<string, string>) => {
            const template = { metadata: { annotations }, spec: { containers: [] } };
            return observeStatefulSet({ spec: { template, selector: {}, serviceName: "" } }, tikv).recovers;
        };
        assert.equal(of({ "pulumi-tidb.io/recovery-mode": "true" }), true);
        assert.deepEqual(
            [of({ "pulumi-tidb.io/recovery-mode": "false" }), of(), of({})],
            [undefined, undefined, undefined],
        );
    });

    it("shows TLS by what this package renders for PD, TiKV and TiDB", () => {
        for (const enabled of [true, false]) {
            const set = { replicas: 1, config: {}, requests: { storage: "1Gi" } };
            const spec = {
                version: "v8.5.3",
                tlsCluster: { enabled },
                pd: set,
                tikv: set,
                tidb: { replicas: 1, config: {} },
            };
            const { members } = checkManifest({ metadata: { name: "basic", namespace: "tidb" }, spec });
            for (const component of ["pd", "tikv", "tidb"] as const) {
                const statefulSet = members[component]?.statefulSet as unknown as V1StatefulSet;
                assert.equal(observeStatefulSet(statefulSet, { cluster: "basic", component }).clusterTls, enabled);
            }
        }
    });

    it("has the restarts of its own container, its last run and kubelet's wait, in the words of kubelet", () => {
        const terminated = {
            exitCode: 1,
            startedAt: new Date("2026-08-01T10:00:00Z"),
            finishedAt: new Date("2026-08-01T10:00:02Z"),
        };
        const waiting = (message: string) => ({ waiting: { reason: "CrashLoopBackOff", message } });
        const of = (name: string, state: object, more: object = {}) => {
            const own = container(name, state, { restartCount: 7, lastState: { terminated }, ...more });
            const { restarts, lastRun, backOff } = observe(podWith({ containerStatuses: [own] }))!;
            return { restarts, lastRun, backOff };
        };
        const lastRun = {
            startedAt: Date.parse("2026-08-01T10:00:00Z"),
            finishedAt: Date.parse("2026-08-01T10:00:02Z"),
        };
        const words = "back-off 2m40s restarting failed container=tikv pod=basic-tikv-0_tidb(4f1c)";
        assert.deepEqual(of("tikv", waiting(words)), { restarts: 7, lastRun, backOff: 160_000 });
        assert.deepEqual(of("tikv", waiting("the image is gone")), { restarts: 7, lastRun, backOff: undefined });
        const none = { restarts: undefined, lastRun: undefined, backOff: undefined };
        assert.deepEqual(of("log", waiting(words)), none, "a sidecar's");
        const lost = { lastState: { terminated: { exitCode: 137, reason: "ContainerStatusUnknown" } } };
        assert.deepEqual(of("tikv", waiting(words), lost), { restarts: 7, lastRun: undefined, backOff: 160_000 });
    });

    it("has a container that its own report calls never started, if the user may not read nodes", () => {
        const waiting = (more: object) =>
            podWith({ containerStatuses: [container("tikv", { waiting: { reason: "ImagePullBackOff" } }, more)] });
        const reportOf = (pod: V1Pod, node: NodeAnswer | undefined = { trouble: "may not read nodes" }) => {
            const fact = observePod(pod, tikv, node, 5)!.container;
            return fact.known ? fact.value.is : fact.reported;
        };
        assert.equal(reportOf(waiting({ restartCount: 0 })), "not-started");
        assert.equal(reportOf(waiting({ restartCount: 1 })), undefined);
        assert.equal(reportOf(waiting({ restartCount: 0, lastState: { terminated: { exitCode: 1 } } })), undefined);
        assert.equal(reportOf(podWith({})), undefined, "nothing is reported yet");
        for (const node of [deadNode, "absent"] as const) {
            assert.equal(reportOf(waiting({ restartCount: 0 }), node), undefined, "the node may run it");
        }
    });

    it("has a stopped container only if a Ready node says so", () => {
        const stopped = podWith({ containerStatuses: [container("tikv", crashed, { restartCount: 3 })] });
        assert.equal(stateOf(stopped), "stopped");
        repeats(stateOf(stopped, deadNode), "node-1", "NodeStatusUnknown");
        repeats(stateOf(stopped, "absent"), "node-1");
        assert.equal(stateOf(stopped, { trouble: "may not read nodes" }), "may not read nodes");
        repeats(stateOf(stopped, {}), "node-1");
        const fact = observePod(stopped, tikv, undefined, 5)!.container;
        assert.deepEqual(fact, { known: false, why: "node node-1 was not read" });
    });

    const states: [title: string, pod: V1Pod, is: string][] = [
        ["runs", podWith({ containerStatuses: [container("tikv", running)] }), "running"],
        ["has ended", podWith({ containerStatuses: [container("tikv", { terminated: { exitCode: 1 } })] }), "stopped"],
        [
            "waits to run again",
            podWith({
                containerStatuses: [container("tikv", crashed, { lastState: { terminated: { exitCode: 1 } } })],
            }),
            "stopped",
        ],
        [
            "has never run",
            podWith({ containerStatuses: [container("tikv", { waiting: { reason: "ImagePullBackOff" } })] }),
            "not-started",
        ],
        ["has no node", { metadata: { name: "basic-tikv-2" }, status: { phase: "Pending" } }, "not-started"],
        ["was evicted by its node", podWith({ phase: "Failed", reason: "Evicted" }), "stopped"],
        [
            "was not reported yet",
            podWith({ phase: "Pending" }),
            "node node-1 has not reported the state of container tikv",
        ],
        [
            "runs beside a sidecar that crashes",
            podWith({ containerStatuses: [container("log", crashed), container("tikv", running)] }),
            "running",
        ],
        [
            "has crashed beside a sidecar that runs",
            podWith({
                containerStatuses: [container("log", running), container("tikv", { terminated: { exitCode: 1 } })],
            }),
            "stopped",
        ],
    ];
    for (const [title, pod, is] of states) {
        it(`whose own container ${title}: ${is}`, () => assert.equal(stateOf(pod), is));
    }

    it("says since when its own container runs, by its node's clock", () => {
        const pod = podWith({ containerStatuses: [container("tikv", running)] });
        const startedAt = Date.parse("2026-11-21T14:00:00Z");
        const expected = { known: true, value: { is: "running", startedAt }, from: "the API server", at: 5 };
        assert.deepEqual(observe(pod, undefined)?.container, expected);
    });

    const cutOff = podWith({ containerStatuses: [container("tikv", running)], conditions: [isReady("False")] });
    const served = podWith({ containerStatuses: [container("tikv", running)], conditions: [isReady("True")] });

    it("has a container of which nothing is known but the last report, once its node is silent or gone", () => {
        const startedAt = Date.parse("2026-11-21T14:00:00Z");
        for (const [node, why] of [
            [deadNode, "node node-1 is not Ready (NodeStatusUnknown)"],
            ["absent", "node node-1 is not in the cluster"],
        ] as const) {
            const fact = {
                known: false,
                why: `${why}, and may still run what it no longer reports`,
                ranSince: startedAt,
            };
            assert.deepEqual(observe(cutOff, node)?.container, fact);
        }
    });

    it("has a running container as it reports while it is Ready, its node is, or nobody may read its node", () => {
        for (const [pod, node] of [
            [cutOff, readyNode],
            [cutOff, { trouble: "may not read nodes" }],
            [served, deadNode],
        ] as const) {
            assert.equal(stateOf(pod, node), "running");
        }
    });

    it("needs its node if it is not Ready, or its own container does not run", () => {
        assert.equal(nodeToRead(served, "tikv"), undefined);
        assert.equal(nodeToRead(cutOff, "tikv"), "node-1");
        assert.equal(nodeToRead(podWith({ containerStatuses: [container("tikv", crashed)] }), "tikv"), "node-1");
        assert.equal(nodeToRead({ metadata: {}, spec: { containers: [] } }, "tikv"), undefined);
    });

    it("is not in trouble because of a sidecar, whose trouble is reported separately", () => {
        const observed = observe(
            podWith({ containerStatuses: [container("log", crashed), container("tikv", running)] }),
        );
        assert.equal(observed?.trouble, undefined);
        assert.equal(observed?.sidecarTrouble, "container log (log:1) is in CrashLoopBackOff: back-off 5m0s");
    });

    it("is in trouble because of its own container, its init containers, and the scheduler", () => {
        const own = observe(podWith({ containerStatuses: [container("tikv", crashed)] }));
        repeats(own?.trouble, "container tikv", "CrashLoopBackOff");
        const init = podWith({
            initContainerStatuses: [container("init", crashed)],
            containerStatuses: [container("tikv", { waiting: { reason: "PodInitializing" } })],
        });
        repeats(observe(init)?.trouble, "container init", "CrashLoopBackOff");
        const unscheduled = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no node" };
        assert.equal(observe(podWith({ conditions: [unscheduled] }))?.trouble, "Unschedulable: no node");
        const sidecar = podWith({
            initContainerStatuses: [container("mesh", crashed)],
            containerStatuses: [container("tikv", running)],
        });
        assert.equal(observe(sidecar)?.trouble, undefined);
    });
});

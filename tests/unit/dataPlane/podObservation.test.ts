import * as assert from "node:assert/strict";
import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { observePod } from "../../../sandbox/dataPlane/kubernetes/podObservation";
import { knownStartScripts } from "../../../sandbox/dataPlane/kubernetes/startScripts";

const tikv = (): V1Pod => ({
    metadata: {
        name: "basic-tikv-0",
        namespace: "tidb",
        uid: "pod-uid",
        labels: {
            "app.kubernetes.io/name": "tidb-cluster",
            "app.kubernetes.io/instance": "basic",
            "app.kubernetes.io/component": "tikv",
        },
    },
    spec: {
        containers: [
            { name: "raftlog", image: "registry:5000/busybox:1.26.2" },
            { name: "tikv", image: "registry:5000/pingcap/tikv:v8.5.3" },
        ],
        volumes: [
            { name: "raft", persistentVolumeClaim: { claimName: "raft-basic-tikv-0" } },
            { name: "tikv", persistentVolumeClaim: { claimName: "tikv-basic-tikv-0" } },
        ],
    },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
});
const uids: Record<string, string> = { "tidb/tikv-basic-tikv-0": "data-uid", "tidb/raft-basic-tikv-0": "raft-uid" };
const needs = {
    claimUid: (namespace: string, claim: string): string | undefined => uids[`${namespace}/${claim}`],
    hasSecret: (namespace: string, secret: string): boolean =>
        `${namespace}/${secret}` === "tidb/basic-tikv-cluster-secret",
    pdOf: (): "own" => "own",
    configOf: () => ({}),
    nodeRuns: (node: string): boolean => node !== "stopped",
};

describe("the data plane's view of a pod", () => {
    it("has the same claim of several, whatever their order in Kubernetes' list", () => {
        const tiflash = (order: number[]): V1Pod => {
            const pod = tikv();
            pod.metadata!.labels!["app.kubernetes.io/component"] = "tiflash";
            pod.spec!.volumes = order.map((one) => ({
                name: `data${one}`,
                persistentVolumeClaim: { claimName: `data${one}-basic-tiflash-0` },
            }));
            return pod;
        };
        const named = { ...needs, claimUid: (_namespace: string, claim: string) => claim };
        for (const order of [
            [0, 1],
            [1, 0],
        ]) {
            assert.equal(observePod(tiflash(order), named)?.pod.claim, "data0-basic-tiflash-0");
        }
    });

    it("has its cluster, component, data claim, state and version", () => {
        assert.deepEqual(observePod(tikv(), needs), {
            namespace: "tidb",
            cluster: "basic",
            pod: {
                name: "basic-tikv-0",
                uid: "pod-uid",
                component: "tikv",
                claim: "data-uid",
                config: {},
                storeLabels: {},
                running: true,
                ready: true,
                version: "v8.5.3",
            },
        });
    });

    it("is undefined for other pods", () => {
        const pod = tikv();
        pod.metadata!.labels!["app.kubernetes.io/component"] = "discovery";
        assert.equal(observePod(pod, needs), undefined);
        pod.metadata!.labels = {};
        assert.equal(observePod(pod, needs), undefined);
    });

    it("does not run while its claim is unknown or once it is being deleted", () => {
        assert.equal(observePod(tikv(), { ...needs, claimUid: () => undefined })?.pod.running, false);
        const pod = tikv();
        const killed = new Date("2026-11-29T10:00:30Z");
        pod.metadata!.deletionTimestamp = killed;
        const seen = observePod(pod, needs)?.pod;
        assert.deepEqual([seen?.running, seen?.ready, seen?.killedAt], [false, false, killed.getTime()]);
        pod.spec!.nodeName = "stopped";
        const silent = { ...needs, nodeRuns: () => false };
        assert.equal(observePod(pod, silent)?.pod.killedAt, undefined, "its kubelet sends nothing");
    });

    it("does not run on a node that has stopped, whatever its status says", () => {
        const pod = tikv();
        pod.spec!.nodeName = "stopped";
        assert.deepEqual([observePod(pod, needs)?.pod.running, observePod(pod, needs)?.pod.ready], [false, false]);
    });

    it("has the labels of its store from STORE_LABELS with the fields of the pod, otherwise from the file", () => {
        const pod = tikv();
        const labels = (config: object = {}) =>
            observePod(pod, { ...needs, configOf: () => ({ ...config }) })?.pod.storeLabels;
        assert.deepEqual(labels({ server: { labels: { zone: "x" } } }), { zone: "x" });
        pod.metadata!.labels!["topology.kubernetes.io/zone"] = "zone-b";
        pod.spec!.nodeName = "node-1";
        const zone = "metadata.labels['topology.kubernetes.io/zone']";
        pod.spec!.containers[1].env = [
            { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "secret", key: "password" } } },
            { name: "ZONE", valueFrom: { fieldRef: { fieldPath: zone } } },
            { name: "HOST", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
            { name: "STORE_LABELS", value: "zone=$(ZONE),host=$(HOST)" },
        ];
        assert.deepEqual(labels({ server: { labels: { zone: "x" } } }), { zone: "zone-b", host: "node-1" });
    });

    it("runs and serves while a sidecar crashes, but not while its own container does", () => {
        const pod = tikv();
        const crashing = { waiting: { reason: "CrashLoopBackOff" } };
        const seen = () => observePod(pod, needs)?.pod;
        pod.status!.conditions = [{ type: "Ready", status: "False" }];
        const containers = (own: object, ownReady: boolean) => [
            { name: "raftlog", ready: false, restartCount: 5, image: "", imageID: "", state: crashing },
            { name: "tikv", ready: ownReady, restartCount: 0, image: "", imageID: "", state: own },
        ];
        pod.status!.containerStatuses = containers({ running: {} }, true);
        assert.deepEqual([seen()?.running, seen()?.ready], [true, true]);
        pod.status!.containerStatuses = containers(crashing, false);
        assert.deepEqual([seen()?.running, seen()?.ready], [false, false]);
        assert.equal(seen()?.backsOff, "");
        pod.metadata!.deletionTimestamp = new Date();
        assert.equal(seen()?.backsOff, undefined);
        delete pod.metadata!.deletionTimestamp;
        pod.status!.containerStatuses = containers({ terminated: { exitCode: 1 } }, false);
        assert.equal(seen()?.running, false);
    });

    it("serves TLS with the certificate of its own Secret, and waits for every Secret that it mounts", () => {
        const pod = tikv();
        const mount = (secretName: string, optional?: boolean) =>
            pod.spec!.volumes!.push({ name: secretName, secret: { secretName, optional } });
        assert.equal(observePod(pod, needs)?.pod.tlsSecret, undefined);
        mount("optional", true);
        mount("basic-tikv-cluster-secret");
        assert.equal(observePod(pod, needs)?.pod.tlsSecret, "basic-tikv-cluster-secret");
        assert.equal(observePod(pod, needs)?.pod.running, true);
        mount("basic-cluster-client-secret");
        assert.equal(observePod(pod, needs)?.pod.tlsSecret, "basic-tikv-cluster-secret");
        assert.equal(observePod(pod, needs)?.pod.running, false, "a kubelet does not start it");
    });

    it("has the pod's own identity without a claim", () => {
        const pod = tikv();
        pod.spec!.volumes = [];
        assert.equal(observePod(pod, needs)?.pod.claim, "pod-uid");
    });

    it("has the tag before a digest as its version, or none without a tag", () => {
        const pod = tikv();
        pod.spec!.containers[1].image = "pingcap/tikv:v8.5.4@sha256:00";
        assert.equal(observePod(pod, needs)?.pod.version, "v8.5.4");
        pod.spec!.containers[1].image = "registry:5000/pingcap/tikv";
        assert.equal(observePod(pod, needs)?.pod.version, "None");
    });

    it("belongs to the cluster whose PD its start script names, under its own address", () => {
        const scripts = knownStartScripts();
        const pod = tikv();
        pod.metadata!.name = "extra-tikv-0";
        pod.metadata!.labels!["app.kubernetes.io/instance"] = "extra";
        pod.spec!.subdomain = "extra-tikv-peer";
        pod.spec!.volumes!.push({ name: "startup-script", configMap: { name: "extra-tikv" } });
        const seen = () => observePod(pod, { ...needs, pdOf: scripts.pdOf });
        assert.equal(seen(), undefined, "it does not run before its ConfigMap is there");
        const see = (text: string) =>
            scripts.update({ metadata: { namespace: "tidb", name: "extra-tikv" }, data: { "startup-script": text } });
        see("exec /tikv-server --pd=http://extra-pd:2379");
        assert.deepEqual([seen()?.cluster, seen()?.pod.elsewhere], ["extra", undefined]);
        for (const address of ["main-pd.tidb:2379", "main-pd.tidb.svc:2379", "main-pd.tidb.svc.cluster.local:2379"]) {
            see(`exec /tikv-server --pd=http://${address} \\`);
            assert.deepEqual([seen()?.namespace, seen()?.cluster], ["tidb", "main"]);
            assert.deepEqual(seen()?.pod.elsewhere, { service: "extra-tikv-peer", namespace: "tidb" });
        }
    });
});

import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import * as net from "node:net";
import { parse, parseAllDocuments } from "yaml";
import {
    apiServerArguments,
    controllerManagerArguments,
    etcdArguments,
    kwokArguments,
    schedulerArguments,
} from "../../../sandbox/controlPlane/arguments";
import { nodeObject, kwokDefinitions, storageClassObject } from "../../../sandbox/controlPlane/clusterObjects";
import { cacheFolder, sandboxesFolder } from "../../../sandbox/controlPlane/folders";
import { renderKubeconfig, renderTokens } from "../../../sandbox/controlPlane/kubeconfig";
import { layoutOf } from "../../../sandbox/controlPlane/layout";
import { choosePorts, findFreePorts, isPortInUse } from "../../../sandbox/controlPlane/ports";
import { renderKwokConfiguration } from "../../../sandbox/controlPlane/stages";

const layout = layoutOf("/box");
const ports = { etcd: 20001, etcdPeer: 20002, apiServer: 20003, kubelet: 20004 };

describe("sandbox: the arguments of its programs", () => {
    it("listen on loopback only, at free ports", () => {
        const all = [
            ...etcdArguments(layout, ports),
            ...apiServerArguments(layout, ports),
            ...kwokArguments(layout, ports),
        ];
        const addresses = all.join(" ").match(/\d+\.\d+\.\d+\.\d+/g) ?? [];
        assert.deepEqual([...new Set(addresses.filter((address) => !address.startsWith("10.")))], ["127.0.0.1"]);
        for (const port of Object.values(ports)) {
            assert.ok(
                all.some((word) => word.includes(String(port))),
                `no program uses port ${port}`,
            );
        }
    });

    it("open no port for the controllers and the scheduler", () => {
        assert.ok(controllerManagerArguments(layout).includes("--secure-port=0"));
        assert.ok(schedulerArguments(layout).includes("--secure-port=0"));
    });

    it("make KWOK renew the nodes' leases, so the nodes stay Ready", () => {
        assert.ok(kwokArguments(layout, ports).some((word) => /^--node-lease-duration-seconds=[1-9]/.test(word)));
    });

    it("keep every file in the sandbox's folder", () => {
        const files = Object.values(layoutOf("/some/where"));
        assert.ok(files.every((file: string) => file.startsWith("/some/where")));
    });

    it("keep the controllers on that a cluster of StatefulSets needs", () => {
        const list = controllerManagerArguments(layout).find((word) => word.startsWith("--controllers="));
        assert.match(list ?? "", /^--controllers=\*,/);
        for (const needed of [
            "statefulset",
            "deployment",
            "replicaset",
            "garbage-collector",
            "persistentvolume-binder",
        ]) {
            assert.ok(!list?.split(",").includes(`-${needed}-controller`), needed);
        }
    });
});

describe("sandbox: its kubeconfig", () => {
    const text = renderKubeconfig({
        name: "x",
        server: "https://127.0.0.1:1",
        certificateAuthority: "PEM",
        token: "t",
    });

    it("is complete in itself and names the sandbox in its context", () => {
        const config = parse(text);
        assert.equal(config["current-context"], "sandbox-x");
        assert.deepEqual(config.clusters[0].cluster, {
            server: "https://127.0.0.1:1",
            "certificate-authority-data": Buffer.from("PEM").toString("base64"),
        });
        assert.deepEqual(config.users[0].user, { token: "t" });
    });

    it("can be loaded by the client library", async () => {
        const { KubeConfig } = await import("@kubernetes/client-node");
        const config = new KubeConfig();
        config.loadFromString(text);
        assert.equal(config.getCurrentCluster()?.server, "https://127.0.0.1:1");
        assert.equal(config.getCurrentUser()?.token, "t");
    });

    it("has a token whose user may do everything", () => {
        assert.equal(renderTokens("abc"), 'abc,sandbox-admin,sandbox-admin,"system:masters"\n');
    });
});

describe("sandbox: its ports", () => {
    it("are all different, and free", async () => {
        const found = Object.values(await choosePorts());
        assert.equal(new Set(found).size, 4);
        for (const port of found) {
            const server = net.createServer();
            await new Promise<void>((resolve, reject) =>
                server.once("error", reject).listen(port, "127.0.0.1", resolve),
            );
            await new Promise((resolve) => server.close(resolve));
        }
    });

    it("do not include one that is in use", async () => {
        const server = net.createServer();
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const taken = (server.address() as net.AddressInfo).port;
        assert.ok(!(await findFreePorts(50)).includes(taken));
        await new Promise((resolve) => server.close(resolve));
    });

    it("are recognized as in use from a program's last output", () => {
        const words = [
            "I starting",
            'F "command failed" err="listen tcp 127.0.0.1:6443: bind: address already in use"',
        ];
        assert.equal(isPortInUse(words), true);
        assert.equal(isPortInUse(["panic: no space left on device"]), false);
    });
});

describe("sandbox: the objects in its cluster", () => {
    it("spread nodes over three zones and point their kubelet at KWOK", () => {
        const nodes = [0, 1, 2, 3, 4, 5].map((index) => nodeObject(index, 10250, new Date(0)) as k8s.V1Node);
        const zones = nodes.map((node) => node.metadata?.labels?.["topology.kubernetes.io/zone"]);
        assert.deepEqual(zones, ["zone-a", "zone-b", "zone-c", "zone-a", "zone-b", "zone-c"]);
        assert.equal(new Set(nodes.map((node) => node.metadata?.labels?.["kubernetes.io/hostname"])).size, 6);
        assert.equal(nodes[0].status?.daemonEndpoints?.kubeletEndpoint?.Port, 10250);
        assert.ok(nodes[0].status?.addresses?.some((one) => one.type === "InternalIP" && one.address === "127.0.0.1"));
    });

    it("include a default class whose volumes can grow", () => {
        const storageClass = storageClassObject() as k8s.V1StorageClass;
        assert.equal(storageClass.allowVolumeExpansion, true);
        assert.equal(storageClass.metadata?.annotations?.["storageclass.kubernetes.io/is-default-class"], "true");
    });

    it("use KWOK's kinds of port-forwards and logs", () => {
        const kinds = (kwokDefinitions() as k8s.V1CustomResourceDefinition[]).map((definition) => [
            definition.metadata?.name,
            definition.spec.scope,
        ]);
        assert.deepEqual(kinds, [
            ["portforwards.kwok.x-k8s.io", "Namespaced"],
            ["clusterportforwards.kwok.x-k8s.io", "Cluster"],
            ["logs.kwok.x-k8s.io", "Namespaced"],
        ]);
    });

    it("give pods the requested start and stop times", () => {
        const text = renderKwokConfiguration({ startMilliseconds: 11, stopMilliseconds: 22 });
        const stages = parseAllDocuments(text)
            .map((document) => document.toJS())
            .filter((document) => document.kind === "Stage");
        const delays = Object.fromEntries(
            stages.map((stage) => [stage.metadata.name, stage.spec.delay.durationMilliseconds]),
        );
        assert.equal(delays["pod-running"], 11);
        assert.equal(delays["pod-image-missing"], 11);
        assert.equal(delays["pod-gone"], 22);
    });
});

describe("sandbox: its folders", () => {
    it("are below PULUMI_TIDB_CACHE, or else XDG_CACHE_HOME, or else ~/.cache", () => {
        assert.equal(cacheFolder({ PULUMI_TIDB_CACHE: "/a", XDG_CACHE_HOME: "/b" }), "/a");
        assert.equal(cacheFolder({ XDG_CACHE_HOME: "/b" }), "/b/pulumi-tidb");
        assert.match(cacheFolder({}), /\/\.cache\/pulumi-tidb$/);
        // The XDG rule: a relative path there is to be ignored.
        assert.match(cacheFolder({ XDG_CACHE_HOME: "b" }), /\/\.cache\/pulumi-tidb$/);
        assert.equal(sandboxesFolder({ PULUMI_TIDB_CACHE: "/a" }), "/a/sandboxes");
    });
});

import type { V1Deployment, V1Lease, V1StatefulSet } from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import * as assert from "node:assert/strict";
import { renderCluster } from "../../../components/render";
import type { TidbClusterManifest } from "../../../components/spec";
import { type DeployedCluster, deployedCluster, readDeployedCluster } from "../../../provider/cluster/deployedCluster";
import type { Component } from "../../../topology/members";
import { repeats } from "../../support/repeats";

type Spec = Partial<TidbClusterManifest["spec"]>;

const tikv = { replicas: 1, requests: { storage: "1Gi" } };
const pd = { replicas: 3, requests: { storage: "1Gi" } };

/** The objects that this package makes of a spec, as Kubernetes has them. */
function deployed(spec: Spec, labels?: Record<string, string>): DeployedCluster {
    const metadata = { name: "basic", namespace: "tidb", labels };
    const manifest = {
        apiVersion: "pingcap.com/v1alpha1",
        kind: "TidbCluster",
        metadata,
        spec: { version: "v8.5.3", ...spec },
    };
    const objects = renderCluster(manifest as TidbClusterManifest);
    const ofKind = (kind: string) => objects.filter((one) => one.kind === kind);
    const statefulSets = ofKind("StatefulSet").map((one) => [
        one.metadata.name.slice("basic-".length) as Component,
        one,
    ]);
    return deployedCluster(
        {
            lease: ofKind("Lease")[0] as V1Lease,
            statefulSets: Object.fromEntries(statefulSets) as Partial<Record<Component, V1StatefulSet>>,
            discovery: ofKind("Deployment")[0] as V1Deployment | undefined,
        },
        "tidb",
        "basic",
    );
}

describe("a deployed cluster, as its objects show it without its program", () => {
    const own = { namespace: "tidb", cluster: "basic", instance: "basic", tls: false };
    const rows: [title: string, spec: Spec, access: DeployedCluster["pd"]][] = [
        ["its own PD", { pd, tikv }, own],
        ["its own PD with TLS", { pd, tikv, tlsCluster: { enabled: true } }, { ...own, tls: true }],
        [
            "its own PD with TLS and a domain, which certificates may be for",
            { pd, tikv, clusterDomain: "one.example", tlsCluster: { enabled: true } },
            { ...own, tls: true, domain: "one.example" },
        ],
        [
            "the PD of another TidbCluster across Kubernetes clusters",
            {
                tikv,
                acrossK8s: true,
                clusterDomain: "two.example",
                cluster: { name: "main", namespace: "other", clusterDomain: "one.example" },
            },
            { namespace: "other", cluster: "main", instance: "main", tls: false },
        ],
        [
            "the same with TLS",
            {
                tikv,
                acrossK8s: true,
                tlsCluster: { enabled: true },
                cluster: { name: "main", clusterDomain: "one.example" },
            },
            { namespace: "tidb", cluster: "main", instance: "main", tls: true, domain: "one.example" },
        ],
        ["no PD that any object names", { tikv, cluster: { name: "main" } }, undefined],
    ];
    for (const [title, spec, access] of rows) {
        it(`has ${title}`, () => assert.deepEqual(deployed(spec).pd, access));
    }

    it("uses TLS if its members mount their certificates, also without PD and discovery", () => {
        const joins = { tikv, cluster: { name: "main" } };
        assert.equal(deployed({ ...joins, tlsCluster: { enabled: true } }).tls, true);
        assert.equal(deployed(joins).tls, false);
    });

    it("has the instance label and the domain that its pods are found by", () => {
        const { id } = deployed({ pd, tikv, clusterDomain: "one.example" }, { "app.kubernetes.io/instance": "shop" });
        assert.deepEqual(id, { namespace: "tidb", cluster: "basic", instance: "shop", domain: "one.example" });
    });

    it("has the domain that the last update noted, whatever became of discovery: its members are not another cluster's", () => {
        const found = (annotations: Record<string, string>) =>
            deployedCluster(
                { lease: { metadata: { annotations } }, statefulSets: {}, discovery: undefined },
                "tidb",
                "basic",
            );
        const noted = found({ "pulumi-tidb.io/cluster-domain": "one.example" });
        assert.deepEqual([noted.id.domain, noted.lacksDomain], ["one.example", undefined]);
        const none = found({ "pulumi-tidb.io/cluster-domain": "" });
        assert.deepEqual([none.id.domain, none.lacksDomain], [undefined, undefined]);
        repeats(found({}).lacksDomain, "clusterDomain", "basic-pulumi-tidb");
    });

    it("has the members that have a StatefulSet, in the order of a rollout, and those that the program has", () => {
        const spec = { pd, tikv, tidb: { replicas: 1 }, tiproxy: { replicas: 1 } };
        assert.deepEqual(deployed(spec).components, ["pd", "tiproxy", "tikv", "tidb"]);
        const annotations = {
            "pulumi-tidb.io/members": JSON.stringify({ pd: { replicas: 3 }, tidb: { replicas: 1 } }),
        };
        const suspended = deployedCluster(
            { lease: { metadata: { annotations } }, statefulSets: {}, discovery: undefined },
            "tidb",
            "basic",
        );
        assert.deepEqual([suspended.components, suspended.pd], [["pd", "tidb"], own]);
    });

    it("has a member that has left the program until its StatefulSet is gone", () => {
        const notes = { pd: { replicas: 3 }, tiflash: { replicas: 1, hasLeft: true } };
        const annotations = { "pulumi-tidb.io/members": JSON.stringify(notes) };
        const seen = (tiflash?: object) =>
            deployedCluster(
                {
                    lease: { metadata: { annotations } },
                    statefulSets: tiflash ? { tiflash } : {},
                    discovery: undefined,
                },
                "tidb",
                "basic",
            );
        assert.deepEqual(seen({}).components, ["pd", "tiflash"]);
        assert.deepEqual(seen().components, ["pd"]);
    });

    it("has discovery as its Deployment reports it", () => {
        assert.deepEqual(deployed({ pd, tikv }).discovery, {
            replicas: 1,
            ready: 0,
            updated: 0,
            image: "node:22-alpine",
        });
        assert.equal(deployed({ tikv, cluster: { name: "main" } }).discovery, undefined);
    });

    it("is not there without its Lease, and nothing else is asked then", async () => {
        const never = () => assert.fail("nothing is read");
        const calls = { apps: {}, readOrMissing: never } as unknown as Parameters<typeof readDeployedCluster>[0];
        const asked: string[] = [];
        const lease = (name: string) => {
            asked.push(name);
            return Promise.resolve(undefined);
        };
        assert.equal(await readDeployedCluster(calls, lease, "tidb", "basic"), undefined);
        assert.deepEqual(asked, ["basic-pulumi-tidb"]);
    });
});

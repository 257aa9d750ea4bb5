import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { sampleCluster, withValue } from "../../support/sampleFields";
import { objectsOf } from "./manifests";

// tidb-operator pkg/manager/member: getNewPDServiceForTidbCluster, getNewPDMSService, getNewTiDBServiceOrNil.

type Row = [service: KubernetesFields, spec: KubernetesFields];

function serviceOf(path: string, name: string, service: KubernetesFields): KubernetesFields {
    const manifest = withValue(sampleCluster(), `${path}.service`, service);
    const object = objectsOf(manifest).get(`Service/shop-${name}`);
    assert.ok(object);
    return object;
}

const client = (portName = "client") => ({ name: portName, port: 2379, targetPort: 2379, protocol: "TCP" });

const ofPd: Row[] = [
    [{}, { type: "ClusterIP", ports: [client()] }],
    [
        { type: "ClusterIP", clusterIP: "10.0.0.9" },
        { type: "ClusterIP", clusterIP: "10.0.0.9", ports: [client()] },
    ],
    [
        { type: "NodePort", portName: "http" },
        { type: "NodePort", ports: [client("http")] },
    ],
    [
        { type: "LoadBalancer", loadBalancerIP: "10.0.0.9", loadBalancerSourceRanges: ["10.0.0.0/8"] },
        { type: "LoadBalancer", loadBalancerIP: "10.0.0.9", ports: [client()] },
    ],
];

const sql = { name: "mysql-client", port: 4000, targetPort: 4000, protocol: "TCP" };
const status = { name: "status", port: 10080, targetPort: 10080, protocol: "TCP" };

const ofTidb: Row[] = [
    [{}, { ports: [sql, status] }],
    [
        { type: "ClusterIP", clusterIP: "None" },
        { type: "ClusterIP", clusterIP: "None", ports: [sql, status] },
    ],
    [{ exposeStatus: false, portName: "tidb", port: 3306 }, { ports: [{ ...sql, name: "tidb", port: 3306 }] }],
    [
        { type: "NodePort", mysqlNodePort: 30001, statusNodePort: 30002, externalTrafficPolicy: "Local" },
        {
            type: "NodePort",
            externalTrafficPolicy: "Local",
            ports: [
                { ...sql, nodePort: 30001 },
                { ...status, nodePort: 30002 },
            ],
        },
    ],
    [
        { type: "NodePort", mysqlNodePort: 0 },
        { type: "NodePort", ports: [sql, status] },
    ],
    [
        { additionalPorts: [{ name: "more", port: 9000, targetPort: 9001, protocol: "UDP" }] },
        { ports: [sql, { name: "more", port: 9000, targetPort: 9001, protocol: "UDP" }, status] },
    ],
    [
        {
            type: "LoadBalancer",
            loadBalancerIP: "10.0.0.9",
            loadBalancerSourceRanges: ["10.0.0.0/8"],
            loadBalancerClass: "internal",
            externalTrafficPolicy: "Cluster",
        },
        {
            type: "LoadBalancer",
            loadBalancerIP: "10.0.0.9",
            loadBalancerSourceRanges: ["10.0.0.0/8"],
            loadBalancerClass: "internal",
            externalTrafficPolicy: "Cluster",
            ports: [sql, status],
        },
    ],
    [
        { type: "NodePort", loadBalancerIP: "10.0.0.9", loadBalancerClass: "internal" },
        { type: "NodePort", ports: [sql, status] },
    ],
];

const tables: [path: string, name: string, rows: Row[]][] = [
    ["spec.pd", "pd", ofPd],
    ["spec.pdms[]", "tso", ofPd],
    ["spec.tidb", "tidb", ofTidb],
];

describe("a client Service", () => {
    for (const [path, name, rows] of tables) {
        for (const [asked, expected] of rows) {
            it(`of ${name}: ${JSON.stringify(asked)}`, () => {
                const { selector, ...spec } = serviceOf(path, name, asked).spec as KubernetesFields;
                assert.deepEqual(spec, expected);
                assert.equal(selector["app.kubernetes.io/component"], name);
            });
        }

        it(`of ${name} has the requested labels and annotations, but its own ones win`, () => {
            const asked = {
                labels: { some: "thing", "app.kubernetes.io/used-by": "me" },
                annotations: { some: "thing" },
            };
            const { metadata } = serviceOf(path, name, asked);
            assert.equal(metadata.labels.some, "thing");
            assert.equal(metadata.labels["app.kubernetes.io/used-by"], "end-user");
            assert.equal(metadata.annotations.some, "thing");
        });
    }

    it("of every member prefers two address families with preferIPv6, and otherwise leaves the choice open", () => {
        for (const [preferIPv6, policy] of [
            [true, "PreferDualStack"],
            [false, undefined],
        ]) {
            const objects = objectsOf(
                withValue(withValue(sampleCluster(), "spec.preferIPv6", preferIPv6), "spec.tidb.service", {}),
            );
            const services = [...objects.values()].filter(({ kind }) => kind === "Service");
            assert.ok(services.length === 13, services.map(({ metadata }) => metadata.name).join(", "));
            for (const { metadata, spec } of services) {
                assert.equal(spec.ipFamilyPolicy, policy, metadata.name);
            }
        }
    });
});

import assert from "node:assert/strict";
import { requiredCertificates } from "../../../components/certificates";
import { checkManifest } from "../../../components/checkManifest";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { objectsOf, type OpenManifest, smallCluster } from "./manifests";

const requiredBy = (change: (manifest: OpenManifest) => void) =>
    requiredCertificates(checkManifest(smallCluster(change)).manifest);

/** All Secrets with certificates that the pods of a cluster mount. */
const mountedBy = (change: (manifest: OpenManifest) => void) =>
    [...objectsOf(smallCluster(change)).values()]
        .flatMap(({ spec }) => (spec?.template?.spec?.volumes ?? []) as KubernetesFields[])
        .flatMap(({ secret }) => (secret ? [secret.secretName as string] : []));

const everything = ({ spec }: OpenManifest) => {
    spec.tlsCluster = { enabled: true, enableDiscoveryMTLS: true };
    spec.tidb.tlsClient = { enabled: true };
    spec.pd.mountClusterClientSecret = true;
    spec.pd.tlsClientSecretName = "dashboard-secret";
    for (const member of ["tiflash", "pump", "ticdc", "tiproxy"]) {
        spec[member] = { replicas: 1, storageClaims: [{ resources: { requests: { storage: "1Gi" } } }] };
    }
    spec.pump = { replicas: 1, requests: { storage: "1Gi" } };
    spec.ticdc = { replicas: 1 };
    spec.tiproxy = { replicas: 1 };
};

describe("the certificates that a cluster needs", () => {
    it("are all that its pods mount, and the client's", () => {
        const named = requiredBy(everything).map(({ secretName }) => secretName);
        assert.deepEqual([...new Set(named)], named, "each once");
        for (const secret of mountedBy(everything)) {
            assert.ok(named.includes(secret), `${secret} among ${named.join(", ")}`);
        }
        for (const member of ["pd", "tikv", "tidb", "tiflash", "pump", "ticdc", "tiproxy", "discovery"]) {
            assert.ok(named.includes(`shop-${member}-cluster-secret`), member);
        }
        assert.ok(named.includes("shop-cluster-client-secret") && named.includes("dashboard-secret"));
    });

    it("are none without TLS, and one pair with TLS for SQL clients only", () => {
        assert.deepEqual(
            requiredBy(() => {}),
            [],
        );
        const sql = requiredBy(({ spec }) => (spec.tidb.tlsClient = { enabled: true }));
        assert.deepEqual(
            sql.map(({ secretName, usages }) => [secretName, ...usages]),
            [
                ["shop-tidb-server-secret", "server auth", "client auth"],
                ["shop-tidb-client-secret", "client auth"],
            ],
        );
    });

    // As tidb-operator's documentation lists them for TLS between components.
    it("cover every name by which members are called", () => {
        const of = (change: (manifest: OpenManifest) => void) =>
            requiredBy(change).find(({ secretName }) => secretName === "shop-pd-cluster-secret");
        const tls = ({ spec }: OpenManifest) => (spec.tlsCluster = { enabled: true });
        const pd = of(tls);
        assert.deepEqual(pd?.dnsNames, [
            ...["shop-pd", "shop-pd.stores", "shop-pd.stores.svc"],
            ...["shop-pd-peer", "shop-pd-peer.stores", "shop-pd-peer.stores.svc"],
            ...["*.shop-pd-peer", "*.shop-pd-peer.stores", "*.shop-pd-peer.stores.svc"],
        ]);
        assert.deepEqual(pd?.ipAddresses, ["127.0.0.1", "::1"]);
        const elsewhere = of((manifest) => {
            tls(manifest);
            manifest.spec.clusterDomain = "one.example";
        });
        assert.ok(elsewhere?.dnsNames.includes("*.shop-pd-peer.stores.svc.one.example"));
        assert.ok(elsewhere?.dnsNames.includes("shop-pd.stores.svc.one.example"), "discovery asks PD by it");
        const apart = of((manifest) => {
            tls(manifest);
            manifest.spec.pd.mode = "ms";
            manifest.spec.pdms = [{ name: "tso", replicas: 2 }];
        });
        assert.ok(apart?.dnsNames.includes("*.shop-tso-peer.stores.svc"), "microservices show PD's certificate");
    });
});

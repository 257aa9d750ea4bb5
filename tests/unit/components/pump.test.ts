import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { containerOf, objectOf, type OpenManifest, podOf, problemsOf, smallCluster } from "./manifests";
import { type ParseToml, tomlParser } from "./tomlParser";
import { repeats } from "../../support/repeats";

// The rules are those of tidb-operator pkg/manager/member/pump_member_manager.go; no golden has this member.

let parse: ParseToml;
before(async () => (parse = await tomlParser()));

const withPump =
    (own: object = {}, cluster: object = {}) =>
    ({ spec }: OpenManifest) =>
        Object.assign(spec, cluster, { pump: { replicas: 2, requests: { storage: "20Gi" }, ...own } });
const script = (change: (manifest: OpenManifest) => void) => containerOf("pump", "pump", change).command[2] as string;
const statefulSet = (change: (manifest: OpenManifest) => void) => objectOf("StatefulSet/shop-pump", change);
const configOf = (change: (manifest: OpenManifest) => void) =>
    parse(objectOf("ConfigMap/shop-pump", change).data["pump-config"]) as KubernetesFields;

describe("Pump", () => {
    it("has a headless Service with the StatefulSet's name, without the label that distinguishes Services", () => {
        const service = objectOf("Service/shop-pump", withPump());
        assert.equal(service.metadata.labels?.["app.kubernetes.io/used-by"], undefined);
        assert.equal(service.spec.clusterIP, "None");
        assert.equal(service.spec.publishNotReadyAddresses, true);
        assert.deepEqual(service.spec.ports, [{ name: "pump", port: 8250, targetPort: 8250, protocol: "TCP" }]);
        assert.equal(statefulSet(withPump()).spec.serviceName, "shop-pump");
    });

    it("starts its pods one after the other, unless it or the cluster says otherwise", () => {
        const policy = (own: object, cluster: object) => statefulSet(withPump(own, cluster)).spec.podManagementPolicy;
        assert.equal(policy({}, {}), "OrderedReady");
        assert.equal(policy({}, { podManagementPolicy: "Parallel" }), "Parallel");
        assert.equal(
            policy({ podManagementPolicy: "OrderedReady" }, { podManagementPolicy: "Parallel" }),
            "OrderedReady",
        );
    });

    it("has a data volume called data", () => {
        const [claim, ...others] = statefulSet(withPump({ storageClassName: "fast" })).spec.volumeClaimTemplates;
        assert.deepEqual(others, []);
        assert.equal(claim.metadata.name, "data");
        assert.equal(claim.spec.storageClassName, "fast");
        assert.equal(claim.spec.resources.requests.storage, "20Gi");
        const mounts = containerOf("pump", "pump", withPump()).volumeMounts as KubernetesFields[];
        assert.deepEqual(
            mounts.find(({ name }) => name === "data"),
            { name: "data", mountPath: "/data" },
        );
        assert.deepEqual(
            mounts.find(({ name }) => name === "config"),
            { name: "config", mountPath: "/etc/pump" },
        );
    });

    it("has one container, always with a probe without a delay", () => {
        const container = containerOf("pump", "pump", withPump());
        assert.equal(container.image, "pingcap/tidb-binlog:v8.5.3");
        assert.deepEqual(container.readinessProbe, { tcpSocket: { port: 8250 } });
        assert.deepEqual(container.ports, [{ name: "pump", containerPort: 8250, protocol: "TCP" }]);
    });

    it("has its file under its own key, with the certificates if members use TLS", () => {
        assert.deepEqual({ ...configOf(withPump({ config: "gc = 7" })) }, { gc: 7 });
        assert.deepEqual(Object.keys(objectOf("ConfigMap/shop-pump", withPump()).data), ["pump-config"]);
        const { security } = configOf(
            withPump({ config: { security: { "ssl-ca": "mine" } } }, { tlsCluster: { enabled: true } }),
        );
        assert.deepEqual(
            { ...security },
            {
                "ssl-ca": "/var/lib/pump-tls/ca.crt",
                "ssl-cert": "/var/lib/pump-tls/tls.crt",
                "ssl-key": "/var/lib/pump-tls/tls.key",
            },
        );
    });

    it("has a time zone only on request, and its pod's name on the node's network", () => {
        const variables = (own: object) => containerOf("pump", "pump", withPump(own, { timezone: "UTC" })).env;
        assert.deepEqual(variables({}), []);
        assert.deepEqual(variables({ setTimeZone: true }), [{ name: "TZ", value: "UTC" }]);
        assert.equal(variables({ hostNetwork: true })[0].name, "HOSTNAME");
    });

    it("logs at the level of its configuration, or else at info", () => {
        assert.match(script(withPump()), / -L=info \\\n/);
        assert.match(script(withPump({ config: 'log-level = "debug"' })), / -L=debug \\\n/);
    });

    it("sees the pod's annotations only with the second start scripts", () => {
        const names = (cluster: object) =>
            podOf("pump", withPump({}, cluster)).volumes.map(({ name }: KubernetesFields) => name);
        assert.deepEqual(names({}), ["config"]);
        assert.deepEqual(names({ startScriptVersion: "v2" }), ["annotations", "config"]);
    });

    it("has neither more volumes nor delete-slots, as in tidb-operator", () => {
        const change = (manifest: OpenManifest) => {
            withPump({
                additionalVolumes: [{ name: "more", emptyDir: {} }],
                additionalVolumeMounts: [{ name: "more", mountPath: "/more" }],
            })(manifest);
            manifest.metadata.annotations = { "pump.tidb.pingcap.com/delete-slots": "[1]" };
        };
        assert.deepEqual(
            podOf("pump", change).volumes.map(({ name }: KubernetesFields) => name),
            ["config"],
        );
        assert.equal(statefulSet(change).metadata.annotations?.["delete-slots"], undefined);
        const warned = problemsOf(smallCluster(change)).map(({ field }) => field);
        assert.ok(
            warned.includes("spec.pump.additionalVolumes") && warned.includes("spec.pump.additionalVolumeMounts"),
        );
    });

    it("gives a warning with TiDB 8.4 or later, which has no binlog", () => {
        const warned = (version: string, ofTidb?: string) =>
            problemsOf(
                smallCluster((manifest) => {
                    withPump()(manifest);
                    manifest.spec.version = version;
                    manifest.spec.tidb.version = ofTidb;
                }),
            ).some(({ message }) => /^spec\.pump: found TiDB v8.*use TiCDC$/.test(message));
        assert.deepEqual(
            [warned("v8.3.0"), warned("v8.4.0"), warned("v8.3.0", "v8.5.1"), warned("v8.5.1", "v7.5.3")],
            [false, true, true, false],
        );
    });

    it("makes TiDB write a binlog, unless TiDB says otherwise", () => {
        const enabled = (change?: (manifest: OpenManifest) => void) =>
            (containerOf("tidb", "tidb", change).env as KubernetesFields[]).find(
                ({ name }) => name === "BINLOG_ENABLED",
            )?.value;
        assert.equal(enabled(), "false");
        assert.equal(enabled(withPump()), "true");
        const off = (manifest: OpenManifest) => {
            withPump()(manifest);
            manifest.spec.tidb.binlogEnabled = false;
        };
        assert.equal(enabled(off), "false");
        assert.equal(
            enabled(({ spec }) => (spec.tidb.binlogEnabled = true)),
            "true",
        );
    });

    it("needs the size of its volume; the message has tidb-operator's path too", () => {
        const found = problemsOf(smallCluster(withPump({ requests: { cpu: 1 } })));
        const [problem, ...others] = found.filter(({ severity }) => severity === "error");
        assert.deepEqual(others, []);
        assert.equal(problem.field, "spec.pump.requests.storage");
        repeats(problem.message, "spec.pump.spec.Requests");
    });
});

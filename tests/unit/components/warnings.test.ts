import assert from "node:assert/strict";
import { type OpenManifest, problemsOf, smallCluster } from "./manifests";

type Rule = [change: (manifest: OpenManifest) => void, field: string, message: RegExp];

const rules: Rule[] = [
    [({ spec }) => (spec.versoin = "v1"), "spec.versoin", /did you mean version\?/],
    [({ spec }) => (spec.tikv.confg = {}), "spec.tikv.confg", /did you mean config\?/],
    [({ spec }) => (spec.tikv.somethingElse = {}), "spec.tikv.somethingElse", /not a known field and is ignored$/],
    [({ spec }) => (spec.tidb.service.exposeStat = 1), "spec.tidb.service.exposeStat", /did you mean exposeStatus\?/],
    [({ metadata }) => (metadata.nmae = "x"), "metadata.nmae", /did you mean name\?/],
    [({ spec }) => (spec.pvReclaimPolicy = "Retain"), "spec.pvReclaimPolicy", /storage class/],
    [({ spec }) => (spec.enablePVReclaim = true), "spec.enablePVReclaim", /not removed/],
    [({ spec }) => (spec.pd.maxFailoverCount = 3), "spec.pd.maxFailoverCount", /failover is not part/],
    [({ spec }) => (spec.tikv.recoverFailover = true), "spec.tikv.recoverFailover", /failover is not part/],
    [({ spec }) => (spec.tikv.storeLabels = ["zone"]), "spec.tikv.storeLabels", /STORE_LABELS/],
    [
        ({ spec }) => (spec.tidb.initializer = { createPassword: true }),
        "spec.tidb.initializer.createPassword",
        /no password/,
    ],
    [({ spec }) => (spec.tidb.requests = { storage: "1Gi" }), "spec.tidb.requests.storage", /no data volume/],
    [({ spec }) => (spec.pd.image = "a:1"), "spec.pd.image", /baseImage and version win/],
    [
        ({ spec }) => (spec.statefulSetUpdateStrategy = "RollingUpdate"),
        "spec.statefulSetUpdateStrategy",
        /gates restart/,
    ],
    [
        ({ spec }) => (spec.tidb.service.loadBalancerIP = "1.2.3.4"),
        "spec.tidb.service.loadBalancerIP",
        /not LoadBalancer/,
    ],
    [({ spec }) => (spec.pd.service = { loadBalancerClass: "x" }), "spec.pd.service.loadBalancerClass", /either/],
    [({ spec }) => (spec.services = [{ name: "tidb", type: "NodePort" }]), "spec.services", /only the Service of pd/],
    [({ spec }) => (spec.startScriptV2FeatureFlags = ["NoWaitDNS"]), "spec.startScriptV2FeatureFlags", /v2/],
    [({ spec }) => (spec.tikv.readinessProbe = { type: "command" }), "spec.tikv.readinessProbe.type", /its port/],
    [({ spec }) => delete spec.pd, "spec.pd", /wait for PD for ever/],
    [
        ({ spec }) => (spec.tidb.labels = { "app.kubernetes.io/name": "x" }),
        "spec.tidb.labels.app.kubernetes.io/name",
        /ignored/,
    ],
    [
        ({ metadata }) => (metadata.annotations = { "tikv.tidb.pingcap.com/delete-slots": "[1]" }),
        "metadata.annotations.tikv.tidb.pingcap.com/delete-slots",
        /does not act on it/,
    ],
];

describe("warnings of a manifest", () => {
    for (const [change, field, message] of rules) {
        it(`name ${field}`, () => {
            const problems = problemsOf(smallCluster(change));
            assert.deepEqual(
                problems.map((problem) => [problem.field, problem.severity]),
                [[field, "warning"]],
            );
            assert.match(problems[0].message, message);
        });
    }

    it("are none for what asks for nothing", () => {
        const manifest = smallCluster(({ spec }) => {
            spec.pd.maxFailoverCount = 0;
            spec.enablePVReclaim = false;
            spec.tiflash = null;
            spec.pdms = [];
            spec.discovery = null;
            spec.tikv.nodeSelector = undefined;
            spec.pd.mode = "";
        });
        assert.deepEqual(problemsOf(manifest), []);
    });

    it("are none for what the API server adds to an object", () => {
        const manifest = smallCluster((one) => {
            one.status = { clusterID: "1" };
            Object.assign(one.metadata, { uid: "u", resourceVersion: "1", generation: 1, creationTimestamp: "2020" });
        });
        assert.deepEqual(problemsOf(manifest), []);
    });
});

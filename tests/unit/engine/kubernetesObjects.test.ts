import * as assert from "node:assert/strict";
import { dropForeignFields } from "../../../sandbox/engine/kubernetes/ignoredFields";
import { comparedInputs, pruneTo } from "../../../sandbox/engine/kubernetes/liveInputs";
import { checkpoint, normalizeInputs } from "../../../sandbox/engine/kubernetes/objects";
import { clusterSettings } from "../../../sandbox/engine/kubernetes/kubeconfig";
import { canonicalQuantities } from "../../../sandbox/engine/kubernetes/quantity";
import { canonicalQuantity } from "../../../sandbox/quantity";
import { replacingPaths } from "../../../sandbox/engine/kubernetes/replacements";
import { withProgramNames, withServerNames } from "../../../sandbox/engine/kubernetes/schemaFields";
import { isSecret, type PropertyMap } from "../../../sandbox/engine/values";

describe("engine: Kubernetes objects", () => {
    it("get a name if they have none, and keep it", () => {
        const first = normalizeInputs({ apiVersion: "v1", kind: "ConfigMap", data: {} }, undefined, "settings");
        const { name } = first.metadata as PropertyMap;
        assert.match(String(name), /^settings-[0-9a-f]{8}$/);
        const second = normalizeInputs({ apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } }, first, "settings");
        assert.deepEqual(second.metadata, first.metadata);
        const named = normalizeInputs({ metadata: { name: "own" } }, first, "settings");
        assert.deepEqual(named.metadata, { name: "own" });
    });

    it("lose the fields that only the server sets", () => {
        const result = normalizeInputs({ metadata: { name: "a", uid: "x", resourceVersion: "1" } }, undefined, "a");
        assert.deepEqual(result.metadata, { name: "a" });
    });

    it("keep a Secret's text as the server does, and hide it in the outputs", () => {
        const inputs = normalizeInputs(
            { kind: "Secret", metadata: { name: "s" }, stringData: { root: "hunter2" } },
            undefined,
            "s",
        );
        assert.deepEqual(inputs.data, { root: "aHVudGVyMg==" });
        assert.equal("stringData" in inputs, false);
        const outputs = checkpoint(
            { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { root: "x" } },
            inputs,
            "m",
        );
        assert.ok(isSecret(outputs.data));
        assert.ok(isSecret((outputs.__inputs as PropertyMap).data));
    });

    it("are cut to the requested fields after a read", () => {
        const live: PropertyMap = { spec: { replicas: 3, filledIn: 1, list: [{ a: 1, b: 2 }, { a: 3 }] }, status: {} };
        assert.deepEqual(pruneTo(live, { spec: { replicas: 5, list: [{ a: 0 }], missing: 1 } }), {
            spec: { replicas: 3, list: [{ a: 1 }] },
        });
    });

    it("are compared with what the server made of the old inputs", () => {
        const inputs: PropertyMap = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: { cpu: "1000m" } };
        const live: PropertyMap = { ...inputs, metadata: { name: "n", uid: "u" }, spec: { cpu: "1", pods: 7 } };
        const { before, after } = comparedInputs(inputs, { ...live, __inputs: inputs }, inputs);
        assert.deepEqual(before, { ...inputs, spec: { cpu: "1" } });
        assert.deepEqual(after, inputs);
        const { after: elsewhere } = comparedInputs(inputs, live, {
            ...inputs,
            metadata: { name: "n", namespace: "a" },
        });
        assert.deepEqual(elsewhere, inputs, "its kind has no namespaces");
    });

    for (const [apiVersion, isDropped] of [
        ["v1", true],
        ["apps/v1", true],
        ["rbac.authorization.k8s.io/v1", true],
        ["cert-manager.io/v1", false],
        ["snapshot.storage.k8s.io/v1", false],
    ] as const) {
        it(`treat an empty value that the server drops as ${isDropped ? "none" : "a change"} in ${apiVersion}`, () => {
            const metadata = { name: "a", namespace: "b" };
            const kept = { apiVersion, metadata, spec: { off: false, list: [{ a: "1" }], volume: { emptyDir: {} } } };
            const dropped = { map: {}, list: [{ a: "1", b: "" }], none: [], hostNetwork: false };
            const inputs = { ...kept, spec: { ...kept.spec, ...dropped } };
            const wanted = isDropped ? kept : inputs;
            assert.deepEqual(comparedInputs(inputs, kept, inputs), { before: kept, after: wanted });
            assert.deepEqual(comparedInputs(kept, kept, inputs), { before: kept, after: wanted }, "after a refresh");
        });
    }

    it("treat a new 0 or false as a change, unless the server has dropped it before", () => {
        const live = { apiVersion: "v1", kind: "Pod", spec: { securityContext: {} } };
        const root = { ...live, spec: { securityContext: { runAsUser: 0, runAsNonRoot: false } } };
        assert.deepEqual(comparedInputs(live, live, root).after, root);
        assert.deepEqual(comparedInputs(root, live, root).after, live);
    });

    it("have the server's names for the fields of a custom resource's schema, and back", () => {
        const schema = { type: "object", x_kubernetes_preserve_unknown_fields: true };
        const definition = { versions: [{ schema: { openAPIV3Schema: { properties: { spec: schema } } } }] };
        const sent = withServerNames(definition);
        assert.deepEqual(sent.versions[0].schema.openAPIV3Schema.properties.spec, {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
        });
        assert.deepEqual(withProgramNames(sent), definition);
    });

    for (const [text, canonical] of [
        ["1000m", "1"],
        ["1500m", "1500m"],
        ["0.5", "500m"],
        ["1024Mi", "1Gi"],
        ["1536Mi", "1536Mi"],
        ["1.5Gi", "1536Mi"],
        ["1000k", "1M"],
        ["2", "2"],
        ["0", "0"],
        ["100Gi", "100Gi"],
        ["not a quantity", "not a quantity"],
    ] as const) {
        it(`have the quantity ${text} written as ${canonical}`, () => assert.equal(canonicalQuantity(text), canonical));
    }

    it("have quantities only in fields of that type", () => {
        const inputs = { spec: { resources: { requests: { cpu: "1000m" } } }, data: { cpu: "1000m" } };
        assert.deepEqual(canonicalQuantities(inputs), {
            spec: { resources: { requests: { cpu: "1" } } },
            data: { cpu: "1000m" },
        });
    });

    it("are replaced for exactly the changes that Kubernetes refuses", () => {
        const set = { apiVersion: "apps/v1", kind: "StatefulSet" };
        assert.deepEqual(replacingPaths(set, ["spec.replicas", "spec.template.spec.containers[0].image"]), []);
        const claims = "spec.volumeClaimTemplates[0].spec.resources.requests.storage";
        assert.deepEqual(replacingPaths(set, [claims, "spec.replicas"]), [claims]);
        assert.deepEqual(replacingPaths({ apiVersion: "v1", kind: "ConfigMap" }, ["data.a"]), ["data.a"]);
        assert.deepEqual(replacingPaths({ apiVersion: "v1", kind: "Service" }, ["metadata.name"]), ["metadata.name"]);
    });

    it("are changed in place if they are ConfigMaps and the provider's enableConfigMapMutable is set", () => {
        const map = { apiVersion: "v1", kind: "ConfigMap" };
        assert.deepEqual(replacingPaths(map, ["data.a"], true), []);
        assert.deepEqual(replacingPaths(map, ["data.a", "metadata.name"], true), ["metadata.name"]);
        assert.deepEqual(replacingPaths({ ...map, immutable: true }, ["data.a"], true), ["data.a"]);
        assert.deepEqual(replacingPaths({ apiVersion: "v1", kind: "Secret" }, ["data.a"], true), ["data.a"]);
        const ofStack = { "kubernetes:enableConfigMapMutable": "true" };
        for (const [inputs, config, environment, expected] of [
            [{}, {}, {}, false],
            [{}, ofStack, {}, true],
            [{}, {}, { PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE: "true" }, true],
            [{ enableConfigMapMutable: "true" }, {}, {}, true],
            [{ context: "c" }, ofStack, {}, false],
        ] as const) {
            assert.equal(clusterSettings(inputs, config, environment).enableConfigMapMutable, expected);
        }
    });

    it("leave an ignored field to the manager that owns it, and keep the live value of any other", () => {
        const live = {
            apiVersion: "apps/v1",
            kind: "StatefulSet",
            metadata: {
                name: "s",
                managedFields: [
                    { manager: "ours", fieldsV1: { "f:spec": { "f:paused": {} } } },
                    { manager: "autoscaler", fieldsV1: { "f:spec": { "f:replicas": {} } } },
                ],
            },
            spec: { replicas: 7, paused: true },
        };
        const wanted = { ...live, metadata: { name: "s" }, spec: { replicas: 3, paused: false } };
        const applied = dropForeignFields(structuredClone(wanted), live, "ours", ["spec.replicas", "spec.paused"]);
        assert.deepEqual(applied.spec, { paused: true });
    });
});

import * as assert from "node:assert/strict";
import { labelsOf } from "../../../components/gateInputs/labelSources";
import { renderMembers } from "../../../components/render";
import type { TidbClusterManifest } from "../../../components/spec";
import type { LabelSources } from "../../../provider/lifecycle/vocabulary/target";
import type { Component } from "../../../topology/members";
import { problemsOf, smallCluster } from "./manifests";

const size = { replicas: 3, requests: { storage: "1Gi" } };

function sourcesOf(component: Component, more: object = {}): LabelSources | undefined {
    const members = {
        pd: { ...size, config: {} },
        tikv: { ...size, config: {}, ...(component === "tikv" ? more : {}) },
        tidb: { replicas: 1, config: {}, ...(component === "tidb" ? more : {}) },
        tiflash: {
            replicas: 1,
            storageClaims: [{ resources: { requests: { storage: "1Gi" } } }],
            ...(component === "tiflash" ? more : {}),
        },
    };
    const manifest = { metadata: { name: "basic", namespace: "tidb" }, spec: { version: "v8.5.3", ...members } };
    return labelsOf(renderMembers(manifest as unknown as TidbClusterManifest), component).labels;
}

describe("the labels that the program gives stores", () => {
    const variable = (value: object) => ({ env: [{ name: "STORE_LABELS", ...value }] });
    const rows: [what: string, component: Component, more: object, expected: LabelSources | undefined][] = [
        ["none: a gate's inputs are those of earlier versions", "tikv", {}, undefined],
        ["further ones", "tikv", { storeLabels: ["disk"] }, { more: ["disk"] }],
        ["those of its configuration", "tikv", { config: { server: { labels: { zone: "a" } } } }, { own: ["zone"] }],
        ["the same as text", "tikv", { config: '[server]\nlabels = { zone = "a" }' }, { own: ["zone"] }],
        [
            "those of its variable, which replace the configuration's",
            "tikv",
            { config: { server: { labels: { disk: "ssd" } } }, ...variable({ value: "zone=$(ZONE),host=$(HOST)" }) },
            { own: ["zone", "host"] },
        ],
        [
            "those of its configuration, if the variable is empty",
            "tikv",
            { config: { server: { labels: { disk: "ssd" } } }, ...variable({ value: "" }) },
            { own: ["disk"] },
        ],
        [
            "any, if the variable comes from elsewhere",
            "tikv",
            variable({ valueFrom: { configMapKeyRef: { name: "labels", key: "all" } } }),
            { own: "all" },
        ],
        [
            "any, if a ConfigMap may set the variable",
            "tikv",
            { envFrom: [{ configMapRef: { name: "a" } }] },
            { own: "all" },
        ],
        [
            "none, if the variables of a ConfigMap begin otherwise",
            "tikv",
            { envFrom: [{ prefix: "AWS_", secretRef: { name: "a" } }] },
            undefined,
        ],
        [
            "none of TiDB, which reads no such variable",
            "tidb",
            { envFrom: [{ configMapRef: { name: "a" } }] },
            undefined,
        ],
        ["any, if a key comes from elsewhere", "tikv", variable({ value: "$(KEY)=a" }), { own: "all" }],
        [
            "those of TiFlash's proxy",
            "tiflash",
            { config: { proxy: { server: { labels: { zone: "a" } } } } },
            { own: ["zone"] },
        ],
        ["none of a member without stores and servers with labels", "pd", {}, undefined],
        ["those of TiDB's configuration", "tidb", { config: { labels: { zone: "a" } } }, { own: ["zone"] }],
    ];
    for (const [what, component, more, expected] of rows) {
        it(`${what} (${component})`, () => assert.deepEqual(sourcesOf(component, more), expected));
    }
});

describe("the keys in spec.tikv.storeLabels", () => {
    const found = (storeLabels: string[]) =>
        problemsOf(smallCluster(({ spec }) => Object.assign(spec.tikv as object, { storeLabels })))
            .filter(({ field }) => field.startsWith("spec.tikv.storeLabels"))
            .map(({ field, severity }) => [field, severity]);

    it("are those that PD takes: it would refuse the others once all else is done", () => {
        assert.deepEqual(found(["disk-type", "topology.kubernetes.io/rack", "$mode"]), []);
        assert.deepEqual(found(["a b", "disk", "-x", ""]), [
            ["spec.tikv.storeLabels[0]", "error"],
            ["spec.tikv.storeLabels[2]", "error"],
            ["spec.tikv.storeLabels[3]", "error"],
        ]);
    });

    it("never make a store of TiKV one of TiFlash", () => {
        assert.deepEqual(found(["Engine"]), [["spec.tikv.storeLabels[0]", "error"]]);
    });
});

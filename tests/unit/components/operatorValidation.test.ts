import assert from "node:assert/strict";
import { sampleCluster, withValue } from "../../support/sampleFields";
import { problemsOf } from "./manifests";
import { repeats } from "../../support/repeats";

/**
 * Everything that tidb-operator's own validation refuses (pkg/apis/pingcap/v1alpha1/validation/validation.go,
 * ValidateTidbCluster), by the path that it reports.
 */
type Rule = [operatorPath: string, field: string, value: unknown];

const tooLong = "x".repeat(300);

/** Rules of every component: our path of it, and the operator's. */
const components: [path: string, operatorPath: string][] = [
    ["spec.discovery", "spec.discovery"],
    ["spec.pd", "spec.pd"],
    ["spec.pdms[]", "spec.tso"],
    ["spec.tikv", "spec.tikv"],
    ["spec.tidb", "spec.tidb"],
    ["spec.pump", "spec.pump"],
    ["spec.tiflash", "spec.tiflash"],
    ["spec.ticdc", "spec.ticdc"],
];

const secret = (secretKeyRef: object) => [{ name: "A", valueFrom: { secretKeyRef } }];
const config = (configMapKeyRef: object) => [{ name: "A", valueFrom: { configMapKeyRef } }];

const ofComponents = components.flatMap(([path, at]): Rule[] => [
    [`${at}.env[0].name`, `${path}.env`, [{ name: "" }]],
    [`${at}.env[0].name`, `${path}.env`, [{ name: "1A" }]],
    [`${at}.env[0].name`, `${path}.env`, [{ name: "A=B" }]],
    [`${at}.env[0].valueFrom.fieldRef`, `${path}.env`, [{ name: "A", valueFrom: { fieldRef: { fieldPath: "x" } } }]],
    [
        `${at}.env[0].valueFrom.resourceFieldRef`,
        `${path}.env`,
        [{ name: "A", valueFrom: { resourceFieldRef: { resource: "x" } } }],
    ],
    [`${at}.env[0].valueFrom.configMapKeyRef.name`, `${path}.env`, config({ name: "No_Name", key: "a" })],
    [`${at}.env[0].valueFrom.configMapKeyRef.key`, `${path}.env`, config({ name: "a", key: "" })],
    [`${at}.env[0].valueFrom.configMapKeyRef.key`, `${path}.env`, config({ name: "a", key: "no/key" })],
    [`${at}.env[0].valueFrom.secretKeyRef.name`, `${path}.env`, secret({ name: "", key: "a" })],
    [`${at}.env[0].valueFrom.secretKeyRef.key`, `${path}.env`, secret({ name: "a", key: tooLong })],
    [`${at}.env[0].valueFrom`, `${path}.env`, [{ name: "A", valueFrom: {} }]],
    [
        `${at}.env[0].valueFrom`,
        `${path}.env`,
        [{ name: "A", value: "x", valueFrom: { secretKeyRef: { name: "a", key: "b" } } }],
    ],
    [
        `${at}.env[0].valueFrom`,
        `${path}.env`,
        [{ name: "A", valueFrom: { secretKeyRef: { name: "a", key: "b" }, configMapKeyRef: { name: "a", key: "b" } } }],
    ],
    [`${at}.additionalContainers[0].image`, `${path}.additionalContainers`, [{ name: "some" }]],
    [`${at}.additionalContainers[0].image`, `${path}.additionalContainers`, [{ name: "some", image: "" }]],
]);

const withVolumes = components.filter(([path]) => /pd|tikv|tidb|ticdc/.test(path));
const ofVolumes = withVolumes.flatMap(([path, at]): Rule[] => [
    [`${at}.storageVolumes[0].name`, `${path}.storageVolumes`, [{ name: "", storageSize: "1Gi" }]],
    // The operator gives this one no path at all.
    [`${at}.storageVolumes[0].storageSize`, `${path}.storageVolumes`, [{ name: "a", storageSize: "much" }]],
]);

const rules: Rule[] = [
    ...ofComponents,
    ...ofVolumes,
    ["metadata.annotations", "metadata.annotations", { "no key": "x" }],
    ["metadata.annotations", "metadata.annotations", { big: "x".repeat(257 * 1024) }],
    ...["pd", "tidb", "tikv", "tiflash", "tiproxy", "ticdc"].map((member): Rule => {
        const key = `${member}.tidb.pingcap.com/delete-slots`;
        return [`metadata.annotations.${key}`, "metadata.annotations", { [key]: "[1,x]" }];
    }),
    ["spec.pd.requests.storage[storage]", "spec.pd.requests", { cpu: "1" }],
    ["spec.tikv.requests.storage[storage]", "spec.tikv.requests", { cpu: "1" }],
    ["spec.pd.spec.LoadBalancerSourceRanges", "spec.pd.service", { loadBalancerSourceRanges: ["10.0.0.0"] }],
    [
        "spec.tidb.spec.LoadBalancerSourceRanges",
        "spec.tidb.service",
        { type: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/99"] },
    ],
    ["spec.pdAddresses[0]", "spec.pdAddresses", ["ftp://pd:2379"]],
    ["spec.pdAddresses[0]", "spec.pdAddresses", ["http://[::1"]],
    ["spec.pdAddresses[0]", "spec.pdAddresses", ["pd:2379"]],
    ["spec.startScriptV2FeatureFlags[0]", "spec.startScriptV2FeatureFlags", ["Other"]],
    ["spec.tikv.scalePolicy.ScaleInParallelism", "spec.tikv.scalePolicy", { scaleInParallelism: 0 }],
    ["spec.tikv.scalePolicy.ScaleOutParallelism", "spec.tikv.scalePolicy", { scaleOutParallelism: 0 }],
    ["spec.tikv.scalePolicy.ScaleOutParallelism", "spec.tikv.scalePolicy", { scaleOutParallelism: -1 }],
    ["spec.tidb.scalePolicy.ScaleInParallelism", "spec.tidb.scalePolicy", { scaleInParallelism: 0 }],
    ["spec.tiflash.scalePolicy.ScaleOutParallelism", "spec.tiflash.scalePolicy", { scaleOutParallelism: 0 }],
    ["spec.tikv.dataSubDir", "spec.tikv.dataSubDir", "/absolute"],
    ["spec.tikv.dataSubDir", "spec.tikv.dataSubDir", "up/../and/away"],
    ["spec.tikv.evictLeaderTimeout", "spec.tikv.evictLeaderTimeout", "soon"],
    ["spec.tikv.evictLeaderTimeout", "spec.tikv.evictLeaderTimeout", "-1m"],
    ["spec.tikv.evictLeaderTimeout", "spec.tikv.evictLeaderTimeout", "0s"],
    ["spec.tidb.volumeName", "spec.tidb.slowLogVolumeName", "nowhere"],
    ["spec.pump.spec.Requests", "spec.pump.requests", { cpu: "1" }],
    ["spec.tiflash.spec.StorageClaims", "spec.tiflash.storageClaims", []],
    ["spec.tiflash.spec.StorageClaims.Resources.Requests", "spec.tiflash.storageClaims", [{ resources: {} }]],
    [
        "spec.tiflash.config.config.flash.overlap_threshold",
        "spec.tiflash.config",
        { config: { flash: { overlap_threshold: 1.5 } } },
    ],
    ["spec.tiflash.config.config.logger.log", "spec.tiflash.config", { config: { logger: { log: "/log" } } }],
];

describe("everything that tidb-operator's validation refuses is refused with its path", () => {
    for (const [operatorPath, field, value] of rules) {
        const shown = JSON.stringify(value);
        it(`${operatorPath}: ${shown.length > 90 ? `${shown.slice(0, 90)}…` : shown}`, () => {
            const errors = problemsOf(withValue(sampleCluster(), field, value)).filter(
                ({ severity }) => severity === "error",
            );
            assert.ok(
                errors.some(
                    (problem) =>
                        problem.field === operatorPath || problem.message.includes(`(tidb-operator: ${operatorPath})`),
                ),
                errors.map(({ message }) => message).join("\n") || "no error",
            );
            assert.ok(
                errors.every(({ message, found, expected }) => message.includes(found) && message.includes(expected)),
            );
        });
    }

    for (const [name, log] of [
        ["raftLogVolumeName", "separateRaftLog"],
        ["rocksDBLogVolumeName", "separateRocksDBLog"],
    ]) {
        it(`spec.tikv.volumeName: ${name} that names no volume`, () => {
            const manifest = withValue(
                withValue(sampleCluster(), `spec.tikv.${log}`, true),
                `spec.tikv.${name}`,
                "nowhere",
            );
            const [error] = problemsOf(manifest).filter(({ severity }) => severity === "error");
            assert.equal(error.field, `spec.tikv.${name}`);
            repeats(error.message, "spec.tikv.volumeName");
        });
    }

    it("slots of a member that does not exist", () => {
        const key = "tiflash.tidb.pingcap.com/delete-slots";
        const without = withValue(sampleCluster(), "spec.tiflash", undefined);
        const [error] = problemsOf(withValue(without, "metadata.annotations", { [key]: "1" }));
        assert.deepEqual([error.field, error.severity], [`metadata.annotations.${key}`, "error"]);
    });

    it("all of it at once", () => {
        const bad = rules
            .filter(([, field]) => field.endsWith(".env"))
            .reduce((manifest, [, field, value]) => withValue(manifest, field, value), sampleCluster());
        const fields = new Set(problemsOf(bad).map(({ field }) => field.split(".").slice(0, 2).join(".")));
        for (const [path] of components) {
            assert.ok(fields.has(path.replace("[]", "[0]")), path);
        }
    });
});

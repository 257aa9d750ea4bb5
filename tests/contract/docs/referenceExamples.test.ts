import assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { ManifestError } from "../../../components/problem";
import { definitions } from "../../../scripts/docs";
import { exampleOf } from "../../../scripts/reference/examples";

/** A small cluster with every member that it may have, and what some fields refer to. */
function cluster(): { metadata: object; spec: Record<string, Record<string, unknown> | string> } {
    const requests = { storage: "10Gi" };
    const log = { name: "log", storageSize: "1Gi", mountPath: "/logs" };
    const additionalVolumes = [{ name: "scratch", emptyDir: {} }];
    const members = {
        pd: { replicas: 3, requests, config: {} },
        tikv: { replicas: 3, requests, config: {} },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" }, storageVolumes: [log] },
        tiflash: { replicas: 1, storageClaims: [{ resources: { requests } }] },
        ticdc: { replicas: 1 },
        pump: { replicas: 1, requests },
        tiproxy: { replicas: 1 },
    };
    const withVolume = Object.entries(members).map(([member, spec]) => [member, { ...spec, additionalVolumes }]);
    return {
        metadata: { name: "basic", namespace: "tidb" },
        spec: { version: "v8.1.0", ...Object.fromEntries(withVolume) },
    };
}

/** The field of the spec that each type describes. Empty for the spec itself. */
const places: Readonly<Record<string, string>> = {
    TidbClusterSpec: "",
    PdSpec: "pd",
    TikvSpec: "tikv",
    TidbSpec: "tidb",
    TiflashSpec: "tiflash",
    TicdcSpec: "ticdc",
    PumpSpec: "pump",
    TiproxySpec: "tiproxy",
};

describe("examples in the reference", () => {
    const all = definitions();
    for (const [type, member] of Object.entries(places)) {
        it(`of ${type} are each accepted in a cluster`, () => {
            const { properties = {} } = all[type];
            assert.notDeepEqual(Object.keys(properties), []);
            for (const [name, schema] of Object.entries(properties)) {
                const field = ["spec", member, name].filter((part) => part !== "").join(".");
                const example = exampleOf(type, name, schema, all);
                const manifest = cluster();
                const { spec } = manifest;
                spec.tiproxy = member === "tiproxy" ? spec.tiproxy : (undefined as never);
                const target = member === "" ? spec : (spec[member] as Record<string, unknown>);
                // The members themselves are examples already.
                if (example === undefined || (member === "" && name in target)) {
                    continue;
                }
                (target as Record<string, unknown>)[name] = example;
                try {
                    checkManifest(manifest);
                } catch (error) {
                    assert.ok(error instanceof ManifestError);
                    assert.fail(`${field}: ${JSON.stringify(example)} is refused: ${error.message}`);
                }
            }
        });
    }

    it("of quantities and images fit their field", () => {
        const example = (type: string, field: string): unknown =>
            exampleOf(type, field, all[type].properties?.[field] ?? {}, all);
        assert.equal(example("ResourceList", "cpu"), "4");
        assert.equal(example("TidbSpec", "baseImage"), "registry.example/tidb");
        assert.deepEqual(example("EnvironmentVariableSource", "configMapKeyRef"), {
            name: "settings",
            key: "time-zone",
        });
        for (const type of ["PdSpec", "TikvSpec", "TidbSpec"]) {
            assert.equal(example(type, "terminationGracePeriodSeconds"), 60);
        }
    });
});

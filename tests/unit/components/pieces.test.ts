import assert from "node:assert/strict";
import { majorVersion } from "../../../components/cluster";
import { digest } from "../../../components/kubernetes/configMap";
import { mergeContainers } from "../../../components/kubernetes/mergeContainers";
import { storeCapacity } from "../../../components/kubernetes/resources";
import { configValue, readConfig, withConfigValues, writeConfig } from "../../../components/kubernetes/toml";

describe("a store's capacity", () => {
    // TiKV's GB and MB are gibibytes and mebibytes.
    for (const [limit, capacity] of [
        [undefined, "0"],
        ["100Gi", "100GB"],
        ["1536Mi", "1536MB"],
        ["1G", "953MB"],
        ["1000", "0MB"],
        ["500m", "0"],
    ] as const) {
        it(`with the limit ${limit} is ${capacity}`, () => assert.equal(storeCapacity({ storage: limit }), capacity));
    }
});

describe("an image's major version", () => {
    for (const [image, version] of [
        ["pingcap/tikv:v8.5.3", 8],
        ["pingcap/tikv:4.0.0-rc.1", 4],
        ["pingcap/tikv", Infinity],
        ["pingcap/tikv:nightly", Infinity],
        ["registry:5000/tikv", Infinity],
        ["registry:5000/tikv:v3.0", 3],
    ] as const) {
        it(`${image}: ${version}`, () => assert.equal(majorVersion(image), version));
    }
});

describe("additional containers", () => {
    const own = {
        name: "pd",
        image: "pd:1",
        command: ["a", "b"],
        env: [{ name: "A", value: "1" }],
        volumeMounts: [{ name: "data", mountPath: "/data" }],
        resources: { requests: { cpu: "1" } },
    };

    it("with another name are appended in their order", () => {
        const merged = mergeContainers([own], [{ name: "z" }, { name: "a" }]);
        assert.deepEqual(
            merged.map(({ name }) => name),
            ["pd", "z", "a"],
        );
    });

    it("with the name of a rendered one are merged into it as Kubernetes does", () => {
        const patch = {
            name: "pd",
            command: ["c"],
            env: [
                { name: "A", value: "2" },
                { name: "B", value: "3" },
            ],
            volumeMounts: [{ name: "other", mountPath: "/data" }],
            resources: { limits: { cpu: "2" } },
        };
        assert.deepEqual(mergeContainers([own], [patch]), [
            {
                name: "pd",
                image: "pd:1",
                command: ["c"],
                // What only the patch has comes first.
                env: [
                    { name: "B", value: "3" },
                    { name: "A", value: "2" },
                ],
                volumeMounts: [{ name: "other", mountPath: "/data" }],
                resources: { requests: { cpu: "1" }, limits: { cpu: "2" } },
            },
        ]);
    });

    it("remove nothing with an empty field, as in the operator's patch", () => {
        const nothing = { name: "pd", image: "", command: [], env: [{ name: "A", value: "" }], resources: {} };
        assert.deepEqual(mergeContainers([{ ...own, command: ["run"] }], [nothing]), [{ ...own, command: ["run"] }]);
    });

    it("leave the rendered ones unchanged", () => {
        const before = structuredClone(own);
        mergeContainers([own], [{ name: "pd", env: [{ name: "A", value: "2" }] }]);
        assert.deepEqual(own, before);
    });
});

describe("a configuration", () => {
    it("gives the same text as a map and as TOML", () => {
        const map = { log: { level: "info", file: { "max-days": 3 } }, rate: 0.5, list: [1, 2], flag: true };
        const text = 'flag = true\nrate = 0.5\nlist = [1, 2]\n[log]\nlevel = "info"\n[log.file]\nmax-days = 3\n';
        assert.equal(writeConfig(readConfig(map)), writeConfig(readConfig(text)));
    });

    it("keeps 64-bit numbers, and the point of a number that has one", () => {
        const text = "a = 9223372036854775807\nb = 1.0\nc = 1\n";
        assert.equal(writeConfig(readConfig(text)), text);
    });

    it("gives an empty text if it is empty", () => assert.equal(writeConfig(readConfig({})), ""));

    it("sets and reads values at dotted paths", () => {
        const config = withConfigValues(readConfig("[a]\nb = 1\n"), { "a.c": 2n, "x.y.z": "t" });
        assert.equal(writeConfig(config), '[a]\nb = 1\nc = 2\n\n[x.y]\nz = "t"\n');
        assert.equal(configValue(config, "x.y.z"), "t");
        assert.equal(configValue(config, "a.b.c"), undefined);
    });

    it("has no keys that JavaScript adds to every object", () => {
        assert.equal(configValue(readConfig({}), "constructor"), undefined);
        assert.equal(writeConfig(readConfig(JSON.parse('{"__proto__": {"a": 1}}'))), "[__proto__]\na = 1\n");
    });
});

describe("the digest of a ConfigMap", () => {
    it("does not depend on the order of its keys", () => {
        assert.equal(digest({ a: "1", b: "2" }), digest({ b: "2", a: "1" }));
    });

    it("differs for other data, and for the same text under another key", () => {
        assert.equal(new Set([digest({ a: "1" }), digest({ a: "2" }), digest({ b: "1" }), digest({ a: "" })]).size, 4);
        assert.match(digest({}), /^[0-9a-f]{8,}$/);
    });
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { checkManifest } from "../../components/checkManifest";
import { ManifestError } from "../../components/problem";
import { clusterObjects } from "../../components/render";
import { type OpenManifest, smallCluster } from "../unit/components/manifests";

const render = (manifest: unknown) => JSON.stringify(clusterObjects(checkManifest(manifest)));

/** Maps of labels that Kubernetes takes. */
const text = fc.stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,20}[A-Za-z0-9])?$/);
const key = fc.oneof(
    text,
    fc.tuple(fc.constantFrom("example.org", "a.b-c.d"), text).map((parts) => parts.join("/")),
);
const labels = fc.dictionary(key, fc.oneof(text, fc.constant("")), { maxKeys: 8 });
const annotations = fc.dictionary(key, fc.string(), { maxKeys: 8 });

/** The same value with the keys of its maps in another order. */
function reordered(value: unknown): unknown {
    if (Array.isArray(value)) {
        return value.map(reordered);
    }
    return typeof value === "object" && value !== null
        ? Object.fromEntries(
              Object.entries(value)
                  .reverse()
                  .map(([name, inner]) => [name, reordered(inner)]),
          )
        : value;
}

describe("a random manifest", () => {
    it("with any labels and annotations is rendered, and its selectors still match the pods", () => {
        fc.assert(
            fc.property(labels, annotations, labels, (some, notes, others) => {
                const manifest = smallCluster(({ spec }) => {
                    Object.assign(spec, { labels: some, annotations: notes });
                    Object.assign(spec.tikv, { labels: others });
                });
                for (const { kind, spec } of clusterObjects(checkManifest(manifest))) {
                    if (kind === "StatefulSet" || kind === "Deployment") {
                        const found = spec.template.metadata.labels;
                        const wanted = Object.entries(spec.selector.matchLabels);
                        assert.ok(wanted.every(([name, value]) => found[name] === value));
                        assert.ok(Object.keys(some).every((name) => Object.hasOwn(found, name)));
                    }
                }
            }),
        );
    });

    it("gives the same text whatever the order of its keys", () => {
        fc.assert(
            fc.property(labels, annotations, fc.dictionary(text, fc.integer()), (some, notes, config) => {
                const manifest = smallCluster(({ spec }) => {
                    Object.assign(spec, { labels: some, annotations: notes, configUpdateStrategy: "RollingUpdate" });
                    Object.assign(spec.pd, { config, nodeSelector: some, limits: { memory: "1Gi", cpu: 1 } });
                });
                assert.equal(render(manifest), render(structuredClone(manifest)));
                assert.equal(render(manifest), render(reordered(manifest)));
            }),
        );
    });

    it("that was checked passes a second check without a warning, and renders the same", () => {
        fc.assert(
            fc.property(labels, (some) => {
                const once = checkManifest(smallCluster(({ spec }) => (spec.labels = some)));
                const twice = checkManifest(once.manifest);
                assert.deepEqual(twice.manifest, once.manifest);
                assert.deepEqual([twice.warnings, once.warnings], [[], []]);
            }),
        );
    });

    it("is rendered, or refused with the field's name", () => {
        const manifest = smallCluster(full);
        const paths = pathsOf(manifest, []);
        fc.assert(
            fc.property(fc.constantFrom(...paths), fc.anything({ withDate: true, withBigInt: true }), (path, value) => {
                const mutant = structuredClone(manifest);
                const parent = path.slice(0, -1).reduce<any>((at, part) => at[part], mutant); // eslint-disable-line @typescript-eslint/no-explicit-any
                parent[path[path.length - 1]] = value;
                assertRenderedOrRefused(mutant);
            }),
            { numRuns: Number(process.env.PULUMI_TIDB_FUZZ_RUNS ?? 500) },
        );
    }).timeout(600_000);
});

function assertRenderedOrRefused(manifest: unknown): void {
    try {
        const objects = clusterObjects(checkManifest(manifest));
        assert.ok(objects.length > 0);
        JSON.stringify(objects);
    } catch (error) {
        assert.ok(error instanceof ManifestError, (error as Error).stack);
        assert.ok(error.problems.some(({ severity }) => severity === "error"));
    }
}

/** Fills in one of everything, so that a mutation can hit it. */
function full({ metadata, spec }: OpenManifest): void {
    metadata.labels = { a: "b" };
    metadata.annotations = { "tikv.tidb.pingcap.com/delete-slots": "[1]" };
    const component = {
        env: [
            { name: "A", value: "1" },
            { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
        ],
        additionalContainers: [{ name: "x", image: "y", volumeMounts: [{ name: "z", mountPath: "/z" }] }],
        additionalVolumes: [{ name: "z", emptyDir: {} }],
        additionalVolumeMounts: [{ name: "z", mountPath: "/z" }],
        initContainers: [{ name: "i", image: "y" }],
        storageVolumes: [{ name: "v", storageSize: "1Gi", mountPath: "/v" }],
        labels: { c: "d" },
        annotations: { "tidb.pingcap.com/sysctl-init": "true" },
        podSecurityContext: { sysctls: [{ name: "a", value: "b" }] },
        topologySpreadConstraints: [{ topologyKey: "zone", matchLabels: { a: "b" } }],
        limits: { cpu: 4, memory: "4Gi" },
        tolerations: [{ key: "a" }],
        imagePullSecrets: [{ name: "s" }],
        readinessProbe: { type: "tcp" },
    };
    Object.assign(spec.pd, structuredClone(component), {
        config: { log: { level: "info" } },
        service: { labels: { a: "b" } },
    });
    Object.assign(spec.tikv, structuredClone(component), {
        separateRaftLog: true,
        raftLogVolumeName: "v",
        config: "a = 1",
    });
    Object.assign(spec.tidb, structuredClone(component), {
        slowLogVolumeName: "z",
        slowLogTailer: { limits: { cpu: "1" } },
        service: { type: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/8"], additionalPorts: [{ port: 1 }] },
        customizedStartupProbe: { image: "a", binaryName: "b", args: ["c"] },
        plugins: ["p"],
        arguments: ["--x"],
    });
    Object.assign(spec, {
        cluster: { name: "other" },
        pdAddresses: ["http://a:2379"],
        services: [{ name: "pd", type: "NodePort" }],
        helper: { image: "h" },
        tlsCluster: { enabled: true },
        discovery: { limits: { cpu: 1 } },
        startScriptVersion: "v2",
        startScriptV2FeatureFlags: ["NoWaitDNS"],
    });
}

function pathsOf(value: unknown, path: (string | number)[]): (string | number)[][] {
    if (typeof value !== "object" || value === null) {
        return [];
    }
    return Object.entries(value).flatMap(([name, inner]) => {
        const at = [...path, Array.isArray(value) ? Number(name) : name];
        return [at, ...pathsOf(inner, at)];
    });
}

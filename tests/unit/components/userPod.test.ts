import assert from "node:assert/strict";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { containerOf, type OpenManifest, podOf } from "./manifests";

// The operator reads what a user adds to a pod into Kubernetes' types: quantities come out in the API server's own form,
// and a reference to a resource has a divisor (Kubernetes apimachinery pkg/api/resource; API reference, core/v1).

const quantities: [string | number, string][] = [
    ["0.5", "500m"],
    ["1024Mi", "1Gi"],
    ["3000m", "3"],
    ["1000k", "1M"],
    [2, "2"],
    ["1.5Gi", "1536Mi"],
    ["500m", "500m"],
    ["not a quantity", "not a quantity"],
];

const limits = (value: string | number) => ({ limits: { memory: value }, requests: { memory: value } });

describe("the user's additions to a pod", () => {
    for (const [given, stored] of quantities) {
        it(`turn ${JSON.stringify(given)} into what the API server stores: ${stored}`, () => {
            const change = ({ spec }: OpenManifest) => {
                spec.pd.additionalContainers = [{ name: "side", image: "i:1", resources: limits(given) }];
                spec.pd.initContainers = [{ name: "first", image: "i:1", resources: limits(given) }];
                spec.pd.additionalVolumes = [
                    { name: "scratch", emptyDir: { sizeLimit: given } },
                    { name: "own", ephemeral: { volumeClaimTemplate: { spec: { resources: limits(given) } } } },
                ];
            };
            assert.deepEqual(containerOf("pd", "side", change).resources, limits(stored));
            assert.deepEqual(containerOf("pd", "first", change).resources, limits(stored));
            const volumes = podOf("pd", change).volumes as KubernetesFields[];
            const volume = (wanted: string) => volumes.find(({ name }) => name === wanted) as KubernetesFields;
            assert.deepEqual(volume("scratch").emptyDir, { sizeLimit: stored });
            assert.deepEqual(volume("own").ephemeral.volumeClaimTemplate.spec.resources, limits(stored));
        });
    }

    it("leave out switches that are off, except in volumes, where leaving them out means something else", () => {
        const change = ({ spec }: OpenManifest) => {
            const volumeMounts = [{ name: "own", mountPath: "/own", readOnly: false }];
            const side = { name: "side", image: "i:1", tty: false, stdin: true, stdinOnce: false, volumeMounts };
            spec.pd.additionalContainers = [side];
            spec.pd.additionalVolumeMounts = volumeMounts;
            spec.pd.additionalVolumes = [
                { name: "own", persistentVolumeClaim: { claimName: "c", readOnly: false } },
                { name: "kept", persistentVolumeClaim: { claimName: "c", readOnly: true } },
                { name: "driver", csi: { driver: "d", readOnly: false } },
            ];
        };
        assert.deepEqual(containerOf("pd", "side", change), {
            name: "side",
            image: "i:1",
            stdin: true,
            volumeMounts: [{ name: "own", mountPath: "/own" }],
        });
        const mounts = containerOf("pd", "pd", change).volumeMounts as KubernetesFields[];
        assert.deepEqual(
            mounts.find(({ name }) => name === "own"),
            { name: "own", mountPath: "/own" },
        );
        assert.deepEqual(podOf("pd", change).volumes.slice(-3), [
            { name: "own", persistentVolumeClaim: { claimName: "c" } },
            { name: "kept", persistentVolumeClaim: { claimName: "c", readOnly: true } },
            { name: "driver", csi: { driver: "d", readOnly: false } },
        ]);
    });

    it("are the same in a container that is merged into a rendered one", () => {
        const change = ({ spec }: OpenManifest) =>
            (spec.tikv.additionalContainers = [{ name: "tikv", image: "i:1", resources: limits("2048Mi") }]);
        assert.deepEqual(containerOf("tikv", "tikv", change).resources, limits("2Gi"));
    });

    it("refer to a resource with a divisor, in variables and in files", () => {
        const reference = (divisor?: string) => ({
            resourceFieldRef: { resource: "limits.cpu", ...(divisor && { divisor }) },
        });
        const stored = [
            { resource: "limits.cpu", divisor: "0" },
            { resource: "limits.cpu", divisor: "1" },
        ];
        const items = [
            { path: "a", ...reference() },
            { path: "b", ...reference("1000m") },
        ];
        const change = ({ spec }: OpenManifest) => {
            const env = [
                { name: "A", valueFrom: reference() },
                { name: "B", valueFrom: reference("1000m") },
            ];
            spec.pd.additionalContainers = [{ name: "side", image: "i:1", env }];
            spec.pd.additionalVolumes = [
                { name: "one", downwardAPI: { items } },
                { name: "two", projected: { sources: [{ downwardAPI: { items } }] } },
            ];
        };
        const { env } = containerOf("pd", "side", change);
        assert.deepEqual(
            env.map(({ valueFrom }: KubernetesFields) => valueFrom.resourceFieldRef),
            stored,
        );
        const volumes = podOf("pd", change).volumes as KubernetesFields[];
        const [one, two] = ["one", "two"].map(
            (wanted) => volumes.find(({ name }) => name === wanted) as KubernetesFields,
        );
        for (const files of [one.downwardAPI.items, two.projected.sources[0].downwardAPI.items]) {
            assert.deepEqual(
                files.map(({ resourceFieldRef }: KubernetesFields) => resourceFieldRef),
                stored,
            );
        }
    });
});

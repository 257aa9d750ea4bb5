import * as assert from "node:assert/strict";
import { patienceMilliseconds, type ProgramRun, runProgram } from "./mockProgram";

/** What each cloud calls things: see the pages that the example's README links to. */
const clouds = {
    eks: {
        provisioner: "ebs.csi.aws.com",
        parameters: { type: "gp3", iops: "4000", throughput: "400" },
        loadBalancerClass: "service.k8s.aws/nlb",
        annotations: {
            "service.beta.kubernetes.io/aws-load-balancer-scheme": "internal",
            "service.beta.kubernetes.io/aws-load-balancer-nlb-target-type": "ip",
        },
    },
    gke: {
        provisioner: "pd.csi.storage.gke.io",
        parameters: { type: "pd-ssd" },
        loadBalancerClass: undefined,
        annotations: { "networking.gke.io/load-balancer-type": "Internal" },
    },
    aks: {
        provisioner: "disk.csi.azure.com",
        parameters: { skuName: "Premium_LRS", cachingMode: "None" },
        loadBalancerClass: undefined,
        annotations: { "service.beta.kubernetes.io/azure-load-balancer-internal": "true" },
    },
    "alibaba-cloud": {
        provisioner: "diskplugin.csi.alibabacloud.com",
        parameters: { type: "cloud_essd", performanceLevel: "PL1" },
        loadBalancerClass: undefined,
        annotations: { "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type": "intranet" },
    },
};

for (const [cloud, expected] of Object.entries(clouds)) {
    describe(`component: examples/${cloud}`, function () {
        this.timeout(patienceMilliseconds);
        let run: ProgramRun<unknown>;
        before(async () => {
            const program = `../../examples/${cloud}/index.ts`;
            // eslint-disable-next-line @typescript-eslint/no-require-imports -- a program runs when it is loaded
            run = await runProgram(() => require(program) as unknown, { preview: true });
        });
        const podsOf = (member: string) => run.find("StatefulSet", `main-${member}`).inputs.spec;

        it("passes validation without a warning", () => {
            assert.deepEqual(run.warnings, []);
        });

        it("makes disks of the cloud in the zone of their pod, which outlive their claim", () => {
            const { metadata, provisioner, parameters, ...others } = run.find("StorageClass", "tidb").inputs;
            assert.deepEqual({ provisioner, parameters }, pick(expected, ["provisioner", "parameters"]));
            assert.equal(others.volumeBindingMode, "WaitForFirstConsumer");
            assert.equal(others.allowVolumeExpansion, true);
            assert.equal(others.reclaimPolicy, "Retain");
            for (const member of ["pd", "tikv"]) {
                const [claim] = podsOf(member).volumeClaimTemplates;
                assert.equal(claim.spec.storageClassName, metadata.name);
            }
        });

        it("has a load balancer that only the network reaches", () => {
            const { metadata, spec } = run.find("Service", "main-tidb").inputs;
            assert.equal(spec.type, "LoadBalancer");
            assert.equal(spec.loadBalancerClass, expected.loadBalancerClass);
            assert.deepEqual(pick(metadata.annotations, Object.keys(expected.annotations)), expected.annotations);
            assert.deepEqual(
                spec.ports.map(({ port }: { port: number }) => port),
                [4000],
            );
        });

        it("spreads each member over its own zones and nodes", () => {
            for (const member of ["pd", "tikv", "tidb"]) {
                const { topologySpreadConstraints, affinity, nodeSelector, tolerations } = podsOf(member).template.spec;
                const [zones] = topologySpreadConstraints;
                assert.equal(zones.topologyKey, "topology.kubernetes.io/zone");
                assert.equal(zones.labelSelector.matchLabels["app.kubernetes.io/component"], member);
                const [nodes] = affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
                assert.equal(nodes.topologyKey, "kubernetes.io/hostname");
                const own = podsOf(member).template.metadata.labels;
                assert.deepEqual(
                    pick(own, Object.keys(nodes.labelSelector.matchLabels)),
                    nodes.labelSelector.matchLabels,
                );
                assert.deepEqual(nodeSelector, { dedicated: member });
                assert.deepEqual(tolerations, [
                    { key: "dedicated", operator: "Equal", value: member, effect: "NoSchedule" },
                ]);
            }
        });
    });
}

function pick(from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(keys.map((key) => [key, from[key]]));
}

import * as assert from "node:assert/strict";
import { cleanedVolume, diskVolumes, runningProvisioner } from "../../../sandbox/controlPlane/localDisks";

const [volume] = diskVolumes("node-1", "local-ssd", { hostDir: "/mnt/ssd" }, "Delete");

describe("sandbox: local disks", () => {
    it("are volumes that only pods on their node can use", () => {
        const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms;
        assert.deepEqual(terms?.[0].matchExpressions, [
            { key: "kubernetes.io/hostname", operator: "In", values: ["node-1"] },
        ]);
        assert.equal(volume.spec?.storageClassName, "local-ssd");
        assert.match(volume.spec?.local?.path ?? "", /^\/mnt\/ssd\//);
        assert.equal(volume.spec?.claimRef, undefined);
    });

    it("have names that no disk of another node or class has", () => {
        const names = ["node-1", "node-2"].flatMap((node) =>
            ["a", "b"].flatMap((name) => diskVolumes(node, name, { hostDir: "/mnt" }, undefined)),
        );
        assert.equal(new Set(names.map(({ metadata }) => metadata?.name)).size, names.length);
    });

    it("become new volumes once released, unless their class retains them", () => {
        const claimRef = { name: "gone" };
        const released = (policy: string, phase = "Released") => ({
            ...volume,
            spec: { ...volume.spec, claimRef, persistentVolumeReclaimPolicy: policy },
            status: { phase },
        });
        const cleaned = cleanedVolume(released("Delete"));
        assert.equal(cleaned?.metadata?.name, volume.metadata?.name);
        assert.equal(cleaned?.spec?.claimRef, undefined);
        assert.deepEqual(cleaned?.spec?.nodeAffinity, volume.spec?.nodeAffinity);
        assert.equal(cleanedVolume(released("Retain")), undefined);
        assert.equal(cleanedVolume(released("Delete", "Bound")), undefined);
        assert.equal(cleanedVolume({ ...released("Delete"), metadata: { name: "of-somebody-else" } }), undefined);
    });

    it("are found once the provisioner's pod on the node is Ready", () => {
        const spec = {
            nodeName: "node-1",
            containers: [],
            volumes: [{ name: "config", configMap: { name: "disks" } }],
        };
        const pod = (status: string) => ({
            metadata: { namespace: "kube-system" },
            spec,
            status: { conditions: [{ type: "Ready", status }] },
        });
        assert.deepEqual(runningProvisioner(pod("True")), {
            node: "node-1",
            namespace: "kube-system",
            configMap: "disks",
        });
        assert.equal(runningProvisioner(pod("False")), undefined);
    });
});

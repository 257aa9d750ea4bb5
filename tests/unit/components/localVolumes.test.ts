import * as assert from "node:assert/strict";
import { parse } from "yaml";
import { localVolumesManifests } from "../../../components/localVolumes/manifests";
import { localVolumesProblems } from "../../../components/localVolumes/rules";
import type { LocalVolumesArgs } from "../../../components/localVolumes/spec";

const ssd = { name: "local-ssd", hostDir: "/mnt/ssd" };
const raw = {
    name: "raw",
    hostDir: "/mnt/raw",
    volumeMode: "Block" as const,
    namePattern: "nvme*",
    blockCleanerCommand: ["/scripts/shred.sh", "2"],
    reclaimPolicy: "Retain" as const,
};
const objectsOf = (args: LocalVolumesArgs) =>
    Object.fromEntries(
        localVolumesManifests("disks", args).map((object) => [`${object.kind}/${object.metadata.name}`, object]),
    );

describe("local volumes", () => {
    const objects = objectsOf({ classes: [ssd, raw] });

    it("are the provisioner, what it may do, and the storage classes", () => {
        assert.deepEqual(Object.keys(objects), [
            "ServiceAccount/disks",
            "ClusterRole/disks-kube-system",
            "ClusterRoleBinding/disks-kube-system",
            "ConfigMap/disks",
            "StorageClass/local-ssd",
            "StorageClass/raw",
            "DaemonSet/disks",
        ]);
    });

    it("bind on the node of the pod, and are cleaned once released unless the class says otherwise", () => {
        const { provisioner, volumeBindingMode, reclaimPolicy } = objects["StorageClass/local-ssd"];
        assert.deepEqual(
            [provisioner, volumeBindingMode, reclaimPolicy],
            ["kubernetes.io/no-provisioner", "WaitForFirstConsumer", "Delete"],
        );
        assert.equal(objects["StorageClass/raw"].reclaimPolicy, "Retain");
    });

    it("are configured as the provisioner's documentation says", () => {
        assert.deepEqual(parse(objects["ConfigMap/disks"].data.storageClassMap as string), {
            "local-ssd": { hostDir: "/mnt/ssd", mountDir: "/mnt/ssd" },
            raw: {
                hostDir: "/mnt/raw",
                mountDir: "/mnt/raw",
                volumeMode: "Block",
                namePattern: "nvme*",
                blockCleanerCommand: ["/scripts/shred.sh", "2"],
            },
        });
    });

    it("are found by a pod on each Linux node that sees disks which are mounted later", () => {
        const pod = objectsOf({
            classes: [ssd],
            nodeSelector: { disks: "local" },
            tolerations: [{ key: "dedicated", operator: "Exists" }],
            image: "mirror/provisioner:v2.9.0",
        })["DaemonSet/disks"].spec.template.spec;
        const [container] = pod.containers;
        assert.deepEqual(pod.nodeSelector, { disks: "local", "kubernetes.io/os": "linux" });
        assert.deepEqual(pod.tolerations, [{ key: "dedicated", operator: "Exists" }]);
        assert.equal(container.image, "mirror/provisioner:v2.9.0");
        const mount = container.volumeMounts.find(({ mountPath }: { mountPath: string }) => mountPath === "/mnt/ssd");
        assert.equal(mount.mountPropagation, "HostToContainer");
        const volume = pod.volumes.find(({ name }: { name: string }) => name === mount.name);
        assert.deepEqual(volume.hostPath, { path: "/mnt/ssd" });
        assert.ok(pod.volumes.some(({ configMap }: { configMap?: { name: string } }) => configMap?.name === "disks"));
    });

    it("of two namespaces have roles of their own", () => {
        const other = objectsOf({ metadata: { namespace: "storage" }, classes: [ssd] });
        const { subjects, roleRef } = other["ClusterRoleBinding/disks-storage"];
        assert.deepEqual(subjects, [{ kind: "ServiceAccount", name: "disks", namespace: "storage" }]);
        assert.equal(roleRef.name, "disks-storage");
    });
});

describe("the arguments of local volumes", () => {
    const fieldsOf = (args: object, name = "disks") => localVolumesProblems(args, name).map(({ field }) => field);

    it("can be these", () => {
        assert.deepEqual(fieldsOf({ classes: [ssd, raw], metadata: { namespace: "storage" }, image: "a:1" }), []);
    });

    for (const [args, field] of [
        [{}, "classes"],
        [{ classes: [] }, "classes"],
        [{ classes: ["ssd"] }, "classes[0]"],
        [{ classes: [ssd], clases: [] }, "clases"],
        [{ classes: [{ ...ssd, path: "/mnt" }] }, "classes[0].path"],
        [{ classes: [{ ...ssd, name: "Local SSD" }] }, "classes[0].name"],
        [{ classes: [{ ...ssd, hostDir: "mnt/ssd" }] }, "classes[0].hostDir"],
        [{ classes: [{ ...ssd, hostDir: "/" }] }, "classes[0].hostDir"],
        [{ classes: [{ ...ssd, hostDir: "/mnt/../etc" }] }, "classes[0].hostDir"],
        [{ classes: [{ ...ssd, volumeMode: "block" }] }, "classes[0].volumeMode"],
        [{ classes: [{ ...ssd, reclaimPolicy: "Recycle" }] }, "classes[0].reclaimPolicy"],
        [{ classes: [{ ...ssd, blockCleanerCommand: [] }] }, "classes[0].blockCleanerCommand"],
        [{ classes: [{ ...ssd, fsType: "" }] }, "classes[0].fsType"],
        [{ classes: [ssd, { ...ssd, hostDir: "/mnt/other" }] }, "classes[1].name"],
        [{ classes: [ssd], metadata: { namespace: "A" } }, "metadata.namespace"],
        [{ classes: [ssd], image: "" }, "image"],
    ] as [object, string][]) {
        it(`are refused: ${JSON.stringify(args)}`, () => {
            assert.deepEqual(fieldsOf(args), [field]);
        });
    }

    for (const hostDir of ["/mnt/ssd", "/mnt/ssd/fast", "/mnt"]) {
        it(`are refused if two classes would find the same disk: /mnt/ssd and ${hostDir}`, () => {
            assert.deepEqual(fieldsOf({ classes: [ssd, { name: "fast", hostDir }] }), ["classes[1].hostDir"]);
        });
    }

    it("can have folders whose names begin alike", () => {
        assert.deepEqual(fieldsOf({ classes: [ssd, { name: "fast", hostDir: "/mnt/ssd-fast" }] }), []);
    });
});

import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { driverName, driverOf } from "../../../sandbox/controlPlane/volumes/driver";
import { goesWithClaim, volumeFor } from "../../../sandbox/controlPlane/volumes/provisioning";
import { nodeOf } from "../../support/volumes/playedClaim";
import { storageClass } from "../../support/e2e/storageClass";

function claim(
    phase: string,
    changes: { spec?: object; status?: object; metadata?: object } = {},
): k8s.V1PersistentVolumeClaim {
    return {
        metadata: { name: "data-0", namespace: "tidb", uid: "u-1", ...changes.metadata },
        spec: {
            accessModes: ["ReadWriteOnce"],
            storageClassName: "local-storage",
            resources: { requests: { storage: "10Gi" } },
            ...changes.spec,
        },
        status: { phase, ...changes.status },
    };
}

const ofAnyDriver = { provisioner: "ebs.csi.aws.com" };
const made = (of: k8s.V1PersistentVolumeClaim, storageClass: k8s.V1StorageClass | undefined = ofAnyDriver) =>
    volumeFor(of, storageClass, [nodeOf("node-1", "True", { "topology.kubernetes.io/zone": "zone-b" })]);

describe("sandbox: volumes for claims", () => {
    it("make one volume of the claim's class, size and modes, for that claim only", () => {
        const volume = made(claim("Pending"));
        assert.deepEqual(volume?.spec?.capacity, { storage: "10Gi" });
        assert.equal(volume?.spec?.storageClassName, "local-storage");
        assert.deepEqual(volume?.spec?.accessModes, ["ReadWriteOnce"]);
        assert.equal(volume?.spec?.claimRef?.uid, "u-1");
        assert.equal(volume?.spec?.claimRef?.namespace, "tidb");
    });

    it("are named after the claim's uid, so a new claim gets another volume", () => {
        assert.notEqual(
            made(claim("Pending"))?.metadata?.name,
            made(claim("Pending", { metadata: { uid: "u-2" } }))?.metadata?.name,
        );
    });

    it("are not made for a claim that is bound, names a volume itself, or is being deleted", () => {
        assert.equal(made(claim("Bound")), undefined);
        assert.equal(made(claim("Pending", { spec: { volumeName: "mine" } })), undefined);
        assert.equal(made(claim("Pending", { metadata: { deletionTimestamp: new Date() } })), undefined);
    });

    it("are made only for a claim of a class that exists and has a provisioner", () => {
        assert.equal(volumeFor(claim("Pending"), undefined, []), undefined);
        assert.equal(made(claim("Pending"), { provisioner: "kubernetes.io/no-provisioner" }), undefined);
    });

    it("wait for a node if their class does, and are bound to its zone", () => {
        const waits = storageClass("zonal", { volumeBindingMode: "WaitForFirstConsumer", reclaimPolicy: "Retain" });
        assert.equal(made(claim("Pending"), waits), undefined);
        const on = (name: string) =>
            claim("Pending", { metadata: { annotations: { "volume.kubernetes.io/selected-node": name } } });
        assert.equal(made(on("gone"), waits), undefined);
        const { spec } = made(on("node-1"), waits) ?? {};
        assert.deepEqual(spec?.nodeAffinity?.required?.nodeSelectorTerms, [
            { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["zone-b"] }] },
        ]);
        assert.equal(spec?.persistentVolumeReclaimPolicy, "Retain");
        assert.equal(spec?.csi?.driver, driverName);
    });

    it("are deleted with the claim, unless they are retained", () => {
        const volume = made(claim("Pending"));
        assert.ok(volume?.spec);
        assert.equal(goesWithClaim(volume), true);
        volume.spec.persistentVolumeReclaimPolicy = "Retain";
        assert.equal(goesWithClaim(volume), false);
        assert.equal(goesWithClaim({ spec: { persistentVolumeReclaimPolicy: "Delete" } }), false);
    });
});

describe("sandbox: the parameters of a class", () => {
    it("are read", () => {
        const { name, ...driver } =
            driverOf(storageClass("slow", { driver: "offline", seconds: 2, refusesAbove: "15Gi" })) ?? {};
        assert.equal(name, driverName);
        assert.deepEqual(driver, {
            expansion: "offline",
            seconds: 2,
            retrySeconds: 1,
            refusesAbove: "15Gi",
            refusesAfter: undefined,
            refusesWith: "OutOfRange",
            message: "the quota of the driver would be exceeded",
        });
    });

    for (const [parameters, message] of [
        [{ speed: "1" }, 'parameter "speed" is not known'],
        [{ driver: "sometimes" }, 'parameter driver is "sometimes", expected one of online, restart, offline'],
        [{ seconds: "two" }, 'parameter seconds is "two", expected a number'],
        [{ refusesAbove: "15GB" }, '"15GB" is not a quantity, expected one such as 10Gi'],
    ] as const) {
        it(`are refused: ${JSON.stringify(parameters)}`, () => {
            assert.throws(() => driverOf({ provisioner: driverName, parameters }), { message });
        });
    }

    it("of other drivers are left to them: their volumes grow online, at once", () => {
        const driver = driverOf({ provisioner: "ebs.csi.aws.com", parameters: { type: "gp3" } });
        assert.deepEqual([driver?.expansion, driver?.seconds], ["online", 0]);
    });
});

import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { goesWithClaim, pendingExpansion, volumeFor } from "../../../sandbox/controlPlane/volumes";

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

const every = () => true;

describe("sandbox: volumes for claims", () => {
    it("make one volume of the claim's class, size and modes, for that claim only", () => {
        const volume = volumeFor(claim("Pending"), every);
        assert.deepEqual(volume?.spec?.capacity, { storage: "10Gi" });
        assert.equal(volume?.spec?.storageClassName, "local-storage");
        assert.deepEqual(volume?.spec?.accessModes, ["ReadWriteOnce"]);
        assert.equal(volume?.spec?.claimRef?.uid, "u-1");
        assert.equal(volume?.spec?.claimRef?.namespace, "tidb");
    });

    it("are named after the claim's uid, so a new claim gets another volume", () => {
        assert.notEqual(
            volumeFor(claim("Pending"), every)?.metadata?.name,
            volumeFor(claim("Pending", { metadata: { uid: "u-2" } }), every)?.metadata?.name,
        );
    });

    it("are not made for a claim that is bound, names a volume itself, or is being deleted", () => {
        assert.equal(volumeFor(claim("Bound"), every), undefined);
        assert.equal(volumeFor(claim("Pending", { spec: { volumeName: "mine" } }), every), undefined);
        assert.equal(volumeFor(claim("Pending", { metadata: { deletionTimestamp: new Date() } }), every), undefined);
    });

    it("are made only for a claim of a class that exists", () => {
        const isClass = (name: string) => name === "sandbox";
        assert.equal(volumeFor(claim("Pending"), isClass), undefined);
        assert.equal(volumeFor(claim("Pending", { spec: { storageClassName: undefined } }), isClass), undefined);
        assert.ok(volumeFor(claim("Pending", { spec: { storageClassName: "sandbox" } }), isClass));
    });

    it("grow with a bound claim", () => {
        assert.equal(pendingExpansion(claim("Bound", { status: { capacity: { storage: "5Gi" } } })), "10Gi");
        assert.equal(pendingExpansion(claim("Bound", { status: { capacity: { storage: "10Gi" } } })), undefined);
        assert.equal(pendingExpansion(claim("Pending")), undefined);
    });

    it("are deleted with the claim, unless they are retained", () => {
        const volume = volumeFor(claim("Pending"), every);
        assert.ok(volume?.spec);
        assert.equal(goesWithClaim(volume), true);
        volume.spec.persistentVolumeReclaimPolicy = "Retain";
        assert.equal(goesWithClaim(volume), false);
        assert.equal(goesWithClaim({ spec: { persistentVolumeReclaimPolicy: "Delete" } }), false);
    });
});

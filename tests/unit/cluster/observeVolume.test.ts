import type { V1PersistentVolume } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { observeVolume } from "../../../provider/cluster/observeVolume";
import type { ReadCalls } from "../../../provider/cluster/readCalls";

const volume = (claim?: string): V1PersistentVolume => ({
    metadata: { name: "pv-1", uid: "uid-v", resourceVersion: "7" },
    spec: { persistentVolumeReclaimPolicy: "Delete", ...(claim === undefined ? {} : { claimRef: { uid: claim } }) },
});

/** Reads the volume of the claim `uid-c` from an API server with this one, or with this failure. */
async function read(found: V1PersistentVolume | Error | undefined, volumeName: string | undefined = "pv-1") {
    const core = {
        readPersistentVolume: ({ name }: { name: string }) => {
            assert.equal(name, "pv-1");
            return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
        },
    };
    const calls = { core, readOrMissing: <T>(_: string, request: () => Promise<T>) => request() };
    const claim = { metadata: { name: "tikv-basic-tikv-1", uid: "uid-c" }, spec: { volumeName } };
    const fact = await observeVolume(calls as unknown as ReadCalls, claim, 5);
    return fact.known ? fact.value : fact.why;
}

describe("the volume of a claim", () => {
    it("is the one that is bound to this very claim, with what identifies its state", async () => {
        const bound = { name: "pv-1", uid: "uid-v", resourceVersion: "7", reclaimPolicy: "Delete" };
        assert.deepEqual(await read(volume("uid-c")), bound);
    });

    it("is none that is bound to another claim, or to none yet: somebody may have named it by mistake", async () => {
        assert.equal(await read(volume("uid-of-another")), undefined);
        assert.equal(await read(volume()), undefined);
        assert.equal(await read(undefined), undefined);
    });

    it("is none where the claim names none, and nothing is asked", async () => {
        assert.equal(await read(new Error("not asked for"), ""), undefined);
    });

    it("is not known if the API server refuses, and any other error is one", async () => {
        assert.equal(await read(new KubernetesApiError("answered 403", 403)), "answered 403");
        await assert.rejects(read(new TypeError("a bug")), TypeError);
    });
});

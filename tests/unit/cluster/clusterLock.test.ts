import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { ClusterLock, readLease } from "../../../provider/cluster/lease";

/** A Lease as the API server keeps it: a merge patch with a stale resource version is a conflict. */
class OneLease {
    lease: V1Lease = { metadata: { name: "basic-pulumi-tidb", uid: "1", resourceVersion: "1" }, spec: {} };
    silent = false;

    readonly api = {
        readLease: () => this.answer(() => structuredClone(this.lease)),
        patchLease: (_namespace: string, _name: string, patch: Patch) => this.answer(() => this.patch(patch)),
    } as unknown as KubernetesApi;

    patch({ metadata = {}, spec = {} }: Patch): V1Lease {
        const version = this.lease.metadata?.resourceVersion;
        if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== version) {
            throw new KubernetesApiError("did not write Lease: 409 the object has been modified", 409);
        }
        const annotations = merged(this.lease.metadata?.annotations, metadata.annotations) as Record<string, string>;
        this.lease = {
            metadata: { ...this.lease.metadata, annotations, resourceVersion: String(Number(version) + 1) },
            spec: merged(this.lease.spec, spec),
        };
        return structuredClone(this.lease);
    }

    private answer<T>(work: () => T): Promise<T> {
        return this.silent
            ? Promise.reject(new KubernetesApiError("the API server did not answer", undefined))
            : Promise.resolve().then(work);
    }
}

interface Patch {
    metadata?: { resourceVersion?: string; annotations?: Record<string, string | null> };
    spec?: object;
}

function merged(old: object = {}, patch: object = {}): object {
    return Object.fromEntries(Object.entries({ ...old, ...patch }).filter(([, value]) => value !== null));
}

describe("the lock in the Lease", () => {
    let time = 0;
    let world: OneLease;
    const made: ClusterLock[] = [];
    const lockOf = (holder: string) => {
        const lock = new ClusterLock(world.api, "tidb", "basic", holder, () => time);
        made.push(lock);
        return lock;
    };
    const lease = async () => (await readLease(world.api, "tidb", "basic"))!;
    const held = async (holder = "ana") => {
        const lock = lockOf(holder);
        assert.equal(await lock.take(await lease(), "roll out basic-tikv"), true);
        return lock;
    };

    beforeEach(() => {
        time = Date.parse("2026-11-21T12:00:00Z");
        world = new OneLease();
    });
    afterEach(async () => {
        world.silent = false;
        await Promise.all(made.splice(0).map((lock) => lock.release()));
    });

    it("says who holds it and what for, and is free again when it is given back", async () => {
        const lock = await held();
        assert.equal((await lease()).lock.holder, "ana");
        assert.equal((await lease()).lock.operation, "roll out basic-tikv");
        await lock.release();
        const { holder, operation, renewedAt } = (await lease()).lock;
        assert.deepEqual([holder, operation, renewedAt], [undefined, undefined, undefined]);
    });

    it("goes to one of two that found it free", async () => {
        const seen = await lease();
        assert.deepEqual(await Promise.all([lockOf("ana").take(seen, "a"), lockOf("ben").take(seen, "b")]), [
            true,
            false,
        ]);
        assert.equal((await lease()).lock.holder, "ana");
    });

    it("is still held after a silence of the API server, where nobody took it", async () => {
        const lock = await held();
        time += 60_000;
        await lock.confirmHeld();
    });

    it("is not confirmed while the API server is silent for longer than it lasts, and is again when it answers", async () => {
        const lock = await held();
        world.silent = true;
        time += 9_999;
        await lock.confirmHeld();
        time += 1;
        await assert.rejects(lock.confirmHeld(), (error: Error) => {
            assert.match(error.message, /Lease basic-pulumi-tidb\) was lost: the API server did not answer.*pulumi up/);
            return error.cause instanceof KubernetesApiError;
        });
        world.silent = false;
        await lock.confirmHeld();
    });

    it("is lost to who took it meanwhile, for good, and is not given back over their head", async () => {
        const lock = await held();
        time += 10_000;
        await held("ben");
        await assert.rejects(lock.confirmHeld(), /was lost: ben holds it now/);
        await assert.rejects(lock.confirmHeld(), /was lost: ben holds it now/);
        await lock.release();
        assert.equal((await lease()).lock.holder, "ben");
    });

    it("keeps records for the next holder", async () => {
        const lock = await held();
        const records = { evictions: { "1": { pod: "basic-tikv-0", begunAt: 1, leadersBefore: 7 } }, removals: {} };
        await lock.keepRecords(records);
        await lock.release();
        assert.deepEqual((await lease()).records, records);
    });
});

import * as assert from "node:assert/strict";
import { PD_LOCK_KEY } from "../../../provider/cluster/pdLock";
import { leaseAnnotations } from "../../../provider/cluster/leaseView";
import { noRecords, type OperationRecords } from "../../../provider/lifecycle/observation";
import type { Stage } from "./stage";

/** No store went down with leaders, and no eviction was begun or ended before PD had loaded its schedulers. */
export function assertNothingLost({ pods, taken }: Stage): void {
    for (const { store, leaders } of pods.flatMap(({ deletions }) => deletions)) {
        assert.equal(leaders, 0, `store ${store} was taken down with leaders`);
    }
    for (const { action, at, sample } of taken) {
        const what = `${action.do} after ${at} s`;
        if (action.do === "begin-eviction" || action.do === "end-eviction") {
            assert.equal(sample.seen?.hasSchedulers, true, what);
        }
        if (action.do === "delete-pod") {
            assert.equal(sample.seen?.persisted.length, 1, `${what}, without an eviction`);
        }
    }
}

/** All pods run the new revision; nothing of ours is left in PD's list, its etcd, or the Lease. */
export async function assertEnded({ pd: { client }, pods }: Stage): Promise<void> {
    assert.deepEqual((await client.evictedStores()) ?? [], []);
    assert.deepEqual(await client.persistedEvictions(), []);
    assert.equal(await client.readKey(PD_LOCK_KEY), undefined);
    for (const { revisions, lease } of pods) {
        assert.deepEqual([...new Set(revisions)], ["new"]);
        assert.equal(lease.lease.spec?.holderIdentity, undefined);
        const records = lease.lease.metadata?.annotations?.[leaseAnnotations.records] ?? "{}";
        assert.deepEqual({ ...noRecords(), ...(JSON.parse(records) as OperationRecords) }, noRecords());
    }
}

import * as assert from "node:assert/strict";
import { pdLockKey } from "../../../provider/cluster/pdLock";
import { noRecords, type OperationRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { leaseAnnotations } from "../../../topology/annotations";
import type { ReportIntervals } from "../pd/electionContract";
import type { Scenario } from "./scenario";

/** No store went down with leaders. */
export function assertNoLeaderLost({ pods }: Scenario): void {
    for (const { store, leaders } of pods.flatMap(({ deletions }) => deletions)) {
        assert.equal(leaders, 0, `store ${store} was taken down with leaders`);
    }
}

/** Neither that, nor was an eviction begun or ended before PD had loaded its schedulers. */
export function assertNothingLost(scenario: Scenario): void {
    assertNoLeaderLost(scenario);
    for (const { action, at, sample } of scenario.taken) {
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
export async function assertEnded({ pd: { client }, pods }: Scenario): Promise<void> {
    assert.deepEqual((await client.evictedStores()) ?? [], []);
    assert.deepEqual(await client.persistedEvictions(), []);
    assert.equal(await client.readKey(pdLockKey), undefined);
    for (const { revisions, lease } of pods) {
        assert.deepEqual([...new Set(revisions)], ["new"]);
        assert.equal(lease.lease.spec?.holderIdentity, undefined);
        const records = lease.lease.metadata?.annotations?.[leaseAnnotations.records] ?? "{}";
        assert.deepEqual({ ...noRecords(), ...(JSON.parse(records) as OperationRecords) }, noRecords());
    }
}

/** Nothing was taken down on the word of a PD that was just elected. @param changed when, in seconds */
export function assertWaited(
    { taken }: Scenario,
    changed: number,
    { regionHeartbeatMilliseconds }: ReportIntervals,
): void {
    const deletion = taken.find(({ action, at }) => action.do === "delete-pod" && at > changed);
    assert.ok(deletion, "no store was restarted after PD's leader had changed");
    const wanted = regionHeartbeatMilliseconds / 1000 + 10;
    // The gate may have seen the change a moment before the test.
    assert.ok(deletion.at - changed > wanted - 1, `waited ${deletion.at - changed} s, expected ${wanted} s at least`);
}

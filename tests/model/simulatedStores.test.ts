import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { manualClock, settledCluster } from "../../sandbox/dataPlane";
import { cancelDeletion, deleteStore } from "../../sandbox/dataPlane/model/stores";

const action = fc.record({
    kind: fc.constantFrom("stop", "start", "replace", "evict", "end", "delete", "cancel", "wait"),
    ordinal: fc.nat(4),
    milliseconds: fc.nat(1000),
});

describe("simulated stores under random events", () => {
    it("keep one leader for each region, never lead more regions than they hold, and never hold a region twice", () => {
        fc.assert(
            fc.property(fc.array(action, { maxLength: 25 }), (actions) => {
                const clock = manualClock();
                const { state, cluster } = settledCluster({ clock, members: 1, stores: 5, regions: 50 });
                for (const { kind, ordinal, milliseconds } of actions) {
                    const pod = `basic-tikv-${ordinal}`;
                    const store = state.stores.find((one) => one.pod === pod)!;
                    const actionOf: Record<typeof kind, () => void> = {
                        stop: () => cluster.stopPod(pod),
                        start: () => cluster.startPod(pod),
                        replace: () => cluster.startPod(pod, { newClaim: true }),
                        evict: () => cluster.beginEviction(pod),
                        end: () => cluster.endEviction(pod),
                        delete: () => deleteStore(state, store),
                        cancel: () => cancelDeletion(state, store),
                        wait: () => undefined,
                    };
                    actionOf[kind]();
                    clock.advance(milliseconds);
                    const stores = cluster.stores();
                    assert.equal(
                        stores.reduce((sum, one) => sum + one.leaders, 0),
                        50,
                    );
                    assert.equal(
                        stores.reduce((sum, one) => sum + one.regions, 0),
                        150,
                    );
                    for (const one of stores) {
                        assert.ok(one.regions >= 0 && one.regions <= 50, `${one.id} holds ${one.regions}`);
                        assert.ok(one.state !== "Tombstone" || one.regions === 0);
                    }
                }
            }),
            { numRuns: Number(process.env.PULUMI_TIDB_PROPERTY_RUNS ?? 150) },
        );
    });
});

import * as assert from "node:assert/strict";
import { physicalTime, storeRestarts } from "../../../bench/storeRestarts";
import type { DataPlaneEvent, DataPlaneEventKind } from "pulumi-tidb-sandbox";

const event = (at: number, kind: DataPlaneEventKind, pod: string): DataPlaneEvent => ({
    at,
    kind,
    pod,
    namespace: "tidb",
    cluster: "basic",
});
const sample = (at: number, pod: string, leaders: number) => ({ at, pod, leaders });

describe("bench: restarts of stores", () => {
    const events = [
        event(1_000, "eviction-begun", "basic-tikv-1"),
        event(4_100, "pod-stopped", "basic-tikv-1"),
        event(5_600, "store-up", "basic-tikv-1"),
        event(5_700, "eviction-ended", "basic-tikv-1"),
        event(8_000, "eviction-begun", "basic-tikv-0"),
        event(11_200, "pod-stopped", "basic-tikv-0"),
        event(12_200, "store-up", "basic-tikv-0"),
        event(12_300, "eviction-ended", "basic-tikv-0"),
    ];
    const samples = [
        sample(990, "basic-tikv-1", 300),
        sample(4_000, "basic-tikv-1", 0),
        sample(7_690, "basic-tikv-1", 199),
        sample(7_700, "basic-tikv-1", 200),
        sample(7_990, "basic-tikv-0", 300),
        sample(11_000, "basic-tikv-0", 0),
        sample(14_300, "basic-tikv-0", 200),
    ];

    it("separate a store's physical time from what the gate added", () => {
        const [first] = storeRestarts(events, samples);
        assert.deepEqual(first, {
            pod: "basic-tikv-1",
            evict: 3_000,
            restart: 1_500,
            leadersBack: 2_000,
            noticedGone: 100,
            noticedUp: 100,
            noticedBack: 300,
            wall: 7_000,
        });
        assert.equal(physicalTime(first), 6_500);
    });

    it("do not guess when the last store's turn ended", () => {
        const last = storeRestarts(events, samples)[1];
        assert.equal(last.wall, undefined);
        assert.equal(last.leadersBack, 2_000);
    });

    it("name the moment that was not seen", () => {
        const without = events.filter(({ kind, pod }) => kind !== "store-up" || pod !== "basic-tikv-0");
        assert.throws(() => storeRestarts(without, samples), /no store-up of basic-tikv-0/);
    });
});

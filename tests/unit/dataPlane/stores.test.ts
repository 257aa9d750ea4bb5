import * as assert from "node:assert/strict";
import { manualClock, settledCluster, type SettledCluster } from "../../../sandbox/dataPlane";
import type { PodObservation } from "../../../sandbox/dataPlane/model/cluster";
import { deleteStore } from "../../../sandbox/dataPlane/model/stores";

const leadersOf = (cluster: SettledCluster): number[] => cluster.stores().map((store) => store.leaders);
const regionsOf = (cluster: SettledCluster): number[] => cluster.stores().map((store) => store.regions);
const statesOf = (cluster: SettledCluster): string[] => cluster.stores().map((store) => store.state);
const kindsOf = (cluster: SettledCluster): string[] => cluster.events.map((event) => event.kind);

describe("simulated stores", () => {
    it("begin with 300 leaders each and three peers of each region", () => {
        const { cluster } = settledCluster({ clock: manualClock(), stores: 6 });
        assert.deepEqual(leadersOf(cluster), [300, 300, 300, 300, 300, 300]);
        assert.deepEqual(regionsOf(cluster), [900, 900, 900, 900, 900, 900]);
    });

    it("lose 100 leaders a second under eviction, and get them back at that rate", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock });
        cluster.beginEviction("basic-tikv-1");
        clock.advance(1000);
        assert.deepEqual(leadersOf(cluster), [350, 200, 350]);
        clock.advance(2000);
        assert.deepEqual(leadersOf(cluster), [450, 0, 450]);
        cluster.endEviction("basic-tikv-1");
        clock.advance(1000);
        assert.equal(leadersOf(cluster)[1], 100);
        clock.advance(2000);
        assert.deepEqual(leadersOf(cluster), [300, 300, 300]);
        const [begun, ended] = cluster.events;
        assert.deepEqual([begun.kind, begun.storeId, begun.leaders], ["eviction-begun", 2, 300]);
        assert.deepEqual([ended.kind, ended.storeId, ended.at - begun.at], ["eviction-ended", 2, 3000]);
    });

    it("share the rate of leader transfers between two evictions", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock });
        cluster.beginEviction("basic-tikv-0");
        cluster.beginEviction("basic-tikv-1");
        clock.advance(2000);
        assert.deepEqual(leadersOf(cluster), [200, 200, 500]);
    });

    it("are evicted 7 times as fast at a leader-schedule-limit of 64, as in a real PD", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock });
        state.scheduleConfig["leader-schedule-limit"] = 64;
        cluster.beginEviction("basic-tikv-0");
        clock.advance(200);
        assert.ok(Math.abs(300 - leadersOf(cluster)[0] - 140) <= 5, String(leadersOf(cluster)[0]));
    });

    it("get their leaders back 5 times as fast at a leader-schedule-limit of 64, as in a real PD", () => {
        const returned = (limit: number, milliseconds: number) => {
            const clock = manualClock();
            const { state, cluster } = settledCluster({ clock });
            cluster.beginEviction("basic-tikv-0");
            clock.advance(10_000);
            cluster.endEviction("basic-tikv-0");
            state.scheduleConfig["leader-schedule-limit"] = limit;
            clock.advance(milliseconds);
            return leadersOf(cluster)[0];
        };
        assert.ok(Math.abs(returned(64, 200) - returned(4, 1000)) <= 5, `${returned(64, 200)} ${returned(4, 1000)}`);
    });

    it("record how many leaders they held when a pod stopped, and give them to the others at once", () => {
        const { cluster } = settledCluster({ clock: manualClock() });
        cluster.stopPod("basic-tikv-2");
        const [stopped] = cluster.events;
        assert.deepEqual([stopped.kind, stopped.pod, stopped.leaders], ["pod-stopped", "basic-tikv-2", 300]);
        assert.deepEqual(leadersOf(cluster), [450, 450, 0]);
    });

    it("record which other stores were not Up when a pod stopped", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock });
        cluster.stopPod("basic-tikv-0");
        clock.advance(1000);
        cluster.stopPod("basic-tikv-1");
        assert.deepEqual(cluster.events.at(-1)?.otherStoresNotUp, [1]);
    });

    it("become Disconnected, then Down, and Up a second after the pod is back, with the same id", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock });
        cluster.stopPod("basic-tikv-0");
        assert.equal(statesOf(cluster)[0], "Up", "PD does not notice at once");
        clock.advance(600);
        assert.equal(statesOf(cluster)[0], "Disconnected");
        clock.advance(20_000);
        assert.equal(statesOf(cluster)[0], "Down");
        cluster.startPod("basic-tikv-0", { version: "v8.5.4" });
        clock.advance(900);
        assert.equal(statesOf(cluster)[0], "Down");
        clock.advance(200);
        assert.deepEqual(statesOf(cluster), ["Up", "Up", "Up"]);
        assert.equal(cluster.storeOfPod("basic-tikv-0")?.id, 1);
    });

    it("take their share of regions and leaders when they join", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock });
        cluster.startPod("basic-tikv-3");
        clock.advance(2000);
        assert.ok(regionsOf(cluster)[3] > 0 && regionsOf(cluster)[3] < 675);
        clock.advance(8000);
        assert.deepEqual(leadersOf(cluster), [225, 225, 225, 225]);
        assert.deepEqual(regionsOf(cluster), [675, 675, 675, 675]);
    });

    it("drain and become Tombstone while max-replicas others are Up", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock, stores: 4 });
        deleteStore(state, state.stores[3]);
        clock.advance(1000);
        assert.equal(statesOf(cluster)[3], "Offline");
        assert.ok(regionsOf(cluster)[3] < 900 && leadersOf(cluster)[3] < 300);
        clock.advance(3000);
        assert.equal(statesOf(cluster)[3], "Tombstone");
        assert.deepEqual(leadersOf(cluster), [400, 400, 400, 0]);
        assert.deepEqual(kindsOf(cluster), ["store-deleted", "store-tombstone"]);
    });

    it("never drain if fewer than max-replicas would be left, though PD accepts the deletion", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock });
        deleteStore(state, state.stores[2]);
        clock.advance(60_000);
        assert.equal(statesOf(cluster)[2], "Offline");
        assert.equal(regionsOf(cluster)[2], 900);
    });

    it("do not start with the data of a Tombstone store, and join as new ones with an empty volume", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock, stores: 4 });
        deleteStore(state, state.stores[3]);
        clock.advance(5000);
        cluster.stopPod("basic-tikv-3");
        cluster.startPod("basic-tikv-3");
        clock.advance(5000);
        assert.equal(cluster.storeOfPod("basic-tikv-3")?.running, false);
        assert.equal(kindsOf(cluster).filter((kind) => kind === "store-refused").length, 1);
        cluster.startPod("basic-tikv-3", { newClaim: true });
        clock.advance(1100);
        assert.equal(cluster.storeOfPod("basic-tikv-3")?.id, 5);
    });

    it("do not join with an empty volume while PD holds another store at their address", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock });
        cluster.stopPod("basic-tikv-0");
        cluster.startPod("basic-tikv-0", { newClaim: true });
        clock.advance(5000);
        assert.equal(cluster.stores().length, 3);
        assert.match(cluster.events.at(-1)?.detail ?? "", /duplicated store address: store 1/);
    });

    describe("that were refused", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock, stores: 4 });
        const name = "basic-tikv-3";
        /** Sees the pod as Kubernetes has it, and all others as they are. */
        const see = (change: Partial<PodObservation>) => {
            const others = [...state.pods.values()].filter((pod) => pod.name !== name);
            cluster.observePods([...others, { ...pod, ...change }]);
        };
        const pass = (milliseconds: number) => {
            clock.advance(milliseconds);
            cluster.stores();
        };
        let pod: PodObservation;
        const backsOff = () => ({ running: false, ready: false, backsOff: state.pods.get(name)?.refused });
        const count = (kind: string) => kindsOf(cluster).filter((one) => one === kind).length;
        before(() => {
            cluster.faults.stores[name] = { drainedRegionsPerSecond: 0 };
            deleteStore(state, state.stores[3]);
            pod = { ...state.pods.get(name)!, uid: "anew", claim: "empty", readySince: undefined } as PodObservation;
        });

        it("are tried again while their container backs off, and say so once", () => {
            see({});
            pass(2000);
            const stops = count("pod-stopped");
            for (let times = 0; times < 2; times++) {
                see(backsOff());
                pass(2000);
            }
            assert.match(state.pods.get(name)?.refused ?? "", /^duplicated store address: store 4 /);
            assert.deepEqual([count("store-refused"), count("pod-stopped")], [1, stops]);
        });

        it("stop with a node that stops, and are refused anew when it is back", () => {
            see({ running: false, ready: false });
            assert.equal(state.pods.get(name), undefined);
            see({ running: false, ready: false, backsOff: "an earlier crash" });
            assert.equal(state.pods.get(name), undefined, "the kubelet has not started it yet");
            see({});
            pass(2000);
            assert.equal(count("store-refused"), 2);
        });

        it("join once PD has the other store as Tombstone, and their container runs again", () => {
            see(backsOff());
            delete cluster.faults.stores[name];
            pass(30_000);
            assert.equal(state.pods.get(name)?.refused, undefined);
            assert.equal(cluster.stores().length, 4);
            see({ running: false, ready: false, backsOff: "not written yet" });
            assert.ok(state.pods.has(name));
            see({});
            pass(1100);
            assert.deepEqual([cluster.storeOfPod(name)?.id, count("store-refused")], [5, 2]);
        });
    });

    it("can have a stuck or slow eviction, and a stuck drain", () => {
        const clock = manualClock();
        const { state, cluster } = settledCluster({ clock, stores: 4 });
        cluster.faults.stores["basic-tikv-0"] = { evictedLeadersPerSecond: 0 };
        cluster.faults.stores["basic-tikv-1"] = { evictedLeadersPerSecond: 10 };
        cluster.faults.stores["basic-tikv-3"] = { drainedRegionsPerSecond: 0 };
        cluster.beginEviction("basic-tikv-0");
        cluster.beginEviction("basic-tikv-1");
        deleteStore(state, state.stores[3]);
        clock.advance(5000);
        assert.deepEqual(leadersOf(cluster).slice(0, 2), [300, 250]);
        assert.equal(regionsOf(cluster)[3], 900);
    });

    it("can die while their pods look healthy, and come back when the fault ends", () => {
        const clock = manualClock();
        const { cluster } = settledCluster({ clock });
        cluster.faults.stores["basic-tikv-0"] = { dead: true };
        clock.advance(1000);
        assert.deepEqual(statesOf(cluster), ["Disconnected", "Up", "Up"]);
        assert.deepEqual(leadersOf(cluster), [0, 450, 450]);
        cluster.faults.stores["basic-tikv-0"] = {};
        clock.advance(5000);
        assert.deepEqual(leadersOf(cluster), [300, 300, 300]);
    });
});

import * as assert from "node:assert/strict";
import {
    defaultTimings,
    type ManualClock,
    manualClock,
    noFaults,
    type PodObservation,
} from "../../../sandbox/dataPlane";
import type { ClusterState } from "../../../sandbox/dataPlane/model/cluster";
import { createCluster } from "../../../sandbox/dataPlane/model/createCluster";
import { indexes, regionOf } from "../../../sandbox/dataPlane/model/regionPeers";
import { deleteStore } from "../../../sandbox/dataPlane/model/stores";
import { defaultReplication, defaultSchedule, defaultServer } from "../../../sandbox/dataPlane/pdApi/defaultConfig";
import { type SimulatedCluster, simulatedCluster } from "../../../sandbox/dataPlane/simulatedCluster";

type File = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const labels = { "location-labels": ["zone", "host"] };
const zoned: File = { replication: labels };

/** A cluster whose PD starts with a file, and whose stores are in these zones, each on a host of its own; a dot is a store without labels. */
class Placed {
    readonly clock: ManualClock = manualClock();
    readonly state: ClusterState;
    readonly cluster: SimulatedCluster;
    pods: PodObservation[];

    constructor(
        readonly zones: string,
        file: File = zoned,
    ) {
        this.state = createCluster({
            namespace: "tidb",
            name: "basic",
            now: this.clock(),
            timings: defaultTimings,
            faults: noFaults(),
            scheduleConfig: defaultSchedule,
            replicationConfig: defaultReplication,
            serverConfig: defaultServer,
        });
        this.cluster = simulatedCluster(this.state, this.clock);
        this.pods = [pdPod(file), ...[...zones].map(tikvPod)];
        this.cluster.observePods(this.pods);
        this.pass(5);
    }

    pass(seconds: number): void {
        this.clock.advance(seconds * 1000);
        this.cluster.stores();
    }

    regions(): number[] {
        this.pass(0);
        return this.state.stores.map(({ regions }) => regions);
    }

    /** How many regions have how many of their peers in the zone that has most of them. */
    crowded(): Record<number, number> {
        const counts: Record<number, number> = {};
        for (const index of indexes(this.state.regions)) {
            const zones = regionOf(this.state, index).peers.map(({ store }) => this.zones[store.id - 1]);
            const most = Math.max(...zones.map((zone) => zones.filter((one) => one === zone).length));
            counts[most] = (counts[most] ?? 0) + 1;
        }
        return counts;
    }

    stop(pod: string): void {
        this.pods = this.pods.map((one) => (one.name === pod ? { ...one, running: false, ready: false } : one));
        this.cluster.observePods(this.pods);
    }
}

const pdPod = (config: File, uid = "pd"): PodObservation => ({
    name: "basic-pd-0",
    uid,
    component: "pd",
    claim: "claim-pd",
    running: true,
    ready: true,
    version: "v8.5.3",
    config,
});

const tikvPod = (zone: string, index: number): PodObservation => ({
    name: `basic-tikv-${index}`,
    uid: `tikv-${index}`,
    component: "tikv",
    claim: `claim-${index}`,
    running: true,
    ready: true,
    version: "v8.5.3",
    ...(zone === "." ? {} : { storeLabels: { zone, host: `h${index}` } }),
});

describe("the regions of a simulated PD with location labels", () => {
    it("are loaded once the store of each TiKV pod is Up, which on a busy machine is long after the first", () => {
        const placed = new Placed("", {});
        const late = { ...tikvPod(".", 2), running: false, ready: false };
        placed.cluster.observePods([...placed.pods, tikvPod(".", 0), tikvPod(".", 1), late]);
        placed.pass(10);
        assert.equal(placed.state.loaded, false);
        placed.cluster.observePods([...placed.pods, ...[".", ".", "."].map(tikvPod)]);
        placed.pass(5);
        assert.deepEqual(placed.regions(), [900, 900, 900]);
    });

    it("are loaded without a pod that does not start for half a minute", () => {
        const placed = new Placed("", {});
        const stuck = { ...tikvPod(".", 2), running: false, ready: false };
        placed.cluster.observePods([...placed.pods, tikvPod(".", 0), tikvPod(".", 1), stuck]);
        placed.pass(40);
        assert.deepEqual(placed.regions(), [600, 600]);
    });

    it("are isolated by zone from the start, in whichever order the stores joined", () => {
        for (const zones of ["abcabc", "ababcc", "aabbcc"]) {
            const placed = new Placed(zones);
            assert.deepEqual(placed.regions(), Array(6).fill(900), zones);
            assert.deepEqual(placed.crowded(), { 1: 1800 }, zones);
        }
    });

    it("have one peer in each zone even if a zone has one store, which then has all of them", () => {
        const placed = new Placed("abbccc");
        assert.deepEqual(placed.regions(), [1800, 900, 900, 600, 600, 600]);
        assert.deepEqual(placed.crowded(), { 1: 1800 });
    });

    it("are spread evenly over four zones as far as no zone gets two peers of a region", () => {
        const placed = new Placed("aaabcd");
        const [first, second, third, ...others] = placed.regions();
        assert.equal(first + second + third, 1800);
        assert.deepEqual(others, [1200, 1200, 1200]);
        assert.deepEqual(placed.crowded(), { 1: 1800 });
    });

    it("have two peers in one of two zones, on two hosts, because there is no third zone", () => {
        const placed = new Placed("aabb");
        assert.deepEqual(placed.crowded(), { 2: 1200 });
        const hosts = indexes(placed.state.regions).map((index) => regionOf(placed.state, index).peers);
        assert.ok(hosts.every((peers) => new Set(peers.map(({ store }) => store)).size === 3));
    });

    it("stay where they are without location labels, whatever labels the stores have", () => {
        const placed = new Placed("ababcc", {});
        assert.ok((placed.crowded()[2] ?? 0) > 0);
        placed.pass(60);
        assert.ok((placed.crowded()[2] ?? 0) > 0);
    });

    it("are moved until they are isolated once the labels are known to PD, which takes as long as so many moves", () => {
        const placed = new Placed("ababcc", {});
        const before = placed.crowded()[2] ?? 0;
        placed.state.replicationConfig["location-labels"] = "zone,host";
        placed.pass(1);
        assert.equal(placed.crowded()[2], before);
        placed.pass(10);
        assert.deepEqual(placed.crowded(), { 1: 1800 });
    });

    it("are not moved for that with enable-location-replacement off", () => {
        const placed = new Placed("ababcc", { schedule: { "enable-location-replacement": false } });
        placed.state.replicationConfig["location-labels"] = "zone,host";
        placed.pass(60);
        assert.ok((placed.crowded()[2] ?? 0) > 0);
    });

    it("go to another store of the same zone when one is removed", () => {
        const placed = new Placed("aabbcc");
        deleteStore(placed.state, placed.state.stores[1]);
        placed.pass(10);
        assert.deepEqual(placed.regions(), [1800, 0, 900, 900, 900, 900]);
        assert.deepEqual(placed.crowded(), { 1: 1800 });
    });

    it("leave a zone that is lost for good, unless the isolation level forbids it", () => {
        const lost = (replication: File[string]) => {
            const placed = new Placed("abbcc", { replication });
            placed.stop("basic-tikv-0");
            placed.pass(60);
            return placed.regions()[0];
        };
        assert.equal(lost(labels), 0);
        assert.equal(lost({ ...labels, "isolation-level": "host" }), 0);
        assert.equal(lost({ ...labels, "isolation-level": "zone" }), 1500);
    });
});

describe("the file of a simulated PD", () => {
    it("says how many peers a region has, and when a silent store is Down", () => {
        const placed = new Placed("abcde", {
            replication: { "max-replicas": 5 },
            schedule: { "max-store-down-time": "40s" },
        });
        assert.deepEqual(placed.regions(), Array(5).fill(1500));
        placed.stop("basic-tikv-0");
        placed.pass(39);
        assert.equal(placed.cluster.storeOfPod("basic-tikv-0")?.state, "Disconnected");
        placed.pass(2);
        assert.equal(placed.cluster.storeOfPod("basic-tikv-0")?.state, "Down");
    });

    it("counts only until the first member has started: later the configuration is in PD's etcd", () => {
        const placed = new Placed("abc", { schedule: { "leader-schedule-limit": 8 } });
        const later: File = { schedule: { "leader-schedule-limit": 16 } };
        const second = { ...pdPod(later, "second"), name: "basic-pd-1", claim: "claim-pd-1" };
        placed.cluster.observePods([pdPod(later, "again"), second]);
        placed.pass(5);
        placed.cluster.observePods([pdPod(later, "again"), second]);
        placed.pass(5);
        assert.equal(placed.cluster.members().length, 2);
        assert.equal(placed.cluster.pdConfig().schedule["leader-schedule-limit"], 8);
    });

    it("with which PD does not start leaves the cluster without a member until the file is another one", () => {
        const placed = new Placed("abc", { replication: { "location-labels": "zone" } });
        placed.pass(60);
        placed.cluster.observePods(placed.pods);
        assert.deepEqual(placed.cluster.members(), []);
        assert.deepEqual(
            placed.cluster.events.map(({ kind, pod, detail }) => [kind, pod, detail]),
            [["member-refused", "basic-pd-0", "toml: cannot load TOML value of type string into a Go slice"]],
        );
        placed.cluster.observePods([pdPod(zoned), ...placed.pods.slice(1)]);
        placed.pass(1);
        assert.deepEqual(
            placed.cluster.members().map(({ healthy }) => healthy),
            [true],
        );
        assert.equal(placed.cluster.pdConfig().replication["location-labels"], "zone,host");
    });
});

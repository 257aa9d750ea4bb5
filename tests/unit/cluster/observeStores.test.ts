import * as assert from "node:assert/strict";
import {
    observeMember,
    observePump,
    observeRegion,
    observeStore,
    podOfServer,
} from "../../../provider/cluster/observeStores";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const across = { ...id, domain: "one.example" };
const storeAt = (address: string, identity = id, engine?: string) =>
    observeStore(
        {
            id: 1,
            address,
            state: "Up",
            labels: engine ? { engine } : {},
            leaderCount: 5,
            regionCount: 9,
            pendingPeerCount: 0,
        },
        identity,
    );

describe("the owner of a store, member or pump", () => {
    const rows: [title: string, address: string, identity: typeof id, own: boolean][] = [
        ["its own address", "basic-tikv-0.basic-tikv-peer.tidb.svc:20160", id, true],
        ["another namespace", "basic-tikv-0.basic-tikv-peer.other.svc:20160", id, false],
        ["another cluster", "more-tikv-0.more-tikv-peer.tidb.svc:20160", id, false],
        ["a domain, if the cluster has none", "basic-tikv-0.basic-tikv-peer.tidb.svc.two.example:20160", id, false],
        ["its own domain", "basic-tikv-0.basic-tikv-peer.tidb.svc.one.example:20160", across, true],
        [
            "another Kubernetes cluster's domain",
            "basic-tikv-0.basic-tikv-peer.tidb.svc.two.example:20160",
            across,
            false,
        ],
        [
            "a domain with its own as a prefix",
            "basic-tikv-0.basic-tikv-peer.tidb.svc.one.example.org:20160",
            across,
            false,
        ],
        ["no domain, if the cluster has one now", "basic-tikv-0.basic-tikv-peer.tidb.svc:20160", across, true],
        ["an IP address", "10.0.0.7:20160", id, false],
        ["a pod of no member", "basic-tikv-x.basic-tikv-peer.tidb.svc:20160", id, false],
        ["a pod of another member", "basic-pd-0.basic-tikv-peer.tidb.svc:20160", id, false],
    ];
    for (const [title, address, identity, own] of rows) {
        it(`a store at ${title} is ${own ? "ours" : "not ours"}`, () =>
            assert.equal(storeAt(address, identity).own, own));
    }

    it("a store at another domain of ours names its pod and that domain: the cluster may have had it before", () => {
        const at = (host: string, identity = id, engine?: string) =>
            storeAt(`${host}:20160`, identity, engine).otherDomain;
        const tikv0 = "basic-tikv-0.basic-tikv-peer.tidb.svc";
        assert.deepEqual(at(`${tikv0}.two.example`), { podName: "basic-tikv-0", domain: "two.example" });
        assert.deepEqual(at(`${tikv0}.two.example`, across), { podName: "basic-tikv-0", domain: "two.example" });
        const flash = at("basic-tiflash-0.basic-tiflash-peer.tidb.svc.two.example", id, "tiflash");
        assert.deepEqual(flash, { podName: "basic-tiflash-0", domain: "two.example" });
        for (const host of [
            tikv0,
            "basic-tikv-0.basic-tikv-peer.other.svc.two.example",
            "more-tikv-0.more-tikv-peer.tidb.svc.two.example",
            "basic-tikv-x.basic-tikv-peer.tidb.svc.two.example",
            "10.0.0.7",
        ]) {
            assert.equal(at(host), undefined, host);
        }
    });

    it("TiFlash's store is behind TiFlash's own Service", () => {
        assert.ok(storeAt("basic-tiflash-0.basic-tiflash-peer.tidb.svc:3930", id, "tiflash").own);
        assert.ok(!storeAt("basic-tikv-0.basic-tikv-peer.tidb.svc:3930", id, "tiflash").own);
    });

    it("a store says itself that it is slow", () => {
        const store = {
            id: 1,
            address: "",
            state: "Up",
            labels: {},
            leaderCount: 5,
            regionCount: 9,
            pendingPeerCount: 0,
        };
        const slowOf = (more: object) => observeStore({ ...store, ...more }, id).slow;
        assert.equal(slowOf({}), undefined);
        assert.deepEqual(slowOf({ slowScore: 80 }), { score: 80, isBusy: false });
        assert.deepEqual(slowOf({ isBusy: true }), { score: 0, isBusy: true });
    });

    it("a store is reported with its raw answer", () => {
        const at = (milliseconds: number) => new Date(milliseconds);
        const address = "basic-tikv-0.basic-tikv-peer.tidb.svc:20160";
        const times = { lastHeartbeat: at(7), startedAt: at(3), pendingPeerCount: 2 };
        const disk = { capacityBytes: 1024, availableBytes: 812 };
        const labels = { zone: "a" };
        const raw = { id: 1, address, state: "Up", labels, leaderCount: 5, regionCount: 9, ...times, ...disk };
        assert.deepEqual(observeStore(raw, id), {
            id: 1,
            podName: "basic-tikv-0",
            address,
            own: true,
            engine: "tikv",
            state: "Up",
            labels,
            leaderCount: { reported: 5 },
            regionCount: 9,
            lastHeartbeat: 7,
            startedAt: 3,
            pendingPeers: 2,
            ...disk,
        });
    });

    const member = (name: string, host: string, identity = id) =>
        observeMember(
            { name, memberId: "18446744073709551615", peerUrls: [`http://${host}:2380`], clientUrls: [] },
            [],
            identity,
        );
    const host = (pod: string, more = "") => `${pod}.basic-pd-peer.tidb.svc${more}`;

    it("a member that never started has no name, and its peer URL says whose pod it is", () => {
        assert.equal(member("", host("basic-pd-3")).podName, "basic-pd-3");
        assert.equal(member("", "basic-pd-3.basic-pd-peer.other.svc").podName, undefined);
        assert.equal(member("", host("basic-pd-3", ".two.example"), across).podName, undefined);
    });

    it("a member of the same name in another namespace or Kubernetes cluster is not ours", () => {
        assert.equal(member("basic-pd-0", host("basic-pd-0")).podName, "basic-pd-0");
        assert.equal(member("basic-pd-0", "basic-pd-0.basic-pd-peer.other.svc").podName, undefined);
        assert.equal(member("more-pd-0", "more-pd-0.more-pd-peer.tidb.svc").podName, undefined);
        const full = host("basic-pd-0", ".one.example");
        assert.equal(member(full, full, across).podName, "basic-pd-0");
        const foreign = host("basic-pd-0", ".two.example");
        assert.equal(member(foreign, foreign, across).podName, undefined);
    });

    it("a member that PD's health does not list is not healthy", () => {
        const one = { name: "basic-pd-0", memberId: "1", peerUrls: [], clientUrls: [] };
        const healthOf = (memberId: string, healthy: boolean) => [
            { name: "basic-pd-0", memberId, clientUrls: [], healthy },
        ];
        assert.equal(observeMember(one, healthOf("1", true), id).healthy, true);
        assert.equal(observeMember(one, healthOf("2", true), id).healthy, false);
        assert.equal(observeMember(one, healthOf("1", false), id).healthy, false);
    });

    it("a pump has its short name, or its full one", () => {
        const pump = (at: string, identity = id) => observePump({ nodeId: "n", host: at, state: "online" }, identity);
        assert.deepEqual(pump("basic-pump-0.basic-pump:8250"), {
            nodeId: "n",
            podName: "basic-pump-0",
            own: true,
            state: "online",
        });
        assert.ok(pump("basic-pump-0.basic-pump.tidb.svc:8250").own);
        assert.ok(!pump("basic-pump-0.basic-pump.other.svc:8250").own);
        assert.ok(!pump("more-pump-0.more-pump:8250").own);
        assert.ok(!pump("basic-pump-0.basic-pump.tidb.svc.two.example:8250", across).own);
    });

    it("a store or pump elsewhere is named by the first part of its host, as PD knows it", () => {
        assert.equal(storeAt("more-tikv-0.more-tikv-peer.tidb.svc:20160").podName, "more-tikv-0");
        const pump = observePump({ nodeId: "n", host: "more-pump-0.more-pump:8250", state: "online" }, id);
        assert.equal(pump.podName, "more-pump-0");
    });

    it("a microservice's server without an ordinal in its name belongs to no pod", () => {
        assert.equal(podOfServer("http://basic-tso-x.basic-tso-peer.tidb.svc:2379", "tso", id), undefined);
        assert.equal(podOfServer("http://basic-scheduling-0.basic-tso-peer.tidb.svc:2379", "tso", id), undefined);
    });

    it("a microservice's server belongs to a pod by its whole address", () => {
        assert.equal(podOfServer("http://basic-tso-0.basic-tso-peer.tidb.svc:2379", "tso", id), "basic-tso-0");
        assert.equal(podOfServer("http://basic-tso-0.basic-tso-peer.other.svc:2379", "tso", id), undefined);
    });

    it("a peer that its leader calls pending or down does not count in a majority", () => {
        const peer = (more: object) => ({
            peerId: 1,
            storeId: 4,
            role: "voter" as const,
            isPending: false,
            isDown: false,
            ...more,
        });
        const peers = [peer({}), peer({ isPending: true }), peer({ isDown: true, role: "demoting" as const })];
        const seen = observeRegion({ id: 9, peers });
        assert.deepEqual(
            seen.peers.map(({ isBehind }) => isBehind),
            [false, true, true],
        );
        const [witness] = observeRegion({ id: 9, peers: [peer({ isWitness: true })] }).peers;
        assert.deepEqual(witness, { storeId: 4, role: "voter", isBehind: false, isWitness: true });
        assert.deepEqual(seen.peers[2], { storeId: 4, role: "demoting", isBehind: true });
    });
});

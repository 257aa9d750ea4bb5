import * as assert from "node:assert/strict";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import { observeCluster, type Observers } from "../../../provider/cluster/observeCluster";
import { ReadyTracker } from "../../../provider/cluster/readyTracker";
import { known, notAsked, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { type LookOptions, noLook } from "../../../provider/lifecycle/vocabulary/look";
import type { ObservedMember, ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";
import type { PdClient, PdStore } from "../../../provider/pd";
import { PdError, type PdErrorCode } from "../../../provider/pd/pdError";
import type { Component } from "../../../topology/members";
import { observedPod } from "./observedPod";
import { OneLease } from "../../support/gates/oneLease";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const error = (code: PdErrorCode) => new PdError({ code, call: "ask", attempts: [], next: "" });

describe("an observation of the cluster", () => {
    let world: OneLease;
    let pods: Partial<Record<Component, ObservedPod[]>>;
    let client: Partial<PdClient>;
    let forgotten: number;
    let asked: unknown[];
    let observers: Observers;
    beforeEach(() => {
        world = new OneLease();
        [pods, client, forgotten, asked] = [{}, {}, 0, []];
        observers = {
            pd: {
                canAskMembers: true,
                ask: (call) => call(client as PdClient),
                forget: () => (forgotten += 1),
            },
            watch: new LeadershipTracker(),
            ready: new ReadyTracker(),
            tikv: {
                keepOnly: () => undefined,
                ownLeaders: (names) =>
                    Promise.resolve(Object.fromEntries(names.map((name) => [name, known(0, name, 0)]))),
                heartbeats: (ofPods, hasForeign) => {
                    asked.push([ofPods.length, hasForeign]);
                    return Promise.resolve(known({ region: 1, store: 1 }, "TiKV", 0));
                },
            },
            backups: () => Promise.reject(new Error("not asked")),
            statusPages: { ask: () => Promise.resolve({}) },
            captures: { observe: () => Promise.reject(new Error("not asked")) },
            rootPassword: { observe: () => Promise.reject(new Error("not asked")) },
            tidbUpgrade: { read: () => Promise.resolve(notKnown("nobody answers")) },
            tidbLabels: { read: () => Promise.resolve(notKnown("nobody answers")) },
            settings: { observe: () => Promise.reject(new Error("not asked")) },
        };
    });
    const look = (options: Partial<LookOptions>, tellAsked?: (whom: string) => void) => {
        const readMembers = (_id: object, components: readonly Component[]) =>
            Promise.resolve(
                components.map((component): ObservedMember => {
                    const statefulSet = { updateRevision: "new" } as ObservedMember["statefulSet"];
                    return { component, statefulSet, pods: pods[component] ?? [], claims: [] };
                }),
            );
        const api = { ...world.api, readMembers } as unknown as KubernetesApi;
        return observeCluster(
            { ...noLook, ...options },
            api,
            id,
            observers,
            { operatedBy: () => undefined, stopRequest: () => undefined },
            () => 9,
            tellAsked,
        );
    };

    it("says whom it asks: the API server first, then whoever else there is", async () => {
        const told: string[] = [];
        observers.statusPages = { ask: () => Promise.resolve((told.push("a page"), {})) };
        await look({ components: ["tidb"], status: ["tidb"] }, (whom) => told.push(whom));
        assert.deepEqual(told, ["the API server", "others", "a page"]);
    });
    const store = (host: string): PdStore => ({
        id: 1,
        address: `${host}:20160`,
        state: "Up",
        labels: {},
        leaderCount: 0,
        regionCount: 0,
        pendingPeerCount: 0,
    });

    it("that does not ask PD says so, and does not call PD silent", async () => {
        const { pd, pdTrouble, heartbeats } = await look({});
        assert.deepEqual([pd.stores, pdTrouble, heartbeats], [notAsked, undefined, notAsked]);
    });

    it("gives the reason of PD's silence in each part, and finds PD anew the next time", async () => {
        client.stores = () => Promise.reject(error("PD_UNREACHABLE"));
        const { pd, pdTrouble } = await look({ pd: ["stores"] });
        assert.equal(pdTrouble?.isFinal, false);
        assert.ok(pdTrouble.why.includes("PD_UNREACHABLE"));
        assert.deepEqual([pd.stores, forgotten], [{ known: false, why: pdTrouble.why }, 1]);
    });

    it("says that waiting does not help if the answers are not PD's", async () => {
        client.stores = () => Promise.reject(error("PD_BAD_ANSWER"));
        assert.equal((await look({ pd: ["stores"] })).pdTrouble?.isFinal, true);
        client.tombstoneStores = () => Promise.resolve([]);
        const { pd, pdTrouble } = await look({ pd: ["stores", "tombstones"] });
        assert.deepEqual([pdTrouble?.isFinal, pd.tombstones.known], [true, true]);
    });

    it("takes a PD that has never had a store for a new one only until a PD was noted", async () => {
        client.stores = () => Promise.reject(error("PD_NOT_BOOTSTRAPPED"));
        assert.equal((await look({ pd: ["stores"] })).pd.stores.known, true);
        world.lease.metadata!.annotations = { "pulumi-tidb.io/pd-cluster-id": "7" };
        assert.equal((await look({ pd: ["stores"] })).pd.stores.known, false);
        const { lease } = world;
        world.api.readLease = () => Promise.resolve(undefined);
        assert.equal((await look({ pd: ["stores"] })).pd.stores.known, false, "a Lease that is gone proves nothing");
        world.lease = lease;
    });

    it("asks only restarted members of PD whether they are ready, and none at a given address", async () => {
        pods.pd = [
            observedPod("pd", 0),
            observedPod("pd", 1, { revision: "old" }),
            observedPod("pd", 2, { ready: false }),
        ];
        client.health = () =>
            Promise.resolve(
                [0, 1, 2].map((one) => ({ name: `basic-pd-${one}`, memberId: "1", clientUrls: [], healthy: true })),
            );
        client.members = () => Promise.resolve({ members: [] });
        client.memberReady = () => Promise.resolve(true);
        const options: Partial<LookOptions> = { components: ["pd"], pd: ["health", "ready-members"] };
        const { readyMembers } = (await look(options)).pd;
        assert.deepEqual(readyMembers.known && readyMembers.value, ["basic-pd-0"]);
        observers.pd = { ...observers.pd, canAskMembers: false };
        assert.equal((await look(options)).pd.readyMembers, notAsked);
    });

    it("asks TiKV how often it reports if PD's leadership counts, and says whether other clusters' stores share PD", async () => {
        pods.tikv = [observedPod("tikv", 0)];
        client.leadership = () => Promise.resolve({ leader: "basic-pd-0", term: "7" });
        client.schedulers = () => Promise.resolve([]);
        client.regionCount = () => Promise.resolve(1);
        client.stores = () => Promise.resolve([store("basic-tikv-0.basic-tikv-peer.tidb.svc")]);
        const options: Partial<LookOptions> = { components: ["tikv"], pd: ["leadership", "stores"] };
        await look(options);
        client.stores = () => Promise.resolve([store("more-tikv-0.more-tikv-peer.tidb.svc")]);
        await look(options);
        await look({ ...options, pd: ["leadership"] });
        assert.deepEqual(asked, [
            [1, false],
            [1, true],
            [1, true],
        ]);
        assert.equal((await look({ ...options, pd: ["stores"] })).heartbeats, notAsked);
    });

    it("asks TiKV so whichever member the look is at, because a store that reports seldom makes PD's counts late for all", async () => {
        pods.tikv = [observedPod("tikv", 0)];
        client.leadership = () => Promise.resolve({ leader: "basic-pd-0", term: "7" });
        client.schedulers = () => Promise.resolve([]);
        client.regionCount = () => Promise.resolve(1);
        client.stores = () => Promise.resolve([]);
        const { heartbeats, members } = await look({ components: ["tiflash"], pd: ["leadership", "stores"] });
        assert.deepEqual(asked, [[1, false]]);
        assert.deepEqual(heartbeats.known && heartbeats.value, { region: 1, store: 1 });
        assert.deepEqual(Object.keys(members), ["tiflash"]);
    });

    it("does not know a TiKV's leaders if TiKV's pods were not read", async () => {
        const { ownLeaders } = await look({ ownLeadersOf: ["basic-tikv-0"] });
        assert.equal(ownLeaders["basic-tikv-0"].known, false);
        const read = await look({ components: ["tikv"], ownLeadersOf: ["basic-tikv-0"] });
        assert.equal(read.ownLeaders["basic-tikv-0"].known, true);
    });

    it("fails if the API server does not answer", async () => {
        world.unreachable = true;
        await assert.rejects(look({}), /did not answer/);
    });
});

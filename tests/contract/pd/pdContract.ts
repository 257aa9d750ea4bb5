import * as assert from "node:assert/strict";
import type { PdClient, PdErrorCode } from "../../../provider/pd";
import { PdError } from "../../../provider/pd";
import type { WireStore } from "../../../provider/pd/wire";
import { hasLoadedSchedulers } from "../../../provider/pd/persistedEvictions";

/** A PD to hold to the contract: at least three members, and stores to do things to. */
export interface PdSubject {
    readonly client: PdClient;
    /** The members' names. All of them are endpoints of the client, by these names. */
    readonly members: readonly string[];
    /** Two stores that are Up, one that PD can do without, and another that is Tombstone within 30 s of its deletion. */
    readonly stores: { readonly evict: readonly [number, number]; readonly remove: number; readonly drain?: number };
    /**
     * Ends the stores of `stores.evict` for good; the others then play an unsafe recovery.
     * Where it is left out, the cases with lost stores are not run, and say so.
     */
    readonly loseStores?: () => Promise<void>;
    /** Has PD evict a store by itself, as if it were slow, or ends that. Where it is left out, that is not run. */
    readonly makeSlow?: (storeId: number, isSlow: boolean) => void;
    /** Marks the cluster as BR does before it recovers from snapshots, or clears the mark. Where it is left out, that is not run. */
    readonly mark?: (method: "POST" | "DELETE") => Promise<void>;
    /** The id of no store. */
    readonly unknownStore: number;
    /** Whether it changes as PD does; a recording only answers. */
    readonly live: boolean;
    /** Ends a member as a crash does. Where it is left out, the cases with dead members are not run, and say so. */
    readonly stopMember?: (name: string) => Promise<void>;
    readonly close: () => Promise<void>;
}

/** What PD answers, in terms of the client's results. One subject serves all cases, in this order. */
export function pdContract(name: string, connect: () => Promise<PdSubject>): void {
    describe(`PD contract: ${name}`, function () {
        this.timeout(60_000);
        let pd: PdSubject;
        let client: PdClient;
        before(async () => {
            pd = await connect();
            client = pd.client;
        });
        after(() => pd?.close());

        it("names its members, all healthy, with 64-bit ids, one of which leads", async () => {
            const health = await client.health();
            const { members, leader, etcdLeader } = await client.members();
            assert.deepEqual(names(health), [...pd.members].sort());
            assert.deepEqual(names(members), [...pd.members].sort());
            assert.ok(health.every(({ healthy }) => healthy));
            assert.ok(members.every(({ memberId }) => /^\d{1,20}$/.test(memberId)));
            assert.deepEqual(ids(health), ids(members), "health and members agree on the ids, to the last digit");
            assert.ok(leader && pd.members.includes(leader.name));
            assert.equal(etcdLeader?.name, leader.name);
            assert.ok(leader.clientUrls.length > 0 && leader.peerUrls.length > 0);
        });

        it("gives its cluster's id, version and replication", async () => {
            assert.match(await client.clusterId(), /^\d{1,20}$/);
            const version = await client.version();
            assert.match(version, /^v\d+\.\d+/);
            for (const member of (await client.members()).members) {
                assert.equal(member.version, version, member.name);
            }
            for (const store of await client.stores()) {
                assert.match(store.version ?? "", /^v?\d+\.\d+\.\d+/, store.address);
            }
            const { maxReplicas, locationLabels, enablePlacementRules } = await client.replication();
            assert.equal(maxReplicas, 3);
            assert.ok(Array.isArray(locationLabels));
            assert.equal(enablePlacementRules, true);
        });

        it("says for how long a store must be silent until it is Down", async () => {
            const milliseconds = await client.storeDownTime();
            assert.ok(milliseconds >= 1_000 && milliseconds <= 1_800_000, String(milliseconds));
        });

        it("says how much of a disk may be used until it moves no region there", async () => {
            const ratio = await client.lowSpaceRatio();
            assert.ok(ratio !== undefined && ratio > 0 && ratio <= 1, String(ratio));
        });

        it("runs no unsafe recovery", async () => {
            const { stage, failedStores } = await client.unsafeRecovery();
            assert.deepEqual([stage, failedStores], ["none", undefined]);
        });

        it("is not recovering from snapshots, unless it is marked so", async function () {
            await keepsMark(pd, this);
        });

        it("says that each member is ready", async () => {
            for (const member of pd.members) {
                assert.equal(await client.memberReady(member), true, member);
            }
        });

        it("lists the stores that are Up, and no Tombstone", async () => {
            const stores = await client.stores();
            for (const id of pd.stores.evict) {
                const store = stores.find((candidate) => candidate.id === id);
                assert.equal(store?.state, "Up");
                assert.ok(store.address && store.capacityBytes && store.availableBytes);
                assert.ok(store.lastHeartbeat && store.lastHeartbeat.getTime() > Date.UTC(2020));
            }
            assert.deepEqual(await client.tombstoneStores(), []);
        });

        it("describes one store, and says that it does not know another", async () => {
            assert.equal((await client.store(pd.stores.remove))?.id, pd.stores.remove);
            assert.equal(await client.store(pd.unknownStore), undefined);
        });

        it("counts the regions that lack a peer", async () => {
            for (const kind of ["miss-peer", "down-peer", "pending-peer"] as const) {
                assert.ok((await client.countRegionsInCheck(kind)) >= 0, kind);
            }
        });

        it("has loaded its schedulers, and knows its regions", async () => {
            await eventually(async () =>
                assert.ok(hasLoadedSchedulers(await client.schedulers()), "no schedulers yet"),
            );
            assert.ok((await client.regionCount()) > 0);
        });

        it("says who leads and since when, unchanged while nobody else leads", async () => {
            const { leader, term, since } = await client.leadership();
            assert.equal(leader, (await client.members()).leader?.name);
            assert.equal((await client.leadership()).term, term);
            if (pd.live) {
                assert.match(term, /^\d+$/);
                await eventually(async () => {
                    assert.ok(((await client.leadership()).heldForMilliseconds ?? 0) > 0, "not yet");
                });
                assert.deepEqual((await client.leadership()).since, since ?? (await client.leadership()).since);
            }
        });

        it("lists the regions that it counts, each with its peers", async function () {
            if (!pd.live) {
                this.test!.title += " (not run: not recorded)";
                this.skip();
            }
            const short = await client.regionsShortOf("miss-peer");
            assert.equal(short.length, await client.countRegionsInCheck("miss-peer"));
            assert.ok(short.every(({ peers }) => peers.length > 0 && peers.length < 3));
            for (const { id, regionCount } of await client.stores()) {
                const regions = await client.regionsOfStore(id);
                assert.equal(regions.length, regionCount);
                assert.ok(regions.every(({ peers }) => peers.some(({ storeId }) => storeId === id)));
            }
            await eventually(async () => {
                const { isolation = {}, patrolSeconds = 0, ...status } = (await client.regionStatus())!;
                assert.ok(patrolSeconds >= 0);
                assert.deepEqual(status, { missPeer: short.length, downPeer: 0, pendingPeer: 0 });
                // Each region is counted at one level.
                const counted = Object.values(isolation).reduce((sum, count) => sum + count, 0);
                assert.equal(counted, await client.regionCount());
            });
        });

        it("has placement rules", async () => {
            const rules = await client.placementRules();
            assert.ok(rules!.some(({ role, count, startKey }) => role === "voter" && count === 3 && startKey === ""));
        });

        it("keeps a lock in its etcd for the holder of the lease, and gives it to another one when the lease has ended", async function () {
            if (!pd.live) {
                this.test!.title += " (not run: not recorded)";
                this.skip();
            }
            const [mine, theirs] = [await client.grantLease(15), await client.grantLease(15)];
            assert.equal(await client.readKey("/lock"), undefined);
            assert.deepEqual(await client.putIfAbsent("/lock", "mine: ä", mine), { held: true });
            assert.deepEqual(await client.putIfAbsent("/lock", "again", mine), { held: true });
            const held = { value: "mine: ä", leaseId: mine };
            assert.deepEqual(await client.putIfAbsent("/lock", "theirs", theirs), { held: false, ...held });
            assert.deepEqual(await client.readKey("/lock"), held);
            assert.equal(await client.keepLeaseAlive(mine), true);
            await client.revokeLease(mine);
            await client.revokeLease(mine);
            assert.equal(await client.keepLeaseAlive(mine), false);
            await rejects("PD_NOT_FOUND", "create another", () => client.putIfAbsent("/lock", "mine", mine));
            assert.deepEqual(await client.putIfAbsent("/lock", "theirs", theirs), { held: true });
            await client.revokeLease(theirs);
            assert.equal(await client.readKey("/lock"), undefined);
        });

        it("begins the same eviction twice, and refuses one for an unknown store", async () => {
            const [one, other] = pd.stores.evict;
            await client.beginLeaderEviction(one);
            await rejects("PD_NOT_FOUND", `store ${pd.unknownStore}`, () =>
                client.beginLeaderEviction(pd.unknownStore),
            );
            await client.beginLeaderEviction(other);
            await client.beginLeaderEviction(other);
            assert.deepEqual(await client.evictedStores(), [one, other]);
            if (pd.live) {
                assert.deepEqual(await client.persistedEvictions(), [one, other]);
            }
        });

        it("has a batch of evictions, and a limit of moving leaders, that can be changed", async function () {
            const limits = await client.leaderLimits();
            assert.deepEqual(limits, { "leader-schedule-limit": 4, batch: 3 });
            if (!pd.live) {
                this.test!.title += " (changes not run: not recorded)";
                return;
            }
            await client.setEvictionBatch(10);
            await client.setConfig({ "schedule.leader-schedule-limit": 64 });
            assert.deepEqual(await client.leaderLimits(), { "leader-schedule-limit": 64, batch: 10 });
            const [one, other] = pd.stores.evict;
            assert.deepEqual(await client.evictedStores(), [one, other], "no other store is evicted for it");
            await rejects("PD_REFUSED", "batch", () => client.setEvictionBatch(101));
            await client.setConfig({ "schedule.leader-schedule-limit": 4 });
        });

        it("ends the same eviction twice, and then has none", async () => {
            const [one, other] = pd.stores.evict;
            await client.endLeaderEviction(one);
            await client.endLeaderEviction(other);
            await client.endLeaderEviction(other);
            assert.equal(await client.evictedStores(), undefined);
            assert.deepEqual(await client.persistedEvictions(), []);
            assert.equal((await client.leaderLimits()).batch, undefined, "the batch goes with the scheduler");
            if (pd.live) {
                await client.setEvictionBatch(5);
            }
        });

        it("evicts no store by itself, and names one that it evicts because it is slow", async function () {
            if (!pd.live) {
                this.test!.title += " (not run: not recorded)";
                this.skip();
            }
            const none = { evictions: [], unreported: [] };
            assert.deepEqual(await client.ownEvictions(), none);
            if (!pd.makeSlow) {
                this.test!.title += " (a slow store not run)";
                return;
            }
            const [one] = pd.stores.evict;
            pd.makeSlow(one, true);
            const evictions = [{ storeId: one, scheduler: "evict-slow-store-scheduler", recoverySeconds: 1800 }];
            assert.deepEqual(await client.ownEvictions(), { evictions, unreported: [] });
            assert.equal(await client.evictedStores(), undefined, "it is no eviction by the evict-leader scheduler");
            pd.makeSlow(one, false);
            assert.deepEqual(await client.ownEvictions(), none);
        });

        it("refuses a first eviction for an unknown store", async function () {
            if (!pd.live) {
                this.test!.title += " (not run: not recorded)";
                this.skip();
            }
            await rejects("PD_NOT_FOUND", `store ${pd.unknownStore}`, () =>
                client.beginLeaderEviction(pd.unknownStore),
            );
            assert.equal(await client.evictedStores(), undefined);
        });

        it("changes its configuration, and refuses an unknown item and a wrong type", async () => {
            await client.setConfig({ "leader-schedule-limit": 8 });
            await rejects("PD_REFUSED", "config item no-such-key not found", () =>
                client.setConfig({ "no-such-key": 1 }),
            );
            await rejects("PD_REFUSED", "cannot unmarshal string into Go struct field", () =>
                client.setConfig({ "leader-schedule-limit": "x" }),
            );
            await client.setConfig({ "leader-schedule-limit": 4 });
        });

        it("reports its configuration by section, with the items that were changed by their full name", async function () {
            if (!pd.live) {
                this.test!.title += " (not run: not recorded)";
                this.skip();
            }
            const item = async (section: string, key: string) =>
                ((await client.config())[section] as Record<string, unknown>)[key];
            await client.setConfig({ "schedule.leader-schedule-limit": 8, "schedule.max-store-down-time": "40m" });
            assert.equal(await item("schedule", "leader-schedule-limit"), 8);
            assert.equal(await item("schedule", "max-store-down-time"), "40m0s");
            await client.setConfig({ "replication.location-labels": "zone,host" });
            assert.equal(await item("replication", "location-labels"), "zone,host");
            // Some booleans are texts, and the other form is refused.
            assert.equal(await item("schedule", "enable-one-way-merge"), "false");
            await client.setConfig({ "schedule.enable-one-way-merge": "true" });
            assert.equal(await item("schedule", "enable-one-way-merge"), "true");
            await rejects("PD_REFUSED", "unquoted value into bool", () =>
                client.setConfig({ "schedule.enable-one-way-merge": false }),
            );
            await rejects("PD_REFUSED", 'time: invalid duration "soon"', () =>
                client.setConfig({ "schedule.max-store-down-time": "soon" }),
            );
            await rejects("PD_REFUSED", "config item nothing not found", () =>
                client.setConfig({ "schedule.nothing": 1 }),
            );
            await rejects("PD_REFUSED", "config prefix nothing not found", () =>
                client.setConfig({ "nothing.at-all": 1 }),
            );
            await client.setConfig({ "schedule.leader-schedule-limit": 4, "schedule.enable-one-way-merge": "false" });
            await client.setConfig({ "schedule.max-store-down-time": "30m", "replication.location-labels": "" });
        });

        it("sets a store Offline, twice, and Up again", async () => {
            const { remove } = pd.stores;
            await rejects("PD_NOT_FOUND", `store ${pd.unknownStore}`, () => client.deleteStore(pd.unknownStore));
            await client.deleteStore(remove);
            assert.equal((await client.store(remove))?.state, "Offline");
            await client.deleteStore(remove);
            await client.setStoreUp(remove);
            assert.equal((await client.store(remove))?.state, "Up");
        });

        it("sets labels of a store: it keeps the others, finds a key in any case, and drops an empty value", async function () {
            if (!pd.live) {
                this.test!.title += " (not run: not recorded)";
                this.skip();
            }
            const { remove } = pd.stores;
            const labels = async () => (await client.store(remove))?.labels;
            const before = await labels();
            await client.setStoreLabels(remove, { "test/zone": "a", "test-host": "h" });
            assert.deepEqual(await labels(), { ...before, "test/zone": "a", "test-host": "h" });
            await client.setStoreLabels(remove, { "TEST/zone": "b", "test-host": "" });
            assert.deepEqual(await labels(), { ...before, "test/zone": "b" });
            await rejects("PD_REFUSED", "does not match format", () => client.setStoreLabels(remove, { "a b": "c" }));
            await rejects("PD_REFUSED", "does not match format", () => client.setStoreLabels(remove, { a: "b c" }));
            await client.setStoreLabels(remove, { "test/zone": "" });
            assert.deepEqual(await labels(), before);
        });

        it("takes only labels in location-labels once it is strict, and all of them", async function () {
            if (!pd.live) {
                this.test!.title += " (not run: not recorded)";
                this.skip();
            }
            const { remove } = pd.stores;
            const strict = (is: boolean) =>
                client.setConfig({
                    "replication.location-labels": is ? "zone,host" : "",
                    "replication.strictly-match-label": String(is),
                });
            await strict(true);
            await rejects("PD_REFUSED", "need to specify the key: host", () =>
                client.setStoreLabels(remove, { zone: "a" }),
            );
            await rejects("PD_REFUSED", "store label key: disk", () =>
                client.setStoreLabels(remove, { zone: "a", host: "h", disk: "ssd" }),
            );
            await client.setStoreLabels(remove, { zone: "a", host: "h" });
            await strict(false);
            await client.setStoreLabels(remove, { zone: "", host: "" });
        });

        it("makes a drained store Tombstone, lists it apart from the others, and then calls its deletion done", async function () {
            const { drain } = pd.stores;
            if (drain === undefined) {
                this.test!.title += " (not run: no store of this PD drains)";
                this.skip();
            }
            await client.deleteStore(drain);
            await eventually(async () => assert.deepEqual(idsOf(await client.tombstoneStores()), [drain]));
            assert.ok(!idsOf(await client.stores()).includes(drain));
            assert.equal((await client.store(drain))?.state, "Tombstone");
            await client.deleteStore(drain);
            await rejects("PD_REFUSED", `store ${drain}`, () => client.setStoreUp(drain));
        });

        it("accepts a transfer of the leadership, and refuses one to an unknown member", async () => {
            const { leader } = await client.members();
            const { term } = await client.leadership();
            const [next] = pd.members.filter((member) => member !== leader?.name);
            await client.transferLeader(next);
            if (pd.live) {
                await eventually(async () => assert.equal((await client.members()).leader?.name, next));
                const later = await client.leadership();
                assert.equal(later.leader, next);
                assert.notEqual(later.term, term);
                assert.ok((later.heldForMilliseconds ?? 0) < 30_000, "what the one before held does not count");
            }
            await rejects("PD_REFUSED", "nobody", () => client.transferLeader("nobody"));
        });

        it("accepts that the leader resigns", async () => {
            const { leader } = await client.members();
            await client.resignLeader();
            if (pd.live) {
                await eventually(async () => {
                    const now = (await client.members()).leader;
                    assert.ok(now && now.name !== leader?.name, `the leader is ${now?.name}`);
                });
            }
        });

        it("calls the deletion of an unknown member done", () => client.deleteMember("nobody"));

        it("calls the deletion of an unknown id done", async function () {
            if (!pd.live) {
                this.test!.title += " (not run: not recorded)";
                this.skip();
            }
            await client.deleteMemberById("12345");
        });

        it("refuses an unsafe recovery from the loss of a store that it hears from, and of one that it does not know", async function () {
            if (!pd.live) {
                this.test!.title += " (not run: not recorded)";
                this.skip();
            }
            const [connected] = pd.stores.evict;
            // After an election PD calls stores Disconnected that have not found the new leader yet, and would give them up.
            await eventually(async () => assert.equal((await client.store(connected))?.state, "Up"));
            await rejects("PD_REFUSED", `store ${connected} is up and connected`, () =>
                client.removeFailedStores([connected], 60),
            );
            await rejects("PD_REFUSED", `store ${pd.unknownStore} doesn't exist`, () =>
                client.removeFailedStores([pd.unknownStore], 60),
            );
            await rejects("PD_REFUSED", "no store specified", () => client.removeFailedStores([], 60));
            assert.equal((await client.unsafeRecovery()).stage, "none", "a refusal begins nothing");
            assert.equal((await client.store(connected))?.state, "Up");
        });

        it("recovers from the loss of stores: makes them Tombstone at once, and says when their regions go on without them", async function () {
            if (!pd.loseStores) {
                this.test!.title += " (not run: the stores of this PD cannot play it)";
                this.skip();
            }
            await pd.loseStores();
            await eventually(async () => {
                for (const id of pd.stores.evict) {
                    assert.equal((await client.store(id))?.state, "Disconnected");
                }
            });
            const lost = [...pd.stores.evict];
            await client.removeFailedStores(lost, 60);
            const begun = await client.unsafeRecovery();
            assert.deepEqual([begun.stage, begun.failedStores], ["running", lost]);
            for (const id of lost) {
                assert.equal((await client.store(id))?.state, "Tombstone");
            }
            await rejects("PD_REFUSED", "unsafe recovery is running", () => client.removeFailedStores(lost, 60));
            await eventually(async () => assert.equal((await client.unsafeRecovery()).stage, "finished"));
            const { failedStores, report } = await client.unsafeRecovery();
            assert.deepEqual(failedStores, lost);
            assert.match(report, /^Unsafe recovery Finished; /i);
            for (const id of lost) {
                assert.deepEqual(await client.regionsOfStore(id), []);
            }
            await client.resignLeader();
            await eventually(async () =>
                assert.equal((await client.unsafeRecovery()).stage, "none", "a new leader knows nothing of it"),
            );
        });

        describe("with dead members", () => {
            const kill = async (member: string, test: Mocha.Context) => {
                if (!pd.stopMember) {
                    test.test!.title += " (not run: this PD cannot lose a member)";
                    test.skip();
                }
                await pd.stopMember(member);
            };
            /** Since the release-8.5 of August 2026, a member says who is healthy without a leader, by its own calls of the others. Before, it refused. */
            const onlyIsHealthy = async (left: string) => {
                const health = await client.health().catch((error: unknown) => {
                    assert.equal((error as PdError).code, "PD_NO_LEADER");
                    return undefined;
                });
                const healthy = health?.filter(({ healthy: is }) => is);
                assert.deepEqual(healthy === undefined ? [left] : names(healthy), [left]);
            };
            const followers = async () => {
                const { members, leader } = await client.members();
                return names(members).filter((member) => member !== leader?.name);
            };

            it("keeps a dead member in the list, as not healthy, until it is deleted", async function () {
                const [dead] = await followers();
                await kill(dead, this);
                await eventually(async () => {
                    const member = (await client.health()).find(({ name }) => name === dead);
                    assert.equal(member?.healthy, false);
                });
                await rejects("PD_UNREACHABLE", dead, () => client.memberReady(dead));
                await client.deleteMember(dead);
                assert.ok(!names(await client.health()).includes(dead));
                assert.ok(!names((await client.members()).members).includes(dead));
            });

            it("has no leader without a quorum, and the remaining member is still ready", async function () {
                const [left] = await followers();
                const { leader } = await client.members();
                await kill(leader!.name, this);
                await eventually(() => rejects("PD_NO_LEADER", left, () => client.stores()));
                await rejects("PD_NO_LEADER", left, () => client.members());
                await eventually(() => onlyIsHealthy(left));
                await rejects("PD_NO_LEADER", left, () => client.beginLeaderEviction(pd.stores.evict[0]));
                assert.equal(await client.memberReady(left), true);
            });
        });
    });
}

/** What PD answers before its first store, in terms of the client's results. One member is enough. */
export function pdNotBootstrappedContract(
    name: string,
    connect: () => Promise<Pick<PdSubject, "client" | "close" | "mark">>,
): void {
    describe(`PD contract before the first store: ${name}`, function () {
        this.timeout(60_000);
        let pd: Pick<PdSubject, "client" | "close" | "mark">;
        before(async () => {
            pd = await connect();
        });
        after(() => pd?.close());

        it("has a leader, an id and settings", async () => {
            assert.ok((await pd.client.members()).leader);
            assert.match(await pd.client.clusterId(), /^\d{1,20}$/);
            assert.equal((await pd.client.replication()).maxReplicas, 3);
        });

        it("has no pump", async () => assert.deepEqual(await pd.client.pumps(), []));

        it("says about stores, evictions and schedulers only that no store ever started", async () => {
            for (const ask of ["stores", "tombstoneStores", "evictedStores", "schedulers", "regionCount"] as const) {
                await rejects("PD_NOT_BOOTSTRAPPED", "", () => pd.client[ask]());
            }
            await rejects("PD_NOT_BOOTSTRAPPED", "store 1", () => pd.client.store(1));
        });

        it("can be marked as recovering from snapshots already", async function () {
            await keepsMark(pd, this);
        });

        it("has a leadership, and keeps no eviction", async () => {
            assert.match((await pd.client.leadership()).term, /^\d+$/);
            assert.deepEqual(await pd.client.persistedEvictions(), []);
        });

        it("is not bootstrapped for questions about stores, and does not say that an eviction has ended", async () => {
            await rejects("PD_NOT_BOOTSTRAPPED", "store 1", () => pd.client.beginLeaderEviction(1));
            await rejects("PD_NOT_BOOTSTRAPPED", "store 1", () => pd.client.deleteStore(1));
            await rejects("PD_NOT_BOOTSTRAPPED", "miss-peer", () => pd.client.countRegionsInCheck("miss-peer"));
            await rejects("PD_NOT_BOOTSTRAPPED", "store 1", () => pd.client.endLeaderEviction(1));
        });
    });
}

/** A PD to which a test can add a store. */
export interface NewStoreSubject extends Pick<PdSubject, "client" | "close"> {
    readonly url: string;
    /** Registers a store. @returns its id, before its first heartbeat */
    readonly register: () => Promise<number>;
    readonly report: (id: number) => Promise<void>;
}

/** What PD says of a store between its registration and its first heartbeat. */
export function newStoreContract(name: string, connect: () => Promise<NewStoreSubject>): void {
    it(`PD contract of a new store: ${name}: PD says Down since 1970, the client says New, until its first heartbeat`, async function () {
        this.timeout(60_000);
        const pd = await connect();
        try {
            const id = await pd.register();
            const { store, status } = (await (await fetch(`${pd.url}/pd/api/v1/store/${id}`)).json()) as WireStore;
            assert.equal(store.state_name, "Down");
            assert.equal(store.last_heartbeat, undefined);
            assert.equal(new Date(status.last_heartbeat_ts ?? "").getTime(), 0);
            assert.deepEqual([status.uptime, status.capacity, status.available], [undefined, "0B", "0B"]);
            const found = await pd.client.store(id);
            assert.deepEqual(
                [found?.state, found?.lastHeartbeat, found?.capacityBytes, found?.availableBytes],
                ["New", undefined, undefined, undefined],
            );
            await pd.report(id);
            const reported = await pd.client.store(id);
            assert.equal(reported?.state, "Up");
            assert.ok(reported.lastHeartbeat && reported.capacityBytes);
        } finally {
            await pd.close();
        }
    });
}

/** @returns how to mark a PD that speaks HTTP, as BR does. It acknowledges without a body. */
export function markAt(url: string): NonNullable<PdSubject["mark"]> {
    return async (method) => {
        const answer = await fetch(`${url}/pd/api/v1/admin/cluster/markers/snapshot-recovering`, { method });
        assert.deepEqual([answer.status, await answer.text()], [200, ""]);
    };
}

/** The mark is set and cleared twice: both are acknowledged. */
async function keepsMark({ client, mark }: Pick<PdSubject, "client" | "mark">, { test }: Mocha.Context): Promise<void> {
    assert.equal(await client.snapshotRecovering(), false);
    if (!mark) {
        test!.title += " (marks not run: this PD cannot be marked)";
        return;
    }
    for (const [method, marked] of [
        ["POST", true],
        ["DELETE", false],
    ] as const) {
        await mark(method);
        await mark(method);
        assert.equal(await client.snapshotRecovering(), marked);
    }
}

const names = (members: readonly { name: string }[]) => members.map(({ name }) => name).sort();
const idsOf = (stores: readonly { id: number }[]) => stores.map(({ id }) => id);
const ids = (members: readonly { memberId: string }[]) => members.map(({ memberId }) => memberId).sort();

async function rejects(code: PdErrorCode, naming: string, act: () => Promise<unknown>): Promise<void> {
    await assert.rejects(act, (error) => {
        assert.ok(error instanceof PdError, String(error));
        assert.equal(error.code, code, error.message);
        assert.ok(error.message.includes(naming), `${error.message} names ${naming}`);
        return true;
    });
}

/**
 * PD's changes of leader and health are seen within seconds, not at once.
 * @param check its `assert.ok` needs a message: without one Node.js looks for its text in this file, each time, which takes minutes.
 */
async function eventually(check: () => Promise<void>): Promise<void> {
    const until = Date.now() + 30_000;
    for (;;) {
        try {
            return await check();
        } catch (error) {
            if (Date.now() > until) {
                throw error;
            }
            await new Promise((resolve) => setTimeout(resolve, 200));
        }
    }
}

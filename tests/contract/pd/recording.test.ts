import * as assert from "node:assert/strict";
import { createPdClient, PdError, type PdClient } from "../../../provider/pd";
import { hasLoadedSchedulers } from "../../../provider/pd/persistedEvictions";
import { pdContract } from "./pdContract";
import { readRecording, recordedVersions, serveRecording, type Recording } from "./recording";

const endpointsOf = (server: { url: string }) => ["pd-0", "pd-1", "pd-2"].map((name) => ({ name, url: server.url }));

for (const version of recordedVersions) {
    pdContract(`a recorded PD ${version}`, async () => {
        const server = await serveRecording(version);
        const client = createPdClient({ endpoints: endpointsOf(server) });
        return {
            client,
            members: ["pd-0", "pd-1", "pd-2"],
            stores: { evict: [2, 3], remove: 6 },
            unknownStore: 999,
            live: false,
            close: async () => {
                client.close();
                await server[Symbol.asyncDispose]();
            },
        };
    });
}

describe("PD client: each recorded answer", () => {
    let server: Recording;
    let client: PdClient;
    beforeEach(async () => {
        server = await serveRecording("8.5.4");
        client = createPdClient({ endpoints: endpointsOf(server) });
    });
    afterEach(async () => {
        client.close();
        await server[Symbol.asyncDispose]();
    });

    it("lists members, with every digit of ids beyond 2^53", async () => {
        assert.deepEqual(await client.members(), {
            members: [
                member("pd-0", "3747877890675811596", 0),
                member("pd-2", "12889598287873352826", 2),
                member("pd-1", "15421533076920245403", 1),
            ],
            leader: member("pd-2", "12889598287873352826", 2),
            etcdLeader: member("pd-2", "12889598287873352826", 2),
        });
        assert.equal(await client.clusterId(), "7710592187901671373");
        assert.equal(await client.version(), "v8.5.4");
    });

    it("describes a store", async () => {
        server.goTo("with labels");
        assert.deepEqual(await client.store(1), {
            id: 1,
            address: "basic-tikv-1",
            state: "Up",
            labels: { zone: "a", host: "h1" },
            version: "v8.5.4",
            leaderCount: 203,
            regionCount: 600,
            lastHeartbeat: new Date("2026-11-21T12:00:59.950Z"),
            capacityBytes: 1024 ** 4,
            availableBytes: Math.round(967.8 * 1024 ** 3),
            usedBytes: Math.round(56.25 * 1024 ** 3),
            pendingPeerCount: 0,
            startedAt: undefined,
        });
    });

    it("has the replication, with a list of labels and booleans as text", async () => {
        assert.equal(await client.storeDownTime(), 1_800_000);
        assert.deepEqual(await client.replication(), {
            maxReplicas: 3,
            locationLabels: ["zone"],
            enablePlacementRules: true,
        });
    });

    it("has placement rules", async () => {
        const [constraints, startKey, endKey] = [[], "", ""];
        assert.deepEqual(await client.placementRules(), [
            { group: "pd", id: "default", role: "voter", count: 3, constraints, startKey, endKey },
        ]);
    });

    it("has schedulers, regions, and evictions if etcd cannot be read", async () => {
        assert.ok(hasLoadedSchedulers(await client.schedulers()));
        assert.equal(await client.regionCount(), 1200);
        assert.deepEqual(await client.regionsShortOf("down-peer"), []);
        server.goTo("no scheduler");
        assert.equal(await client.evictedStores(), undefined);
        assert.deepEqual(await client.persistedEvictions(), []);
        assert.deepEqual(await client.leadership(), { leader: "pd-2", term: "name:pd-2" });
        await assert.rejects(() => client.readKey("/pulumi-tidb/lock"), hasCode("PD_NO_GATEWAY"));
    });

    it("shows stores that fell silent", async () => {
        server.goTo("all stores silent for 25 s: Disconnected");
        assert.deepEqual(await statesOf(client), ["Disconnected", "Disconnected"]);
        server.goTo("silent beyond max-store-down-time: Down");
        assert.deepEqual(await statesOf(client), ["Down", "Down"]);
    });

    it("shows a dead follower and its deletion", async () => {
        server.goTo("a follower is dead");
        const dead = (await client.health()).filter(({ healthy }) => !healthy);
        assert.deepEqual(
            dead.map(({ name }) => name),
            ["pd-1"],
        );
        await client.deleteMember("pd-1");
        assert.deepEqual(
            (await client.health()).map(({ name }) => name),
            ["pd-0", "pd-2"],
        );
    });

    it("names no leader without a quorum, for any question, though the member is ready", async () => {
        server.goTo("no quorum");
        for (const ask of [() => client.health(), () => client.members(), () => client.stores()]) {
            await assert.rejects(ask, hasCode("PD_NO_LEADER"));
        }
        await assert.rejects(() => client.beginLeaderEviction(2), hasCode("PD_NO_LEADER"));
        assert.equal(await client.memberReady("pd-0"), true);
    });

    it("that refuses gives PD's own reason once", async () => {
        const asked = client.calls;
        await assert.rejects(() => client.deleteStore(999), {
            name: "PdError",
            code: "PD_NOT_FOUND",
            status: 404,
            message: /delete store 999 .*\[PD:core:ErrStoreNotFound\]store 999 not found/,
        });
        assert.equal(client.calls - asked, 1, "another member would only repeat it");
    });
});

function member(name: string, memberId: string, index: number) {
    const [peerUrls, clientUrls] = [[`http://127.0.0.1:338${index}`], [`http://127.0.0.1:337${index}`]];
    return { name, memberId, peerUrls, clientUrls, version: "v8.5.4" };
}

const statesOf = async (client: PdClient) => (await client.stores()).map(({ state }) => state);
const hasCode = (code: string) => (error: unknown) => error instanceof PdError && error.code === code;

describe("later versions of PD, asked what 8.5.4 was asked", () => {
    const [first, ...later] = recordedVersions;
    const before = readRecording(first);

    for (const version of later) {
        const after = readRecording(version);

        it(`${version} answers with the same status, but about health without a quorum`, () => {
            const differs = after.filter(({ status }, index) => status !== before[index].status);
            assert.deepEqual(
                differs.map(({ note, path, status }) => `${note}: ${path} ${status}`),
                [
                    // It answers from what it knows, and its leader is gone: health is no evidence of a leader.
                    "quorum just lost: /pd/api/v1/health 200",
                    "no quorum: /pd/api/v1/health 200",
                ],
            );
        });

        it(`${version} has the same words for what it refuses and for what it has done`, () => {
            const words = (lines: typeof before) =>
                lines
                    .filter(({ response, status }) => typeof response === "string" && status < 500)
                    .map(({ note, response }) => `${note}: ${String(response)}`);
            assert.deepEqual(words(after), words(before));
        });
    }
});

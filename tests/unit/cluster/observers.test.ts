import * as assert from "node:assert/strict";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import { observeCluster, type Observers } from "../../../provider/cluster/observeCluster";
import type { LeaseView } from "../../../provider/cluster/leaseView";
import { ReadyTracker } from "../../../provider/cluster/readyTracker";
import { known, notAsked, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { type LookOptions, noLook } from "../../../provider/lifecycle/vocabulary/look";
import { noRecords, type ObservedMember } from "../../../provider/lifecycle/vocabulary/observation";
import { OneLease } from "../../support/gates/oneLease";
import { observedPod } from "./observedPod";
import { pdThat } from "./playedPd";
import type { Component } from "../../../topology/members";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
describe("the questions of an observation beside PD's", () => {
    let world: OneLease;
    let asked: unknown[];
    let operatedBy: (lease: LeaseView) => string | undefined;
    let answers: Record<string, (...given: never[]) => unknown>;
    let pdCalls: string[];
    let kept: number;
    /** How often a way to PD was opened. */
    let opened: number;
    beforeEach(() => {
        [world, asked, answers, pdCalls, kept, opened] = [new OneLease(), [], {}, [], 0, 0];
        operatedBy = () => "ana@laptop";
    });

    const look = (options: Partial<LookOptions>, mayLag?: boolean) => {
        const { client, asked: calls } = pdThat(answers);
        pdCalls = calls;
        const note = <T>(what: unknown, answer: T) => {
            asked.push(what);
            return Promise.resolve(answer);
        };
        const observers: Observers = {
            pd: {
                canAskMembers: true,
                ask: (call) => {
                    opened += 1;
                    return call(client);
                },
                forget: () => undefined,
            },
            watch: new LeadershipTracker(),
            ready: new ReadyTracker(),
            tikv: {
                keepOnly: () => (kept += 1),
                ownLeaders: (names) => note(["leaders of", ...names], { "basic-tikv-0": known(3, "basic-tikv-0", 0) }),
                heartbeats: (_pods, hasForeign) => note(["heartbeats", hasForeign], notKnown("no answer")),
            },
            backups: () =>
                note(["backups"], [{ name: "Job backup-monday", does: "backs up", state: "pod monday: Running" }]),
            statusPages: {
                ask: (members) => note(["pages of", ...members.map(nameOf)], { "basic-tidb-0": { trouble: null } }),
            },
            captures: {
                observe: (member) =>
                    note(["captures of", nameOf(member)], { list: "unsupported", byPod: {}, tablesLeft: {} }),
            },
            rootPassword: {
                observe: (pods) => note(["password", pods?.map(({ name }) => name)], { secret: "absent" }),
            },
            tidbUpgrade: { read: (ofPods) => note(["upgrade", ofPods.length], notKnown("no answer")) },
            tidbLabels: { read: (ofPods) => note(["labels", ofPods.length], notKnown("no answer")) },
            settings: {
                observe: ({ component, keys }, member) =>
                    note(["settings of", component, ...keys, member?.pods.length], {
                        component,
                        file: notKnown("it is gone"),
                        live: {},
                    }),
            },
        };
        const nameOf = ({ component }: ObservedMember) => component;
        const readMembers = (_id: object, components: readonly Component[], templates: object) => {
            asked.push(["members", ...components, templates]);
            return Promise.resolve(
                components.map((component) => ({ component, pods: [observedPod(component, 0)], claims: [] })),
            );
        };
        const api = { ...world.api, readMembers, mayLag } as Parameters<typeof observeCluster>[1];
        return observeCluster(
            { ...noLook, ...options },
            api,
            id,
            observers,
            { operatedBy: (lease) => operatedBy(lease), stopRequest: (lease) => lease?.stopRequest?.by },
            () => 9,
        );
    };

    it("are asked only on request", async () => {
        const seen = await look({ components: ["ticdc", "tidb", "tikv"] });
        assert.deepEqual(asked, [["members", "ticdc", "tidb", "tikv", {}], ["leaders of"]]);
        const { podStatus, captures, rootPassword, heartbeats } = seen;
        assert.deepEqual([podStatus, captures, rootPassword, heartbeats], [undefined, undefined, undefined, notAsked]);
        assert.deepEqual([pdCalls, kept, opened], [[], 1, 0]);
    });

    it("say whether what the API server said last was used again: nothing may be done by such an observation", async () => {
        const options: Partial<LookOptions> = { components: ["tikv"], pd: ["leader"] };
        assert.equal((await look(options, true)).mayLag, true);
        assert.equal((await look(options)).mayLag, undefined);
    });

    it("get the claims that the program wants", async () => {
        await look({ components: ["tikv"], claimTemplates: { tikv: ["raft"] } });
        assert.deepEqual(asked[0], ["members", "tikv", { tikv: ["raft"] }]);
    });

    it("go to the pages of the requested members only", async () => {
        const { podStatus } = await look({ components: ["pd", "tidb", "tiproxy"], status: ["tidb"] });
        assert.deepEqual(asked[1], ["pages of", "tidb"]);
        assert.deepEqual(podStatus, { "basic-tidb-0": null });
    });

    it("go to TiCDC for its captures if its pods were read", async () => {
        const { captures } = await look({ components: ["ticdc"], asks: ["captures"] });
        assert.deepEqual(asked[1], ["captures of", "ticdc"]);
        assert.equal(captures?.list, "unsupported");
        asked = [];
        assert.equal((await look({ components: ["tidb"], asks: ["captures"] })).captures, undefined);
        assert.equal(asked.length, 1);
    });

    it("go to a member's settings only on request, after everything that PD is asked", async () => {
        const settings = { component: "tikv", keys: ["log.level"], files: [] } as const;
        const seen = await look({ components: ["tikv"], pd: ["leader"], settings });
        assert.deepEqual(asked.at(-1), ["settings of", "tikv", "log.level", 1]);
        assert.equal(seen.settings?.component, "tikv");
        assert.equal((await look({ components: ["tikv"] })).settings, undefined);
    });

    it("go to the Secret with root's password, and to TiDB's pods for its login only on request", async () => {
        await look({ components: ["tidb"], asks: ["password-secret"] });
        await look({ components: ["tidb"], asks: ["password-secret", "root-login"] });
        await look({ components: [], asks: ["password-secret", "root-login"] });
        const passwords = asked.filter((one) => (one as string[])[0] === "password");
        assert.deepEqual(passwords, [
            ["password", undefined],
            ["password", ["basic-tidb-0"]],
            ["password", []],
        ]);
        asked = [];
        assert.equal((await look({ components: ["tidb"], asks: ["root-login"] })).rootPassword, undefined);
        assert.equal(asked.length, 1);
    });

    it("go to PD for lists of regions alone, too", async () => {
        answers = { regionsOfStore: () => [] };
        const { pd } = await look({ regions: { ofStore: 4 } });
        assert.deepEqual(pdCalls, ["regionsOfStore 4"]);
        assert.equal(pd.shortRegions.known, true);
    });

    it("go to PD though its StatefulSet is gone, because its pods may still run", async () => {
        answers = { clusterId: () => "7" };
        const { pd } = await look({ components: ["pd"], pd: ["cluster-id"] });
        assert.equal(pd.clusterId.known && pd.clusterId.value, "7");
    });

    it("go to each requested TiKV for its leaders, and name the one whose leaders are unknown", async () => {
        const { ownLeaders } = await look({ components: ["tikv"], ownLeadersOf: ["basic-tikv-0"] });
        assert.deepEqual(asked[1], ["leaders of", "basic-tikv-0"]);
        assert.equal(ownLeaders["basic-tikv-0"].known, true);
        const blind = (await look({ ownLeadersOf: ["basic-tikv-0"] })).ownLeaders;
        const why = "the pods of TiKV were not read, and basic-tikv-0 is one of them";
        assert.deepEqual(blind, { "basic-tikv-0": { known: false, why } });
    });

    const storeAt = (host: string, labels: object) => ({ id: 1, address: `${host}:1`, state: "Up", labels });
    const tikv = storeAt("basic-tikv-0.basic-tikv-peer.tidb.svc", {});
    for (const [name, stores, hasForeign] of [
        ["ours alone", [tikv], false],
        [
            "another cluster's TiFlash, which reports as ours does",
            [tikv, storeAt("other", { engine: "tiflash" })],
            false,
        ],
        ["another cluster's TiKV, which may report less often", [tikv, storeAt("other", {})], true],
    ] as const) {
        it(`go to TiKV for how often it reports, beside stores that are ${name}`, async () => {
            answers = {
                leadership: () => ({ leader: "basic-pd-0", term: "7" }),
                schedulers: () => [],
                regionCount: () => 1,
                stores: () => stores,
            };
            await look({ components: ["tikv"], pd: ["leadership", "stores"] });
            assert.deepEqual(asked.at(-1), ["heartbeats", hasForeign]);
        });
    }

    it("go to the Lease for the records, the operator of the cluster and the owner of PD", async () => {
        const records = { evictions: {}, removals: { 13: { pod: "basic-tikv-3", begunAt: 5 } } };
        world.lease.metadata!.annotations = {
            "pulumi-tidb.io/records": JSON.stringify(records),
            "pulumi-tidb.io/stop": "ben@build",
            "pulumi-tidb.io/pd-cluster-id": "7",
        };
        operatedBy = ({ uid }) => `somebody, with Lease ${uid}`;
        const seen = await look({});
        assert.deepEqual(
            [seen.records, seen.stopRequest, seen.pdClusterId, seen.operatedBy],
            [records, "ben@build", "7", "somebody, with Lease 1"],
        );
    });

    it("find no records if the Lease is gone", async () => {
        world.api.readLease = () => Promise.resolve(undefined);
        const seen = await look({});
        assert.deepEqual([seen.records, seen.operatedBy, seen.stopRequest], [noRecords(), undefined, undefined]);
    });
});

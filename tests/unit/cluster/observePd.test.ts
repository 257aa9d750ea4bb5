import * as assert from "node:assert/strict";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import { askPd, type PdLook } from "../../../provider/cluster/observePd";
import { type Fact, notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import type { PdClient, PdLeadership } from "../../../provider/pd";
import { PdError, type PdErrorCode } from "../../../provider/pd/pdError";
import { repeats } from "../../support/repeats";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const error = (code: PdErrorCode) => new PdError({ code, call: "ask", attempts: [], next: "" });
const leads = (term: string, more: Partial<PdLeadership> = {}): PdLeadership => ({
    leader: "basic-pd-0",
    term,
    ...more,
});

describe("PD, as gates observe it", () => {
    let time = 0;
    let watch: LeadershipTracker;
    beforeEach(() => ([time, watch] = [1_000, new LeadershipTracker()]));

    /** Answers of PD in order, the last one over and over. An error is thrown. */
    function clientOf(answers: Record<string, unknown[]>): PdClient & { asked: string[] } {
        const asked: string[] = [];
        const get = (_target: object, call: string) =>
            call === "asked"
                ? asked
                : () => {
                      asked.push(call);
                      const left = answers[call] ?? [error("PD_REFUSED")];
                      const answer = left.length > 1 ? left.shift() : left[0];
                      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
                  };
        return new Proxy({}, { get }) as PdClient & { asked: string[] };
    }
    const look = (parts: PdLook["parts"], more: Partial<PdLook> = {}): PdLook => ({
        parts,
        id,
        restarted: undefined,
        isFirstDeployment: false,
        watch,
        now: () => time,
        ...more,
    });
    const loaded = ["balance-leader-scheduler", "evict-leader-scheduler"];
    const whyOf = (fact: Fact<unknown>) => (fact.known ? `known: ${JSON.stringify(fact.value)}` : fact.why);
    const valueOf = <T>(fact: Fact<T>): T => {
        assert.ok(fact.known, whyOf(fact));
        return fact.value;
    };

    it("has one unknown part if that part fails, and the others are known", async () => {
        const client = clientOf({ stores: [error("PD_UNREACHABLE")], tombstoneStores: [[]] });
        const { pd, badAnswer } = await askPd(client, look(["stores", "tombstones"]));
        repeats(whyOf(pd.stores), "PD_UNREACHABLE");
        assert.deepEqual(pd.tombstones, { known: true, value: [], from: "PD", at: 1_000 });
        assert.equal(pd.members, notAsked);
        assert.equal(badAnswer, undefined);
    });

    it("asks once before its evictions are listed, and once afterwards, whether PD has loaded its schedulers", async () => {
        const asks = async (...schedulers: string[][]) => {
            const client = clientOf({
                leadership: [{ leader: "basic-pd-0", term: "7" }],
                regionCount: [9],
                evictedStores: [[12]],
                ownEvictions: [{ evictions: [], unreported: [] }],
                schedulers,
            });
            return { ...(await askPd(client, look(["leadership", "evicted-stores"]))), asked: client.asked };
        };
        const { pd, asked } = await asks(loaded);
        assert.deepEqual(valueOf(pd.evictedStores), [12]);
        assert.deepEqual(
            asked.filter((one) => ["schedulers", "evictedStores"].includes(one)),
            ["schedulers", "evictedStores", "schedulers"],
        );
        for (const answers of [
            [[], loaded],
            [loaded, []],
        ]) {
            const { pd: unsure } = await asks(...answers);
            assert.equal(unsure.evictedStores.known, false);
            assert.equal(valueOf(unsure.leadership).hasSchedulers, answers[0] === loaded);
        }
    });

    it("is silent if it answers nothing, and gets no more questions once nobody says who leads", async () => {
        const client = clientOf({ stores: [error("PD_NO_LEADER")] });
        await assert.rejects(askPd(client, look(["stores"])), /PD_NO_LEADER/);
        const silent = clientOf({ leadership: [error("PD_UNREACHABLE")] });
        await assert.rejects(askPd(silent, look(["leadership", "stores"])), /PD_UNREACHABLE/);
        assert.deepEqual(silent.asked, ["leadership"]);
    });

    it("is reported if its answers are not PD's, even if other answers are", async () => {
        const client = clientOf({ stores: [error("PD_BAD_ANSWER")], tombstoneStores: [[]] });
        const { badAnswer } = await askPd(client, look(["stores", "tombstones"]));
        repeats(badAnswer?.message, "PD_BAD_ANSWER");
    });

    it("has no stores before it is bootstrapped in a first deployment; afterwards its stores are unknown", async () => {
        const not = [error("PD_NOT_BOOTSTRAPPED")];
        const client = clientOf({ stores: not, tombstoneStores: not });
        const later = (await askPd(client, look(["stores", "tombstones"]))).pd;
        assert.deepEqual([later.stores.known, later.tombstones.known], [false, false]);
        const first = (await askPd(client, look(["stores", "tombstones"], { isFirstDeployment: true }))).pd;
        assert.deepEqual([valueOf(first.stores), valueOf(first.tombstones)], [[], []]);
    });

    const lists: [title: string, schedulers: string[][], list: number[] | undefined, seen: number[] | "not loaded"][] =
        [
            ["none, if PD has loaded its schedulers and has no list", [loaded, loaded], undefined, []],
            ["unknown, if PD has not loaded them and has no list", [[]], undefined, "not loaded"],
            [
                "unknown, if PD has not loaded them, even if it lists newer ones",
                [["evict-leader-scheduler"]],
                [1],
                "not loaded",
            ],
            ["unknown, if PD had not loaded them at the first question", [[], loaded], undefined, "not loaded"],
            [
                "unknown, if the leader changed meanwhile to a member that has not loaded them",
                [loaded, []],
                undefined,
                "not loaded",
            ],
            ["those in the list, if PD has loaded its schedulers", [loaded, loaded], [3, 7], [3, 7]],
        ];
    for (const [title, schedulers, list, seen] of lists) {
        it(`has these evictions: ${title}`, async () => {
            const client = clientOf({
                schedulers: [...schedulers],
                evictedStores: [list],
                ownEvictions: [{ evictions: [], unreported: [] }],
            });
            const { evictedStores } = (await askPd(client, look(["evicted-stores"]))).pd;
            if (seen === "not loaded") {
                assert.equal(evictedStores.known, false);
            } else {
                assert.deepEqual(valueOf(evictedStores), seen);
            }
        });
    }

    describe("its leadership", () => {
        const answers = (leadership: unknown[], more: Record<string, unknown[]> = {}) =>
            clientOf({ leadership, schedulers: [loaded], regionCount: [3_000], stores: [[]], ...more });
        const observe = async (client: PdClient) => (await askPd(client, look(["leadership", "stores"]))).pd.leadership;

        it("is asked before and after all other questions, and is steady if both answers are the same", async () => {
            const client = answers([leads("7", { heldForMilliseconds: 90_000, since: new Date(5) })]);
            assert.deepEqual(valueOf(await observe(client)), {
                leader: "basic-pd-0",
                term: "7",
                heldFor: 90_000,
                since: 5,
                isSteady: true,
                hasSchedulers: true,
                regionCount: 3_000,
            });
            assert.deepEqual([client.asked[0], client.asked.at(-1)], ["leadership", "leadership"]);
        });

        it("is not steady if it changed meanwhile, even if the same member leads again", async () => {
            assert.equal(valueOf(await observe(answers([leads("7"), leads("9")]))).isSteady, false);
            assert.equal(valueOf(await observe(answers([leads("7"), error("PD_NO_LEADER")]))).isSteady, false);
        });

        it("is unknown without a leader, or without what the trust in PD depends on", async () => {
            assert.equal(whyOf(await observe(answers([leads("none", { leader: undefined })]))), "PD has no leader");
            for (const [part, code] of [
                ["schedulers", "PD_NO_LEADER"],
                ["regionCount", "PD_REFUSED"],
            ] as const) {
                repeats(whyOf(await observe(answers([leads("7")], { [part]: [error(code)] }))), code);
            }
        });

        it("has not loaded its schedulers while the default ones are not listed", async () => {
            const client = answers([leads("7")], { schedulers: [["evict-leader-scheduler"]] });
            assert.equal(valueOf(await observe(client)).hasSchedulers, false);
        });

        it("is held as long as this run has seen it if PD cannot say, and starts anew after a change", async () => {
            const held = async (term: string, more: Partial<PdLeadership> = {}) =>
                valueOf(await observe(answers([leads(term, more)]))).heldFor;
            assert.equal(await held("7"), 0);
            time += 80_000;
            assert.equal(await held("7"), 80_000);
            assert.equal(await held("7", { heldForMilliseconds: 100_000 }), 100_000);
            assert.equal(await held("8"), 0);
            time += 1_000;
            assert.equal(await held("7"), 0);
        });

        it("must be watched without a gap if only its name is known", async () => {
            const held = async () => valueOf(await observe(answers([leads("name:basic-pd-0")]))).heldFor;
            await held();
            for (let looks = 0; looks < 3; looks += 1) {
                time += 5_000;
                await held();
            }
            assert.equal(await held(), 15_000);
            time += 5_001;
            assert.equal(await held(), 0);
        });

        it("is watched from the start after a silence", async () => {
            await observe(answers([leads("7")]));
            time += 1_000;
            await assert.rejects(observe(answers([error("PD_UNREACHABLE")])));
            time += 1_000;
            assert.equal(valueOf(await observe(answers([leads("7")]))).heldFor, 0);
        });
    });

    it("has no readiness of its members if they cannot be asked one by one, which differs from an empty answer", async () => {
        const client = clientOf({ health: [[]], members: [{ members: [] }] });
        const { readyMembers } = (await askPd(client, look(["health", "ready-members"]))).pd;
        assert.equal(readyMembers, notAsked);
    });

    it("has an unknown gauge if its leader does not have the lines yet, because they are not zeros", async () => {
        const { regionStatus } = (await askPd(clientOf({ regionStatus: [undefined] }), look(["region-status"]))).pd;
        repeats(whyOf(regionStatus), "pd_regions_status");
    });

    it("lists each region once that lacks something, or those of one store", async () => {
        const region = (regionId: number) => ({ id: regionId, peers: [] });
        const client = clientOf({
            regionsShortOf: [[region(1)], [region(1), region(2)], []],
            regionsOfStore: [[region(3)]],
        });
        const short = (await askPd(client, look([], { regions: "short" }))).pd.shortRegions;
        assert.deepEqual(
            valueOf(short).regions.map((one) => one.id),
            [1, 2],
        );
        assert.equal(valueOf(short).ofStore, undefined);
        const ofStore = (await askPd(client, look([], { regions: { ofStore: 4 } }))).pd.shortRegions;
        assert.deepEqual(valueOf(ofStore), { regions: [region(3)], ofStore: 4 });
        const ofStores = (await askPd(client, look([], { regions: { ofStores: [4, 4] } }))).pd.shortRegions;
        assert.deepEqual(valueOf(ofStores), { regions: [region(3)], ofStores: [4, 4] }, "each region once");
    });
});

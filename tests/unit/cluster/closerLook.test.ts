import * as assert from "node:assert/strict";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import { NarrowLooks } from "../../../provider/cluster/narrowLooks";
import type { Observers } from "../../../provider/cluster/observeCluster";
import { known, notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import type { ObservedLeadership } from "../../../provider/lifecycle/vocabulary/observation";
import { observed } from "../../support/lifecycle/observations";
import { pdError, pdThat, valueOf } from "./playedPd";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const before: LookOptions = { components: ["tikv"], pd: ["leadership", "stores", "evicted-stores"], status: [] };
const leads: ObservedLeadership = {
    leader: "basic-pd-0",
    term: "7",
    heldFor: 3_600_000,
    isSteady: true,
    hasSchedulers: true,
    regionCount: 1_500,
};
const limits = { "leader-schedule-limit": 4 };

describe("a closer look, right after everything was seen", () => {
    let now: number;
    let answers: Record<string, () => unknown>;
    let asked: string[];
    let narrow: NarrowLooks;
    let observers: Observers;

    beforeEach(() => {
        now = 50_000;
        answers = {
            leadership: () => ({ leader: "basic-pd-0", term: "7", heldForMilliseconds: 3_600_900 }),
            schedulers: () => ["balance-leader-scheduler"],
            regionCount: () => 1_501,
            leaderLimits: () => limits,
            regionsShortOf: () => [],
            stores: () => [],
        };
        const { client, asked: calls } = pdThat(new Proxy({}, { get: (_, call: string) => answers[call] }));
        asked = calls;
        const pd: Observers["pd"] = { ask: (call) => call(client), forget: () => undefined, canAskMembers: true };
        const none = {} as never;
        observers = {
            pd,
            watch: new LeadershipTracker(),
            ready: none,
            tikv: {
                keepOnly: () => undefined,
                ownLeaders: (names) => {
                    names.forEach((name) => asked.push(`own leaders of ${name}`));
                    return Promise.resolve(Object.fromEntries(names.map((name) => [name, known(9, name, now)])));
                },
                heartbeats: none,
            },
            statusPages: none,
            tidbUpgrade: none,
            tidbLabels: none,
            backups: () => {
                asked.push("backups");
                return Promise.resolve([]);
            },
            ...{ captures: none, rootPassword: none, settings: none },
        };
        narrow = new NarrowLooks(pd, id, () => now);
    });

    interface Kept {
        leadership?: Partial<ObservedLeadership> | "not known";
        mayLag?: boolean;
        pdTrouble?: string;
    }
    /** Keeps an observation of everything. @returns it */
    const keep = ({ leadership = {}, mayLag, pdTrouble }: Kept = {}) => {
        const { observation } = observed("tikv", {});
        return narrow.keep(
            before,
            { changes: 0 },
            {
                ...observation,
                ...(mayLag ? { mayLag } : {}),
                ...(pdTrouble ? { pdTrouble: { why: pdTrouble, isFinal: false } } : {}),
                pd: {
                    ...observation.pd,
                    leadership:
                        leadership === "not known" ? notAsked : known({ ...leads, ...leadership }, "PD", 49_000),
                },
            },
        );
    };
    const closer = (more: Partial<LookOptions>) => narrow.closer({ ...before, ...more }, observers);
    const withLimits: Partial<LookOptions> = { pd: [...before.pd, "leader-limits"] };

    it("asks PD for that alone, and for its leader before and after", async () => {
        const first = keep();
        now += 300;
        const seen = await closer(withLimits);
        assert.deepEqual(asked, ["leadership", ...["leaderLimits", "schedulers", "regionCount"], "leadership leader"]);
        assert.deepEqual(valueOf(seen!.pd.leaderLimits), limits);
        assert.deepEqual(
            { ...seen, pd: { ...seen?.pd, leaderLimits: undefined }, now: undefined },
            { ...first, pd: { ...first.pd, leaderLimits: undefined }, now: undefined },
        );
        assert.equal(seen?.now, 50_300);
    });

    it("counts the time that PD's leader has led, and the regions, as of when the stores were read", async () => {
        keep();
        const { heldFor, regionCount } = valueOf((await closer(withLimits))!.pd.leadership);
        assert.deepEqual([heldFor, regionCount], [3_600_000, 1_500]);
    });

    it("asks a store alone for its own leaders, and Kubernetes alone for backups", async () => {
        keep();
        const seen = await closer({ ownLeadersOf: ["basic-tikv-2"], backups: true });
        assert.deepEqual(asked, ["own leaders of basic-tikv-2", "backups"]);
        assert.deepEqual([valueOf(seen!.ownLeaders["basic-tikv-2"]), seen?.backups], [9, []]);
    });

    it("is added to by the next one", async () => {
        keep();
        await closer(withLimits);
        asked.length = 0;
        const seen = await closer({ ...withLimits, ownLeadersOf: ["basic-tikv-2"] });
        assert.deepEqual(asked, ["own leaders of basic-tikv-2"]);
        assert.deepEqual(valueOf(seen!.pd.leaderLimits), limits);
    });

    it("lists regions", async () => {
        keep();
        const seen = await closer({ regions: "short" });
        assert.deepEqual(valueOf(seen!.pd.shortRegions), { regions: [] });
    });

    const everything: [string, () => void, Partial<LookOptions>?][] = [
        ["PD's leader has changed since", () => (answers.leadership = () => ({ leader: "basic-pd-1", term: "8" }))],
        ["PD's leader changes meanwhile", () => (answers.leadership = changing())],
        ["PD does not answer", () => (answers.leadership = () => pdError("PD_UNREACHABLE"))],
        ["PD has loaded no schedulers", () => (answers.schedulers = () => pdError("PD_UNREACHABLE"))],
        ["an answer is not one of PD", () => (answers.leaderLimits = () => pdError("PD_BAD_ANSWER"))],
        ["more than two seconds have passed", () => (now += 2_001)],
        ["the last look used earlier answers", () => keep({ mayLag: true })],
        ["the last look did not know PD's leader", () => keep({ leadership: "not known" })],
        ["the leader was not the same during the last look", () => keep({ leadership: { isSteady: false } })],
        ["PD was in trouble", () => keep({ pdTrouble: "no quorum" })],
        ["other members are asked for too", () => undefined, { components: ["tikv", "pd"] }],
        ["deaths are asked for too", () => undefined, { deaths: true }],
        ["the members that are ready are asked for", () => undefined, { pd: [...before.pd, "ready-members"] }],
    ];
    function changing() {
        let calls = 0;
        return () => ({ leader: "basic-pd-0", term: (calls += 1) === 1 ? "7" : "8" });
    }
    for (const [why, happens, more = withLimits] of everything) {
        it(`is not enough, so everything is asked: ${why}`, async () => {
            keep();
            happens();
            assert.equal(await closer(more), undefined);
        });
    }

    it("that failed leaves nothing to add to", async () => {
        keep();
        answers.leadership = () => pdError("PD_UNREACHABLE");
        await closer(withLimits);
        answers.leadership = () => ({ leader: "basic-pd-0", term: "7" });
        assert.equal(await closer(withLimits), undefined);
    });

    it("needs an observation to add to", async () => {
        assert.equal(await closer(withLimits), undefined);
    });
});

import * as assert from "node:assert/strict";
import { LeadershipTracker } from "../../../provider/cluster/leadershipTracker";
import { askPd } from "../../../provider/cluster/observePd";
import { lookAtPd, pdError, pdThat, valueOf } from "./playedPd";

const refused = () => pdError("PD_REFUSED");
const silent = () => pdError("PD_UNREACHABLE");

describe("a PD that answers some questions", () => {
    it("is not silent if it refuses one", async () => {
        const { pd } = await askPd(pdThat({ stores: refused }).client, lookAtPd(["stores"]));
        assert.ok(!pd.stores.known && pd.stores.why.includes("PD_REFUSED"));
    });

    it("is not silent if it answers one, refuses another and does not answer a third", async () => {
        const answers = { stores: () => [], clusterId: refused, tombstoneStores: silent };
        const { pd } = await askPd(pdThat(answers).client, lookAtPd(["stores", "cluster-id", "tombstones"]));
        assert.deepEqual([pd.stores.known, pd.clusterId.known, pd.tombstones.known], [true, false, false]);
    });

    it("is not silent if it refuses one and does not answer another", async () => {
        const answers = { clusterId: refused, stores: silent };
        const { pd } = await askPd(pdThat(answers).client, lookAtPd(["cluster-id", "stores"]));
        assert.deepEqual([pd.clusterId.known, pd.stores.known], [false, false]);
    });

    it("is silent if an error is not PD's", async () => {
        const stores = () => new Error("socket hang up");
        await assert.rejects(askPd(pdThat({ stores }).client, lookAtPd(["stores"])), /socket hang up/);
    });

    it("is believed as of the time of the question, because its answer may have been true only then", async () => {
        let time = 1_000;
        const stores = () => ((time += 3_000), []);
        const { pd } = await askPd(pdThat({ stores }).client, lookAtPd(["stores"], { now: () => time }));
        assert.deepEqual(pd.stores, { known: true, value: [], from: "PD", at: 1_000 });
    });
});

describe("how long this run has seen PD's leadership", () => {
    let time: number;
    let watch: LeadershipTracker;
    beforeEach(() => ([time, watch] = [1_000, new LeadershipTracker()]));

    /** Looks at a leadership, told in order each time it is asked; so long does the look take. */
    const heldFor = async (
        terms: (string | Error)[],
        lasts = 0,
        look = lookAtPd(["leadership", "stores"], { watch, now: () => time }),
    ) => {
        const { client } = pdThat({
            leadership: () => {
                const term = terms.length > 1 ? terms.shift()! : terms[0];
                return typeof term === "string" ? { leader: term === "none" ? undefined : "basic-pd-0", term } : term;
            },
            schedulers: () => ["balance-leader-scheduler"],
            regionCount: () => 1,
            stores: () => ((time += lasts), []),
        });
        const { leadership } = (await askPd(client, look)).pd;
        return leadership.known ? leadership.value.heldFor : leadership.why;
    };

    it("counts from when it was first seen, not from the end of that observation", async () => {
        await heldFor(["7"], 3_000);
        assert.equal(await heldFor(["7"]), 3_000);
    });

    it("counts on through a long observation if only the leader's name is known", async () => {
        await heldFor(["name:basic-pd-0"], 4_000);
        time += 4_000;
        assert.equal(await heldFor(["name:basic-pd-0"]), 8_000);
    });

    it("starts anew after an observation in which nobody led", async () => {
        await heldFor(["7"]);
        assert.equal(await heldFor(["none"]), "PD has no leader");
        time += 1_000;
        assert.equal(await heldFor(["7"]), 0);
    });

    it("starts anew after an observation during which PD fell silent", async () => {
        await heldFor(["7"]);
        time += 1_000;
        await heldFor(["7", silent()]);
        time += 1_000;
        assert.equal(await heldFor(["7"]), 0);
    });

    it("is unknown if PD refuses to say who leads, but the rest of the observation is known", async () => {
        const { client } = pdThat({
            leadership: refused,
            schedulers: () => [],
            regionCount: () => 1,
            stores: () => [],
        });
        const { pd } = await askPd(client, lookAtPd(["leadership", "stores"]));
        assert.ok(!pd.leadership.known && pd.leadership.why.includes("PD_REFUSED"));
        assert.deepEqual(valueOf(pd.stores), []);
    });
});

import * as assert from "node:assert/strict";
import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { NarrowLooks } from "../../../provider/cluster/narrowLooks";
import type { ObservedApi } from "../../../provider/cluster/observedApi";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { EndedBy } from "../../../provider/lifecycle/vocabulary/endedBy";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import type { Observation } from "../../../provider/lifecycle/vocabulary/observation";
import type { PdClient, PdStore } from "../../../provider/pd";
import { leaseAnnotations } from "../../../topology/annotations";
import { observed, storeOf } from "../../support/lifecycle/observations";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const tikv: LookOptions = { components: ["tikv"], pd: ["stores"], status: [] };
const store12: EndedBy = { storeIds: [12] };
/** Each of the four stores lets an observation of everything be used for one second. */
const everyMilliseconds = 1_000;

describe("an observation during a wait", () => {
    let now: number;
    let asked: string[];
    let answer: () => PdStore | undefined;
    let lease: V1Lease;
    /** How many changes the watch had heard of before the API server gave its last answer. */
    let changes: number;
    let narrow: NarrowLooks;
    let pd: ConstructorParameters<typeof NarrowLooks>[0];
    /** PD's pods, each time that a way to PD was asked for. */
    let ways: unknown[];

    const store: PdStore = {
        id: 12,
        address: "basic-tikv-2.basic-tikv-peer.tidb.svc:20160",
        state: "Up",
        labels: {},
        leaderCount: 321,
        regionCount: 1500,
        pendingPeerCount: 0,
        startedAt: new Date(
            (observed("tikv", {}).observation.pd.stores as { value: { startedAt: number }[] }).value[0].startedAt,
        ),
    };

    beforeEach(() => {
        [now, asked, answer, changes, ways] = [50_000, [], () => store, 4, []];
        lease = { metadata: { uid: "lease-1", annotations: { [leaseAnnotations.stop]: "ben" } } };
        const client: Partial<PdClient> = {
            store: (one) => {
                asked.push(`store ${one}`);
                return new Promise((resolve) => resolve(answer()));
            },
        };
        pd = {
            ask: (call, pods) => {
                ways.push(pods);
                return call(client as PdClient);
            },
        };
        narrow = new NarrowLooks(pd, id, () => now, everyMilliseconds);
    });

    interface Asked {
        endedBy?: EndedBy | "not known";
        options?: LookOptions;
        mayLag?: boolean;
    }
    const look = ({ endedBy = store12, options = tikv, mayLag = true }: Asked = {}) => {
        const api: Partial<ObservedApi> = { readLease: () => Promise.resolve(lease), mayLag, changes };
        const by = endedBy === "not known" ? undefined : endedBy;
        return narrow.look(options, by, api as ObservedApi, {
            operatedBy: () => "somebody else",
            stopRequest: (one) => one?.stopRequest?.by,
        });
    };
    const keep = (row: Parameters<typeof observed>[1] = {}) =>
        narrow.keep(tikv, { changes }, observed("tikv", row).observation);
    const leadersOf12 = (seen: Observation | undefined) => {
        const stores = seen?.pd.stores;
        return stores?.known ? stores.value.find(({ id: one }) => one === 12)?.leaderCount.reported : undefined;
    };

    it("asks PD for the store that is waited for, and nothing else", async () => {
        keep();
        now += 700;
        const seen = await look();
        assert.deepEqual(asked, ["store 12"]);
        assert.equal(leadersOf12(seen), 321);
        assert.deepEqual([seen?.mayLag, seen?.now], [true, 50_700]);
    });

    it("asks PD for each of several stores, and for everything if one of them tells news", async () => {
        const both: EndedBy = { storeIds: [12, 13] };
        const of13 = { ...store, id: 13, address: "basic-tikv-3.basic-tikv-peer.tidb.svc:20160" };
        const answers = (state: string) => {
            const left = [store, { ...of13, state }];
            answer = () => left.shift();
        };
        keep();
        answers("Up");
        assert.equal(leadersOf12(await look({ endedBy: both })), 321);
        assert.deepEqual(asked, ["store 12", "store 13"]);
        answers("Offline");
        assert.equal(await look({ endedBy: both }), undefined);
    });

    it("may use an observation of more than is needed now", async () => {
        narrow.keep({ ...tikv, ownLeadersOf: ["basic-tikv-2"] }, { changes }, observed("tikv", {}).observation);
        assert.ok(await look());
    });

    it("asks PD nothing if only Kubernetes can end the wait", async () => {
        keep();
        assert.equal(leadersOf12(await look({ endedBy: "kubernetes" })), 500);
        assert.deepEqual(asked, []);
    });

    it("has what the Lease says now: a request to stop is not overlooked", async () => {
        keep();
        const seen = await look({ endedBy: "kubernetes" });
        assert.deepEqual([seen?.stopRequest, seen?.operatedBy], ["ben", "somebody else"]);
    });

    it("asks everything again after a time that grows with the number of stores", async () => {
        keep();
        now += 3_999;
        assert.ok(await look());
        now += 1;
        assert.equal(await look(), undefined);
        keep();
        assert.ok(await look());
    });

    it("asks everything again after a minute, however many stores there are", async () => {
        narrow = new NarrowLooks({ ask: () => Promise.reject(new Error("not asked")) }, id, () => now, 1_000_000);
        keep();
        now += 59_999;
        assert.ok(await look({ endedBy: "kubernetes" }));
        now += 1;
        assert.equal(await look({ endedBy: "kubernetes" }), undefined);
    });

    it("asks everything nearly always with three stores, and after a minute with 1,000", async () => {
        const usedFor = async (stores: number) => {
            narrow = new NarrowLooks(pd, id, () => now);
            const { observation } = observed("tikv", { live: 0 });
            const listed = Array.from({ length: stores }, (_, ordinal) => storeOf(ordinal));
            narrow.keep(
                tikv,
                { changes },
                { ...observation, pd: { ...observation.pd, stores: known(listed, "PD", 0) } },
            );
            const began = now;
            while (await look({ endedBy: "kubernetes" })) {
                now += 10;
            }
            return now - began;
        };
        assert.deepEqual([await usedFor(3), await usedFor(500), await usedFor(1_000)], [180, 30_000, 60_000]);
    });

    it("asks PD by the same way as the observation of everything: through the pods that it found", async () => {
        const { observation } = observed("pd", {});
        narrow.keep(tikv, { changes }, observation);
        await look();
        assert.deepEqual(ways, [observation.members.pd?.pods]);
        assert.ok(ways[0]);
    });

    it("is not prolonged by itself: the time counts from when everything was asked", async () => {
        keep();
        for (let tries = 0; tries < 4; tries++) {
            await look();
            now += 1_000;
        }
        assert.equal(await look(), undefined);
    });

    const everything: Record<string, () => Promise<Observation | undefined>> = {
        "it is not known what ends the wait": () => look({ endedBy: "not known" }),
        "a watch has heard of a change, or may have missed one": () => look({ mayLag: false }),
        "something else is to be observed": () => look({ options: { ...tikv, pd: ["stores", "health"] } }),
        "PD does not know the store": () => {
            answer = () => undefined;
            return look();
        },
        "PD does not answer": () => {
            answer = () => {
                throw new Error("PD does not answer");
            };
            return look();
        },
        "the store has become Down": () => {
            answer = () => ({ ...store, state: "Down" });
            return look();
        },
    };
    for (const [when, ask] of Object.entries(everything)) {
        it(`asks everything if ${when}`, async () => {
            keep();
            assert.equal(await ask(), undefined);
        });
    }

    it("asks everything if a look that failed since then has read a newer answer of the API server", async () => {
        keep();
        changes += 1;
        assert.equal(await look({ endedBy: "kubernetes" }), undefined);
        keep();
        assert.ok(await look({ endedBy: "kubernetes" }));
    });

    it("asks everything if only the name of PD's leader is known: the leader must be seen all the time", async () => {
        keep({ leadership: { term: "name:basic-pd-0" } });
        assert.equal(await look({ endedBy: "kubernetes" }), undefined);
        assert.equal(await look(), undefined);
        assert.deepEqual(asked, []);
    });

    it("asks everything if one of PD's answers was none that PD gives", async () => {
        const { observation } = observed("tikv", {});
        narrow.keep(tikv, { changes }, { ...observation, pdTrouble: { why: "a web server answers", isFinal: true } });
        assert.equal(await look({ endedBy: "kubernetes" }), undefined);
    });

    it("asks everything if PD did not answer before, or if nothing was observed yet", async () => {
        assert.equal(await look({ endedBy: "kubernetes" }), undefined);
        keep({ pdSilent: true });
        assert.equal(await look({ endedBy: "kubernetes" }), undefined);
    });
});

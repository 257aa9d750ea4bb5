import * as assert from "node:assert/strict";
import type { FailoverPolicy } from "../../../../provider/lifecycle/vocabulary/memberFailover";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import {
    brokenNode,
    crashed,
    crashLoop,
    deadStores,
    downFor,
    failed,
    found as deaths,
    goneNode,
    hangs,
    lostNode,
    minutes,
    readyBetweenCrashes,
    unreadNode,
    unscheduled,
} from "../../../support/lifecycle/deaths";
import { type Deviation, now, storeOf } from "../../../support/lifecycle/observations";

const found = (row: Deviation, more?: Partial<FailoverPolicy>) => deaths("tikv", row, more);

describe("a dead TiKV store", () => {
    const dead: [string, Deviation["pods"], Deviation["stores"]][] = [
        ["whose node is silent", { 1: lostNode() }, { 1: downFor(6 * minutes) }],
        ["whose node reports itself as not Ready", { 1: brokenNode() }, { 1: downFor(6 * minutes) }],
        ["whose node is gone", { 1: goneNode() }, { 1: downFor(6 * minutes) }],
        ["whose pod no node takes", { 1: unscheduled() }, { 1: downFor(6 * minutes) }],
        ["whose process has ended", { 1: crashed() }, { 1: downFor(6 * minutes) }],
        ["that crashes again and again", { 1: crashLoop(20_000, 5 * minutes) }, { 1: downFor(6 * minutes) }],
    ];
    for (const [title, pods, stores] of dead) {
        it(`${title} is replaced`, () =>
            assert.deepEqual(found({ pods, stores }), { dead: ["basic-tikv-1"], kept: [], dueInSeconds: undefined }));
    }

    it("is never said to be replaced later where failover is switched off", () => {
        const dying = { pods: { 1: lostNode() }, stores: { 1: downFor(4 * minutes) } };
        const { dead, kept } = found(dying, { budget: 0 });
        assert.deepEqual([dead, kept], [[], ["switched-off"]]);
    });

    const alive: [string, Deviation, kept: "alive" | "unknown" | undefined | number][] = [
        [
            "a store that is not Down yet",
            { pods: { 1: lostNode() }, stores: { 1: { state: "Disconnected" } } },
            35 * 60,
        ],
        [
            "a store that is Down for less than the period",
            { pods: { 1: lostNode() }, stores: { 1: downFor(4 * minutes) } },
            60,
        ],
        [
            "a store whose node is not Ready for less than the period",
            { pods: { 1: lostNode(4 * minutes) }, stores: { 1: downFor(60 * minutes) } },
            60,
        ],
        [
            "a store that has not sent its first heartbeat, whose node is lost for long",
            { pods: { 1: lostNode(60 * minutes) }, stores: { 1: { state: "New", lastHeartbeat: undefined } } },
            "unknown",
        ],
        ["a store that PD calls Up", { pods: { 1: lostNode() } }, "alive"],
        ["a store whose pod is Ready", { stores: { 1: downFor(60 * minutes) } }, undefined],
        [
            "a store that has crashed for less than the period, by the waits of kubelet",
            { pods: { 1: crashLoop(70_000, 80_000, 4) }, stores: { 1: downFor(60 * minutes) } },
            300 - (70 + 2 + 40 + 20 + 10),
        ],
        [
            "a store that kubelet waits to restart, if it does not report for how long",
            {
                pods: { 1: { ...crashLoop(20_000, 0), backOff: undefined } },
                stores: { 1: downFor(60 * minutes) },
            },
            280,
        ],
        [
            "a store that has run for a whole period before it crashed",
            {
                pods: {
                    1: {
                        ...crashLoop(20_000, 5 * minutes),
                        lastRun: { startedAt: now - 6 * minutes, finishedAt: now - 20_000 },
                    },
                },
                stores: { 1: downFor(60 * minutes) },
            },
            280,
        ],
        [
            "a store that runs between two crashes",
            {
                pods: { 1: { ...hangs, ...readyBetweenCrashes(), ready: false } },
                stores: { 1: downFor(60 * minutes) },
            },
            "unknown",
        ],
        ["a store whose process runs but hangs", { pods: { 1: hangs }, stores: { 1: downFor(60 * minutes) } }, "alive"],
        [
            "a store whose node may not be read: failover by node is off, and says so",
            { pods: { 1: unreadNode }, stores: { 1: downFor(60 * minutes) } },
            "unknown",
        ],
        [
            "a store whose node was not asked for",
            { pods: { 1: { ready: false } }, stores: { 1: downFor(60 * minutes) } },
            "unknown",
        ],
        ["a store that is being removed", { pods: { 1: lostNode() }, stores: { 1: { state: "Offline" } } }, "unknown"],
        ["a store that PD does not list", { pods: { 1: lostNode() }, stores: { 1: undefined } }, "unknown"],
        [
            "two stores under one address",
            { pods: { 1: lostNode() }, stores: { 1: downFor(60 * minutes) }, moreStores: [storeOf(1, { id: 99 })] },
            "unknown",
        ],
        [
            "a store when max-store-down-time is not known",
            { pods: { 1: lostNode() }, stores: { 1: downFor(60 * minutes) }, unknown: ["storeDownTime"] },
            "unknown",
        ],
        ["a store when PD does not list stores", { pods: { 1: lostNode() }, unknown: ["stores"] }, "unknown"],
        [
            "a store without a pod: nobody knows since when",
            { pods: { 1: undefined }, stores: { 1: downFor(60 * minutes) } },
            "unknown",
        ],
    ];
    for (const [title, row, why] of alive) {
        it(`is not ${title}`, () => {
            const { dead: names, kept, dueInSeconds } = found(row);
            const expected = typeof why === "number" ? ["dying"] : why === undefined ? [] : [why];
            assert.deepEqual([names, kept], [[], expected]);
            assert.equal(dueInSeconds, typeof why === "number" ? why : undefined);
        });
    }

    it("is replaced after PD's own time, whatever max-store-down-time is", () => {
        const silent = { state: "Down", lastHeartbeat: now - 1000 - 31 * minutes };
        assert.deepEqual(found({ pods: { 1: lostNode() }, stores: { 1: silent } }).dead, []);
        assert.deepEqual(found({ pods: { 1: lostNode() }, stores: { 1: silent } }, { periodSeconds: 60 }).dead, [
            "basic-tikv-1",
        ]);
    });

    const kept: [string, Deviation, why: string, Partial<FailoverPolicy>?][] = [
        ["with budget 0", deadStores(1), "switched-off", { budget: 0 }],
        ["without PD's quorum", { ...deadStores(1), unhealthy: [1, 2] }, "evidence-unsound"],
        ["when PD's members are not known", { ...deadStores(1), unknown: ["members"] }, "evidence-unsound"],
        ["when most stores are silent together", deadStores(0, 1, 2), "evidence-unsound"],
        [
            "when more than the budget vanish within one period",
            { live: 6, ...deadStores(4, 5) },
            "vanished-together",
            { budget: 1 },
        ],
        [
            "when more vanish than the budget, though Kubernetes has noticed only some",
            { live: 6, ...deadStores(4), stores: { 4: downFor(6 * minutes), 5: downFor(6 * minutes) } },
            "vanished-together",
            { budget: 1 },
        ],
        ["under OrderedReady", { ...deadStores(1), podManagementPolicy: "OrderedReady" }, "ordered-ready"],
        ["while the StatefulSet changes", { ...deadStores(1), settled: false }, "not-settled"],
    ];
    for (const [title, row, why, more] of kept) {
        it(`is not replaced ${title}`, () => {
            const { dead, kept } = found(row, more);
            assert.deepEqual([dead, kept.at(-1)], [[], why]);
        });
    }

    it("is replaced within the budget only: budgets 1 and 2 exceeded", () => {
        const early = { 3: downFor(600 * minutes), 4: downFor(300 * minutes), 5: downFor(6 * minutes) };
        const pods = { 3: lostNode(629 * minutes), 4: lostNode(329 * minutes), 5: lostNode(35 * minutes) };
        const row = { live: 8, pods, stores: early };
        for (const [budget, names] of [
            [1, ["basic-tikv-3"]],
            [2, ["basic-tikv-3", "basic-tikv-4"]],
            [3, ["basic-tikv-3", "basic-tikv-4", "basic-tikv-5"]],
        ] as const) {
            assert.deepEqual(found(row, { budget }).dead, names);
        }
        assert.deepEqual(found(row, { budget: 2 }).kept, ["budget-used-up"]);
    });

    it("is not replaced twice, and counts towards the budget", () => {
        const records = { ...noRecords(), failovers: failed("tikv", 1, { storeId: 11 }) };
        const row = { live: 8, ...deadStores(1, 2), stores: { 1: downFor(600 * minutes), 2: downFor(6 * minutes) } };
        assert.deepEqual(found({ ...row, records }).dead, ["basic-tikv-2"]);
        assert.deepEqual(found({ ...row, records }, { budget: 1 }).dead, []);
    });

    it("is not replaced if it is itself a replacement", () => {
        assert.deepEqual(deaths("tikv", { live: 5, ...deadStores(4) }, { replicas: 4 }).dead, []);
    });

    it("is not replaced while every store is silent: an operator once grew 3 stores to 45 here", () => {
        const row = { live: 3, ...deadStores(0, 1, 2) };
        assert.deepEqual(found(row).dead, []);
        assert.deepEqual(found({ ...row, pdSilent: true }).dead, []);
        assert.deepEqual(found({ ...row, unhealthy: [0, 1] }).dead, []);
    });
    for (const [title, back] of [
        ["as PD heard of them", [0, 0, 0, 0]],
        ["as another leader of PD has read them from its etcd, each up to 5 minutes old", [0, 90, 180, 270]],
    ] as const) {
        it(`is not replaced with three others that a zone took at one moment, with a budget of 3: ${title}`, () => {
            const ordinals = [5, 6, 7, 8];
            const lastHeartbeat = now - 1000 - 40 * minutes;
            const row: Deviation = {
                replicas: 9,
                live: 9,
                pods: Object.fromEntries(ordinals.map((one) => [one, lostNode(39 * minutes)])),
                stores: Object.fromEntries(
                    ordinals.map((one, at) => [one, { state: "Down", lastHeartbeat: lastHeartbeat - back[at] * 1000 }]),
                ),
            };
            const { dead, kept } = found(row, { periodSeconds: 60, budget: 3 });
            assert.deepEqual([dead, kept], [[], ["vanished-together"]]);
            assert.equal(found(row, { periodSeconds: 60, budget: 4 }).dead.length, 4);
        });
    }

    it("is replaced though another one is not Ready at this moment: kubelet's waits show that it crashed long before", () => {
        const row: Deviation = {
            live: 6,
            pods: { 4: crashLoop(20_000, 5 * minutes), 5: crashed(1000) },
            stores: { 4: downFor(60 * minutes) },
        };
        assert.deepEqual(found(row, { budget: 1 }).dead, ["basic-tikv-4"]);
    });

    it("is not replaced if it crashes again and again since another one vanished, as far as kubelet's waits show", () => {
        const row: Deviation = {
            live: 6,
            pods: { 4: crashLoop(20_000, 5 * minutes), 5: lostNode(60 * minutes) },
            // PD's leader has read one of the two from etcd.
            stores: { 4: downFor(6 * minutes), 5: downFor(60 * minutes) },
        };
        const { dead, kept } = found(row, { budget: 1 });
        assert.deepEqual([dead, kept], [[], ["vanished-together"]]);
    });

    it("is replaced though three others died hours before, of which Kubernetes does not say since when", () => {
        const ordinals = [5, 6, 7];
        const old = { state: "Down", lastHeartbeat: now - 300 * minutes };
        const row: Deviation = {
            replicas: 9,
            live: 9,
            pods: { ...Object.fromEntries(ordinals.map((one) => [one, { ready: false }])), 8: lostNode(39 * minutes) },
            stores: {
                ...Object.fromEntries(ordinals.map((one) => [one, old])),
                8: { state: "Down", lastHeartbeat: now - 1000 - 40 * minutes },
            },
        };
        assert.deepEqual(found(row, { periodSeconds: 60, budget: 3 }).dead, ["basic-tikv-8"]);
    });

    it("is replaced though a pod that no node has taken since it was added waits: its store never was, so it has not vanished", () => {
        const alone = { budget: 1 };
        const waiting = { live: 5, pods: { 1: lostNode(), 4: unscheduled() } };
        const never = { ...waiting, stores: { 1: downFor(6 * minutes), 4: undefined } };
        assert.deepEqual(found(never, alone).dead, ["basic-tikv-1"]);
        const was = { ...waiting, stores: { 1: downFor(6 * minutes), 4: downFor(6 * minutes) } };
        assert.ok(found(was, alone).kept.includes("vanished-together"));
        const mayRun = { ...never, pods: { ...never.pods, 4: hangs } };
        assert.ok(found(mayRun, alone).kept.includes("vanished-together"));
    });
});

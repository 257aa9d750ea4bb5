import * as assert from "node:assert/strict";
import { findDead } from "../../../../provider/lifecycle/failover/findDead";
import type { FailoverPolicy } from "../../../../provider/lifecycle/vocabulary/memberFailover";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import {
    brokenNode,
    crashed,
    crashLoop,
    deadStores,
    downFor,
    failed,
    goneNode,
    hangs,
    lostNode,
    minutes,
    policy,
    readyBetweenCrashes,
    unreadNode,
    unscheduled,
} from "../../../support/lifecycle/deaths";
import { type Deviation, now, observed, storeOf } from "../../../support/lifecycle/observations";

/** Names of the pods that are replaced, then what is said of the others. */
function found(row: Deviation, more: Partial<FailoverPolicy> = {}): { dead: string[]; kept: string } {
    const { observation, target } = observed("tikv", row);
    const { toReplace, kept } = findDead(observation, target, { ...policy, ...more });
    return { dead: toReplace.map(({ view }) => view.podName), kept: kept.join("\n") };
}

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
            assert.deepEqual(found({ pods, stores }), { dead: ["basic-tikv-1"], kept: "" }));
    }

    it("is never said to be replaced later where failover is switched off", () => {
        const dying = { pods: { 1: lostNode() }, stores: { 1: downFor(4 * minutes) } };
        const { dead, kept } = found(dying, { budget: 0 });
        assert.deepEqual(dead, []);
        assert.match(kept, /seems dead .*, and is not replaced by a failover: failover is switched off$/);
    });

    const alive: [string, Deviation, RegExp][] = [
        [
            "a store that is not Down yet",
            { pods: { 1: lostNode() }, stores: { 1: { state: "Disconnected" } } },
            /seems dead \(PD says Disconnected/,
        ],
        [
            "a store that is Down for less than the period",
            { pods: { 1: lostNode() }, stores: { 1: downFor(4 * minutes) } },
            /store 11 \(basic-tikv-1\) seems dead \(PD says Down.*it is replaced if that lasts 60 s more/,
        ],
        [
            "a store whose node is not Ready for less than the period",
            { pods: { 1: lostNode(4 * minutes) }, stores: { 1: downFor(60 * minutes) } },
            /is replaced if that lasts 60 s more/,
        ],
        [
            "a store that has not sent its first heartbeat, whose node is lost for long",
            { pods: { 1: lostNode(60 * minutes) }, stores: { 1: { state: "New", lastHeartbeat: undefined } } },
            /is not replaced by a failover: it has not sent its first heartbeat, and node node-1/,
        ],
        ["a store that PD calls Up", { pods: { 1: lostNode() } }, /is not replaced by a failover: PD says Up/],
        ["a store whose pod is Ready", { stores: { 1: downFor(60 * minutes) } }, /^$/],
        [
            "a store that has crashed for less than the period, by the waits of kubelet",
            { pods: { 1: crashLoop(70_000, 80_000, 4) }, stores: { 1: downFor(60 * minutes) } },
            /ends again and again, restarted 4 times\): it is replaced if that lasts 3 minutes more/,
        ],
        [
            "a store that kubelet waits to restart, if it does not report for how long",
            {
                pods: { 1: { ...crashLoop(20_000, 0), backOff: undefined } },
                stores: { 1: downFor(60 * minutes) },
            },
            /its process has ended\): it is replaced if that lasts 5 minutes more/,
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
            /its process has ended\): it is replaced if that lasts 5 minutes more/,
        ],
        [
            "a store that runs between two crashes",
            {
                pods: { 1: { ...hangs, ...readyBetweenCrashes(), ready: false } },
                stores: { 1: downFor(60 * minutes) },
            },
            /its pod runs since a restart, and was Ready for seconds before it/,
        ],
        [
            "a store whose process runs but hangs",
            { pods: { 1: hangs }, stores: { 1: downFor(60 * minutes) } },
            /is not replaced by a failover: PD says Down, and Kubernetes does not report its process as ended/,
        ],
        [
            "a store whose node may not be read: failover by node is off, and says so",
            { pods: { 1: unreadNode }, stores: { 1: downFor(60 * minutes) } },
            /Kubernetes does not tell: could not read node node-1: 403; grant `get` on `nodes`/,
        ],
        [
            "a store whose node was not asked for",
            { pods: { 1: { ready: false } }, stores: { 1: downFor(60 * minutes) } },
            /its node was not read/,
        ],
        [
            "a store that is being removed",
            { pods: { 1: lostNode() }, stores: { 1: { state: "Offline" } } },
            /PD says Offline, which a scale-in or a person began/,
        ],
        [
            "a store that PD does not list",
            { pods: { 1: lostNode() }, stores: { 1: undefined } },
            /PD lists no store under the address of basic-tikv-1/,
        ],
        [
            "two stores under one address",
            { pods: { 1: lostNode() }, stores: { 1: downFor(60 * minutes) }, moreStores: [storeOf(1, { id: 99 })] },
            /PD lists 2 stores/,
        ],
        [
            "a store when max-store-down-time is not known",
            { pods: { 1: lostNode() }, stores: { 1: downFor(60 * minutes) }, unknown: ["storeDownTime"] },
            /max-store-down-time is not known/,
        ],
        [
            "a store when PD does not list stores",
            { pods: { 1: lostNode() }, unknown: ["stores"] },
            /PD's stores are not known/,
        ],
        [
            "a store without a pod: nobody knows since when",
            { pods: { 1: undefined }, stores: { 1: downFor(60 * minutes) } },
            /its pod does not exist/,
        ],
    ];
    for (const [title, row, why] of alive) {
        it(`is not ${title}`, () => {
            const { dead: names, kept } = found(row);
            assert.deepEqual(names, []);
            assert.match(kept, why);
        });
    }

    it("is replaced after PD's own time, whatever max-store-down-time is", () => {
        const silent = { state: "Down", lastHeartbeat: now - 1000 - 31 * minutes };
        assert.deepEqual(found({ pods: { 1: lostNode() }, stores: { 1: silent } }).dead, []);
        assert.deepEqual(found({ pods: { 1: lostNode() }, stores: { 1: silent } }, { periodSeconds: 60 }).dead, [
            "basic-tikv-1",
        ]);
    });

    const kept: [string, Deviation, RegExp, Partial<FailoverPolicy>?][] = [
        [
            "with budget 0",
            deadStores(1),
            /is dead .* and is not replaced by a failover: failover is switched off/,
            { budget: 0 },
        ],
        [
            "without PD's quorum",
            { ...deadStores(1), unhealthy: [1, 2] },
            /1 of 3 PD members are healthy, expected at least 2/,
        ],
        ["when PD's members are not known", { ...deadStores(1), unknown: ["members"] }, /PD's members are not known/],
        [
            "when most stores are silent together",
            deadStores(0, 1, 2),
            /only 1 of the 4 stores that PD lists are Up: most are silent together/,
        ],
        [
            "when more than the budget vanish within one period",
            { live: 6, ...deadStores(4, 5) },
            /2 vanished within 5 minutes, more than maxFailoverCount allows \(1\)/,
            { budget: 1 },
        ],
        [
            "when more vanish than the budget, though Kubernetes has noticed only some",
            { live: 6, ...deadStores(4), stores: { 4: downFor(6 * minutes), 5: downFor(6 * minutes) } },
            /2 vanished within 5 minutes/,
            { budget: 1 },
        ],
        [
            "under OrderedReady",
            { ...deadStores(1), podManagementPolicy: "OrderedReady" },
            /podManagementPolicy is OrderedReady/,
        ],
        ["while the StatefulSet changes", { ...deadStores(1), settled: false }, /has not seen the newest template/],
    ];
    for (const [title, row, why, more] of kept) {
        it(`is not replaced ${title}`, () => {
            const result = found(row, more);
            assert.deepEqual(result.dead, []);
            assert.match(result.kept, why);
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
        assert.match(found(row, { budget: 2 }).kept, /basic-tikv-5\) is dead .*maxFailoverCount \(2\) is used up/);
    });

    it("is not replaced twice, and counts towards the budget", () => {
        const records = { ...noRecords(), failovers: failed("tikv", 1, { storeId: 11 }) };
        const row = { live: 8, ...deadStores(1, 2), stores: { 1: downFor(600 * minutes), 2: downFor(6 * minutes) } };
        assert.deepEqual(found({ ...row, records }).dead, ["basic-tikv-2"]);
        assert.deepEqual(found({ ...row, records }, { budget: 1 }).dead, []);
    });

    it("is not replaced if it is itself a replacement", () => {
        const { observation, target } = observed("tikv", { live: 5, ...deadStores(4) });
        assert.deepEqual(findDead(observation, { ...target, replicas: 4 }, policy).toReplace, []);
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
            const { observation, target } = observed("tikv", row);
            const { toReplace, kept } = findDead(observation, target, { periodSeconds: 60, budget: 3 });
            assert.deepEqual(toReplace, []);
            assert.match(kept.join(), /4 vanished within 60 s, more than maxFailoverCount allows \(3\)/);
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
        assert.deepEqual(dead, []);
        assert.match(kept, /2 vanished within 5 minutes, more than maxFailoverCount allows \(1\)/);
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
        const { observation, target } = observed("tikv", row);
        const { toReplace } = findDead(observation, target, { periodSeconds: 60, budget: 3 });
        assert.deepEqual(
            toReplace.map(({ view }) => view.podName),
            ["basic-tikv-8"],
        );
    });

    it("is replaced though a pod that no node has taken since it was added waits: its store never was, so it has not vanished", () => {
        const alone = { budget: 1 };
        const waiting = { live: 5, pods: { 1: lostNode(), 4: unscheduled() } };
        const never = { ...waiting, stores: { 1: downFor(6 * minutes), 4: undefined } };
        assert.deepEqual(found(never, alone).dead, ["basic-tikv-1"]);
        const was = { ...waiting, stores: { 1: downFor(6 * minutes), 4: downFor(6 * minutes) } };
        assert.match(found(was, alone).kept, /2 vanished within 5 minutes/);
        const mayRun = { ...never, pods: { ...never.pods, 4: hangs } };
        assert.match(found(mayRun, alone).kept, /2 vanished within 5 minutes/);
    });
});

import * as assert from "node:assert/strict";
import { memberLifecycles } from "../../../provider/lifecycle/members";
import type { Component } from "../../../provider/lifecycle/observation";
import type { MemberLifecycle } from "../../../provider/lifecycle/memberLifecycle";
import { describeMissing } from "../../../provider/lifecycle/readiness";
import type { Stage } from "../../../provider/lifecycle/stage";
import { statusWell } from "../../../provider/lifecycle/statusWell";
import { refuseStoreRemoval } from "../../../provider/lifecycle/storeRemoval";
import { isOnlyStore, leavingStores, stayingStores } from "../../../provider/lifecycle/stores";
import { notReady } from "../../support/lifecycle/decisionTable";
import { podView, stageTable } from "../../support/lifecycle/inWords";
import { type Deviation, evicting, observed, storeOf, tiflashStoreOf } from "../../support/lifecycle/observations";

const { tikv, tiflash } = memberLifecycles;

/** What the plan says of each member: before its restart, of the risk where it is the only one, of its removal, and how long both take. */
const words: [Component, does: string[], risk: string | undefined, removal: string, restart: number, remove: number][] =
    [
        ["tidb", [], "the only TiDB: no SQL meanwhile", "its own graceful shutdown", 30, 30],
        ["tiproxy", [], "the only TiProxy: no SQL through it meanwhile", "its own graceful shutdown", 30, 30],
        [
            "pump",
            [],
            "the only pump: TiDB cannot write its binlog meanwhile",
            "take its pump offline, once drainers have what it holds",
            30,
            60,
        ],
        [
            "ticdc",
            ["move its tables to other captures"],
            "the only TiCDC: changes are not replicated meanwhile",
            "move its tables to other captures",
            60,
            60,
        ],
        [
            "tiflash",
            [],
            "the only TiFlash store: queries read from TiKV meanwhile, or fail",
            "take store 20 out, move its 1500 regions, wait for Tombstone",
            30,
            1500 / 1.3,
        ],
        [
            "tikv",
            [],
            "the only store: nothing can be read or written meanwhile",
            "take store 10 out, move its 1500 regions, wait for Tombstone",
            20 + 25 + 1000 / 3 / 12,
            1500 / 1.3,
        ],
        [
            "pd",
            ["transfer leadership to nobody: no other is healthy"],
            "PD has no quorum meanwhile",
            "remove the member from PD",
            15,
            5,
        ],
        [
            "tso",
            ["transfer primary to nobody: no other can take it"],
            "tso has no primary until another takes over",
            "transfer primary, its own graceful shutdown",
            15,
            15,
        ],
    ];

describe("what the plan says of a member", () => {
    for (const [component, does, risk, removal, restart, remove] of words) {
        const lifecycle = memberLifecycles[component];
        const notPd = component === "pd" ? { notMembers: [1, 2] } : {};
        it(`${component}: ${risk ?? removal}`, () => {
            const one = podView(component, 0, { live: 1, ...notPd });
            assert.deepEqual(lifecycle.restartDoes(one), does);
            assert.equal(lifecycle.restartRisk(one), risk);
            assert.equal(lifecycle.removalDoes(one), removal);
            assert.equal(lifecycle.estimateRestartSeconds(one), restart);
            assert.equal(lifecycle.estimateRemovalSeconds(one), remove);
        });
        it(`${component}: no risk where there are three`, () =>
            assert.equal(lifecycle.restartRisk(podView(component, 1, { live: 3 })), undefined));
    }
});

describe("the restart of a TiKV", () => {
    const risk = (row: Deviation) => tikv.restartRisk(podView("tikv", 3, row));
    it("risks what PD keeps too few copies of", () => {
        const one =
            "PD keeps one replica of regions: its leaders cannot go elsewhere, and what it holds can be neither read nor written meanwhile";
        const two =
            "PD keeps two voters of regions: those with a voter on it can be neither read nor written meanwhile";
        const keeps = (maxReplicas: number) => risk({ maxReplicas, rules: [] });
        assert.deepEqual([keeps(1), keeps(2), keeps(3)], [one, two, undefined]);
        assert.equal(risk({ unknown: ["placement"] }), undefined);
    });
    it("moves no leaders where nothing runs, or PD lists no store", () => {
        const does = (row: Deviation) => tikv.restartDoes(podView("tikv", 3, row));
        assert.deepEqual(does({}), ["evict 500 leaders (~25 s)"]);
        assert.deepEqual([does({ pods: { 3: notReady } }), does({ stores: { 3: undefined } })], [[], []]);
    });
    it("takes longer with leaders that come back: fewer than 200 are not waited for", () => {
        const seconds = (said: number) =>
            tikv.estimateRestartSeconds(podView("tikv", 3, { stores: { 3: { leaderCount: { said } } } }));
        assert.deepEqual([seconds(0), seconds(100), seconds(200), seconds(1_800)], [20, 25, 30 + 400 / 3 / 12, 210]);
        assert.equal(tikv.estimateRestartSeconds(podView("tikv", 3, { stores: { 3: undefined } })), 20);
        assert.equal(tikv.estimateRemovalSeconds(podView("tikv", 3, { stores: { 3: undefined } })), 0);
    });
});

const available = (lifecycle: MemberLifecycle, component: Component, row: Deviation) => {
    const { observation, target } = observed(component, row);
    return lifecycle.available(observation, target);
};
const allIn = (state: string) => ({ 0: { state }, 1: { state }, 2: { state }, 3: { state } });
const noStores = { 0: undefined, 1: undefined, 2: undefined, 3: undefined };

describe("stores are there for the members that come after them", () => {
    it("once one TiKV is Up", () => {
        assert.equal(available(tikv, "tikv", { stores: { ...allIn("Down"), 2: { state: "Up" } } }), undefined);
        assert.equal(available(tikv, "tikv", { stores: allIn("Disconnected") }), "no TiKV store is Up");
        assert.equal(available(tikv, "tikv", { stores: noStores }), "no TiKV store is Up");
        assert.equal(available(tikv, "tikv", { unknown: ["stores"] }), "PD's stores are not known: PD did not answer");
    });
    it("TiFlash cannot start before one TiKV is here, or was a moment ago", () => {
        const waits = (row: Deviation) => tiflash.cannotStartYet?.(observed("tiflash", row).observation);
        assert.deepEqual(
            [
                waits({}),
                waits({ stores: allIn("Disconnected") }),
                waits({ stores: allIn("Down") }),
                waits({ stores: noStores }),
            ],
            [false, false, true, true],
        );
        assert.equal(waits({ unknown: ["stores"] }), false);
    });
    it("and the only TiFlash store is not known where PD lists none", () =>
        assert.equal(tiflash.restartRisk(podView("tiflash", 0, { unknown: ["stores"] })), undefined));
});

describe("a smaller number of replicas is refused", () => {
    const refused = (component: "tikv" | "tiflash", row: Deviation) => {
        const { observation, target } = observed(component, row);
        return memberLifecycles[component].refuseReplicas(observation, target);
    };
    const [moreTikv, moreTiflash] = [
        "Next: keep more TiKV replicas, or lower PD's replication.max-replicas first",
        "Next: keep more TiFlash replicas, or give the tables fewer first: ALTER TABLE … SET TIFLASH REPLICA <n>",
    ];
    it("where too few stores would be left", () => {
        assert.equal(
            refused("tikv", { live: 4, replicas: 2 }),
            `2 Up TiKV stores would be left, PD keeps 3 replicas of each region (replication.max-replicas). ${moreTikv}`,
        );
        assert.equal(
            refused("tiflash", { live: 2, replicas: 1, tiflashReplicas: 2 }),
            `1 Up TiFlash stores would be left, and a table has 2 TiFlash replicas (PD's placement rules). ${moreTiflash}`,
        );
    });
    it("not where enough are", () => {
        assert.equal(refused("tikv", { live: 4, replicas: 3 }), undefined);
        assert.equal(refused("tikv", { live: 4, replicas: 3, stores: { 0: { state: "Disconnected" } } }), undefined);
        assert.equal(refused("tiflash", { live: 2, replicas: 1 }), undefined);
        assert.equal(refused("tiflash", { live: 2, replicas: 0, tiflashReplicas: null }), undefined);
    });
    it("not where none leaves, whatever PD lacks", () => {
        assert.equal(refused("tikv", { live: 2, replicas: 2 }), undefined);
        assert.equal(refused("tikv", { live: 2, replicas: 2, unknown: ["placement"] }), undefined);
    });
    it("where PD does not say how many copies it keeps, without advice that would not help", () => {
        const row: Deviation = { live: 4, replicas: 3, unknown: ["placement"] };
        assert.equal(refused("tikv", row), "how many copies PD keeps is not known: PD did not answer");
        assert.equal(
            refused("tiflash", { live: 2, replicas: 1, unknown: ["placement"] }),
            "PD's placement rules are not known: PD did not answer",
        );
    });
    it("and no removal begins where PD lists no stores", () => {
        for (const [component, row] of [
            ["tikv", { live: 4, replicas: 3 }],
            ["tiflash", { live: 2, replicas: 1 }],
        ] as const) {
            const stay = memberLifecycles[component].beforeRemoval.find(({ name }) => name === "enough-stores-stay");
            const view = podView(component, row.replicas, row);
            const pd = podView(component, row.replicas, { ...row, unknown: ["stores"] }).pd;
            const found = stay?.holds({ ...view, pd, observation: { ...view.observation, pd } });
            assert.deepEqual(found, { lacks: "PD's stores are not known: PD did not answer" });
        }
    });
    it("with the reason that is given", () => {
        const { observation, target } = observed("tikv", { live: 4, replicas: 3 });
        assert.equal(refuseStoreRemoval(() => "no", "do it")(observation, target), "no. Next: do it");
    });
});

describe("stores that leave", () => {
    const seen = (row: Deviation) => observed("tikv", { live: 4, replicas: 3, ...row });
    const foreign = storeOf(3, { id: 90, own: false });
    it("are those of the ordinals that go, and no other cluster's", () => {
        const { observation, target } = seen({ moreStores: [foreign, tiflashStoreOf(4)] });
        assert.deepEqual(
            leavingStores(observation, target).map(({ id }) => id),
            [13],
        );
        const staying = stayingStores(observation, target, "tikv", () => true);
        assert.deepEqual(
            staying?.map(({ id }) => id),
            [10, 11, 12, 90],
        );
    });
    it("are not known where PD lists none", () => {
        const { observation, target } = seen({ unknown: ["stores"] });
        assert.deepEqual(leavingStores(observation, target), []);
        assert.equal(
            stayingStores(observation, target, "tikv", () => true),
            undefined,
        );
    });
});

describe("the only store", () => {
    it("is the pod's own, and no other cluster's", () => {
        const only = (row: Deviation) => isOnlyStore(podView("tikv", 0, row));
        const foreign = storeOf(0, { id: 90, own: false, podName: "other-tikv-0" });
        assert.equal(only({ live: 1 }), true);
        assert.equal(only({ live: 1, stores: { 0: undefined }, moreStores: [foreign] }), false);
        assert.equal(only({ live: 1, moreStores: [foreign] }), false);
        assert.equal(only({ live: 1, unknown: ["stores"] }), false);
        assert.equal(only({ live: 1, moreStores: [tiflashStoreOf(0)] }), true);
    });
});

describe("what a member lacks, a line each", () => {
    const missing = (component: Component, row: Deviation) => {
        const { observation, target } = observed(component, row);
        return describeMissing(observation, target);
    };
    const cases: [component: Component, row: Deviation, lines: string[]][] = [
        ["tikv", {}, []],
        ["tikv", { pods: { 1: undefined } }, ["wait for basic-tikv-1: it does not exist"]],
        ["tidb", { pods: { 1: { ready: false } } }, ["wait for basic-tidb-1 to be Ready"]],
        [
            "tidb",
            {
                pods: {
                    0: { ready: false, trouble: "Unschedulable", sidecarTrouble: "x" },
                    1: { ready: false, sidecarTrouble: "CrashLoopBackOff" },
                },
            },
            ["wait for basic-tidb-0 to be Ready: Unschedulable", "wait for basic-tidb-1 to be Ready: CrashLoopBackOff"],
        ],
        ["tidb", { stale: [0] }, ["wait for basic-tidb-0 to run the newest template"]],
        ["tikv", { stores: { 1: { state: "Down" } } }, ["wait for the store of basic-tikv-1: it is Down"]],
        ["tikv", { stores: { 1: undefined } }, ["wait for the store of basic-tikv-1: it is not registered"]],
        [
            "tikv",
            { moreStores: [storeOf(1, { id: 99 })] },
            ["wait for the store of basic-tikv-1: PD lists 2 under its address"],
        ],
        ["tikv", { live: 1, pdSilent: true }, ["wait for the store of basic-tikv-0: PD answers 500"]],
        ["tikv", { live: 1, notAsked: ["stores"] }, []],
        [
            "tikv",
            { records: evicting(2) },
            ["end the eviction of store 12 (basic-tikv-2) that an earlier run left behind"],
        ],
        ["tikv", { records: evicting(2, { endedAt: 5 }) }, []],
    ];
    for (const [component, row, lines] of cases) {
        it(lines.join("; ") || `nothing (${component})`, () => assert.deepEqual(missing(component, row), lines));
    }
});

stageTable("a pod says itself that it is well", statusWell("/status"), "tidb", 1, [
    ["it does", {}, true],
    ["it does not", { trouble: { 1: "answers 500" } }, "/status of basic-tidb-1 answers 500"],
]);

describe("a pod that was not asked whether it is well", () => {
    it("is not", () => {
        const view = podView("tidb", 1, {});
        const lacks = "/status of basic-tidb-1 has not been asked";
        for (const podStatus of [undefined, {}]) {
            const observation = { ...view.observation, podStatus };
            assert.deepEqual(statusWell("/status").holds({ ...view, observation }), { lacks });
        }
    });
});

describe("every wait ends", () => {
    const policy = {
        ...{ podReadyTimeoutSeconds: 601, minReadySeconds: 7, evictLeaderTimeoutSeconds: 602 },
        ...{ leadersBackTimeoutSeconds: 603, storeRemovalTimeoutSeconds: 604, gracefulShutdownTimeoutSeconds: 605 },
    };
    /** Stages that wait for something else than `podReadyTimeoutSeconds`, by name. */
    const others: Record<string, object> = {
        "leaders-back": { seconds: 603, then: "go-on" },
        "leaders-may-return": { seconds: 60, then: "go-on" },
        "leaders-can-move": { seconds: 0, then: "fail" },
        "leaders-evicted": { seconds: 601, then: "fail", as: "eviction-begun" },
        "store-tombstone": { seconds: 604, then: "fail" },
        "pump-offline": { seconds: 604, then: "fail" },
        "pd-not-needed": { seconds: 0, then: "fail" },
        ...Object.fromEntries(
            [
                "shutdown-begun",
                "capture-answers",
                "owner-elsewhere",
                "capture-drained",
                "next-is-not-owner",
                "owner-well",
            ].map((name) => [name, { seconds: 605, then: "go-on", as: "capture-shut-down" }]),
        ),
    };
    for (const [component, lifecycle] of Object.entries(memberLifecycles)) {
        it(`of ${component}, and fails unless something else may go on`, () => {
            const view = podView(component as Component, 0, { policy });
            const all: Stage[] = [
                ...lifecycle.beforeRestart,
                ...lifecycle.afterRestart,
                ...lifecycle.beforeRemoval,
                ...lifecycle.afterRemovalTakenBack,
            ];
            for (const stage of all) {
                const expected = others[stage.name] ?? { seconds: 601, then: "fail" };
                assert.deepEqual(stage.patience(view), expected, stage.name);
            }
        });
    }
});

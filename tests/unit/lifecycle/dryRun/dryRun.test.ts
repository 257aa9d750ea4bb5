import * as assert from "node:assert/strict";
import { dryRollout, withPdRestarted } from "../../../../provider/lifecycle/dryRun/dryRollout";
import { dryRun, type DryRun } from "../../../../provider/lifecycle/dryRun/dryRun";
import { known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import { certainFailure, endItems } from "../../../../provider/lifecycle/dryRun/holds";
import type { Action } from "../../../../provider/lifecycle/vocabulary/actions";
import type { Look } from "../../../../provider/lifecycle/vocabulary/look";
import type { ContainerState } from "../../../../provider/lifecycle/vocabulary/observedMember";
import { nextScaleMove } from "../../../../provider/lifecycle/walks/scale";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import type { Component } from "../../../../topology/members";
import { noRecords } from "../../../../provider/lifecycle/vocabulary/operationRecords";
import {
    claimOf,
    type Deviation,
    evicting,
    longAgo,
    now,
    observed,
    storeOf,
} from "../../../support/lifecycle/observations";

/** The dry run of a rollout, after what earlier gates do, with what it asked for. */
function ofRollout(
    component: Component,
    row: Deviation,
    before?: typeof withPdRestarted,
): DryRun & { readonly looks: Look[] } {
    const { observation, target } = observed(component, row);
    const run = dryRollout(
        (seen, memory) => nextRolloutMove(seen, target, memory, "all-well", "never"),
        observation,
        target,
        before,
    );
    const looks: Look[] = [];
    for (let next = run.next(); ; next = run.next(observation)) {
        if (next.done) {
            return { ...next.value, looks };
        }
        looks.push(next.value);
    }
}

/** What it does, in short, and where it ends. */
function inShort({ moves, end }: DryRun): string[] {
    const did = moves.flatMap((one) =>
        one.is === "act"
            ? [`${one.move.action.do} ${onWhat(one.move.action)}`]
            : one.is === "start"
              ? [`start ${one.move.target}`]
              : [],
    );
    switch (end.is) {
        case "held":
            return [...did, `held ${end.at.step} ${end.at.target}`];
        case "fails":
            return [...did, `fails ${end.problem.code} ${end.problem.target}`];
        case "done":
        case "not foreseen":
            return [...did, end.is];
    }
}

function onWhat(action: Action): string {
    return "storeId" in action
        ? String(action.storeId)
        : "pod" in action
          ? action.pod
          : "to" in action
            ? action.to
            : "";
}

const evicted = (ordinal: number) => {
    const id = 10 + ordinal;
    const ends = [`end-eviction ${id}`, `note-eviction-gone ${id}`, `forget-eviction ${id}`];
    return [`begin-eviction ${id}`, `delete-pod basic-tikv-${ordinal}`, ...ends];
};

const rows: [name: string, component: Component, row: Deviation, foreseen: string[]][] = [
    [
        "PD: its leader last, after a transfer",
        "pd",
        { stale: [0, 1, 2] },
        [
            ...[
                "delete-pod basic-pd-2",
                "delete-pod basic-pd-1",
                "transfer-leader basic-pd-2",
                "delete-pod basic-pd-0",
                "done",
            ],
        ],
    ],
    ["TiKV: leaders leave each store, and return", "tikv", { stale: [2, 3] }, [...evicted(3), ...evicted(2), "done"]],
    [
        "TiKV, one replica of each region",
        "tikv",
        { stale: [3], maxReplicas: 1 },
        ["fails leaders-can-move basic-tikv-3"],
    ],
    ["TiKV, someone else's eviction", "tikv", { stale: [3], evicted: [11] }, ["held no-foreign-eviction basic-tikv-3"]],
    [
        "TiKV, a late heartbeat",
        "tikv",
        { stale: [3], stores: { 1: { lastHeartbeat: now - 30_000 } } },
        ["held other-stores-up basic-tikv-3"],
    ],
    [
        "TiKV, another store Down",
        "tikv",
        { stale: [3], stores: { 1: { state: "Down" } } },
        ["held store-up basic-tikv-1"],
    ],
    [
        "PD, another member unhealthy",
        "pd",
        { stale: [0, 1, 2], unhealthy: [1] },
        ["held quorum-without-member basic-pd-2"],
    ],
    [
        "a pod that is being created starts",
        "tikv",
        { stale: [3], pods: { 1: undefined } },
        [...["start basic-tikv-1", ...evicted(3), "done"]],
    ],
    [
        "a pod with a trouble does not start by itself",
        "tikv",
        { stale: [3], pods: { 1: { ready: false, trouble: "CrashLoopBackOff" } } },
        ["held pod-available basic-tikv-1"],
    ],
    [
        "PD's leader is young: it settles",
        "tikv",
        { stale: [3], leadership: { heldFor: 1_000 } },
        [...evicted(3), "done"],
    ],
    [
        "PD's leader is young, and the wait times out before it has settled: no failure is certain",
        "tikv",
        {
            stale: [3],
            leadership: { heldFor: 1_000 },
            stores: { 1: { lastHeartbeat: now - 30_000 } },
            policy: { podReadyTimeoutSeconds: 5 },
        },
        ["not foreseen"],
    ],
    ["TiDB", "tidb", { stale: [0, 1] }, ["delete-pod basic-tidb-1", "delete-pod basic-tidb-0", "done"]],
    ["TiFlash", "tiflash", { stale: [0, 1] }, ["delete-pod basic-tiflash-1", "delete-pod basic-tiflash-0", "done"]],
    ["Pump", "pump", { stale: [0, 1] }, ["delete-pod basic-pump-1", "delete-pod basic-pump-0", "done"]],
    [
        "TSO: its primary moves once",
        "tso",
        { stale: [0, 1] },
        [...["delete-pod basic-tso-1", "transfer-primary basic-tso-1", "delete-pod basic-tso-0", "done"]],
    ],
    [
        "TiCDC: its owner moves once",
        "ticdc",
        { stale: [0, 1] },
        [
            ...["begin-shutdown basic-ticdc-1", "drain-capture basic-ticdc-1", "resign-owner basic-ticdc-0"],
            ...["delete-pod basic-ticdc-1", "begin-shutdown basic-ticdc-0", "drain-capture basic-ticdc-0"],
            ...["delete-pod basic-ticdc-0", "done"],
        ],
    ],
];

describe("the dry run of a rollout", () => {
    for (const [name, component, row, expected] of rows) {
        it(name, () => {
            const run = ofRollout(component, row);
            assert.deepEqual(inShort(run), expected);
            assert.deepEqual(run.looks, []);
        });
    }

    it("does not change what was observed", () => {
        const { observation, target } = observed("tikv", { stale: [3] });
        const before = structuredClone(observation);
        dryRollout((seen, memory) => nextRolloutMove(seen, target, memory), observation, target).next();
        assert.deepEqual(observation, before);
    });

    it("ends where an action has another effect than is foreseen", () => {
        const { observation } = observed("tikv", {});
        const action: Action = { do: "bring-store-back", storeId: 99, pod: "basic-tikv-9" };
        const run = dryRun(() => ({ kind: "act", action, step: "again", target: "basic-tikv-9" }), observation).next();
        assert.ok(run.done === true);
        assert.deepEqual(run.value.end, { is: "not foreseen" });
    });
});

describe("the end of a dry run in the plan", () => {
    it("is a line with the stage, the pod and what to do next, if the update does not reach its end", () => {
        const [held] = endItems(ofRollout("tikv", { stale: [3], evicted: [11] }));
        assert.ok(held?.is === "held");
        assert.equal(held.where, "held at no-foreign-eviction of basic-tikv-3");
        assert.ok(held.words.startsWith(`${held.where}: `) && held.words.includes(". Next: "), held.words);
        const [fails] = endItems(ofRollout("tikv", { stale: [3], maxReplicas: 1 }));
        assert.ok(fails?.is === "held");
        assert.equal(fails.where, "fails at leaders-can-move of basic-tikv-3");
        assert.deepEqual(endItems(ofRollout("tikv", { stale: [3] })), []);
    });

    it("refuses the update if it is certain to fail before it takes a step, and only then", () => {
        assert.equal(certainFailure(ofRollout("tikv", { stale: [3], maxReplicas: 1 }))?.code, "leaders-can-move");
        assert.equal(
            certainFailure(ofRollout("tikv", { stale: [3], maxReplicas: 1, pods: { 1: undefined } })),
            undefined,
        );
        assert.equal(certainFailure(ofRollout("tikv", { stale: [3], evicted: [11] })), undefined);
    });
});

describe("a dry run foresees", () => {
    const foreseenIn = (component: Component, row: Deviation) => inShort(ofRollout(component, row));

    it("a new pod of each member, which serves once it has started", () => {
        for (const component of [
            "pd",
            "tikv",
            "tidb",
            "tiflash",
            "ticdc",
            "pump",
            "tiproxy",
            "tso",
            "scheduling",
        ] as const) {
            const absent = { live: 3, pods: { 2: undefined }, stores: { 2: undefined }, tiflash: { 2: undefined } };
            const unknown = { pumps: { 2: null }, notRegistered: [2], notMembers: [2] };
            const { observation, target } = observed(component, { ...absent, ...unknown });
            const { captures } = observation;
            const seen =
                captures === undefined
                    ? observation
                    : {
                          ...observation,
                          captures: {
                              ...captures,
                              byPod: { ...captures.byPod, [`basic-${component}-2`]: { trouble: "does not answer" } },
                              list: Array.isArray(captures.list) ? captures.list.slice(0, 2) : captures.list,
                          },
                      };
            const run = dryRun((one, memory) => nextRolloutMove(one, target, memory, "all-well", "never"), seen).next();
            assert.ok(run.done === true, `${component} asks for ${JSON.stringify(run.value)}`);
            assert.deepEqual([component, run.value.end.is], [component, "done"], JSON.stringify(run.value.end));
        }
    });

    it("an eviction that an earlier run has begun", () => {
        const begun = { stale: [3], evicted: [13], records: evicting(3), ownLeaders: { 3: 200 } };
        assert.deepEqual(foreseenIn("tikv", begun), evicted(3).slice(1).concat("done"));
    });

    it("a long wait that goes on after its time, and holds what follows it", () => {
        const few = { 3: { leaderCount: { reported: 100 } } };
        const slow = { stale: [2], evicted: [11], records: evicting(3, { endedAt: 0, isGone: true }), stores: few };
        assert.deepEqual(
            foreseenIn("tikv", { ...slow, ownLeaders: { 3: 100 } }).at(-1),
            "held no-foreign-eviction basic-tikv-2",
        );
    });

    it("nothing right after an election: what PD does not know yet is no hold", () => {
        const young = { stale: [3], leadership: { heldFor: 1_000, hasSchedulers: false } };
        assert.deepEqual(foreseenIn("tikv", young), ["not foreseen"]);
    });

    it("nothing of peers that lag behind while all stores are Up: they catch up", () => {
        const [pendingPeers, down] = [{ regions: { pendingPeer: 2_000_000 } }, { stores: { 1: { state: "Down" } } }];
        const large = { 3: { regionCount: 1_000_000 } };
        const lagging = { ...pendingPeers, stale: [3], stores: large };
        assert.deepEqual(foreseenIn("tikv", lagging), ["not foreseen"]);
        assert.deepEqual(foreseenIn("tikv", { ...lagging, stores: { ...large, ...down.stores } }), [
            "held store-up basic-tikv-1",
        ]);
    });

    it("nothing of a PD member whose process has just started", () => {
        const unhealthy = (createdAt: number) =>
            foreseenIn("pd", { stale: [0, 1], unhealthy: [2], pods: { 2: { createdAt } } });
        assert.deepEqual(unhealthy(now - 20_000), ["not foreseen"]);
        assert.deepEqual(unhealthy(now - 61_000), ["held member-healthy basic-pd-2"]);
    });

    it("that the leaders of a store go that somebody else evicts", () => {
        const foreign = { stale: [3], evicted: [13], ownLeaders: { 3: 200 } };
        assert.deepEqual(foreseenIn("tikv", foreign), ["delete-pod basic-tikv-3", "done"]);
    });

    it("the start of a pod although another condition is waited for", () => {
        const notStarted = known<ContainerState>({ is: "not-started" }, "API", now);
        const starting = { createdAt: now - 5_000, ready: false, container: notStarted };
        const { observation, target } = observed("pd", { live: 3, replicas: 1, unhealthy: [0], pods: { 0: starting } });
        const scaled = dryRun((seen, memory) => nextScaleMove(seen, target, memory), observation).next();
        assert.ok(scaled.done === true);
        const [wait, removal] = scaled.value.moves;
        assert.deepEqual([wait.is, wait.move.step, wait.seconds], ["wait", "quorum-of-those-who-stay", 30]);
        assert.ok(removal.is === "act" && removal.move.action.do === "remove-member");
    });

    it("no leaders of a store on a node that does not answer, which cannot say that it has none, unless it answers", () => {
        const silent = { ready: false, node: "node-1", container: notKnown("node-1 is silent") };
        const row = { stale: [3], pods: { 3: silent }, stores: { 3: { state: "Down" } } };
        const begun = "begin-eviction 13";
        assert.deepEqual(foreseenIn("tikv", { ...row, ownLeaders: { 3: null } }), [
            begun,
            "held leaders-evicted basic-tikv-3",
        ]);
        assert.deepEqual(foreseenIn("tikv", { ...row, ownLeaders: { 3: 500 } }), [
            ...[begun, "delete-pod basic-tikv-3", "held pod-stopped basic-tikv-3"],
        ]);
    });

    it("nothing that needs PD's schedulers where its next leader may not load them: regions without a leader are not reported", () => {
        const afterPd = (reported: number) => {
            const stores = { 3: { state: "Down", leaderCount: { reported } } };
            return inShort(ofRollout("tikv", { stale: [3], stores, ownLeaders: { 3: 0 } }, withPdRestarted));
        };
        assert.deepEqual(afterPd(3), ["not foreseen"]);
        assert.deepEqual(afterPd(0), [...evicted(3), "done"]);
        const other = { 1: { state: "Down", leaderCount: { reported: 3 } } };
        assert.deepEqual(inShort(ofRollout("tikv", { stale: [3], stores: other }, withPdRestarted)), [
            "held store-up basic-tikv-1",
        ]);
    });

    it("no end of a removal while regions have no leader, and cannot move", () => {
        const removal = (reported: number) => {
            const stores = { 1: { state: "Down", leaderCount: { reported } } };
            const { observation, target } = observed("tikv", { live: 5, replicas: 4, stores });
            const run = dryRun((seen, memory) => nextScaleMove(seen, target, memory), observation).next();
            assert.ok(run.done === true);
            return inShort(run.value);
        };
        assert.deepEqual(removal(3), ["remove-store 14", "not foreseen"]);
        assert.deepEqual(removal(0), ["remove-store 14", "forget-removal ", "done"]);
    });

    it("no rollout after a pod was restarted with an empty volume: it may have started by then, or not", () => {
        const removed = { pod: "basic-tikv-3", begunAt: now - 60_000 };
        const row: Deviation = {
            stale: [3],
            stores: { 3: undefined },
            tombstones: [storeOf(3, { state: "Tombstone", startedAt: longAgo })],
            claims: [claimOf("tikv", 3, { released: true, releasedId: "13" })],
            records: { evictions: {}, removals: { 13: removed } },
        };
        assert.deepEqual(foreseenIn("tikv", row), ["not foreseen"]);
    });

    it("a store with an id that PD has given to no other: the volumes of one that is gone are deleted", () => {
        const gone = (ordinal: number, id: number) => ({
            claim: claimOf("tikv", ordinal, { released: true, releasedId: String(id) }),
            tombstone: storeOf(ordinal, { id, state: "Tombstone", startedAt: longAgo }),
        });
        const [stays, comes] = [gone(3, 9), gone(4, 13)];
        const { observation, target } = observed("tikv", {
            ...{ live: 4, replicas: 5, stores: { 3: undefined } },
            tombstones: [stays.tombstone, comes.tombstone],
            claims: [stays.claim, comes.claim],
        });
        const run = dryRun((seen, memory) => nextScaleMove(seen, target, memory), observation).next();
        assert.ok(run.done === true);
        assert.deepEqual(inShort(run.value), ["delete-claims ", "delete-pod basic-tikv-3", "delete-claims ", "done"]);
    });

    it("which server of TiDB finishes a smooth upgrade: the first one that is Ready by then", () => {
        const servers = { percent: 100, list: [] };
        const row: Deviation = {
            stale: [0, 1],
            pods: { 0: { ready: false, container: known<ContainerState>({ is: "stopped" }, "API", now) } },
            records: { ...noRecords(), smoothUpgrade: { begunAt: now, from: "v8.1.0", to: "v8.5.0" } },
        };
        const { observation, target } = observed("tidb", row);
        const state = { state: "upgrading", servers, pod: "basic-tidb-1", uid: "uid-1" } as const;
        const seen = { ...observation, tidbUpgrade: known(state, "basic-tidb-1", now) };
        const run = dryRun((one, memory) => nextRolloutMove(one, target, memory, "all-well", "never"), seen).next();
        assert.ok(run.done === true);
        assert.deepEqual(inShort(run.value).slice(-3), ["finish-upgrade basic-tidb-0", "forget-upgrade ", "done"]);
    });

    it("no start of a pod on a node that does not answer", () => {
        const dead = { createdAt: now - 60_000, ready: false, node: "node-1", container: notKnown("node-1 is silent") };
        assert.deepEqual(foreseenIn("tikv", { stale: [3], pods: { 1: dead } }), ["held pod-available basic-tikv-1"]);
    });

    it("no start of a pod with a trouble, or of one that has not been Ready for long; and no stop on a node that does not answer", () => {
        const pods = (pod: object): Deviation => ({ stale: [3], pods: { 1: { ready: false, ...pod } } });
        const isHeld = (pod: object) => foreseenIn("tikv", pods(pod)).at(-1);
        assert.equal(
            isHeld({ createdAt: now - 1_000, sidecarTrouble: "CrashLoopBackOff" }),
            "held pod-available basic-tikv-1",
        );
        assert.equal(isHeld({}), "held pod-available basic-tikv-1");
        assert.equal(
            isHeld({ terminating: true, container: notKnown("node a is silent") }),
            "held pod-stopped basic-tikv-1",
        );
        assert.equal(isHeld({ terminating: true, trouble: "CrashLoopBackOff" }), "done");
    });
});

import * as assert from "node:assert/strict";
import { needsConsent } from "../../../../provider/lifecycle/vocabulary/actions";
import { recordsAfter, recordsBefore } from "../../../../provider/lifecycle/vocabulary/actions";
import type { LeaderLimits } from "../../../../provider/lifecycle/vocabulary/leaderLimits";
import { noRecords, type OperationRecords } from "../../../../provider/lifecycle/vocabulary/observation";
import { rememberAction, rememberWait } from "../../../../provider/lifecycle/vocabulary/memory";
import type { Move } from "../../../../provider/lifecycle/vocabulary/move";
import { tikvLifecycle } from "../../../../provider/lifecycle/members/tikvMember";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import { describeStep } from "../../../../provider/lifecycle/walks/describePlan";
import { acted, decisionTable, justNow, type Row, waited } from "../../../support/lifecycle/decisionTable";
import { type Deviation, evicting, now, observed, raised } from "../../../support/lifecycle/observations";
import { plannedRollout } from "../../../support/lifecycle/planned";

const on = { evictionWindow: {} } as const;
const normal: LeaderLimits = { "leader-schedule-limit": 4 };
const evictingNow: LeaderLimits = { ...normal, batch: 3 };

const limit = { before: 4, to: 64, isSet: true } as const;
const both = { "leader-schedule-limit": limit, batch: { before: 3, to: 10, isSet: true } } as const;

/** Pod 3 is to restart, and its store has 500 leaders. */
const before = (more: Deviation): Deviation => ({ stale: [3], policy: on, ownLeaders: { 3: 500 }, ...more });
/** The eviction of pod 3's store is under way. */
const during = (more: Deviation): Deviation =>
    before({
        evicted: [13],
        records: raised({ "leader-schedule-limit": limit }, evicting(3)),
        ownLeaders: { 3: 200 },
        ...more,
    });
/** Pod 3 has restarted, its eviction is gone, and its store has this many leaders. Pod 2 is next. */
const returning = (leaders: number, more: Deviation = {}): Deviation => ({
    policy: on,
    stale: [2],
    pods: { 3: justNow },
    stores: { 3: { startedAt: now - 15_000, leaderCount: { reported: leaders } } },
    records: raised(both, evicting(3, { endedAt: now - 9_000, endedUnder: "7", isGone: true })),
    limits: { "leader-schedule-limit": 64 },
    ...more,
});
const slow = (score: number, isBusy = false, ordinal = 1) => ({ stores: { [ordinal]: { slow: { score, isBusy } } } });

const beforeLeadersLeave: Row[] = [
    ["the limits are asked for before they are changed", before({}), "look parts:[leader-limits]"],
    [
        "a user's traffic waits for a store's 500 leaders no longer than it must: the limit is raised first",
        before({ limits: normal }),
        "raise-limits PD's leader-schedule-limit from 4 to 64",
    ],
    [
        "the bounds are the user's",
        before({ limits: normal, policy: { evictionWindow: { leaderScheduleLimit: 16 } } }),
        "raise-limits PD's leader-schedule-limit from 4 to 16",
    ],
    ["it is raised: the eviction begins", before({ limits: { "leader-schedule-limit": 64 } }), "begin-eviction 13"],
    ["PD's own limit is higher and stays", before({ limits: { "leader-schedule-limit": 100 } }), "begin-eviction 13"],
    [
        "somebody has switched the moving of leaders off",
        before({ limits: { "leader-schedule-limit": 0 } }),
        "begin-eviction 13",
    ],
    ["PD does not say its limits: nothing waits for that", before({ limits: null }), "begin-eviction 13"],
    ["the window is off, by one word", before({ policy: { evictionWindow: false } }), "begin-eviction 13"],
    [
        "few leaders are gone in seconds anyway",
        before({ ownLeaders: { 3: 199 }, stores: { 3: { leaderCount: { reported: 199 } } } }),
        "begin-eviction 13",
    ],
    ["another store is busy", before({ limits: normal, ...slow(1, true) }), "begin-eviction 13"],
    ["another store is slow by PD's own measure", before({ limits: normal, ...slow(80) }), "begin-eviction 13"],
    ["another store is not well again yet", before({ limits: normal, ...slow(40) }), "begin-eviction 13"],
    [
        "another store is as good as well",
        before({ limits: normal, ...slow(39) }),
        "raise-limits PD's leader-schedule-limit from 4 to 64",
    ],
    [
        "PD has just been asked: its effect is waited for",
        before({ limits: normal }),
        "wait limits-raised basic-tikv-3",
        acted("raise-limits basic-tikv-3 leader-schedule-limit", 2_000),
    ],
    [
        "PD refuses it: the store restarts at PD's own rate",
        before({ limits: normal }),
        "begin-eviction 13",
        waited("limits-raised", "basic-tikv-3", 6),
    ],
];

const whileLeadersLeave: Row[] = [
    [
        "the scheduler that the eviction has made gets a larger batch",
        during({ limits: { ...evictingNow, "leader-schedule-limit": 64 } }),
        "raise-limits the evict-leader scheduler's batch from 3 to 10",
    ],
    [
        "a PD before 8.3 has no batch",
        during({ limits: { "leader-schedule-limit": 64 } }),
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "all is raised",
        during({ limits: { "leader-schedule-limit": 64, batch: 10 }, records: raised(both, evicting(3)) }),
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "somebody has put back the limit meanwhile: it is not raised again",
        during({ limits: { ...normal, batch: 10 }, records: raised(both, evicting(3)) }),
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "PD's answer was lost, and somebody has lowered the limit since: it is theirs, and is not raised again",
        during({
            limits: { "leader-schedule-limit": 1, batch: 10 },
            records: raised({ ...both, "leader-schedule-limit": { before: 4, to: 64 } }, evicting(3)),
        }),
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "a store gets busy: what was there before is put back at once",
        during({
            limits: { "leader-schedule-limit": 64, batch: 10 },
            records: raised(both, evicting(3)),
            ...slow(1, true),
        }),
        "put-back-limits PD's leader-schedule-limit from 64 to 4 and the evict-leader scheduler's batch from 10 to 3",
    ],
    [
        "a store gets slow right after the limits were raised",
        during({ limits: { "leader-schedule-limit": 64, batch: 10 }, records: raised(both, evicting(3)), ...slow(80) }),
        "put-back-limits PD's leader-schedule-limit from 64 to 4 and the evict-leader scheduler's batch from 10 to 3",
        waited("limits-raised", "basic-tikv-3", 6),
    ],
    [
        "the store that leaders leave is slow itself: they leave it no more slowly for that",
        during({
            limits: { "leader-schedule-limit": 64, batch: 10 },
            records: raised(both, evicting(3)),
            ...slow(100, true, 3),
        }),
        "wait leaders-evicted basic-tikv-3",
    ],
    [
        "the window was switched off after a kill: what was there before is put back first",
        during({ limits: { "leader-schedule-limit": 64 }, policy: { evictionWindow: false } }),
        "put-back-limits PD's leader-schedule-limit from 64 to 4",
    ],
    [
        "a run was killed between its record and the change",
        during({
            limits: normal,
            records: raised({ "leader-schedule-limit": { before: 4, to: 64 } }, evicting(3)),
        }),
        "raise-limits PD's leader-schedule-limit from 4 to 64",
    ],
];

const afterTheRestart: Row[] = [
    [
        "a store without its leaders serves little: they return at the raised rate",
        returning(10, { records: evictedRecord(), limits: normal }),
        "raise-limits PD's leader-schedule-limit from 4 to 64",
    ],
    ["they return", returning(10), "wait leaders-back basic-tikv-3"],
    [
        "nothing waits for those of the last store, so no limit is raised for them",
        returning(10, { stale: [], records: evictedRecord(), limits: normal }),
        "forget-eviction 13",
    ],
    [
        "and what was raised is put back at once",
        returning(10, { stale: [] }),
        "put-back-limits PD's leader-schedule-limit from 64 to 4",
    ],
    [
        "they are back: what was there before is put back",
        returning(334),
        "put-back-limits PD's leader-schedule-limit from 64 to 4",
    ],
    [
        "they are not back in time: what was there before is put back",
        returning(10),
        "put-back-limits PD's leader-schedule-limit from 64 to 4",
        waited("leaders-back", "basic-tikv-3", 400),
    ],
    [
        "somebody else has changed the limit: it stays",
        returning(334, { limits: { "leader-schedule-limit": 32 } }),
        "forget-limits",
    ],
    [
        "somebody else evicts, with our batch: it is put back",
        returning(334, { limits: { "leader-schedule-limit": 64, batch: 10 } }),
        "put-back-limits PD's leader-schedule-limit from 64 to 4 and the evict-leader scheduler's batch from 10 to 3",
    ],
    [
        "the limits are raised for the next store already, and this one's eviction is only kept for PD's next leader",
        returning(334, {
            stale: [2],
            evicted: [12],
            persisted: null,
            ownLeaders: { 2: 100 },
            limits: { "leader-schedule-limit": 64, batch: 10 },
            records: raised(both, {
                evictions: {
                    ...evicting(3, { endedAt: now - 9_000, endedUnder: "7", limitsBack: true }).evictions,
                    ...evicting(2).evictions,
                },
                removals: {},
            }),
        }),
        "wait leaders-evicted basic-tikv-2",
    ],
    [
        "PD does not say its limits: they are not given up",
        returning(334, { limits: null }),
        "wait limits-put-back basic-tikv-3",
    ],
    [
        "it is back: the window is over, and is not opened again for the same store",
        returning(334, { records: evictedRecord({ limitsBack: true }), limits: normal }),
        "forget-eviction 13",
    ],
];

function evictedRecord(more: object = {}): OperationRecords {
    return evicting(3, { endedAt: now - 9_000, endedUnder: "7", isGone: true, ...more });
}

const leftBehind: Row[] = [
    ["nothing is asked where nothing is on record", { policy: on }, "done"],
    [
        "a run was killed after the leaders were back",
        { records: raised({ "leader-schedule-limit": limit }) },
        "look parts:[leader-limits]",
    ],
    [
        "then what was there before is put back",
        { records: raised({ "leader-schedule-limit": limit }), limits: { "leader-schedule-limit": 64 } },
        "put-back-limits PD's leader-schedule-limit from 64 to 4",
    ],
    [
        "PD has refused it, such as for a backup's own limit: the update does not fail, and the next one tries again",
        { records: raised({ "leader-schedule-limit": limit }), limits: { "leader-schedule-limit": 64 } },
        "done",
        acted("put-back-limits leader-schedule-limit 4", 1_000),
    ],
    [
        "a run was killed between its record and the change: there is nothing to put back",
        { records: raised({ "leader-schedule-limit": { before: 4, to: 64 } }), limits: normal },
        "forget-limits",
    ],
    [
        "a run was killed between the change and its note: it is put back",
        {
            records: raised({ "leader-schedule-limit": { before: 4, to: 64 } }),
            limits: { "leader-schedule-limit": 64 },
        },
        "put-back-limits PD's leader-schedule-limit from 64 to 4",
    ],
    [
        "PD does not say its limits",
        { records: raised({ "leader-schedule-limit": limit }), limits: null },
        "wait left-behind basic-tikv",
    ],
];

for (const [name, rows] of Object.entries({ beforeLeadersLeave, whileLeadersLeave, afterTheRestart, leftBehind })) {
    decisionTable(`the eviction window, ${name}`, "tikv", rows, nextRolloutMove);
}

const next = (deviation: Deviation) => {
    const { observation, target } = observed("tikv", deviation);
    return [observation, target, { waits: {}, actedAt: {} }] as const;
};

describe("the record of raised limits", () => {
    const raise = (deviation: Deviation) => actionOf(nextRolloutMove(...next(deviation)));
    it("says what was there before, before anything is changed", () => {
        const records = recordsBefore(noRecords(), raise(before({ limits: normal })), now);
        assert.deepEqual(records.raisedLimits, {
            begunAt: now,
            pod: "basic-tikv-3",
            limits: { "leader-schedule-limit": { before: 4, to: 64 } },
        });
    });

    it("says afterwards that PD has it, so another value is somebody else's from then on", () => {
        const action = raise(before({ limits: normal }));
        const records = recordsAfter(recordsBefore(noRecords(), action, now), action, now);
        assert.equal(records.raisedLimits?.limits["leader-schedule-limit"]?.isSet, true);
    });

    it("keeps what was there before the first run, if a killed one has raised it already", () => {
        const unset = raised({ "leader-schedule-limit": { before: 4, to: 64 } }, evicting(3));
        const limits = { "leader-schedule-limit": 64 };
        const action = raise(
            during({ limits, records: unset, policy: { evictionWindow: { leaderScheduleLimit: 128 } } }),
        );
        assert.equal(action.do === "raise-limits" && action.record.limits["leader-schedule-limit"]?.before, 4);
    });

    it("is gone once what was there before is back, and the evictions stay on record", () => {
        const records = raised(both, evicting(3));
        for (const action of [{ do: "put-back-limits", changes: {} }, { do: "forget-limits" }] as const) {
            assert.deepEqual(recordsAfter(records, action, now), evicting(3));
            const returned = recordsAfter(records, { ...action, returned: [13] }, now);
            assert.deepEqual(returned, evicting(3, { limitsBack: true }));
        }
    });
});

describe("a consent", () => {
    it("to the restart is what raising the limits needs; for the leaders' return and the way back none is needed", () => {
        const leave = nextRolloutMove(...next(before({ limits: normal })));
        assert.ok(needsConsent(actionOf(leave)));
        const back = nextRolloutMove(...next(returning(10, { records: evictedRecord(), limits: normal })));
        assert.ok(!needsConsent(actionOf(back)));
        assert.ok(!needsConsent({ do: "put-back-limits", changes: {} }));
    });
});

describe("the plan says what is raised", () => {
    const plan = (deviation: Deviation) => {
        const { observation, target } = observed("tikv", deviation);
        return plannedRollout(observation, target).map(describeStep);
    };

    it("from what to what", () => {
        assert.deepEqual(plan({ stale: [3], policy: on, limits: normal }), [
            "restart basic-tikv-3 (old revision old): raise PD's leader-schedule-limit from 4 to 64, evict 500 leaders, raise the evict-leader scheduler's batch from 3 to 10, delete pod, end the eviction, put back PD's leader-schedule-limit from 64 to 4; until Ready, store Up (~40 s)",
        ]);
    });

    it("with the times that a real PD needs at these limits", () => {
        const times = (deviation: Deviation) => plan({ stale: [3], policy: on, ...deviation })[0].match(/~\d+ s/g);
        // 7 times as fast at 64 as at 4, and 5 times as fast back: 500 ÷ 140, and 30 + 4 + 333 ÷ 60.
        assert.deepEqual(times({ limits: normal }), ["~40 s"]);
        assert.deepEqual(times({ limits: normal, policy: { evictionWindow: false } }), ["~83 s"]);
        assert.deepEqual(times({ limits: { "leader-schedule-limit": 0 } }), ["~83 s"]);
    });

    it("nothing where nothing is raised", () => {
        for (const deviation of [
            { limits: { "leader-schedule-limit": 64 } },
            { limits: { "leader-schedule-limit": 0 } },
        ] satisfies Deviation[]) {
            // The scheduler's limit is there once it evicts, and is raised then.
            assert.ok(!plan({ stale: [3], policy: on, ...deviation })[0].includes("leader-schedule-limit"));
        }
        assert.ok(!plan({ stale: [3], limits: normal, policy: { evictionWindow: false } })[0].includes("-limit"));
    });

    it("has a step for what an earlier run left raised, so an update that changes nothing else puts it back", () => {
        assert.deepEqual(plan({ records: raised(both), limits: { "leader-schedule-limit": 64, batch: 10 } }), [
            "clean up basic-tikv (an earlier run left PD's limits of moving leaders raised): put back PD's leader-schedule-limit from 64 to 4 and the evict-leader scheduler's batch from 10 to 3 (~1 s)",
        ]);
    });

    it("asks PD for its limits only where the window is on", () => {
        const { policy } = observed("tikv", {}).target;
        assert.deepEqual(tikvLifecycle.planLooks?.({ ...policy, evictionWindow: false }), []);
        assert.deepEqual(tikvLifecycle.planLooks?.({ ...policy, evictionWindow: undefined }), ["leader-limits"]);
    });
});

describe("limits that were put back because a store was busy", () => {
    it("are raised again for the same leaders as soon as it is not, however short that was", () => {
        const busy = during({
            limits: { "leader-schedule-limit": 64, batch: 10 },
            records: raised(both, evicting(3)),
            ...slow(1, true),
        });
        const raisedBefore = waited("limits-raised", "basic-tikv-3", 12);
        const { observation, target } = observed("tikv", busy);
        const putBack = nextRolloutMove(observation, target, raisedBefore);
        assert.ok(putBack.kind === "act" && putBack.action.do === "put-back-limits");
        const after = rememberAction(rememberWait(raisedBefore, putBack, now), putBack, now);
        const well = observed("tikv", during({ limits: evictingNow, records: evicting(3) })).observation;
        const again = nextRolloutMove({ ...well, now: now + 10_000 }, target, after);
        assert.ok(again.kind === "act" && again.action.do === "raise-limits", JSON.stringify(again));
    });
});

function actionOf(move: Move) {
    assert.equal(move.kind, "act");
    return move.action;
}

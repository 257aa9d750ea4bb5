import assert from "node:assert/strict";
import { nextSettingsMove, nextUndoMove } from "../../../../provider/lifecycle/settings/nextSettings";
import { certainFailure } from "../../../../provider/lifecycle/dryRun/holds";
import { sameSetting } from "../../../../provider/lifecycle/settings/sameSetting";
import { inFormOf, settingsIn } from "../../../../provider/lifecycle/settings/settingIn";
import { changedOutside, keptWhileSuspended } from "../../../../provider/lifecycle/settings/changedOutside";
import type { SettingsTarget } from "../../../../provider/lifecycle/settings/settingsPlan";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import type { Settings } from "../../../../provider/lifecycle/vocabulary/settings";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { describeStep } from "../../../../provider/lifecycle/walks/describePlan";
import type { Observation, ObservedMember } from "../../../../provider/lifecycle/vocabulary/observation";
import { claimOf, now, observed } from "../../../support/lifecycle/observations";
import { plannedSettings, settingsRun } from "../../../support/lifecycle/planned";
import { observedSettings, playedMoves, type PlayedSettings } from "../../../support/lifecycle/playedSettings";
import { repeats } from "../../../support/repeats";

const key = "raftstore.apply-pool-size";
const pods = [0, 1, 2].map((ordinal) => `basic-tikv-${ordinal}`);
const target = (settings: Settings, component: SettingsTarget["component"] = "tikv"): SettingsTarget => ({
    component,
    settings,
    policy: defaultPolicy,
});
/** Three stores with this value, and a ConfigMap with the same. */
const stores = (value: number, more: Partial<PlayedSettings> = {}): PlayedSettings => ({
    live: Object.fromEntries(pods.map((pod) => [pod, { [key]: value }])),
    file: { [key]: value },
    ...more,
});
const run = (played: PlayedSettings, settings: Settings, mustBeWritten = false) =>
    playedMoves(played, (observation, memory) =>
        nextSettingsMove(observation, target(settings), memory, mustBeWritten ? { changed: [] } : undefined),
    );
const undo = (played: PlayedSettings) =>
    playedMoves(played, (observation, memory) => nextUndoMove(observation, target({}), memory));
const values = ({ live }: PlayedSettings) => Object.values(live).map((settings) => settings?.[key]);

describe("a changed setting", () => {
    it("is set on the first store alone, then on the others, and stays on record until the ConfigMap has it", () => {
        const played = stores(2);
        assert.deepEqual(run(played, { [key]: 4 }), [
            `set ${key} = 4 on basic-tikv-0`,
            `set ${key} = 4 on basic-tikv-1, basic-tikv-2`,
            "done",
        ]);
        assert.deepEqual(values(played), [4, 4, 4]);
        assert.deepEqual(played.record, { begunAt: now, keys: { [key]: { to: 4, before: { most: 2, except: {} } } } });
        played.file = { [key]: 4 };
        assert.deepEqual(run(played, { [key]: 4 }, true), ["forget-settings tikv", "done"]);
        assert.equal(played.record, undefined);
    });

    it("that no store has yet, and that the ConfigMap does not name, is set too", () => {
        assert.deepEqual(run(stores(2, { file: {} }), { [key]: 4 }).length, 3);
    });

    it("is due because of the ConfigMap, not because of what stores say", () => {
        assert.deepEqual(run(stores(9, { file: { [key]: 2 } }), { [key]: 2 }), ["done"]);
        assert.deepEqual(run(stores(4, { file: { [key]: 2 } }), { [key]: 4 }), ["done"], "somebody has set it before");
    });

    it("is not set before the first deployment", () => {
        assert.deepEqual(run(stores(2, { file: undefined }), { [key]: 4 }), ["done"]);
    });

    for (const [who, more, lacks] of [
        [
            "a store does not answer",
            { live: { ...stores(2).live, "basic-tikv-1": null } },
            "basic-tikv-1 does not answer",
        ],
        ["a store does not exist, and may start at any moment", { replicas: 4 }, "basic-tikv-3 does not run"],
    ] as const) {
        it(`is set on no store while ${who}: it waits, then fails`, () => {
            const played = stores(2, more);
            assert.deepEqual(run(played, { [key]: 4 }), ["wait set basic-tikv"]);
            const at = (time: number) => ({
                ...emptyMemory,
                waits: { "set basic-tikv": { since: now, seenAt: time } },
            });
            const late = now + 600_000;
            const move = nextSettingsMove(observedSettings(played, late), target({ [key]: 4 }), at(late));
            assert.ok(move.kind === "fail" && move.problem.seen.includes(lacks), JSON.stringify(move));
            assert.equal(played.record, undefined);
        });
    }

    it("is set on no store while the ConfigMap is not known", () => {
        assert.deepEqual(run(stores(2, { file: null }), { [key]: 4 }), ["wait set basic-tikv"]);
    });

    it("that a store does not report is refused: it cannot be read back", () => {
        const played = stores(2);
        assert.deepEqual(run(played, { "raftstore.messages-per-tick": 1 }), [
            "fail set basic-tikv [setting-not-online]",
        ]);
        const refusal = (settings: Settings) =>
            certainFailure(settingsRun(observedSettings(stores(2)), target(settings)));
        repeats(refusal({ "raftstore.messages-per-tick": 1 }), "basic-tikv-0", "raftstore.messages-per-tick");
        assert.equal(refusal({ [key]: 4 }), undefined);
    });

    it("that a store accepts but does not take over is waited for, then fails", () => {
        assert.deepEqual(run(stores(2, { stubborn: ["basic-tikv-0"] }), { [key]: 4 }), [
            `set ${key} = 4 on basic-tikv-0`,
            "wait set basic-tikv-0 basic-tikv",
        ]);
    });

    it("is confirmed after the ConfigMap was written: a store that has read the old one gets it again", () => {
        const played = stores(2);
        run(played, { [key]: 4 });
        played.file = { [key]: 4 };
        played.live["basic-tikv-1"] = { [key]: 2 };
        assert.deepEqual(run(played, { [key]: 4 }, true), [
            `set ${key} = 4 on basic-tikv-1`,
            "forget-settings tikv",
            "done",
        ]);
    });

    it("is not confirmed while the ConfigMap does not have it", () => {
        const played = stores(2);
        run(played, { [key]: 4 });
        assert.deepEqual(run(played, { [key]: 4 }, true), ["wait set basic-tikv"]);
    });

    it("of PD is set once, for all of its members", () => {
        const limit = "schedule.leader-schedule-limit";
        const played: PlayedSettings = { live: { "basic-pd": { [limit]: 4 } }, file: { [limit]: 4 } };
        const moves = playedMoves(played, (observation, memory) =>
            nextSettingsMove(observation, target({ [limit]: 8 }, "pd"), memory),
        );
        assert.deepEqual(moves, [`set ${limit} = 8 on basic-pd`, "done"]);
    });

    it("of many stores is set on sixteen at once", () => {
        const many = Array.from({ length: 40 }, (_, ordinal) => `basic-tikv-${ordinal}`);
        const played = stores(2, { live: Object.fromEntries(many.map((pod) => [pod, { [key]: 2 }])) });
        const next = (slow: PlayedSettings) =>
            playedMoves(
                slow,
                (observation, memory) => nextSettingsMove(observation, target({ [key]: 4 }), memory),
                20_000,
            );
        const moves = next(played);
        assert.deepEqual([moves.length, moves.at(-1)], [1 + 3 + 1, "done"], "each group has its own timeout");
    });
});

describe("a run that was killed while it set settings", () => {
    const half = () => {
        const played = stores(2);
        run({ ...played, live: played.live }, { [key]: 4 });
        return { ...played, live: { ...played.live, "basic-tikv-1": { [key]: 2 } }, record: recordOf(2, 4) };
    };
    const recordOf = (before: number, to: number) => ({
        begunAt: now,
        keys: { [key]: { to, before: { most: before, except: {} } } },
    });

    it("is continued by the next one", () => {
        assert.deepEqual(run(half(), { [key]: 4 }), [`set ${key} = 4 on basic-tikv-1`, "done"]);
    });

    it("is taken back by the next one if the program says the old value again, although the ConfigMap always has", () => {
        const played = half();
        assert.deepEqual(run(played, { [key]: 2 }), [
            `set ${key} = 2 on basic-tikv-0, basic-tikv-2`,
            "forget-settings tikv",
            "done",
        ]);
        assert.deepEqual(values(played), [2, 2, 2]);
    });

    it("is taken back by the next one if the key left the program", () => {
        const played = { ...half(), file: {} };
        assert.equal(run(played, {}).at(0), `set ${key} = 2 on basic-tikv-0, basic-tikv-2`);
        assert.deepEqual(values(played), [2, 2, 2]);
        assert.equal(played.record, undefined);
    });

    it("leads to a third value if the program has one, and the earliest value stays on record", () => {
        const played = half();
        run(played, { [key]: 8 });
        assert.deepEqual([values(played), played.record], [[8, 8, 8], recordOf(2, 8)]);
    });
});

describe("a run that fails while it sets settings", () => {
    it("gives each store the value back that it had, also one that somebody had changed by hand", () => {
        const played = stores(2);
        played.live["basic-tikv-2"] = { [key]: 7 };
        run(played, { [key]: 4 });
        assert.deepEqual(values(played), [4, 4, 4]);
        assert.deepEqual(undo(played), [
            `set ${key} = 2 on basic-tikv-0, basic-tikv-1; ${key} = 7 on basic-tikv-2`,
            "forget-settings tikv",
            "done",
        ]);
        assert.deepEqual(values(played), [2, 2, 7]);
    });

    it("undoes what it can, and leaves the rest on record for a store that does not answer", () => {
        const played = stores(2);
        run(played, { [key]: 4 });
        played.live["basic-tikv-1"] = null;
        assert.deepEqual(undo(played), [`set ${key} = 2 on basic-tikv-0, basic-tikv-2`, "wait undo basic-tikv"]);
        assert.notEqual(played.record, undefined);
    });

    it("takes nothing back that the ConfigMap has already", () => {
        const played = stores(2);
        run(played, { [key]: 4 });
        played.file = { [key]: 4 };
        assert.deepEqual(undo(played), ["forget-settings tikv", "done"]);
        assert.deepEqual(values(played), [4, 4, 4]);
    });

    it("brings a server that has read the old file to what the ConfigMap says now", () => {
        const played = stores(2);
        run(played, { [key]: 4 });
        played.file = { [key]: 4 };
        played.live["basic-tikv-1"] = { [key]: 2 };
        assert.deepEqual(undo(played), [`set ${key} = 4 on basic-tikv-1`, "forget-settings tikv", "done"]);
    });

    it("without a record has nothing to undo", () => {
        assert.deepEqual(undo(stores(2)), ["done"]);
    });
});

describe("the plan of settings", () => {
    const plan = (played: PlayedSettings, settings: Settings) =>
        plannedSettings(observedSettings(played), target(settings)).map(describeStep);

    it("says what changes, where, and when it is done", () => {
        assert.deepEqual(plan(stores(2), { [key]: 4 }), [
            `set basic-tikv (${key} from 2 to 4, without a restart): on basic-tikv-0, on basic-tikv-1 and basic-tikv-2; until all 3 report it (~4 s)`,
        ]);
        repeats(plan(stores(2, { file: {} }), { [key]: 4 }), "from 2 to 4");
        const byHand = { ...stores(2).live, "basic-tikv-1": { [key]: 8 } };
        repeats(plan(stores(2, { live: byHand }), { [key]: 4 }), "from 2 (found 8) to 4");
        // Nobody can tell a default from what somebody has set.
        repeats(plan(stores(2, { live: byHand, file: {} }), { [key]: 4 }), " from 2 and 8 to 4");
        assert.deepEqual(plan(stores(2), { [key]: 2 }), []);
    });

    it("names a store that cannot be asked as a risk", () => {
        const played = stores(2, { live: { ...stores(2).live, "basic-tikv-1": null } });
        repeats(plan(played, { [key]: 4 }), "risk: ", "basic-tikv-1 does not answer");
    });

    it("says what to do where a server starts only with the change: the plan, and the run that waits for it", () => {
        const played = { live: { "basic-pd": null }, file: { "replication.location-labels": "zone" } };
        const settings = { "replication.location-labels": "zone,host" };
        const next = ["basic-pd does not answer", "`operations.rollout.online`"];
        const seen = observedSettings(played);
        repeats(plannedSettings(seen, target(settings, "pd")).map(describeStep), ...next);
        const move = nextSettingsMove(seen, target(settings, "pd"), emptyMemory);
        assert.ok(move.kind === "wait");
        repeats(move.waitingFor, ...next);
    });

    it("has a step for what an earlier run began, also if the program does not change", () => {
        const record = { begunAt: now, keys: { [key]: { to: 4, before: { most: 2, except: {} } } } };
        assert.equal(plan(stores(2, { record }), { [key]: 2 }).length, 1);
    });

    it("remarks which settings a suspended member does not get, because it has stored its own", () => {
        const limit = "schedule.leader-schedule-limit";
        const suspended = { pd: { replicas: 3, suspended: true as const } };
        const remarks = (
            settings: Settings,
            pd: Partial<ObservedMember> = {},
            notes: Observation["notes"] = suspended,
        ) => {
            const seen = observedSettings({ live: { "basic-pd": {} }, file: undefined });
            const member = { component: "pd" as const, pods: [], claims: [claimOf("pd", 0)], ...pd };
            return keptWhileSuspended({ ...seen, members: { pd: member }, notes }, target(settings, "pd"));
        };
        const eight = { [limit]: 8 };
        assert.deepEqual(remarks({ ...eight, "log.level": "warn" }), [
            `this update does not set ${limit} = 8: pd is suspended, and starts with the values that it has stored. Where it says otherwise once it runs, use SET CONFIG pd or pd-ctl, or change the program's value in an update then`,
        ]);
        assert.deepEqual(remarks({ "log.level": "warn" }), [], "read at the start");
        assert.deepEqual(remarks(eight, {}, {}), [], "it runs");
        const { statefulSet } = observed("pd", {}).observation.members.pd!;
        assert.deepEqual(remarks(eight, { statefulSet }), [], "not suspended yet");
        assert.deepEqual(remarks(eight, { claims: [] }), [], "it has stored nothing");
    });

    it("remarks what was changed outside the program, and not what the program changes", () => {
        const remarks = (played: PlayedSettings, settings: Settings) =>
            changedOutside(observedSettings(played), target(settings));
        const played = stores(2);
        played.live["basic-tikv-1"] = { [key]: 7 };
        assert.deepEqual(remarks(played, { [key]: 2 }), [
            `${key} is 7 on basic-tikv-1, but 2 in the program: somebody has changed it outside the program, or the program has changed while operations.rollout.online was off or no server ran; it stays until the pod restarts or the program's value changes`,
        ]);
        assert.deepEqual(remarks(played, { [key]: 4 }), []);
        assert.deepEqual(remarks(stores(2), { [key]: 2 }), []);
    });

    it("does not call a setting changed outside whose pod is still to restart: it reads the program's value then", () => {
        const played = stores(2);
        played.live["basic-tikv-1"] = { [key]: 1 };
        const seen = observedSettings(played);
        const { pods = [], statefulSet } = seen.members.tikv!;
        const stale = pods.map((pod) => ({ ...pod, revision: pod.name === "basic-tikv-1" ? "old" : "new" }));
        const members = {
            tikv: {
                ...seen.members.tikv!,
                pods: stale,
                statefulSet: { ...statefulSet!, settled: true, updateRevision: "new" },
            },
        };
        assert.deepEqual(changedOutside({ ...seen, members }, target({ [key]: 2 })), [
            `${key} is 1 on basic-tikv-1, but 2 in the program: the pod runs an older revision, and gets the program's value when it restarts`,
        ]);
    });

    it("does not call a limit changed outside that a killed run raised, and names what somebody has set since", () => {
        const limit = "schedule.leader-schedule-limit";
        const remarks = (live: number, raised: boolean) => {
            const limits = { "leader-schedule-limit": { before: 8, to: 64, isSet: true } } as const;
            const raisedLimits = { begunAt: now, pod: "basic-tikv-2", limits };
            const played = { live: { "basic-pd": { [limit]: live } }, file: { [limit]: 8 } };
            const seen = observedSettings({ ...played, ...(raised ? { raisedLimits } : {}) });
            return changedOutside(seen, target({ [limit]: 8 }, "pd"));
        };
        const outside = (live: number) => [
            `${limit} is ${live} on basic-pd, but 8 in the program: somebody has changed it outside the program, or the program has changed while operations.rollout.online was off or no server ran; it stays until the program's value changes again, or use SET CONFIG pd or pd-ctl`,
        ];
        assert.deepEqual(remarks(64, true), []);
        assert.deepEqual(remarks(64, false), outside(64));
        assert.deepEqual(remarks(32, true), outside(32));
    });
});

describe("two forms of a value", () => {
    for (const [one, other] of [
        ["1GB", "1GiB"],
        ["1024MB", "1GiB"],
        [1048576, "1MiB"],
        ["30m", "30m0s"],
        ["60s", "1m"],
        ["1d", "24h0m0s"],
        [true, "true"],
        [3, "3"],
        [0.6, "0.60"],
        ["warning", "warn"],
    ] as const) {
        it(`${one} and ${other} are the same`, () => assert.ok(sameSetting(one, other)));
    }
    for (const [one, other] of [
        ["1m", "1M"],
        ["1GB", "1000000000"],
        ["zone", "Zone"],
        [true, "false"],
        [undefined, "1"],
        ["60s", 60],
    ] as const) {
        it(`${one} and ${other} are not`, () => assert.ok(!sameSetting(one, other)));
    }

    it("a server gets the form in which it reports the value: PD's booleans are texts", () => {
        assert.equal(inFormOf("true", false), "false");
        assert.equal(inFormOf(4, "8"), 8);
        assert.equal(inFormOf(true, "false"), false);
        assert.equal(inFormOf(4, "many"), "many");
        assert.equal(inFormOf(undefined, 8), 8);
    });

    it("lists are one text, and tables are no value", () => {
        const config = { replication: { "location-labels": ["zone", "host"] }, schedule: { a: 5n } };
        assert.deepEqual(settingsIn(config, ["replication.location-labels", "schedule.a", "schedule", "none.a"]), {
            "replication.location-labels": "zone,host",
            "schedule.a": 5,
        });
    });
});

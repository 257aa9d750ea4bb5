import assert from "node:assert/strict";
import { nextSettingsMove, nextUndoMove } from "../../../../provider/lifecycle/settings/nextSettings";
import { certainFailure } from "../../../../provider/lifecycle/dryRun/holds";
import { notWritten } from "../../../../provider/lifecycle/settings/settingsSteps";
import { changedOutside } from "../../../../provider/lifecycle/settings/changedOutside";
import type { SettingsTarget } from "../../../../provider/lifecycle/settings/settingsPlan";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import type { Settings } from "../../../../provider/lifecycle/vocabulary/settings";
import { defaultPolicy } from "../../../../provider/lifecycle/vocabulary/target";
import { describeStep } from "../../../../provider/lifecycle/walks/describePlan";
import { now } from "../../../support/lifecycle/observations";
import { plannedSettings, settingsRun } from "../../../support/lifecycle/planned";
import { observedSettings, playedMoves, type PlayedSettings } from "../../../support/lifecycle/playedSettings";
import { repeats } from "../../../support/repeats";

const [pool, level, slow, limit] = [
    "raftstore.apply-pool-size",
    "log.level",
    "instance.tidb_slow_log_threshold",
    "schedule.leader-schedule-limit",
];
const target = (settings: Settings, component: SettingsTarget["component"] = "tikv"): SettingsTarget => ({
    component,
    settings,
    policy: defaultPolicy,
});
const run = (played: PlayedSettings, settings: Settings, changed?: string[], of?: SettingsTarget["component"]) =>
    playedMoves(played, (observation, memory) =>
        nextSettingsMove(observation, target(settings, of), memory, changed && { changed }),
    );
const undo = (played: PlayedSettings, of?: SettingsTarget["component"]) =>
    playedMoves(played, (observation, memory) => nextUndoMove(observation, target({}, of), memory));
const plan = (played: PlayedSettings, settings: Settings, of?: SettingsTarget["component"]) =>
    plannedSettings(observedSettings(played), target(settings, of)).map(describeStep);
const refusal = (played: PlayedSettings, settings: Settings) =>
    certainFailure(settingsRun(observedSettings(played), target(settings, "tidb")));
const failure = (played: PlayedSettings, settings: Settings, of: SettingsTarget["component"], changed?: string[]) => {
    const move = nextSettingsMove(observedSettings(played), target(settings, of), emptyMemory, changed && { changed });
    assert.ok(move.kind === "fail", JSON.stringify(move));
    return move.problem;
};
const begun = (key: string, before: number | string, to: number | string): PlayedSettings["record"] => ({
    begunAt: now,
    keys: { [key]: { to, before: { most: before, except: {} } } },
});
const stores = (...values: (number | null)[]): PlayedSettings => ({
    live: Object.fromEntries(
        values.map((value, ordinal) => [`basic-tikv-${ordinal}`, value === null ? null : { [pool]: value }]),
    ),
    file: { [pool]: 2 },
});
const values = ({ live }: PlayedSettings) => Object.values(live).map((settings) => settings?.[pool]);

describe("settings that were half set", () => {
    it("do not stop the update that makes a dead store run again, once the ConfigMap has them", () => {
        const played = { ...stores(4, 2, null), file: { [pool]: 4 }, record: begun(pool, 2, 4) };
        assert.deepEqual(run(played, { [pool]: 4 }), [`set ${pool} = 4 on basic-tikv-1`, "done"]);
        assert.notEqual(played.record, undefined, "it is not forgotten before every store was asked");
        // After the rollout the store runs, and has read the file.
        played.live["basic-tikv-2"] = { [pool]: 4 };
        assert.deepEqual(run(played, { [pool]: 4 }, []), ["forget-settings tikv", "done"]);
    });

    it("stop an update that would set them on some stores only, and it says how to go on without them", () => {
        const played = { ...stores(4, 2, null), record: begun(pool, 2, 4) };
        assert.deepEqual(run(played, { [pool]: 4 }), ["wait set basic-tikv"]);
        const late = { ...emptyMemory, waits: { "set basic-tikv": { since: now - 601_000, seenAt: now - 1_000 } } };
        const move = nextSettingsMove(observedSettings(played), target({ [pool]: 4 }), late);
        assert.ok(move.kind === "fail");
        repeats(move.problem.next, pool);
        assert.deepEqual(run(played, { [pool]: 2 }), [`set ${pool} = 2 on basic-tikv-0`, "done"]);
    });

    it("are forgotten if the stores no longer have the key, and the program neither: a later version took it away", () => {
        const played: PlayedSettings = {
            live: { "basic-tikv-0": {}, "basic-tikv-1": {} },
            file: { [pool]: 4 },
            record: begun(pool, 2, 4),
        };
        assert.deepEqual(run(played, {}), ["forget-settings tikv", "done"]);
    });

    it("are forgotten once the servers have their values back, if the key left the program before its ConfigMap", () => {
        const played = { ...stores(4, 2, 2), file: { [pool]: 4 }, record: begun(pool, 2, 4) };
        assert.deepEqual(run(played, {}), [`set ${pool} = 2 on basic-tikv-0`, "forget-settings tikv", "done"]);
    });

    it("of a member that is not deployed any more are forgotten by a sweep", () => {
        const played: PlayedSettings = { live: {}, replicas: 0, file: undefined, record: begun(pool, 2, 4) };
        assert.deepEqual(undo(played), ["forget-settings tikv", "done"]);
    });

    it("are set on one store first if the program has a third value by now, which no store has taken over yet", () => {
        const played = { ...stores(4, 2, 8), record: begun(pool, 2, 4) };
        assert.deepEqual(run(played, { [pool]: 8 }), [
            `set ${pool} = 8 on basic-tikv-0`,
            `set ${pool} = 8 on basic-tikv-1`,
            "done",
        ]);
    });

    it("are set on one store first, also if another one has the value by hand", () => {
        assert.equal(run(stores(2, 4, 2), { [pool]: 4 })[0], `set ${pool} = 4 on basic-tikv-0`);
    });
});

describe("settings that somebody takes back while an update runs", () => {
    it("are set again after the update, because the update has changed them", () => {
        // A sweep between the gates: the stores have their earlier values, and nothing is on record.
        const played = { ...stores(2, 2, 2), file: { [pool]: 4 } };
        assert.deepEqual(run(played, { [pool]: 4 }), ["done"], "without it nothing would be due");
        assert.deepEqual(run(played, { [pool]: 4 }, [pool]), [
            `set ${pool} = 4 on basic-tikv-0`,
            `set ${pool} = 4 on basic-tikv-1, basic-tikv-2`,
            "forget-settings tikv",
            "done",
        ]);
        assert.deepEqual(values(played), [4, 4, 4]);
    });

    it("are not looked at again otherwise: what somebody changed by hand stays", () => {
        const played = { ...stores(2, 7, 2), file: { [pool]: 2 } };
        assert.deepEqual(run(played, { [pool]: 2 }, []), ["done"]);
    });
});

describe("a ConfigMap that somebody has changed by hand", () => {
    it("makes no step as long as the servers say what the program says, and is told", () => {
        const played = { ...stores(2, 2), file: { [pool]: 9 } };
        assert.deepEqual(plan(played, { [pool]: 2 }), []);
        assert.deepEqual(notWritten(observedSettings(played), target({ [pool]: 2 })), [
            `${pool} is 2 on every server already, but the ConfigMap says 9: this update writes it; if it does not, somebody has changed the ConfigMap: run \`pulumi up --refresh\``,
        ]);
        assert.deepEqual(notWritten(observedSettings(stores(2, 2)), target({ [pool]: 2 })), []);
    });

    it("makes one step for a server that has read it, and none after that, although the record stays", () => {
        const played = { ...stores(2, 9), file: { [pool]: 9 } };
        assert.equal(plan(played, { [pool]: 2 }).length, 1);
        run(played, { [pool]: 2 });
        assert.notEqual(played.record, undefined);
        assert.deepEqual(plan(played, { [pool]: 2 }), []);
        assert.equal(notWritten(observedSettings(played), target({ [pool]: 2 })).length, 1);
        assert.deepEqual(undo(played).slice(-2), ["forget-settings tikv", "done"], "a sweep ends it");
        assert.deepEqual(values(played), [2, 9]);
    });
});

describe("the plan of what an earlier run began", () => {
    it("has no step for a server that does not answer, once the ConfigMap has the settings: it reads them when it starts", () => {
        const played = { ...stores(4, null), file: { [pool]: 4 }, record: begun(pool, 2, 4) };
        assert.deepEqual([plan(played, { [pool]: 4 }), run(played, { [pool]: 4 })], [[], ["done"]]);
    });

    it("does not say that anything changes if every server has it already", () => {
        const played = { ...stores(4, 4), file: { [pool]: 4 }, record: begun(pool, 2, 4) };
        assert.deepEqual(plan(played, { [pool]: 4 }), [
            `set basic-tikv (${pool} is 4 already, without a restart; an earlier run began it): delete the record of the settings of tikv that were changed; until all 2 report it (~1 s)`,
        ]);
    });

    it("has no step if the servers have it and only the ConfigMap is missing: the update writes that", () => {
        const played = { ...stores(4, 4), record: begun(pool, 2, 4) };
        assert.deepEqual(plan(played, { [pool]: 4 }), []);
    });
});

describe("PD's log level", () => {
    const pd = (levels: string[], more: Partial<PlayedSettings> = {}): PlayedSettings => ({
        live: {
            "basic-pd": { [limit]: 4 },
            ...Object.fromEntries(levels.map((one, ordinal) => [`basic-pd-${ordinal}`, { [level]: one }])),
        },
        file: { [limit]: 4, [level]: "info" },
        ...more,
    });

    it("is set on each member's pod, and PD's other settings once", () => {
        const played = pd(["info", "info", "info"]);
        assert.deepEqual(run(played, { [limit]: 8, [level]: "warn" }, undefined, "pd"), [
            `set ${limit} = 8 on basic-pd`,
            `set ${level} = warn on basic-pd-0, basic-pd-1, basic-pd-2`,
            "done",
        ]);
        assert.deepEqual(played.record?.keys[level], { to: "warn", before: { most: "info", except: {} } });
        assert.deepEqual(played.record?.keys[limit], { to: 8, before: { most: 4, except: {} } });
        played.file = { [limit]: 8, [level]: "warn" };
        assert.deepEqual(run(played, { [limit]: 8, [level]: "warn" }, [], "pd"), ["forget-settings pd", "done"]);
    });

    it("is not counted as one more server in the plan: PD as a whole is none of its pods", () => {
        const played = pd(["info", "info", "info"]);
        assert.deepEqual(plan(played, { [limit]: 8, [level]: "warn" }, "pd"), [
            `set basic-pd (${level} from info to warn, ${limit} from 4 to 8, without a restart): on basic-pd, on basic-pd-0, basic-pd-1 and basic-pd-2; until basic-pd and its 3 pods report it (~4 s)`,
        ]);
    });

    it("alone is set on the first member's pod, then on the others", () => {
        assert.deepEqual(run(pd(["info", "info", "info"]), { [limit]: 4, [level]: "warn" }, undefined, "pd"), [
            `set ${level} = warn on basic-pd-0`,
            `set ${level} = warn on basic-pd-1, basic-pd-2`,
            "done",
        ]);
    });

    it("of a member that does not answer does not hold up a setting that all members share", () => {
        const played = pd(["info", "info", "info"]);
        played.live["basic-pd-1"] = null;
        assert.deepEqual(run(played, { [limit]: 8, [level]: "info" }, undefined, "pd"), [
            `set ${limit} = 8 on basic-pd`,
            "done",
        ]);
        assert.deepEqual(run(played, { [limit]: 8, [level]: "warn" }, undefined, "pd"), ["wait set basic-pd"]);
    });

    it("that differs on one member is remarked", () => {
        const [remark] = changedOutside(
            observedSettings(pd(["info", "debug", "info"])),
            target({ [limit]: 4, [level]: "info" }, "pd"),
        );
        repeats(remark, level, "debug", "basic-pd-1", "info");
    });
});

describe("TiDB's settings", () => {
    const names = ["basic-tidb-0", "basic-tidb-1"];
    const barred = { keys: [slow], seen: "TiDB does not accept the password", next: "write the password" };
    const tidb = (more: Partial<PlayedSettings> = {}): PlayedSettings => ({
        live: Object.fromEntries(names.map((name) => [name, { [level]: "info", [slow]: "300" }])),
        file: { [level]: "info", [slow]: 300 },
        ...more,
    });
    const withoutSlow = () => Object.fromEntries(names.map((name) => [name, { [level]: "info" }]));

    it("are set on each server, on the first one alone", () => {
        const played = tidb();
        assert.deepEqual(run(played, { [level]: "warn", [slow]: 500 }, undefined, "tidb"), [
            `set ${slow} = 500, ${level} = warn on basic-tidb-0`,
            `set ${slow} = 500, ${level} = warn on basic-tidb-1`,
            "done",
        ]);
        assert.deepEqual(undo(played, "tidb"), [
            `set ${slow} = 300, ${level} = info on basic-tidb-0, basic-tidb-1`,
            "forget-settings tidb",
            "done",
        ]);
    });

    it("that take a login are refused at once, in the preview too, if root's password is not known", () => {
        const played = tidb({ live: withoutSlow(), barred });
        assert.deepEqual(failure(played, { [slow]: 500 }, "tidb"), {
            code: "settings-without-login",
            step: "set",
            target: "basic-tidb",
            seen: barred.seen,
            next: barred.next,
        });
        repeats(refusal(played, { [slow]: 500 }), barred.next);
    });

    it("that take none are set although root's password is not known", () => {
        const played = tidb({ live: withoutSlow(), barred });
        assert.equal(run(played, { [level]: "warn", [slow]: 300 }, undefined, "tidb").at(-1), "done");
        assert.equal(refusal(tidb({ barred }), { [slow]: 300 }), undefined);
    });

    it("that take none are set although a server does not answer over SQL; the others wait for it", () => {
        const more = {
            live: { ...tidb().live, "basic-tidb-1": { [level]: "info" } },
            unasked: { "basic-tidb-1": { [slow]: "basic-tidb-1: no SQL" } },
        };
        assert.equal(run(tidb(more), { [level]: "warn", [slow]: 300 }, undefined, "tidb").at(-1), "done");
        const both = tidb(more);
        assert.deepEqual(run(both, { [level]: "warn", [slow]: 500 }, undefined, "tidb"), ["wait set basic-tidb"]);
        assert.equal(both.record, undefined);
        repeats(plan(tidb(more), { [level]: "info", [slow]: 500 }, "tidb")[0], "basic-tidb-1: no SQL");
    });

    it("on record are not forgotten without a login, and it does not hold up the update that follows", () => {
        const played = tidb({
            live: withoutSlow(),
            barred,
            file: { [slow]: 500 },
            record: begun(slow, 300, 500),
        });
        assert.deepEqual(run(played, { [slow]: 500 }, undefined, "tidb"), ["done"]);
        assert.equal(failure(played, { [slow]: 500 }, "tidb", []).seen, barred.seen);
        assert.deepEqual(undo(played, "tidb"), ["fail undo basic-tidb [settings-without-login]"]);
        assert.notEqual(played.record, undefined);
    });
});

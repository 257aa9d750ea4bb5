import * as assert from "node:assert/strict";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import { createGate } from "../../../provider/gates/gate";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { rolloutGateDefinition } from "../../../provider/gates/rolloutGate";
import { settingsGateDefinition } from "../../../provider/gates/settingsGate";
import type { Approvals } from "../../../provider/lifecycle/vocabulary/approvals";
import { noRecords, type Observation, type OperationRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { grantedAccess } from "../../support/gates/grantedAccess";
import { claimOf, now } from "../../support/lifecycle/observations";
import { observedSettings, type PlayedSettings } from "../../support/lifecycle/playedSettings";
import { ofCluster, worldOf } from "../../support/gates/worldOf";
import { failsWith } from "../../support/failsWith";
import { repeats } from "../../support/repeats";
import { refusedAt } from "../../support/gates/refusedAt";

const key = "raftstore.apply-pool-size";
const told = (value: number, more: object = {}): Record<string, unknown> => ({
    ...ofCluster,
    component: "tikv",
    policy: { ...defaultPolicy, podReadyTimeoutSeconds: 60 },
    settings: { [key]: value },
    configFiles: [{ key: "config-file", path: "" }],
    gate: "settings",
    statusUrn: "urn",
    ...more,
});

describe("the SettingsGate", () => {
    let played: PlayedSettings;
    let records: OperationRecords;
    let approvals: Approvals | undefined;
    let done: string[];
    let said: string[];
    /** Whether a store refuses its settings in the n-th action that sets some. */
    let refuses: (server: string, action: number) => boolean;
    let stopAfter: number;
    let heldBy: string | undefined;
    /** What else is seen. */
    let more: Partial<Observation>;
    let killedAfter: number;
    /** Whether each look asked for settings. */
    let looks: boolean[];
    beforeEach(() => {
        played = {
            live: Object.fromEntries([0, 1, 2].map((ordinal) => [`basic-tikv-${ordinal}`, { [key]: 2 }])),
            file: { [key]: 2 },
        };
        [records, approvals, done, said, more] = [noRecords(), undefined, [], [], {}];
        [refuses, stopAfter, heldBy, killedAfter, looks] = [() => false, Infinity, undefined, Infinity, []];
    });
    const values = () => Object.values(played.live).map((settings) => settings?.[key]);
    const actions = () => done.filter((one) => one.startsWith("set")).length;

    function world(): GateWorld {
        let time = now;
        const alive = () => {
            if (actions() >= killedAfter) {
                throw new Error("killed");
            }
        };
        const lock = {
            confirmHeld: () => Promise.resolve(alive()),
            describe: () => undefined,
            keepRecords: (kept: OperationRecords) => Promise.resolve(void (records = kept)),
            noteOwner: () => Promise.resolve(),
            noteMembers: () => Promise.resolve(),
            takeConsent: (_digests: readonly string[], goals: Approvals["goals"]) => {
                done.push("consent");
                approvals = { given: {}, goals };
                return Promise.resolve();
            },
            release: () => Promise.resolve(void done.push("release")),
        };
        const ports: GatePorts = {
            now: () => time,
            sleep: (milliseconds) => Promise.resolve(void (time += milliseconds)),
            lease: () => Promise.resolve({ uid: "lease-1", resourceVersion: "1", lock: {}, records }),
            look: ({ settings }) => {
                assert.equal(settings?.keys.length ?? 1, 1);
                looks.push(settings !== undefined);
                alive();
                const stopRequest = actions() >= stopAfter ? "ben@build" : undefined;
                const seen = observedSettings(played, time);
                return Promise.resolve({ ...seen, records, stopRequest, approvals, pdClusterId: "7", ...more });
            },
            perform: (action) => {
                if (action.do !== "set-settings") {
                    done.push(action.do);
                    return Promise.resolve();
                }
                done.push(`set ${action.sets.map(({ server, settings }) => `${server}=${settings[key]}`).join(" ")}`);
                const refused = action.sets.filter(({ server }) => refuses(server, actions()));
                for (const { server, settings } of action.sets.filter((set) => !refused.includes(set))) {
                    played.live[server] = settings;
                }
                return refused.length > 0
                    ? Promise.reject(new Error(`${refused[0].server} says no`))
                    : Promise.resolve();
            },
            tryLock: () => Promise.resolve(heldBy ? { heldBy, operation: "roll out basic-pd" } : { lock }),
            noteApprovalWait: () => Promise.resolve(),
            noteFirstRevision: () => Promise.resolve(),
            notePause: () => Promise.reject(new Error("this gate pauses nothing")),
            access: grantedAccess,
            journal: noJournal,
            progress: {
                info: (m) => said.push(m),
                status: () => undefined,
                note: () => undefined,
                warn: ({ message }) => said.push(message),
            },
        };
        return worldOf(ports);
    }
    const gate = () => createGate(settingsGateDefinition, world());
    const update = (value: number, more: object = {}) => {
        const news = { ...told(value, more), replicas: 0, plan: ["set"], deferred: "" };
        return gate().update("id", told(2), news);
    };

    it("sets one store, then the others, and leaves the record to the RolloutGate", async () => {
        await update(4);
        assert.deepEqual(done, ["set basic-tikv-0=4", "set basic-tikv-1=4 basic-tikv-2=4", "release"]);
        assert.deepEqual(Object.keys(records.settings?.tikv?.keys ?? {}), [key]);
    });

    it("has no plan, and sets nothing, if the ConfigMap says the same", async () => {
        const { inputs } = await gate().check({}, told(2));
        assert.deepEqual(inputs.plan, []);
        await update(2);
        assert.deepEqual(done, []);
    });

    it("says what it does not set in a suspended PD, whose ConfigMap is not read without a StatefulSet", async () => {
        const limit = "schedule.leader-schedule-limit";
        const toldPd = (value: number) => told(value, { component: "pd", settings: { [limit]: value } });
        const pd = { component: "pd" as const, pods: [], claims: [claimOf("pd", 0)] };
        played = { live: { "basic-pd": {} }, file: undefined };
        more = { members: { pd }, notes: { pd: { replicas: 3, suspended: true } } };
        const { remarks, inputs } = await gate().planOf({}, toldPd(8));
        repeats(remarks, `${limit} = 8`, "pd is suspended");
        assert.deepEqual(inputs.plan, []);
    });

    it("takes back what it set if a store refuses, and says so", async () => {
        refuses = (server) => server === "basic-tikv-1";
        const { seen } = await failsWith(update(4), "action-failed", { step: "set", target: "basic-tikv" });
        repeats(seen, "basic-tikv-1 says no");
        assert.deepEqual([values(), records], [[2, 2, 2], noRecords()]);
    });

    it("leaves on record what it cannot take back, and says so", async () => {
        refuses = (server, action) => server === "basic-tikv-1" || (server === "basic-tikv-0" && action > 2);
        await failsWith(update(4), "action-failed", { names: ["basic-tikv-1 says no", "basic-tikv-0 says no"] });
        assert.deepEqual(values(), [4, 2, 2]);
        assert.deepEqual(Object.keys(records.settings?.tikv?.keys ?? {}), [key]);
    });

    it("takes back what it set if it is told to stop half way", async () => {
        stopAfter = 1;
        await failsWith(update(4), "stopped", { names: "ben@build" });
        assert.deepEqual([values(), records], [[2, 2, 2], noRecords()]);
    });

    it("does not wait for somebody else's lock to take something back: that run reads the record", async () => {
        await update(4);
        [stopAfter, heldBy] = [0, "ana@laptop"];
        await failsWith(update(8), "stopped", { names: "ana@laptop" });
        assert.notEqual(records.settings, undefined);
    });

    it("is continued after a kill, and taken back after one if the program says the old value again", async () => {
        for (const [value, expected] of [
            [4, [4, 4, 4]],
            [2, [2, 2, 2]],
        ] as const) {
            killedAfter = actions() + 1;
            await assert.rejects(update(4), /killed/);
            assert.deepEqual(values(), [4, 2, 2]);
            killedAfter = Infinity;
            const { inputs } = await gate().check(told(value), told(value));
            assert.equal((inputs.plan as string[]).length, 1, "although the program did not change");
            await update(value);
            assert.deepEqual(values(), expected);
            played.live = { "basic-tikv-0": { [key]: 2 }, "basic-tikv-1": { [key]: 2 }, "basic-tikv-2": { [key]: 2 } };
            records = noRecords();
        }
    });

    it("shows in a preview what was changed outside the program, and has nothing to do for it", async () => {
        played.live["basic-tikv-1"] = { [key]: 9 };
        const { inputs } = await gate().check({}, told(2), true);
        assert.deepEqual(inputs.plan, []);
        repeats(said[0], `basic-tikv: ${key} is 9 on basic-tikv-1, but 2 in the program`);
        await gate().check({}, told(2));
        assert.equal(said.length, 1, "an update does not repeat it");
    });

    it("says in a preview whose settings are not known", async () => {
        played.live["basic-tikv-1"] = null;
        await gate().check({}, told(2), true);
        assert.equal(said.length, 1);
        repeats(said[0], "basic-tikv: ", "basic-tikv-1");
    });

    it("refuses a key that a store does not report, in the preview", async () => {
        const { refused } = await gate().planOf({}, told(2, { settings: { "raftstore.messages-per-tick": 1 } }));
        assert.deepEqual(refusedAt(refused), ["spec.tikv.config"]);
        repeats(refused?.[0].reason, "basic-tikv-0", "raftstore.messages-per-tick");
    });

    it("refuses at once, in the preview too, what takes a login that nobody has", async () => {
        played.barred = { keys: [key], seen: "TiDB does not accept the password", next: "write it to the Secret" };
        played.live = Object.fromEntries(Object.keys(played.live).map((pod) => [pod, {}]));
        const { seen, next } = played.barred;
        const { refused } = await gate().planOf({}, told(4));
        repeats(refused?.[0].reason, seen, next);
        await failsWith(update(4), "settings-without-login", { names: seen });
        said = [];
        await gate().check(told(2), told(2), true);
        assert.equal(said.length, 1);
        repeats(said[0], "basic-tikv: ", seen);
    });

    it("has no plan while the ConfigMap is not known", async () => {
        played.file = null;
        const { inputs } = await gate().check({}, told(4));
        assert.deepEqual([inputs.plan, inputs.deferred], [[], "deferred: the ConfigMap is gone"]);
    });

    it("waits for a consent before the first store, and takes one for all of them", async () => {
        const approving = { approval: "step" };
        const { inputs } = await gate().check({}, told(4, approving));
        const [, digest] =
            /approve: `npx pulumi-tidb approve basic (\w+) /.exec((inputs.plan as string[]).at(-1) ?? "") ?? [];
        assert.ok(digest, JSON.stringify(inputs.plan));
        stopAfter = 0;
        await failsWith(update(4, approving), "stopped");
        assert.equal(actions(), 0);
        [stopAfter, approvals] = [Infinity, { given: { [digest]: { by: "ana", at: now } as never }, goals: {} }];
        await update(4, approving);
        assert.deepEqual(
            done.filter((one) => one !== "release"),
            ["consent", "set basic-tikv-0=4", "set basic-tikv-1=4 basic-tikv-2=4"],
        );
    });

    describe("and the RolloutGate after it", () => {
        const rollout = () => createGate(rolloutGateDefinition, world());
        const inputs = (more: object) => ({
            ...told(4, { gate: "rollout", desiredReplicas: 3, templateRevision: "1", fixed: { claims: [] }, ...more }),
            replicas: 3,
            plan: [],
            deferred: "",
        });

        it("confirms the settings once the ConfigMap has them, and deletes the record", async () => {
            await update(4);
            played.file = { [key]: 4 };
            played.live["basic-tikv-2"] = { [key]: 2 };
            done = [];
            await rollout()
                .update("id", inputs({ settings: { [key]: 2 } }), inputs({}))
                .catch(() => undefined);
            assert.deepEqual(done.slice(0, 2), ["set basic-tikv-2=4", "forget-settings"]);
            assert.deepEqual(records, noRecords());
        });

        it("sets them again if somebody has taken them back between the gates, as a sweep does", async () => {
            await update(4);
            [records, done, played.file] = [noRecords(), [], { [key]: 4 }];
            Object.keys(played.live).forEach((pod) => (played.live[pod] = { [key]: 2 }));
            await rollout().update("id", inputs({ settings: { [key]: 2 } }), inputs({}));
            assert.deepEqual([values(), records], [[4, 4, 4], noRecords()]);
        });

        it("leaves alone what the update does not change, and asks for no settings then", async () => {
            [played.file, looks] = [{ [key]: 4 }, []];
            played.live["basic-tikv-1"] = { [key]: 9 };
            await rollout().update("id", inputs({}), inputs({}));
            assert.deepEqual([played.live["basic-tikv-1"], done], [{ [key]: 9 }, []]);
            assert.ok(looks.length > 0 && !looks.includes(true));
        });

        it("rolls out first: that may be what makes a server run and answer", async () => {
            await update(4);
            [played.file, looks] = [{ [key]: 4 }, []];
            await rollout().update("id", inputs({ settings: { [key]: 2 } }), inputs({}));
            assert.deepEqual([looks[0], looks.at(-1), records], [false, true, noRecords()]);
        });

        it("says what an earlier run left if nothing sets settings online any more", async () => {
            await update(4);
            said = [];
            await rollout().check(
                {},
                inputs({
                    settings: undefined,
                    configFiles: undefined,
                    policy: { ...defaultPolicy, evictionWindow: false },
                }),
                true,
            );
            assert.ok(
                said.some((one) => one.includes(`an earlier run has begun to set ${key} online, and did not end`)),
                said.join("\n"),
            );
        });
    });
});

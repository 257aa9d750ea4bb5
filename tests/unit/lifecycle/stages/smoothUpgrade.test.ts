import * as assert from "node:assert/strict";
import { recordsAfter, recordsBefore } from "../../../../provider/lifecycle/vocabulary/actions";
import { known, notAsked, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import { emptyMemory, type Memory } from "../../../../provider/lifecycle/vocabulary/memory";
import { noRecords, type Observation } from "../../../../provider/lifecycle/vocabulary/observation";
import {
    isSwitchedUpgrade,
    type UpgradedServers,
    type UpgradeState as KnownState,
} from "../../../../provider/lifecycle/vocabulary/smoothUpgrade";
import { defaultPolicy, type MemberTarget } from "../../../../provider/lifecycle/vocabulary/target";
import { describePausedDdl, lookForDestroy, nextDestroyMove } from "../../../../provider/lifecycle/walks/destroy";
import { nextLeavingMove } from "../../../../provider/lifecycle/walks/leaving";
import { nextScaleMove } from "../../../../provider/lifecycle/walks/scale";
import { leftUpgrade } from "../../../../provider/lifecycle/walks/leftUpgrade";
import { nextRolloutMove } from "../../../../provider/lifecycle/walks/rollout";
import { type Deviation, inShort, now, observed } from "../../../support/lifecycle/observations";
import { waited } from "../../../support/lifecycle/decisionTable";
import { repeats } from "../../../support/repeats";
import { plannedRollout } from "../../../support/lifecycle/planned";

const [from, to] = ["v8.5.2", "v8.5.3"];
const record = { begunAt: now, from, to };

type UpgradeState = KnownState["state"];
const server = (address: string, tag: string) => {
    return { address, version: `8.0.11-TiDB-${tag}`, isOurs: address.startsWith("basic-") };
};
const ours = (tag = to) => [server("basic-tidb-0", tag), server("basic-tidb-1", tag)];
const all: UpgradedServers = { percent: 100, list: ours() };
/** Another TidbCluster on the same PD has a server of the earlier version. */
const half: UpgradedServers = { percent: 66, list: [...ours(), server("other-tidb-0", from)] };
/** A server of the earlier version was killed, and TiDB does not know it yet: no pod of this cluster runs that any more. */
const killed: UpgradedServers = { percent: 66, list: [...ours(), server("basic-tidb-1", from)] };

/** Two TiDB servers; those that are stale run the earlier version. */
function seen(
    row: Deviation & {
        state?: UpgradeState | "not known" | "not asked";
        isRecorded?: boolean;
        versions?: [string, string];
        servers?: UpgradedServers;
    },
): { observation: Observation; target: MemberTarget } {
    const { state = "not asked", isRecorded = false, versions = [from, to], servers = all, ...rest } = row;
    const { observation, target } = observed("tidb", rest);
    const member = observation.members.tidb;
    assert.ok(member?.statefulSet);
    const image = (version: string) => `pingcap/tidb:${version}`;
    const pods = member.pods.map((pod) => ({
        ...pod,
        image: image(rest.stale?.includes(pod.ordinal) ? versions[0] : versions[1]),
    }));
    const statefulSet = { ...member.statefulSet, image: image(versions[1]) };
    return {
        target: { ...target, tag: versions[1] },
        observation: {
            ...observation,
            members: { tidb: { ...member, pods, statefulSet } },
            records: isRecorded ? { ...noRecords(), smoothUpgrade: record } : noRecords(),
            tidbUpgrade:
                state === "not asked"
                    ? notAsked
                    : state === "not known"
                      ? notKnown("basic-tidb-0 answers 500")
                      : known(
                            {
                                ...(state === "normal" ? { state } : { state, servers }),
                                ...{ pod: "basic-tidb-0", uid: "uid-0" },
                            },
                            "basic-tidb-0",
                            now,
                        ),
        },
    };
}

function move(row: Parameters<typeof seen>[0], memory: Memory = emptyMemory): string {
    const { observation, target } = seen(row);
    return inShort(nextRolloutMove(observation, target, memory));
}

const both = [0, 1];

describe("the versions between which TiDB must be told of an upgrade", () => {
    // https://docs.pingcap.com/tidb/stable/smooth-upgrade-tidb, the table of supported versions.
    for (const [before, after, expected] of [
        ["v7.1.2", "v7.1.3", true],
        ["v7.1.2", "v7.4.0", true],
        ["v7.1.5", "v8.5.3", true],
        ["v7.4.0", "v7.5.0", true],
        ["v8.5.2", "v8.5.3-hotfix", true],
        ["v7.0.0", "v8.5.3", false],
        ["v7.1.0", "v7.1.1", false],
        ["v7.1.1", "v7.3.0", false],
        ["v7.2.0", "v7.4.0", false],
        ["v7.3.0", "v8.5.3", false],
        ["v7.1.2", "v7.2.0", false],
        ["v7.1.2", "v7.3.0", false],
        ["v8.5.3", "v8.5.3", false],
        ["v8.5.3", "v8.5.2", false],
        ["nightly", "v8.5.3", false],
        ["v8.5.3", "latest", false],
    ] as const) {
        it(`${before} to ${after}: ${expected}`, () => assert.equal(isSwitchedUpgrade(before, after), expected));
    }

    // The pairs of tidb-operator's own tests.
    const areSwitched = (pairs: readonly (readonly [string, string])[], expected: boolean) => {
        for (const [before, after] of pairs) {
            assert.equal(isSwitchedUpgrade(before, after), expected, `${before} to ${after}`);
        }
    };
    it("are not those where TiDB does it by itself", () =>
        areSwitched(
            [
                ["v7.1.0", "v7.1.1"],
                ["v7.1.0", "v7.2.0"],
                ["v7.1.1", "v7.3.0"],
                ["v7.2.0", "v7.3.0"],
            ],
            false,
        ));
    it("are those from 7.1.2 or 7.4.0 on", () =>
        areSwitched(
            [
                ["v7.1.2", "v7.1.3"],
                ["v7.1.9", "v7.4.0"],
                ["v7.4.0", "v7.5.0"],
            ],
            true,
        ));
    it("are none before that, into an earlier version, or from a build without one", () =>
        areSwitched(
            [
                ["v7.0.9", "v7.1.0"],
                ["v7.3.0", "v7.4.0"],
                ["nightly", "v7.4.0"],
                ["v7.5.0", "v7.4.0"],
                ["v7.1.3", "v7.1.2"],
            ],
            false,
        ));
});

describe("the smooth upgrade of TiDB", () => {
    it("begins before the first pod restarts, and every restart reads back that it is on", () => {
        assert.equal(move({ stale: both }), "look asks:[upgrade-state]");
        assert.equal(move({ stale: both, state: "normal" }), "start-upgrade basic-tidb-0");
        assert.equal(move({ stale: both, state: "upgrading", isRecorded: true }), "restart basic-tidb-1");
        assert.equal(move({ stale: [0], state: "normal", isRecorded: true }), "start-upgrade basic-tidb-0");
    });

    it("is not assumed: as long as TiDB does not say it, nothing restarts, and then the run fails", () => {
        assert.equal(move({ stale: both, state: "not known" }), "wait upgrade-started basic-tidb-1");
        const late = waited("upgrade-started", "basic-tidb-1", 600);
        assert.equal(move({ stale: both, state: "not known" }, late), "fail upgrade-started basic-tidb-1");
        assert.equal(move({ stale: both, state: "normal" }, late), "fail upgrade-started basic-tidb-1");
    });

    it("concerns upgrades only: a new configuration, an earlier version and versions without the switch are not", () => {
        for (const versions of [
            [to, to],
            [to, from],
            ["v7.1.0", "v8.5.3"],
            ["nightly", "v8.5.3"],
        ] as [string, string][]) {
            assert.equal(move({ stale: both, versions }), "restart basic-tidb-1", versions.join(" to "));
        }
    });

    it("is not waited for where no server is left that could answer: the corrected version must reach the pods", () => {
        const dead = {
            ready: false,
            trouble: "ErrImagePull",
            container: known({ is: "not-started" as const }, "node", now),
        };
        const pods = { 0: dead, 1: dead } as Deviation["pods"];
        assert.equal(move({ stale: both, pods }), "restart basic-tidb-1");
        assert.equal(move({ stale: both, pods: { 1: dead } as Deviation["pods"] }), "look asks:[upgrade-state]");
    });

    it("ends after the last pod of the earlier version, is read back, and only then leaves the record", () => {
        assert.equal(move({ isRecorded: true }), "look asks:[upgrade-state]");
        assert.equal(move({ isRecorded: true, state: "upgrading" }), "finish-upgrade basic-tidb-0");
        assert.equal(move({ isRecorded: true, state: "normal" }), "forget-upgrade");
        assert.equal(move({ isRecorded: true, state: "not known" }), "wait left-behind basic-tidb");
        const late = waited("left-behind", "basic-tidb", 600);
        assert.equal(move({ isRecorded: true, state: "not known" }, late), "fail left-behind basic-tidb");
    });

    it("never ends while a pod may still run the earlier version", () => {
        const upgrading = { isRecorded: true, state: "upgrading" } as const;
        assert.equal(move({ ...upgrading, stale: [0] }), "restart basic-tidb-0");
        const [left] = leftUpgrade(seen({ ...upgrading, stale: [0] }).observation);
        assert.equal(left.verdict, "keep");
        repeats(left.why, "basic-tidb-0");
        const unsettled = leftUpgrade(seen({ ...upgrading, settled: false }).observation);
        assert.equal(unsettled[0].verdict, "keep");
    });

    it("that somebody else began is used, and left for them to finish", () => {
        assert.equal(move({ stale: both, state: "upgrading" }), "restart basic-tidb-1");
        assert.equal(move({ state: "upgrading" }), "done");
    });

    describe("with servers that were killed, and that TiDB still lists", () => {
        const open = { isRecorded: true, state: "upgrading" } as const;
        // The third pod is from before a scale-in.
        const scaledIn = { percent: 66, list: [...ours(), server("basic-tidb-2", from)] };
        it("is finished: a run that ended without it would leave DDL paused", () => {
            for (const servers of [killed, scaledIn]) {
                assert.equal(move({ ...open, servers }), "finish-upgrade basic-tidb-0");
                const [left] = leftUpgrade(seen({ ...open, servers }).observation);
                assert.deepEqual([left.verdict, left.action?.do], ["remove", "finish-upgrade"]);
            }
        });
        it("is not finished while a pod of this cluster may run the earlier version", () => {
            assert.equal(move({ ...open, stale: [1], servers: killed }), "restart basic-tidb-1");
        });
        it("is finished before no TiDB is left, and before a destroy", () => {
            const { observation, target } = seen({ ...open, servers: killed });
            const none = nextScaleMove(observation, { ...target, replicas: 0 }, emptyMemory);
            assert.equal(inShort(none), "finish-upgrade basic-tidb-0");
            assert.equal(inShort(nextDestroyMove(observation, emptyMemory)), "finish-upgrade basic-tidb-0");
        });
        it("that somebody else began is still left for them: these are no servers of another TidbCluster", () => {
            const servers = { percent: 100, list: [...ours(from), server("basic-tidb-1", from)] };
            assert.equal(move({ stale: both, state: "upgrading", servers }), "restart basic-tidb-1");
        });
    });

    describe("with another TidbCluster on the PD", () => {
        it("stays while TiDB itself names servers of the earlier version: the run ends, and says so", () => {
            const { observation, target } = seen({ isRecorded: true, state: "upgrading", servers: half });
            const end = nextRolloutMove(observation, target, emptyMemory);
            assert.ok(end.kind === "done");
            repeats(end.remarks, "other-tidb-0 (8.0.11-TiDB-v8.5.2)");
            assert.equal(move({ isRecorded: true, state: "upgrading", servers: { ...half, percent: 99 } }), "done");
            const last = { percent: 100, list: [...ours(), server("other-tidb-0", to)] };
            assert.equal(move({ isRecorded: true, state: "upgrading", servers: last }), "finish-upgrade basic-tidb-0");
            const [left] = leftUpgrade(observation);
            assert.deepEqual([left.verdict, left.action], ["keep", undefined]);
        });
        it("is taken on record by each cluster that rolls its TiDB, so the last one finishes it", () => {
            const row = { stale: both, state: "upgrading", servers: half } as const;
            assert.equal(move(row), "start-upgrade basic-tidb-0");
            assert.equal(move({ ...row, isRecorded: true }), "restart basic-tidb-1");
            const none = { percent: 100, list: [...ours(from), server("other-tidb-0", from)] };
            assert.equal(move({ ...row, servers: none }), "start-upgrade basic-tidb-0", "before its first restart");
        });
        it("stays while that one has another version, whichever of ours were killed", () => {
            for (const tag of [from, "v8.5.30", "v8.5.4", "custom"]) {
                const list = [...killed.list, server("other-tidb-0", tag)];
                const row = { isRecorded: true, state: "upgrading", servers: { percent: 50, list } } as const;
                assert.equal(move(row), "done", tag);
            }
            const upgraded = { percent: 75, list: [...killed.list, server("other-tidb-0", to)] };
            const row = { isRecorded: true, state: "upgrading", servers: upgraded } as const;
            assert.equal(move(row), "finish-upgrade basic-tidb-0");
        });
        it("is left for that one by a destroy", () => {
            const { observation } = seen({ isRecorded: true, state: "upgrading", servers: half });
            assert.equal(inShort(nextDestroyMove(observation, emptyMemory)), "forget-upgrade");
            assert.ok(describePausedDdl(observation));
        });
    });

    describe("before no TiDB is left", () => {
        const ends = {
            "it leaves the program": (row: Parameters<typeof seen>[0]) =>
                nextLeavingMove(seen(row).observation, "tidb", defaultPolicy, undefined, emptyMemory),
            "it has no replicas": (row: Parameters<typeof seen>[0]) => {
                const { observation, target } = seen(row);
                return nextScaleMove(observation, { ...target, replicas: 0 }, emptyMemory);
            },
        };
        for (const [name, next] of Object.entries(ends)) {
            it(`is finished if ${name}, also with the earlier version`, () => {
                const open = { isRecorded: true, state: "upgrading" } as const;
                assert.equal(inShort(next({ isRecorded: true })), "look asks:[upgrade-state]");
                assert.equal(inShort(next(open)), "finish-upgrade basic-tidb-0");
                assert.equal(inShort(next({ ...open, stale: both })), "finish-upgrade basic-tidb-0");
                assert.equal(inShort(next({ isRecorded: true, state: "normal" })), "forget-upgrade");
                assert.equal(inShort(next({ isRecorded: true, state: "not known" })), "wait left-behind basic-tidb");
                assert.equal(inShort(next({ ...open, stale: [1] })), "done", "servers of two versions");
                assert.equal(inShort(next({ ...open, servers: half })), "done", "of another cluster");
                assert.equal(inShort(next({ state: "upgrading" })), "done", "somebody else's");
            });
        }
        it("not if some are left", () => {
            const { observation, target } = seen({ isRecorded: true, state: "upgrading" });
            assert.equal(inShort(nextScaleMove(observation, { ...target, replicas: 1 }, emptyMemory)), "done");
        });
        it("and without any, what a person has to do is named", () => {
            const { observation } = seen({ isRecorded: true });
            const [left] = leftUpgrade({ ...observation, members: {} });
            assert.equal(left.verdict, "keep");
            repeats(left.why, "curl -X POST http://<TiDB>:10080/upgrade/finish");
        });
    });

    it("is finished by the update that brings TiDB back, too, which waits only for what others need", () => {
        const back = (row: Parameters<typeof seen>[0]) => {
            const { observation, target } = seen(row);
            return inShort(nextRolloutMove(observation, target, emptyMemory, "available"));
        };
        assert.equal(back({ isRecorded: true }), "look asks:[upgrade-state]");
        assert.equal(back({ isRecorded: true, state: "upgrading" }), "finish-upgrade basic-tidb-0");
        assert.equal(back({ state: "upgrading" }), "done");
    });

    it("is on record before TiDB is told, and until its end was read back", () => {
        const start = { do: "start-upgrade", pod: "basic-tidb-0", uid: "uid-0", from, to } as const;
        const records = recordsBefore(noRecords(), start, now);
        assert.deepEqual(records.smoothUpgrade, record);
        const finish = { do: "finish-upgrade", pod: "basic-tidb-0", uid: "uid-0" } as const;
        assert.deepEqual(recordsAfter(recordsBefore(records, finish, now), finish, now), records);
        assert.equal(recordsAfter(records, { do: "forget-upgrade" }, now).smoothUpgrade, undefined);
    });

    it("is in the plan once, and what an earlier run has begun is a step of its own", () => {
        const planned = (row: Parameters<typeof seen>[0]) => {
            const { observation, target } = seen(row);
            return plannedRollout(observation, target).map(({ kind, target: pod, does }) => [kind, pod, ...does]);
        };
        const pause = "pause the DDL statements of users until the last TiDB is upgraded (smooth upgrade)";
        const finish = "finish the smooth upgrade, so the DDL statements of users go on";
        assert.deepEqual(planned({ stale: both, state: "normal" }), [
            ["restart", "basic-tidb-1", pause, "delete pod"],
            ["restart", "basic-tidb-0", "delete pod", finish],
        ]);
        assert.deepEqual(planned({ isRecorded: true, state: "upgrading" }), [["clean-up", "basic-tidb-0", finish]]);
        assert.deepEqual(planned({ isRecorded: true, stale: [1], state: "upgrading" }), [
            ["restart", "basic-tidb-1", "delete pod"],
            ["clean-up", "basic-tidb-0", finish],
        ]);
    });

    it("is in the plan where only its record is left: without a step no update runs that deletes it", () => {
        const { observation, target } = seen({ isRecorded: true, state: "normal" });
        assert.deepEqual(
            plannedRollout(observation, target).map(({ kind, target: pod }) => [kind, pod]),
            [["clean-up", "basic-tidb"]],
        );
    });

    it("that a dead run has left is finished by a sweep, if TiDB says so", () => {
        const verdict = (state: UpgradeState | "not known") => {
            const [{ verdict: is, action }] = leftUpgrade(seen({ isRecorded: true, state }).observation);
            return [is, action?.do];
        };
        assert.deepEqual(verdict("upgrading"), ["remove", "finish-upgrade"]);
        assert.deepEqual(verdict("normal"), ["remove", "forget-upgrade"]);
        assert.deepEqual(verdict("not known"), ["not known", undefined]);
        assert.deepEqual(leftUpgrade(seen({ state: "upgrading" }).observation), []);
    });

    describe("before the whole cluster is deleted", () => {
        const before = (row: Parameters<typeof seen>[0], memory: Memory = emptyMemory) => {
            const { observation } = seen({ isRecorded: true, ...row });
            return [inShort(nextDestroyMove(observation, memory)), describePausedDdl(observation) !== undefined];
        };

        it("is finished while servers of one version are left, of whichever: PD's data outlives the cluster", () => {
            for (const stale of [[], both]) {
                assert.deepEqual(before({ stale, state: "upgrading" }), ["finish-upgrade basic-tidb-0", false]);
                assert.deepEqual(before({ stale, state: "normal" }), ["forget-upgrade", false]);
            }
        });

        it("is left as it is, and said, while servers of two versions are left, or none is Ready", () => {
            assert.deepEqual(before({ stale: [1], state: "upgrading" }), ["forget-upgrade", true]);
            const { observation } = seen({ isRecorded: true, state: "upgrading" });
            const tidb = observation.members.tidb!;
            const pods = tidb.pods.map((pod) => ({ ...pod, ready: false }));
            const noneReady = { ...observation, members: { tidb: { ...tidb, pods } } };
            assert.equal(inShort(nextDestroyMove(noneReady, emptyMemory)), "forget-upgrade");
            assert.ok(describePausedDdl(noneReady));
        });

        it("waits for an answer of TiDB for two minutes, and fails", () => {
            const { observation } = seen({ isRecorded: true, state: "not known" });
            assert.equal(nextDestroyMove(observation, emptyMemory).kind, "wait");
            assert.equal(nextDestroyMove(observation, waited("smooth-upgrade-finished", "TiDB", 120)).kind, "fail");
        });

        it("is asked of TiDB only where it is on record", () => {
            assert.deepEqual(lookForDestroy({ ...noRecords(), smoothUpgrade: record }, ["tidb"]).asks, [
                "upgrade-state",
            ]);
            assert.deepEqual(lookForDestroy(noRecords(), ["tidb"]).asks, []);
        });
    });
});

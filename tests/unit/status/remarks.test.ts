import * as assert from "node:assert/strict";
import type { LogTask } from "../../../provider/lifecycle/logBackup/target";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords, type OperationRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { tsoAt } from "../../../topology/timestamps";
import { failed } from "../../support/lifecycle/deaths";
import { recordedLoss } from "../../support/lifecycle/lostVolumes";
import { claimOf, raised } from "../../support/lifecycle/observations";
import { batchOf } from "../../support/lifecycle/zones";
import { onDrained, onKept } from "../../support/lifecycle/drains";
import { pinnedWords } from "../../support/pinned";
import { healthy, type Seen, statusOf, storeOf } from "./seenCluster";

const noon = Date.UTC(2026, 0, 2, 12);
const logBackup = (minutes: number, more: Partial<LogTask> = {}): Partial<Seen> => {
    const checkpointTs = tsoAt(noon - minutes * 60_000);
    const task = { name: "b1", storage: "s3://backups/log", checkpointTs, paused: false, errors: [], ...more };
    return { pd: { logBackups: known([task], "PD", noon) }, observation: { now: noon } };
};
const silentStore = (more: object): Partial<Seen> => ({
    moreStores: [{ ...storeOf("tikv", "basic-tikv-7", 7), state: "Down", ...more } as const],
});
const lowStore = (more: object): Partial<Seen> => ({
    pd: { placement: known({ maxReplicas: 3, lowSpaceRatio: 0.8 }, "PD", 0) },
    stores: { "basic-tikv-1": { availableBytes: 100 * 1024 ** 3, ...more } },
});
const claim = (terminating: boolean): Partial<Seen> => ({ claims: { tikv: [claimOf("tikv", 2, { terminating })] } });
const recorded = (records: Partial<OperationRecords>): Partial<Seen> => ({
    lease: { records: { ...noRecords(), ...records } },
});
const unread = { given: {}, goals: {}, givenProblem: "annotation x holds []", usedProblem: "annotation y" };
const unreadFirst = { given: {}, goals: {}, firstProblems: { tikv: "annotation z" } };

/** How many notes there are of each. */
const noted: Record<string, [seen: Partial<Seen>, notes?: number]> = {
    "that the program pauses the cluster": [{ lease: { isPaused: true } }],
    "a pod that loses its volume once it stops, because its claim was deleted": [claim(true)],
    "a log backup that lags": [logBackup(10)],
    "a log backup that is paused, with TiKV's error": [logBackup(0, { paused: true, errors: ["no space"] })],
    "a store that PD does not hear of and that no pod runs": [silentStore({})],
    "a store of another cluster that PD does not hear of": [
        silentStore({ own: false, address: "10.0.0.7:20160", state: "Disconnected" }),
    ],
    "an own store to which PD moves no region": [lowStore({})],
    "records of consents that cannot be read": [{ lease: { approvals: unread } }, 2],
    "what cannot be read of waits and first revisions": [
        { lease: { approvals: unreadFirst, waitsProblem: "annotation w" } },
        2,
    ],
    "a batch that was left on record": [recorded(batchOf([5, 2]))],
    "limits of PD that were left raised": [recorded(raised())],
    "an unsafe recovery, until its end is on record": [
        recorded({ unsafeRecovery: { finished: [3], begun: { stores: [4, 5], at: 0 } } }),
    ],
    "volumes that are being given up with their node": [recorded(recordedLoss("tikv"))],
    "a node that is being emptied, with its pods": [
        { pods: { "basic-tikv-1": onDrained(), "basic-pd-0": onDrained(), "basic-tidb-0": onKept } },
    ],
    "a replacement of a dead member": [recorded({ failovers: failed("tikv", 1) })],
    "a dead member whose replacement has not begun": [recorded({ failovers: failed("pd", 2, { counts: undefined }) })],
};
const notNoted: Record<string, Partial<Seen>> = {
    "a healthy cluster": {},
    "a claim that is there": claim(false),
    "a log backup that gets on": logBackup(9),
    "a store that is Up": silentStore({ state: "Up" }),
    "a store that a pod runs": silentStore({ podName: "basic-tikv-1" }),
    "a store of another cluster that is low on space": lowStore({ own: false }),
    "a store that has room": lowStore({ availableBytes: 300 * 1024 ** 3 }),
    "an unsafe recovery that is over": recorded({ unsafeRecovery: { finished: [3, 4, 5] } }),
};

describe("the notes of a status", () => {
    const remarksOf = (seen: Partial<Seen>) => statusOf(healthy({ lease: { records: noRecords() }, ...seen })).remarks;
    for (const [title, [seen, notes = 1]] of Object.entries(noted)) {
        it(`name ${title}`, () => assert.equal(remarksOf(seen).length, notes));
    }
    for (const [title, seen] of Object.entries(notNoted)) {
        it(`do not name ${title}`, () => assert.deepEqual(remarksOf(seen), []));
    }
    pinnedWords(
        "notes",
        Object.fromEntries(
            Object.entries(noted).map(([title, [seen]]) => [
                title,
                () =>
                    remarksOf(seen)
                        .map(({ code, message }) => `${code}: ${message}`)
                        .join("\n"),
            ]),
        ),
    );

    it("say that log backups are not known, if PD does not say them", () => {
        const pd = { logBackups: notKnown("no gateway") };
        const { remarks, notKnown: lines } = statusOf(healthy({ lease: { records: noRecords() }, pd }));
        assert.deepEqual([remarks, lines.length], [[], 1]);
    });
});

import * as assert from "node:assert/strict";
import type { LogTask } from "../../../provider/lifecycle/logBackup/target";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { tsoAt } from "../../../topology/timestamps";
import { failed } from "../../support/lifecycle/deaths";
import { recordedLoss } from "../../support/lifecycle/lostVolumes";
import { claimOf, raised } from "../../support/lifecycle/observations";
import { batchOf } from "../../support/lifecycle/zones";
import { onDrained, onKept } from "../../support/lifecycle/drains";
import { healthy, statusOf, storeOf } from "./seenCluster";

const remarksOf = (lease: NonNullable<Parameters<typeof healthy>[0]>["lease"]) =>
    statusOf(healthy({ lease: { records: noRecords(), ...lease } })).remarks;

describe("the notes of a status", () => {
    it("are none for a healthy cluster", () => assert.deepEqual(remarksOf({}), []));

    it("say that the program pauses the cluster", () => {
        assert.deepEqual(remarksOf({ isPaused: true }), [
            "the program pauses the cluster (spec.paused): nothing is changed until an update without it",
        ]);
    });

    it("say that a pod loses its volume once it stops, because somebody has deleted its claim", () => {
        const seen = (terminating: boolean) => {
            const claims = { tikv: [claimOf("tikv", 2, { terminating })] };
            return statusOf(healthy({ lease: { records: noRecords() }, claims })).remarks;
        };
        assert.deepEqual(seen(false), []);
        assert.equal(seen(true).length, 1);
    });

    it("say that a log backup is paused or lags, with TiKV's error, and nothing of one that gets on", () => {
        const now = Date.UTC(2026, 0, 2, 12);
        const of = (minutes: number, more: Partial<LogTask> = {}) => {
            const checkpointTs = tsoAt(now - minutes * 60_000);
            const task = { name: "b1", storage: "s3://backups/log", checkpointTs, paused: false, errors: [], ...more };
            const pd = { logBackups: known([task], "PD", now) };
            return statusOf(healthy({ lease: { records: noRecords() }, pd, observation: { now } })).remarks;
        };
        assert.deepEqual(of(9), []);
        assert.deepEqual(of(10), [
            "log backup b1 lags: what changed after 2026-01-02 11:50:00 UTC, 10 min ago, is not in s3://backups/log",
        ]);
        assert.deepEqual(of(0, { paused: true, errors: ["no space"] }), [
            "log backup b1 is paused: what changed after 2026-01-02 12:00:00 UTC, less than a minute ago, is not in s3://backups/log; TiKV's last error: no space",
        ]);
    });

    it("name a store that PD does not hear of and that no pod runs, and what to do", () => {
        const of = (more: object) => {
            const moreStores = [{ ...storeOf("tikv", "basic-tikv-7", 7), state: "Down", ...more } as const];
            return statusOf(healthy({ lease: { records: noRecords() }, moreStores })).remarks;
        };
        const gone =
            "If it is gone for good, and each region still has a majority without it: `pd-ctl store delete 17`";
        assert.deepEqual(of({}), [
            `store 17 (basic-tikv-7) is Down, which holds back restarts and removals of stores, and the program has no such pod: raise the replicas if it is to come back. ${gone}`,
        ]);
        assert.deepEqual(of({ own: false, address: "10.0.0.7:20160", state: "Disconnected" }), [
            `store 17 (10.0.0.7:20160) is Disconnected, which holds back restarts and removals of stores, and it is not this cluster's: if another cluster shares the PD, look at that one. ${gone}`,
        ]);
        assert.deepEqual(of({ state: "Up" }), []);
        assert.deepEqual(of({ podName: "basic-tikv-1" }), []);
    });

    it("name an own store to which PD moves no region", () => {
        const of = (more: object) => {
            const pd = { placement: known({ maxReplicas: 3, lowSpaceRatio: 0.8 }, "PD", 0) };
            const stores = { "basic-tikv-1": { availableBytes: 100 * 1024 ** 3, ...more } };
            return statusOf(healthy({ lease: { records: noRecords() }, pd, stores })).remarks;
        };
        assert.deepEqual(of({}), [
            "store 11 (basic-tikv-1) is low on space: 100.0 GiB of 1.0 TiB (low) free, and PD moves no region to it (schedule.low-space-ratio). Scale-ins and replacements may wait for room. Next: free space, grow its disk, or add a store",
        ]);
        assert.deepEqual(of({ own: false }), []);
        assert.deepEqual(of({ availableBytes: 300 * 1024 ** 3 }), []);
    });

    it("say that log backups are not known, if PD does not say them", () => {
        const pd = { logBackups: notKnown("no gateway") };
        const { remarks, notKnown: lines } = statusOf(healthy({ lease: { records: noRecords() }, pd }));
        assert.deepEqual([remarks, lines], [[], ["the log backups: no gateway"]]);
    });

    it("say which records of consents cannot be read", () => {
        const approvals = { given: {}, goals: {}, givenProblem: "annotation x holds []", usedProblem: "annotation y" };
        assert.deepEqual(remarksOf({ approvals }), ["annotation x holds []", "annotation y"]);
        const first = { given: {}, goals: {}, firstProblems: { tikv: "annotation z" } };
        assert.deepEqual(remarksOf({ approvals: first, waitsProblem: "annotation w" }), [
            "annotation z",
            "annotation w",
        ]);
    });

    it("say that a batch was left on record, and what ends it", () => {
        assert.deepEqual(remarksOf({ records: batchOf([5, 2]) }), [
            "a batch is on record as restarting side by side: basic-tikv-5 (store 15), basic-tikv-2 (store 12), and its end is not: if no update is under way, the next `pulumi up` goes on with it, and `npx pulumi-tidb sweep basic --yes --namespace tidb` deletes the record",
        ]);
    });
    it("say that limits of PD were left raised, and what puts them back", () => {
        assert.deepEqual(remarksOf({ records: raised() }), [
            "a run of pulumi-tidb has raised PD's leader-schedule-limit from 4 to 64 for basic-tikv-3, and it has not ended: if no update is under way, the next `pulumi up` or `npx pulumi-tidb sweep basic --yes --namespace tidb` puts back what was there before",
        ]);
    });

    it("say that an unsafe recovery was begun, until its end is on record", () => {
        const of = (unsafeRecovery: ReturnType<typeof noRecords>["unsafeRecovery"]) =>
            remarksOf({ records: { ...noRecords(), unsafeRecovery } });
        assert.deepEqual(of({ finished: [3], begun: { stores: [4, 5], at: 0 } }), [
            "an unsafe recovery of stores 4, 5 is on record as begun, and its end is not: see `pd-ctl unsafe remove-failed-stores show`. `pulumi up` goes on with it only while the program has `operations.unsafeRecovery`",
        ]);
        assert.deepEqual(of({ finished: [3, 4, 5] }), []);
    });

    it("say that volumes are being given up with their node, until that is over", () => {
        assert.deepEqual(remarksOf({ records: recordedLoss("tikv") }), [
            "the volumes of basic-tikv-1 on node node-1, which is gone, are being given up: `pulumi up` goes on with it only while the program has the node in `operations.lostNodes`",
        ]);
    });

    it("name each node that is being emptied, with its pods", () => {
        const pods = { "basic-tikv-1": onDrained(), "basic-pd-0": onDrained(), "basic-tidb-0": onKept };
        const status = statusOf(healthy({ pods, lease: { records: noRecords() } }));
        assert.deepEqual(status.remarks, [
            "node node-1 is cordoned and has basic-pd-0, basic-tikv-1: the preview of `pulumi up` says whether they can be moved",
        ]);
    });

    it("name each replacement, and a dead member whose replacement has not begun", () => {
        const records = { ...noRecords(), failovers: failed("tikv", 1) };
        assert.deepEqual(remarksOf({ records }), [
            "basic-tikv-9 replaces basic-tikv-1, which was found dead (failover f00d)",
        ]);
        const begun = { ...noRecords(), failovers: failed("pd", 2, { counts: undefined }) };
        assert.deepEqual(remarksOf({ records: begun }), [
            "basic-pd-2 was found dead; its replacement has not begun (failover f00d)",
        ]);
    });
});

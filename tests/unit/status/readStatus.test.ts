import * as assert from "node:assert/strict";
import type { GatePorts } from "../../../provider/cluster/gatePorts";
import type { LeaseView } from "../../../provider/cluster/leaseNotes";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { readStatus } from "../../../status/readStatus";
import type { StatusSources } from "../../../status/statusSources";
import { healthy, now, observationOf, type Seen, statusOf } from "./seenCluster";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const run = "ci@runner, process 7 (3f9a1c)";
const another = "ci@runner, process 8 (77ab02)";
const begun: JournalOperation = {
    id: "1",
    what: "roll out basic-pd",
    holder: run,
    began: now - 60_000,
    pods: [],
    entries: [],
};
const ended: JournalOperation = { ...begun, ended: now, outcome: "done" };
const heldBy = (holder?: string): LeaseView => ({
    uid: "lease-1",
    resourceVersion: "1",
    lock: holder === undefined ? {} : { holder, acquiredAt: now, renewedAt: now, durationSeconds: 15 },
    records: noRecords(),
});

/** A cluster whose Lease and journal change at each reading. */
async function read(leases: LeaseView[], journals: JournalOperation[][]) {
    const asked: string[] = [];
    let time = now - 5_000;
    const next = <T>(what: string, answers: T[]) => {
        asked.push(what);
        return Promise.resolve(answers.length > 1 ? (answers.shift() as T) : (answers[0] as T));
    };
    const ports: Pick<GatePorts, "now" | "look" | "lease" | "operations"> = {
        now: () => time,
        look: async ({ claimStates }) => {
            asked.push(claimStates ? "look" : "look without sizes of claims");
            time = now;
            return Promise.resolve(observationOf(healthy()));
        },
        lease: () => next("lease", leases),
        operations: async () => known(await next("journal", journals), "the journal", now),
    };
    const sources: StatusSources = {
        world: { open: () => Promise.resolve(ports as GatePorts) } as unknown as GateWorld,
        kubernetes: { context: "", server: "" },
        deployed: () =>
            Promise.resolve({
                id,
                tls: false,
                pd: { ...id, tls: false },
                components: ["pd", "tikv", "tidb"],
                discovery: { replicas: 1, ready: 1, updated: 1, image: "node" },
            }),
        schedules: () => Promise.resolve({ known: true, value: [] }),
        jobs: () => Promise.reject(new Error("not asked")),
        jobPods: () => Promise.reject(new Error("not asked")),
    };
    return { status: await readStatus({ ...id, access: {}, zones: false }, sources), asked };
}

describe("a status that is read while a run proceeds", () => {
    it("has the time when the reading began, because nothing that it says is older", async () => {
        const { status } = await read([heldBy()], [[ended]]);
        assert.equal(status.at, new Date(now - 5_000).toISOString());
    });

    it("reads the journal after the lock, into which a run writes an end before it lets go", async () => {
        const { status, asked } = await read([heldBy()], [[ended]]);
        assert.deepEqual([status.unfinished, asked], [null, ["look", "lease", "journal"]]);
    });

    it("does not call an operation interrupted that began between the two readings", async () => {
        const { status, asked } = await read([heldBy(), heldBy(run)], [[begun]]);
        assert.deepEqual([status.unfinished, status.operation?.holder], [null, run]);
        assert.deepEqual(asked, ["look", "lease", "journal", "lease", "journal"]);
    });

    it("calls one interrupted that nobody holds the lock for at a second reading, too", async () => {
        const { status } = await read([heldBy()], [[begun]]);
        assert.equal(status.unfinished?.of, begun.what);
    });

    it("reads them once if the run of the last operation holds the lock, and twice if another does", async () => {
        assert.equal((await read([heldBy(run)], [[begun]])).asked.length, 3);
        assert.equal((await read([heldBy(another)], [[begun]])).asked.length, 5);
    });

    const eviction = { pod: "basic-tikv-0", begunAt: now, leadersBefore: 500 };
    const evictions = (then: object | undefined, later: object | undefined, isListed: boolean) => {
        const of = (record: object | undefined) => ({ ...noRecords(), evictions: record ? { 10: record } : {} });
        const seen = {
            evicted: isListed ? [10] : [],
            observation: { records: of(then) },
            lease: { records: of(later) },
        };
        return statusOf(healthy(seen as Partial<Seen>)).evictions.map(({ inForce, record }) => [
            inForce.known && inForce.value,
            record && (record.endedAt ?? "begun"),
        ]);
    };
    for (const [what, then, later, isListed, ...expected] of [
        ["one that PD lists and a run recorded meanwhile as that run's", undefined, eviction, true, [true, "begun"]],
        ["one that PD listed and a run dropped meanwhile as that run's", eviction, undefined, true, [true, "begun"]],
        ["one without any record as that of another client", undefined, undefined, true, [true, null]],
        ["none that ended before PD was asked and was dropped from the record after it", eviction, undefined, false],
        ["one that PD does not list yet, or any more, as on record", eviction, eviction, false, [false, "begun"]],
        [
            "one whose end was recorded meanwhile as ended",
            eviction,
            { ...eviction, endedAt: now },
            false,
            [false, "2026-11-22T17:30:00.000Z"],
        ],
    ] as const) {
        it(`shows ${what}`, () => assert.deepEqual(evictions(then, later, isListed), expected));
    }

    it("shows one by PD itself with PD's scheduler, so that a store without leaders has a reason", () => {
        const scheduler = "evict-slow-store-scheduler";
        assert.deepEqual(
            statusOf(healthy({ slow: [{ storeId: 11, scheduler }] })).evictions.map(({ byPd, record }) => [
                byPd,
                record,
            ]),
            [[scheduler, null]],
        );
    });

    it("does not take what PD does not report for none", () => {
        const scheduler = "evict-slow-store-scheduler";
        const { notKnown } = statusOf(healthy({ unreported: [scheduler] }));
        assert.deepEqual(
            notKnown.map((line) => line.includes(scheduler)),
            [true],
        );
    });
});

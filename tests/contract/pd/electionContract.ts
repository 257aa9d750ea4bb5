import * as assert from "node:assert/strict";
import type { ElectionSample, Seen } from "./electionSample";
import type { RecordedElection } from "./recordedElections";

/** How often stores report to the PD of an election, in milliseconds. TiKV's defaults are 60,000 and 10,000. */
export interface ReportIntervals {
    readonly regionHeartbeatMilliseconds: number;
    readonly storeHeartbeatMilliseconds: number;
}

/** How long PD takes to count again what it has heard, for its gauges. */
const refreshMilliseconds = 10_000;

/** What PD's word on leaders and regions must meet to count. Each rule has an election in the recording that needs it. */
export const conditions: Record<string, (seen: Seen, intervals: ReportIntervals) => boolean> = {
    "the leadership is the same before and after the reads": ({ isSteady }) => isSteady,
    "PD has loaded its schedulers": ({ hasSchedulers }) => hasSchedulers,
    "PD has heard from a leader of every region": ({ leaders, regionCount }) => sum(leaders) >= regionCount,
    "every store has reported under this leadership": ({ allReported }) => allReported,
    "the leadership has been held for as long as a region may be silent": (
        { heldForMilliseconds: held },
        { regionHeartbeatMilliseconds },
    ) => held !== null && held >= regionHeartbeatMilliseconds + refreshMilliseconds,
};

/** Whether PD's word on leaders counts. */
function isSound(seen: Seen, intervals: ReportIntervals): boolean {
    return Object.values(conditions).every((holds) => holds(seen, intervals));
}

/**
 * What the client reads after an election of PD's, real or played: what users rely on, and how blind PD is, so that a
 * played PD that sees better than a real one is found out. The election comes in the middle of an eviction.
 */
export function electionContract(
    name: string,
    intervals: ReportIntervals,
    read: () => Promise<RecordedElection> | RecordedElection,
): void {
    describe(`PD after an election: ${name}`, function () {
        this.timeout(300_000);
        let election: RecordedElection;
        let seen: (ElectionSample & { readonly seen: Seen })[];
        before(async () => {
            election = await read();
            seen = election.samples.filter((sample): sample is (typeof seen)[number] => sample.seen !== undefined);
            assert.ok(seen.length > 10, `PD answered ${seen.length} times`);
        });
        const sound = () => seen.filter((sample) => isSound(sample.seen, intervals));
        const { regionHeartbeatMilliseconds: regionMilliseconds, storeHeartbeatMilliseconds: storeMilliseconds } =
            intervals;

        it("no store that leads is taken for empty", () => {
            for (const { at, truth, seen: pd } of sound()) {
                for (const [store, leaders] of Object.entries(truth)) {
                    assert.ok(
                        pd.leaders[Number(store)] > 0 || leaders === 0,
                        `store ${store} after ${at} s: ${leaders}`,
                    );
                }
            }
        });

        it("PD's counts are trusted in the end, and are then right", () => {
            const limit = (regionMilliseconds + 4 * storeMilliseconds) / 1000 + 25;
            assert.ok(
                sound().some(({ at }) => at < limit),
                `sound within ${limit} s`,
            );
            for (const { at, truth, seen: pd } of sound()) {
                for (const [store, leaders] of Object.entries(truth)) {
                    const difference = Math.abs(pd.leaders[Number(store)] - leaders);
                    assert.ok(difference <= 5, `store ${store} after ${at} s: ${difference}`);
                }
                assert.equal(pd.pendingInCheck, election.pending);
                assert.equal(pd.pendingInGauge, election.pending);
            }
        });

        it("the leadership is a new one, the same from its first answer on, and never older than it is", () => {
            const [{ seen: first }] = seen.filter(({ seen: pd }) => pd.leader !== election.from);
            const later = seen.slice(seen.findIndex(({ seen: pd }) => pd.term === first.term));
            for (const { at, seen: pd } of later) {
                assert.deepEqual([pd.leader, pd.term], [first.leader, first.term]);
                assert.ok(
                    (pd.heldForMilliseconds ?? 0) <= at * 1000 + 500,
                    `${pd.heldForMilliseconds} ms after ${at} s`,
                );
            }
        });

        it("the eviction lasts, though PD may list none before it has loaded its schedulers", () => {
            for (const { at, seen: pd } of seen) {
                assert.deepEqual(pd.persisted, [election.evict], `after ${at} s`);
                assert.deepEqual(pd.evicted, pd.hasSchedulers ? [election.evict] : null, `after ${at} s`);
            }
        });

        it("PD knows all regions at once", () => {
            const counts = new Set(seen.map(({ seen: pd }) => pd.regionCount));
            assert.deepEqual([...counts], [sum(election.samples[0].truth)]);
        });

        it("PD is as blind as a real one", () => {
            const [{ seen: first }] = seen;
            const complete = seen.find(({ seen: pd }) => sum(pd.leaders) >= pd.regionCount);
            const loaded = seen.find(({ seen: pd }) => pd.hasSchedulers);
            const until = election.reconnect === "resends" ? storeMilliseconds : regionMilliseconds;
            if (election.election === "a restarted member takes over") {
                // A leader sends a member that comes back what that one had not written down yet: some leaders, or none.
                assert.ok(sum(first.leaders) < 0.75 * first.regionCount, `heard of ${sum(first.leaders)} at first`);
                assert.equal(first.hasSchedulers, false);
                assert.ok(
                    seen.some(({ truth, seen: pd }) => pd.leaders[election.evict] < truth[election.evict] - 10),
                    "a store is said to lead fewer regions than it does",
                );
                // 90% of the regions make it load its schedulers.
                assert.ok(
                    loaded!.at * 1000 > until / 2 && loaded!.at * 1000 < until + 10_000,
                    `loaded ${loaded!.at} s`,
                );
                assert.ok(complete!.at * 1000 > until / 4, `complete after ${complete!.at} s`);
            } else {
                assert.equal(first.hasSchedulers, true);
                assert.ok(complete!.at - seen[0].at <= 3, `complete after ${complete!.at} s`);
            }
            assert.ok(
                seen.some(({ seen: pd }) => pd.pendingInCheck < election.pending),
                "regions/check is too low for a while",
            );
        });
    });
}

function sum(counts: Record<number, number>): number {
    return Object.values(counts).reduce((total, count) => total + count, 0);
}

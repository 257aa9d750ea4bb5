import * as assert from "node:assert/strict";
import { createPdClient } from "../../provider/pd";
import { faithfulTimings, manualClock, type PdSimulator, startPdSimulator } from "../../sandbox/dataPlane";
import { type ElectionSample, type Seen, takeSample } from "./pd/electionSample";
import { readElections, type RecordedElection } from "./pd/recordedElections";

/** When what PD says became what it stays: seconds since the change; Infinity where it never did. */
interface Course {
    /** PD has a leader. */
    readonly elected: number;
    /** The leaders that PD counts are as many as there are regions. */
    readonly complete: number;
    /** PD lists its own schedulers. */
    readonly loaded: number;
    /** PD lists the eviction. */
    readonly listed: number;
    /** PD calls all stores Up. */
    readonly up: number;
    /** PD finds all regions that have a pending peer: by its check, and by its gauge. */
    readonly checked: number;
    readonly counted: number;
}

const regions = 1200;
const soonSeconds = 16;
/** As long as the recording's members ran before each change. */
const settledMilliseconds = 75_000;
/** Samples were taken every second, PD looks for its schedulers every 3 s, and stores report every 10 s. */
const tolerance: Course = { elected: 3, complete: 6, loaded: 6, listed: 6, up: 8, checked: 8, counted: 14 };

describe("the simulator after an election is blind for as long as the recorded PD 8.5.4", function () {
    this.timeout(60_000);
    for (const recorded of readElections().map(thinned)) {
        it(`${recorded.election}, and each store ${recorded.reconnect}`, async () => {
            const played = await play(recorded);
            const [real, simulated] = [recorded.samples, played].map((samples) => courseOf(samples, recorded.pending));
            for (const moment of Object.keys(tolerance) as (keyof Course)[]) {
                const difference = Math.abs(real[moment] - simulated[moment]);
                const isAlike = real[moment] === simulated[moment] || difference <= tolerance[moment];
                assert.ok(isAlike, `${moment}: after ${real[moment]} s, simulated after ${simulated[moment]} s`);
            }
            for (const [index, { at, seen }] of recorded.samples.entries()) {
                const other = played[index].seen;
                const difference = seen && other ? Math.abs(total(seen.leaders) - total(other.leaders)) : 0;
                assert.ok(
                    difference <= 0.15 * regions || isNearChange(at, real),
                    `at ${at} s PD counted ${difference} leaders more or fewer than simulated`,
                );
            }
            const kept = played.flatMap(({ seen }) => (seen ? [String(seen.persisted)] : []));
            assert.deepEqual([...new Set(kept)], [String(recorded.evict)], "etcd has the eviction always");
        });
    }
});

/** Less of the recording where little changes from one second to the next. */
function thinned(recorded: RecordedElection): RecordedElection {
    const samples = recorded.samples.filter(({ at }, index) => at < soonSeconds || index % 4 === 0);
    return { ...recorded, samples };
}

/** The same change of a simulated PD, looked at at the same moments. */
async function play({ election, reconnect, evict, pending, samples }: RecordedElection): Promise<ElectionSample[]> {
    const clock = manualClock();
    const timings = { ...faithfulTimings, resendsAfterElection: reconnect === "resends" };
    await using simulator = await startPdSimulator({ clock, stores: 6, regions, timings });
    simulator.faults.regions.pendingPeers = pending;
    const client = createPdClient({ endpoints: simulator.endpoints });
    if (election === "a restarted member takes over") {
        simulator.stopPod("basic-pd-1");
        await simulator.startPod("basic-pd-1");
    }
    clock.advance(settledMilliseconds);
    await client.beginLeaderEviction(evict);
    clock.advance(1_000);
    const began = clock();
    if (election === "the leader is killed") {
        simulator.stopPod("basic-pd-0");
    } else {
        await client.transferLeader("basic-pd-1");
    }
    const played: ElectionSample[] = [];
    for (const { at } of samples) {
        clock.advance(Math.max(0, began + at * 1000 - clock()));
        played.push(await takeSample({ client, leaders: () => leadersOf(simulator) }, at));
    }
    client.close();
    return played;
}

function leadersOf(simulator: PdSimulator): Record<number, number> {
    return Object.fromEntries(simulator.stores().map(({ id, leaders }) => [id, leaders]));
}

function courseOf(samples: readonly ElectionSample[], pending: number): Course {
    const from = (holds: (seen: Seen) => boolean): number => {
        const last = samples.map(({ seen }) => seen !== undefined && holds(seen)).lastIndexOf(false);
        return samples[last + 1]?.at ?? Infinity;
    };
    return {
        elected: from(() => true),
        complete: from(({ leaders }) => total(leaders) === regions),
        loaded: from(({ hasSchedulers }) => hasSchedulers),
        listed: from(({ evicted }) => evicted !== null),
        up: from(({ states }) => String(states) === "Up"),
        checked: from(({ pendingInCheck }) => pendingInCheck === pending),
        counted: from(({ pendingInGauge }) => pendingInGauge === pending),
    };
}

/** Where stores reconnect, all of a store's leaders come at once: a second earlier or later is a great difference. */
function isNearChange(at: number, { complete, elected }: Course): boolean {
    return Math.abs(at - complete) <= tolerance.complete || Math.abs(at - elected) <= tolerance.elected;
}

function total(leaders: Record<number, number>): number {
    return Object.values(leaders).reduce((sum, one) => sum + one, 0);
}

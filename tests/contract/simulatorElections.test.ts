import * as assert from "node:assert/strict";
import { createPdClient } from "../../provider/pd";
import { faithfulTimings, manualClock, type PdSimulator, startPdSimulator } from "../../sandbox/dataPlane";
import { electionContract } from "./pd/electionContract";
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

for (const recorded of readElections().map(thinned)) {
    const { election, reconnect, moved } = recorded;
    const name = `${election}, each store ${reconnect}${moved === undefined ? "" : ", leaders move meanwhile"}`;
    let played: Promise<RecordedElection> | undefined;
    const playOnce = (): Promise<RecordedElection> => (played ??= play(recorded));

    electionContract(`the simulator: ${name}`, faithfulTimings, playOnce);

    describe(`the simulator: ${name}`, function () {
        this.timeout(60_000);
        it("is blind for as long as the recorded PD 8.5.4", async () => {
            const { samples: played } = await playOnce();
            const [real, simulated] = [recorded.samples, played].map((samples) => courseOf(samples, recorded.pending));
            for (const moment of Object.keys(tolerance) as (keyof Course)[]) {
                const difference = Math.abs(real[moment] - simulated[moment]);
                const isAlike = real[moment] === simulated[moment] || difference <= tolerance[moment];
                assert.ok(isAlike, `${moment}: after ${real[moment]} s, simulated after ${simulated[moment]} s`);
            }
            const [realShares, simulatedShares] = [recorded.samples, played].map(heardShares);
            for (const [index, { at }] of recorded.samples.entries()) {
                const [one, other] = [realShares[index], simulatedShares[index]];
                const isAlike = one === undefined || other === undefined || Math.abs(one - other) <= 0.15;
                assert.ok(
                    isAlike || isNearChange(at, real),
                    `at ${at} s PD had heard of ${one}, simulated of ${other} of the leaders that were new to it`,
                );
            }
        });
    });
}

/** Less of the recording where little changes from one second to the next. */
function thinned(recorded: RecordedElection): RecordedElection {
    const samples = recorded.samples.filter(({ at }, index) => at < soonSeconds || index % 4 === 0);
    return { ...recorded, samples };
}

/** The same change of a simulated PD, looked at at the same moments. */
async function play(recorded: RecordedElection): Promise<RecordedElection> {
    const { election, reconnect, evict, pending, moved } = recorded;
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
    clock.advance(moved ? 25_000 : 1_000);
    const began = clock();
    if (election === "the leader is killed") {
        simulator.stopPod("basic-pd-0");
    } else {
        await client.transferLeader("basic-pd-1");
    }
    if (moved) {
        clock.advance(3_000);
        simulator.takeLeaders(`basic-tikv-${evict - 1}`, moved);
    }
    const samples: ElectionSample[] = [];
    for (const { at } of recorded.samples) {
        clock.advance(Math.max(0, began + at * 1000 - clock()));
        samples.push(await takeSample({ client, leaders: () => leadersOf(simulator) }, at));
    }
    client.close();
    return { ...recorded, from: "basic-pd-0", samples };
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

/**
 * At each moment, the share that PD counts of the leaders that it did not know at first. The recorded member that was
 * restarted knew those that had moved since; the simulated one knows none.
 */
function heardShares(samples: readonly ElectionSample[]): (number | undefined)[] {
    const counts = samples.map(({ seen }) => seen && total(seen.leaders));
    const first = counts.find((count) => count !== undefined) ?? 0;
    return counts.map((count) => count && (first === regions ? 1 : (count - first) / (regions - first)));
}

/** Where stores reconnect, all of a store's leaders come at once: a second earlier or later is a great difference. */
function isNearChange(at: number, { complete, elected }: Course): boolean {
    return Math.abs(at - complete) <= tolerance.complete || Math.abs(at - elected) <= tolerance.elected;
}

function total(leaders: Record<number, number>): number {
    return Object.values(leaders).reduce((sum, one) => sum + one, 0);
}

import { setTimeout as pause } from "node:timers/promises";
import { takeSample, type ElectionSample } from "./electionSample";
import type { RealPd } from "./realPd";
import type { RealStores } from "./realStores";
import type { RecordedElection } from "./recordedElections";

/** What to observe. */
export interface ElectionPlan extends Omit<RecordedElection, "samples" | "from"> {
    /** Makes another member the leader. */
    readonly change: (leader: string) => Promise<void>;
    readonly seconds: number;
}

/** Changes PD's leader in the middle of an eviction, reads everything about once a second, and ends the eviction. */
export async function observeElection(pd: RealPd, stores: RealStores, plan: ElectionPlan): Promise<RecordedElection> {
    const { change, seconds, ...about } = plan;
    const from = (await pd.client.members()).leader!.name;
    await pd.client.beginLeaderEviction(about.evict);
    // An eviction of 200 leaders takes PD about 10 s.
    await pause(about.moved ? 25_000 : 1000);
    const samples: ElectionSample[] = [];
    const began = performance.now();
    const at = () => Math.round((performance.now() - began) / 100) / 10;
    await change(from);
    if (about.moved) {
        // PD elects another leader after about 10 s.
        await pause(3000);
        stores.moveLeaders(about.evict, about.moved);
    }
    while (at() < seconds) {
        const next = performance.now() + (at() < 80 ? 1000 : 4000);
        samples.push(await takeSample({ client: pd.client, leaders: stores.leaders }, at()));
        await pause(Math.max(0, next - performance.now()));
    }
    await pd.client.endLeaderEviction(about.evict);
    return { ...about, from, samples };
}

/** A member that has run for a while and does not lead. */
export function followerOf({ endpoints }: RealPd, leader: string): string {
    return endpoints.map(({ name }) => name).find((name) => name !== leader)!;
}

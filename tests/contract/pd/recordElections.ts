import { setTimeout as pause } from "node:timers/promises";
import { takeSample, type ElectionSample } from "./electionSample";
import { findPdServer, startPd, type RealPd } from "./realPd";
import { startStores } from "./realStores";
import { keepElection, type ElectionKind } from "./recordedElections";

/**
 * Records what a real PD of three members says in the first two minutes after each kind of election, in the middle of an
 * eviction, with TiKV's own intervals: `npx tsx tests/contract/pd/recordElections.ts resends` (or `waits`), about ten
 * minutes each. Adds to the recording.
 */
const regions = 1200;
const pending = 24;
/** Longer than a region's heartbeat takes, so that PD knows everything before the next election. */
const settledMilliseconds = 75_000;

async function main(reconnect: "resends" | "waits"): Promise<void> {
    const pd = await startPd(findPdServer() ?? "pd-server", 3);
    const stores = await startStores({
        members: pd.endpoints.map(({ url }) => url),
        clusterId: await pd.client.clusterId(),
        ids: [1, 2, 3, 4, 5, 6],
        regions,
        pending,
        regionHeartbeatMilliseconds: 60_000,
        storeHeartbeatMilliseconds: 10_000,
        transferMilliseconds: 200,
        reconnect,
    });
    const record = async (election: ElectionKind, evict: number, change: (leader: string) => Promise<void>) => {
        await pause(settledMilliseconds);
        const from = (await pd.client.members()).leader!.name;
        await pd.client.beginLeaderEviction(evict);
        await pause(1000);
        const samples: ElectionSample[] = [];
        const began = performance.now();
        const at = () => Math.round((performance.now() - began) / 100) / 10;
        await change(from);
        while (at() < 125) {
            const next = performance.now() + (at() < 80 ? 1000 : 4000);
            samples.push(await takeSample({ client: pd.client, leaders: stores.leaders }, at()));
            await pause(Math.max(0, next - performance.now()));
        }
        await pd.client.endLeaderEviction(evict);
        keepElection({ election, reconnect, evict, pending, from, samples });
    };
    try {
        await record("a follower that has run takes over", 1, (leader) =>
            pd.client.transferLeader(followerOf(pd, leader)),
        );
        let killed = "";
        await record("the leader is killed", 2, (leader) => {
            killed = leader;
            return pd.stopMember(leader);
        });
        pd.startMember(killed);
        await record("a restarted member takes over", 3, () => pd.client.transferLeader(killed));
    } finally {
        stores.close();
        await pd.close();
    }
}

function followerOf({ endpoints }: RealPd, leader: string): string {
    return endpoints.map(({ name }) => name).find((name) => name !== leader)!;
}

void main(process.argv[2] === "waits" ? "waits" : "resends");

import { setTimeout as pause } from "node:timers/promises";
import { followerOf, observeElection, type ElectionPlan } from "./realElection";
import { findPdServer, startPd } from "./realPd";
import { startStores } from "./realStores";
import { keepElection, type RecordedElection } from "./recordedElections";

/**
 * Records what a real PD of three members says in the first two minutes after each kind of election, in the middle of an
 * eviction, with TiKV's own intervals: `npx tsx tests/contract/pd/recordElections.ts resends` (or `waits`), about
 * fifteen minutes each. Adds to the recording.
 */
const seconds = 125;
const pending = 24;
/** Longer than a region's heartbeat takes, so that PD knows everything before the next election. */
const settledMilliseconds = 75_000;

async function main(reconnect: RecordedElection["reconnect"]): Promise<void> {
    const pd = await startPd(findPdServer() ?? "pd-server", 3);
    const stores = await startStores({
        members: pd.endpoints.map(({ url }) => url),
        clusterId: await pd.client.clusterId(),
        ids: [1, 2, 3, 4, 5, 6],
        regions: 1200,
        pending,
        regionHeartbeatMilliseconds: 60_000,
        storeHeartbeatMilliseconds: 10_000,
        transferMilliseconds: 200,
        reconnect,
    });
    const record = async (plan: Pick<ElectionPlan, "election" | "evict" | "moved" | "change">) => {
        await pause(settledMilliseconds);
        if (plan.election === "a restarted member takes over") {
            // The first time the leader may send it much of what it had not written down; the second time it has.
            for (let times = 0; times < 2; times++) {
                await pd.stopMember(restarted);
                pd.startMember(restarted);
                await pause(10_000);
            }
        }
        keepElection(await observeElection(pd, stores, { ...plan, reconnect, pending, seconds }));
    };
    let restarted = "";
    const change = (leader: string) => pd.client.transferLeader(followerOf(pd, leader));
    const kill = (leader: string) => {
        restarted = leader;
        return pd.stopMember(leader);
    };
    const toRestarted = () => pd.client.transferLeader(restarted);
    try {
        await record({ election: "a follower that has run takes over", evict: 1, change });
        await record({ election: "the leader is killed", evict: 2, change: kill });
        pd.startMember(restarted);
        await record({ election: "a restarted member takes over", evict: 3, change: toRestarted });
        await record({ election: "the leader is killed", evict: 4, moved: 40, change: kill });
    } finally {
        stores.close();
        await pd.close();
    }
}

void main(process.argv[2] === "waits" ? "waits" : "resends");

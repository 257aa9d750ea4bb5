import { setTimeout as pause } from "node:timers/promises";
import { electionContract, type ReportIntervals } from "./electionContract";
import { followerOf, observeElection } from "./realElection";
import { withPdServer, startPd, type RealPd } from "./realPd";
import { startStores } from "./realStores";
import type { RecordedElection } from "./recordedElections";

/** Shorter than TiKV's, so that a test need not take minutes. */
const intervals: ReportIntervals = { regionHeartbeatMilliseconds: 10_000, storeHeartbeatMilliseconds: 2000 };

withPdServer("PD after an election: a real pd-server", (command) => {
    electionContract(`a real ${command}, whose leader is killed`, intervals, () =>
        elect(command, { election: "the leader is killed", reconnect: "resends" }, (pd, leader) =>
            pd.stopMember(leader),
        ),
    );
    electionContract(`a real ${command}, of which a restarted member takes over`, intervals, () =>
        elect(command, { election: "a restarted member takes over", reconnect: "waits" }, async (pd, leader) =>
            pd.client.transferLeader(followerOf(pd, leader)),
        ),
    );
});

async function elect(
    pdServer: string,
    about: Pick<RecordedElection, "election" | "reconnect">,
    change: (pd: RealPd, leader: string) => Promise<void>,
): Promise<RecordedElection> {
    const pd = await startPd(pdServer, 3);
    const stores = await startStores({
        members: pd.endpoints.map(({ url }) => url),
        clusterId: await pd.client.clusterId(),
        ids: [1, 2, 3, 4, 5, 6],
        regions: 600,
        pending: 12,
        ...intervals,
        transferMilliseconds: 200,
        reconnect: about.reconnect,
    });
    try {
        // Until PD has heard of every region.
        await pause(intervals.regionHeartbeatMilliseconds + 2 * intervals.storeHeartbeatMilliseconds);
        if (about.election === "a restarted member takes over") {
            const follower = followerOf(pd, (await pd.client.members()).leader!.name);
            await pd.stopMember(follower);
            pd.startMember(follower);
            await pause(5000);
        }
        const plan = { ...about, evict: 1, pending: 12, change: (name: string) => change(pd, name), seconds: 40 };
        return await observeElection(pd, stores, plan);
    } finally {
        stores.close();
        await pd.close();
    }
}
